"""Threads that run tasks in order, and help with parts of those that have begun.

Where the longest task of a fit takes as long as all others together, a second worker would have
nothing to do at the end. A task may therefore offer its parts to the workers that are idle. Parts
of earlier tasks go before later tasks, so that the large matrices of two tasks are seldom in memory
at the same time.
"""

import threading
import time
from collections import deque
from concurrent.futures import Future
from functools import partial

_here = threading.local()


def spread(function, items):
    """Return `[function(item) for item in items]`, computed with the help of idle workers.

    Who computes which part makes no difference to the result. Outside of a `Team` all parts are
    computed here. The caller must hold no lock that a part of another task may wait for.

    Examples
    --------
    >>> spread(abs, [-1, 2, -3])
    [1, 2, 3]
    """
    items = list(items)
    team = getattr(_here, "team", None)
    if team is None or len(items) < 2:
        return [function(item) for item in items]
    return team.share(_Parts(function, items, _here.place))


def work_clock():
    """Return a time in seconds, the differences of which are the work that a task has taken.

    What its worker did for other tasks does not count, and what others did for it does.
    """
    return time.perf_counter() - getattr(_here, "lent", 0.0)


class _Parts:
    """The parts of a task, which workers take one by one."""

    def __init__(self, function, items, place):
        self.function, self.items, self.place = function, items, place
        self.results = [None] * len(items)
        self.n_taken = self.n_done = 0
        self.error = None
        # Seconds that other workers have spent.
        self.borrowed = 0.0


class Team:
    """Workers, each of which is a thread.

    Parameters
    ----------
    n_workers : int
    settings : callable
        Returns a context in which a worker does all its work.
    """

    def __init__(self, n_workers, settings):
        self._changed = threading.Condition()
        self._tasks: deque = deque()
        self._shared: list[_Parts] = []
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, args=(settings,)) for _ in range(n_workers)
        ]
        for thread in self._threads:
            thread.start()

    def map(self, function, tasks):
        """Yield `function(*task)` for every task, in their order."""
        futures: list[Future] = [Future() for _ in tasks]
        with self._changed:
            for place, (future, task) in enumerate(zip(futures, tasks)):
                self._tasks.append((place, future, partial(function, *task)))
            self._changed.notify_all()
        for future in futures:
            yield future.result()

    def close(self, wait):
        """Begin no further task; wait for those that have begun, or leave them alone."""
        with self._changed:
            self._closed = True
            self._tasks.clear()
            self._changed.notify_all()
        for thread in self._threads if wait else ():
            thread.join()

    def share(self, parts):
        """Return the results of parts, which the calling worker computes with the idle ones."""
        with self._changed:
            # Within a task, the parts of a part come first.
            later = (n for n, own in enumerate(self._shared) if own.place >= parts.place)
            self._shared.insert(next(later, len(self._shared)), parts)
            self._changed.notify_all()
        while (taken := self._take_or_wait(parts)) is not None:
            self._compute(*taken)
        with self._changed:
            self._shared.remove(parts)
        _here.lent -= parts.borrowed
        if parts.error is not None:
            raise parts.error
        return parts.results

    def _work(self, settings):
        _here.team, _here.place, _here.lent = self, -1, 0.0
        with settings():
            while (job := self._next_job()) is not None:
                job()

    def _next_job(self):
        """Return what an idle worker does next, or None when there will be nothing more."""
        with self._changed:
            while True:
                if (taken := self._take()) is not None:
                    return partial(self._compute, *taken)
                if self._tasks:
                    return partial(_run_task, *self._tasks.popleft())
                if self._closed:
                    return None
                self._changed.wait()

    def _take_or_wait(self, parts):
        """Return a part of these or of an earlier task, or None when these are done."""
        with self._changed:
            while (taken := self._take(parts.place)) is None and parts.n_done < len(parts.items):
                self._changed.wait()
            return taken

    def _take(self, place=float("inf")):
        """Return parts of a task up to a place, the earliest one, and the number of one of them."""
        for parts in self._shared:
            if parts.place <= place and parts.n_taken < len(parts.items):
                parts.n_taken += 1
                return parts, parts.n_taken - 1
        return None

    def _compute(self, parts, number):
        own_place, start = _here.place, work_clock()
        _here.place = parts.place
        try:
            parts.results[number] = parts.function(parts.items[number])
        except BaseException as error:
            parts.error = error
        _here.place, seconds = own_place, work_clock() - start
        is_lent = own_place != parts.place
        _here.lent += seconds if is_lent else 0.0
        with self._changed:
            parts.n_done += 1
            parts.borrowed += seconds if is_lent else 0.0
            self._changed.notify_all()


def _run_task(place, future, call):
    _here.place = place
    try:
        future.set_result(call())
    except BaseException as error:
        future.set_exception(error)
    _here.place = -1
