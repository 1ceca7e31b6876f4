"""Tasks in threads of our own do as they would in joblib's."""

import os
import signal
import threading
import time

import pytest
from joblib.parallel import get_active_backend
from sklearn import config_context, get_config

from kernsemble.fitting.dispatch import run_tasks
from kernsemble.fitting.progress import watching_fits


def seen(_shared, number):
    return {
        "number": number,
        "thread": threading.get_ident(),
        "process": os.getpid(),
        "nesting": get_active_backend()[0].nesting_level,
        "assume_finite": get_config()["assume_finite"],
    }


def run(n_tasks=8, **options):
    return list(run_tasks(seen, ("shared",), [(number,) for number in range(n_tasks)], **options))


def test_results_come_in_order_from_other_threads_of_this_process():
    found = run(n_jobs=2)
    assert [result["number"] for result in found] == list(range(8))
    assert threading.get_ident() not in [result["thread"] for result in found]
    assert {result["process"] for result in found} == {os.getpid()}


@pytest.mark.parametrize("verbose", [0, 51])
def test_workers_know_of_scikit_learns_settings_and_that_they_are_nested(verbose, capsys):
    with config_context(assume_finite=True):
        found = run(n_jobs=2, verbose=verbose)
    assert all(result["assume_finite"] for result in found)
    assert {result["nesting"] for result in found} == {1}


def test_after_an_error_no_further_task_is_begun():
    begun = []

    def fail(number):
        begun.append(number)
        if number == 0:
            raise RuntimeError("member 0")
        time.sleep(0.05)

    with pytest.raises(RuntimeError, match="member 0"):
        list(run_tasks(fail, (), [(number,) for number in range(50)], n_jobs=2))
    assert len(begun) < 50


def test_whoever_interrupts_does_not_wait_for_members_that_are_being_fitted():
    """The signal comes once both threads are busy, and they end only when told to."""
    busy, let_go = threading.Semaphore(0), threading.Event()

    def wait(_number):
        busy.release()
        let_go.wait(60)

    def interrupt():
        busy.acquire()
        busy.acquire()
        os.kill(os.getpid(), signal.SIGINT)

    killer = threading.Thread(target=interrupt)
    # Workers of a parallel test run ignore the signal.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    killer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            list(run_tasks(wait, (), [(number,) for number in range(4)], n_jobs=2))
        assert not let_go.is_set()
    finally:
        let_go.set()
        killer.join()
        signal.signal(signal.SIGINT, handler)


def test_a_watcher_is_told_of_members_and_not_of_tasks_inside_them():
    calls = []

    def outer(number):
        return sum(run_tasks(lambda part: part, (), [(0,), (1,), (2,)]))

    with watching_fits(lambda *numbers: calls.append(numbers)):
        for n_jobs in (None, 2):
            assert list(run_tasks(outer, (), [(0,), (1,)], n_jobs=n_jobs)) == [3, 3]
    assert calls == [(0, 2), (1, 2), (2, 2)] * 2
    list(run_tasks(outer, (), [(0,), (1,)]))
    assert len(calls) == 6
