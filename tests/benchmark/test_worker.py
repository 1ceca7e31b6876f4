"""A worker process may die at any moment, and takes with it whatever its cells have started."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from kernsemble.benchmark import process_session
from kernsemble.benchmark.methods import Method
from kernsemble.benchmark.protocols import PROTOCOLS
from kernsemble.benchmark.runner import run_study
from kernsemble.benchmark.study import make_study
from kernsemble.benchmark.worker import Limits, Worker
from kernsemble.errors import UserError

pytestmark = pytest.mark.skipif(not Path("/proc").exists(), reason="needs Linux")


def make_job(method="Majority", estimator="sklearn.dummy.DummyClassifier"):
    return {
        "dataset": "iris",
        "method": Method(method, estimator).definition(),
        "protocol": PROTOCOLS["kfold"].definition(),
        "split": "0",
        "seed": 0,
        "choice": None,
    }


@pytest.fixture
def worker():
    made = Worker()
    yield made
    made.close()


@pytest.fixture
def trouble(tmp_path, monkeypatch):
    """Return a job of a troublesome classifier, and the processes that it started."""
    monkeypatch.setenv("TROUBLE_FOLDER", str(tmp_path))
    yield lambda name: make_job(name, f"troublesome.{name}"), lambda: children(tmp_path)
    for pid in children(tmp_path):
        if is_alive(pid):
            os.kill(pid, signal.SIGKILL)


def children(folder):
    return [int(path.stem) for path in folder.glob("*.child")]


def is_alive(pid):
    try:
        content = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return content.rpartition(") ")[2][0] != "Z"


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def test_a_worker_that_died_between_two_cells_is_replaced(worker):
    first = worker.run(make_job(), Limits())
    pid = worker._process.pid
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not is_alive(pid))
    again = worker.run(make_job(), Limits())
    assert again["accuracy"] == first["accuracy"] and worker._process.pid != pid


def test_a_job_that_a_dying_worker_did_not_take_goes_to_another(worker):
    first = worker.run(make_job(), Limits())
    pid = worker._process.pid
    # The stopped process leaves the job in its pipe.
    os.kill(pid, signal.SIGSTOP)
    found = []
    sender = threading.Thread(target=lambda: found.append(worker.run(make_job(), Limits())))
    sender.start()
    sender.join(0.5)
    assert not found
    os.kill(pid, signal.SIGKILL)
    sender.join(60)
    assert found[0]["accuracy"] == first["accuracy"] and worker._process.pid != pid


def launching(*codes):
    """Return a replacement for the launch of a worker: programs one after another."""
    left = list(codes)

    def launch(worker):
        code = left.pop(0) if len(left) > 1 else left[0]
        return subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    return launch


SERVE = "from kernsemble.benchmark.worker import serve; serve()"
KILLED = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"


def test_the_cells_of_workers_that_always_die_are_not_sent_for_ever(worker, monkeypatch):
    monkeypatch.setattr(Worker, "_launch", launching("print('ready', flush=True)"))
    with pytest.raises(UserError, match="3 worker processes ended one after another"):
        worker.run(make_job(), Limits())


def test_a_worker_that_is_killed_while_it_starts_is_started_again(worker, monkeypatch):
    monkeypatch.setattr(Worker, "_launch", launching(KILLED, KILLED, SERVE))
    assert "accuracy" in worker.run(make_job(), Limits())


@pytest.mark.parametrize("code", [KILLED, "raise SystemExit(3)"])
def test_workers_that_never_start_end_the_run(worker, monkeypatch, code):
    monkeypatch.setattr(Worker, "_launch", launching(code))
    with pytest.raises(UserError, match="did not start"):
        worker.run(make_job(), Limits())


def test_half_an_outcome_is_no_outcome(worker, monkeypatch):
    code = "input(print('ready', flush=True) or ''); print('taken\\n{\"accuracy\": 0.', end='')"
    monkeypatch.setattr(Worker, "_launch", launching(code))
    outcome = worker.run(make_job(), Limits())
    assert outcome == {"failure": "its process ended with exit code 0"}


def test_a_closed_worker_starts_no_process(worker):
    worker.close()
    with pytest.raises(UserError, match="stopped"):
        worker.run(make_job(), Limits())
    assert worker._process is None


def test_a_process_that_outlives_a_dead_worker_is_ended(worker, trouble):
    make, started = trouble
    outcome = worker.run(make("Orphaning"), Limits())
    assert outcome == {"failure": "its process ended by signal 9"}
    assert len(started()) == 1
    wait_until(lambda: not any(map(is_alive, started())))


def test_a_time_limit_ends_the_processes_of_a_cell(worker, trouble):
    make, started = trouble
    worker.run(make_job(), Limits())
    outcome = worker.run(make("Delegating"), Limits(seconds=3))
    assert outcome == {"failure": "passed its time limit of 3 s"}
    assert len(started()) == 2
    wait_until(lambda: not any(map(is_alive, started())))
    assert "accuracy" in worker.run(make_job(), Limits())


def test_a_memory_limit_counts_the_processes_of_a_cell(worker, trouble):
    make, started = trouble
    outcome = worker.run(make("HungryChild"), Limits(seconds=60, memory_gb=0.9))
    assert outcome == {"failure": "passed its memory limit of 0.9 GB"}
    wait_until(lambda: not any(map(is_alive, started())))


def test_memory_that_forked_processes_share_is_counted_once(worker, trouble):
    make, _ = trouble
    assert "accuracy" in worker.run(make("SharingChildren"), Limits(memory_gb=1.0))


def test_without_proc_psutil_finds_the_processes(monkeypatch, tmp_path):
    pytest.importorskip("psutil")
    monkeypatch.setattr(process_session, "_PROC", tmp_path)
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    leader = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, start_new_session=True
    )
    try:
        wait_until(lambda: len(process_session._members(leader.pid)) == 2)
        members = process_session._members(leader.pid)
        assert process_session.uses_more_than(leader.pid, 1e-3)
        assert not process_session.uses_more_than(leader.pid, 100.0)
    finally:
        process_session.end_session(leader.pid)
        leader.wait()
        leader.stdin.close()
    wait_until(lambda: not any(map(is_alive, members)))


def test_without_proc_and_psutil_a_memory_limit_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(process_session, "_PROC", tmp_path)
    monkeypatch.setitem(sys.modules, "psutil", None)
    with pytest.raises(UserError, match="pip install psutil"):
        Limits(memory_gb=1.0)
    assert process_session._members(12345) == [12345]


def test_a_fit_that_comes_back_twice_has_one_outcome(worker, trouble):
    make, _ = trouble
    for _ in range(3):
        assert "accuracy" in worker.run(make("Doubling"), Limits())
    outcome = worker.run(make("Failing"), Limits())
    assert outcome["failure"] == "RuntimeError: no <b>luck</b> today"


def test_a_cell_cannot_read_the_next_job(worker, trouble):
    make, _ = trouble
    assert "accuracy" in worker.run(make("Reading"), Limits(seconds=60))
    assert "accuracy" in worker.run(make_job(), Limits())


def test_the_processes_of_a_cell_end_with_a_killed_runner(trouble, tmp_path):
    make, started = trouble
    script = f"""
        from kernsemble.benchmark.worker import Limits, Worker
        worker = Worker()
        worker.run({make("Delegating")!r}, Limits())
    """
    runner = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)])
    try:
        wait_until(lambda: len(started()) == 2)
        worker = int(Path(f"/proc/{started()[0]}/stat").read_text().rpartition(") ")[2].split()[1])
        assert is_alive(worker)
    finally:
        runner.kill()
        runner.wait()
    wait_until(lambda: not any(map(is_alive, [worker, *started()])))


def test_no_worker_is_left_after_a_run(ledger):
    study = make_study(["iris"], ["NearestNeighbours"], "five-fold")
    run_study(study, ledger, n_jobs=1)
    left = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = (path / "stat").read_text().rpartition(") ")[2].split()[1]
            command = (path / "cmdline").read_bytes()
        except OSError:
            continue
        if int(parent) == os.getpid() and b"kernsemble.benchmark" in command:
            left.append(int(path.name))
    assert not left
