"""A dask cluster: whether it can run this library, and waiting that ends when the workers do."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from itertools import islice

#: How long a cluster may be without workers, or without an answer, before it counts as lost.
PATIENCE = 30.0
# A check that finds nothing to complain about takes a fraction of a second.
CHECK_SECONDS = 20.0
POLL_SECONDS = 1.0
FETCH_SECONDS = 60.0
ATTEMPTS = 3

# Sent as text, because a function of this package cannot be read where the package is missing.
# Only this package, which is light, is imported: the scheduler stands still meanwhile.
_VERSIONS = """(lambda find, installed: {
    "python": "%d.%d" % __import__("sys").version_info[:2],
    "kernsemble": find("kernsemble") and __import__("kernsemble").__version__,
    **{name: next((found.version for found in installed(name=name)), None)
       for name in ("numpy", "scikit-learn")},
})(__import__("importlib.util").util.find_spec,
   __import__("importlib.metadata").metadata.distributions)"""


class ClusterError(RuntimeError):
    """The cluster cannot run the work, or no longer can."""


def active_client():
    """Return the process's `distributed.Client`, or None."""
    if "distributed" not in sys.modules:
        return None
    from distributed import default_client

    try:
        return default_client()
    except ValueError:
        return None


def check_cluster(client):
    """Raise `ClusterError` unless scheduler and workers have this library in a fitting version.

    Without it work that a machine cannot read is sent round for ever. The Python version and this
    library's must be equal, NumPy and scikit-learn agree in their first two numbers.
    """
    asked = ThreadPoolExecutor(1, thread_name_prefix="kernsemble-check")
    try:
        found = asked.submit(_ask_versions, client).result(CHECK_SECONDS)
    except Late:
        raise ClusterError(
            f"The cluster at {_address(client)} did not answer within {CHECK_SECONDS:g} s."
        ) from None
    except (OSError, ImportError) as error:
        raise ClusterError(f"The cluster at {_address(client)} cannot be asked: {error}") from error
    finally:
        asked.shutdown(wait=False)
    if len(found) < 2:
        raise ClusterError(
            f"The cluster at {_address(client)} has no workers. Start some with "
            f"`dask worker {_address(client)}`."
        )
    here = eval(_VERSIONS)
    for where, there in found.items():
        _compare(where, there, here)


def _ask_versions(client):
    limit = time.monotonic() + CHECK_SECONDS / 2
    answers = {"the scheduler": client.run_on_scheduler(eval, _VERSIONS)}
    while True:
        workers = client.run(eval, _VERSIONS, on_error="return") if client.nthreads() else {}
        # The scheduler may not know yet of workers that were started or died a moment ago.
        silent = any(isinstance(found, OSError) for found in workers.values())
        if (workers and not silent) or time.monotonic() > limit:
            return answers | {f"worker {address}": found for address, found in workers.items()}
        time.sleep(0.1)


def _compare(where, there, here):
    if isinstance(there, OSError):
        raise ClusterError(f"{where} does not answer: {there}")
    if isinstance(there, BaseException):
        raise ClusterError(f"{where} cannot load what it needs: {there!r}.")
    for name, wanted in here.items():
        length = None if name == "kernsemble" else 2
        if not there[name]:
            raise ClusterError(
                f"{where} lacks the package {name}; install {name} {wanted} in its environment."
            )
        if there[name].split(".")[:length] != wanted.split(".")[:length]:
            raise ClusterError(
                f"{where} has {name} {there[name]}, this process has {wanted}; "
                "they must run the same."
            )


def result_of(client, future):
    """Wait for a future and return its result.

    Work of lost workers is done again by others; `ClusterError` says that none are left, or that
    the scheduler is gone.
    """
    from distributed import CancelledError

    lost_since = None
    while True:
        try:
            return future.result(timeout=FETCH_SECONDS if future.done() else POLL_SECONDS)
        except (TimeoutError, CancelledError, OSError) as error:
            if future.status == "error":
                raise
            if not isinstance(error, TimeoutError):
                raise ClusterError(f"The cluster at {_address(client)} lost the work.") from error
            lost_since = _watch(client, lost_since)


def run_on_cluster(client, function, shared, tasks):
    """Yield `function(*shared, *task)` for every task, in order, from the workers.

    Parameters
    ----------
    client : distributed.Client
    function : callable
    shared : tuple
        Reaches every worker once.
    tasks : sequence of tuple
    """
    tasks = list(tasks)
    for attempt in range(ATTEMPTS):
        futures: list = []
        try:
            held = _send(client, shared)
            futures += [client.submit(_call, function, held, task, pure=False) for task in tasks]
            for future in futures:
                yield result_of(client, future)
                tasks = tasks[1:]
            return
        except ClusterError:
            # A worker may have died while it was sent something, or with the only copy of it.
            if attempt == ATTEMPTS - 1 or client.status != "running" or not client.nthreads():
                raise
        finally:
            client.cancel(futures)


def first_finished(client, function, tasks, at_once):
    """Yield results of `function(*task)` in the order in which they come.

    Tasks are taken from their iterable no earlier than a place is free.

    Parameters
    ----------
    client : distributed.Client
    function : callable
    tasks : iterable of tuple
    at_once : int
        Tasks that run or wait at a time.
    """
    from distributed import wait

    tasks, lost_since = iter(tasks), None
    running: set = set()
    try:
        while True:
            for task in islice(tasks, at_once - len(running)):
                running.add(client.submit(function, *task, pure=False))
            if not running:
                return
            try:
                done = wait(running, timeout=POLL_SECONDS, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                lost_since = _watch(client, lost_since)
                continue
            for future in done:
                yield result_of(client, future)
            running -= done
    finally:
        client.cancel(list(running))


def _send(client, shared):
    """Return a future of `shared`, which one worker has and the others fetch from each other.

    Dask's own way to send it to all of them at once never ends if one of them dies meanwhile.
    """
    try:
        (held,) = client.scatter([shared], hash=False)
    except (KeyError, OSError) as error:
        # The worker that was chosen is gone.
        raise ClusterError(f"The cluster at {_address(client)} lost a worker: {error!r}") from error
    return held


def _call(function, shared, task):
    return function(*shared, *task)


def _watch(client, lost_since):
    """Return since when there are no workers, None if there are; raise when it is too long."""
    try:
        present = bool(client.nthreads())
    except (OSError, ValueError, RuntimeError) as error:
        raise ClusterError(f"The scheduler at {_address(client)} is gone.") from error
    if present:
        return None
    now = time.monotonic()
    if lost_since is not None and now - lost_since > PATIENCE:
        raise ClusterError(
            f"The cluster at {_address(client)} has had no workers for {PATIENCE:g} s."
        )
    return now if lost_since is None else lost_since


def _address(client):
    scheduler = getattr(client, "scheduler", None)
    return getattr(scheduler, "address", "an unknown address")
