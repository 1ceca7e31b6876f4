"""Run cells in a process of their own, so that a crash, a hang or a full memory costs one cell.

Jobs and outcomes are lines of JSON on the standard input and output of the process, which confirms
each job when it takes it. The process leads a session, to which all belongs that its cells start:
limits count the whole session, and the whole session ends with the process. The process ends when
its input closes, or when its parent is gone while it computes.
"""

import json
import os
import queue
import subprocess
import sys
import threading
import time
import warnings
from contextlib import suppress
from typing import Any

from ..errors import UserError
from .process_session import can_measure_memory, end_session, uses_more_than

_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
_POLL_SECONDS = 0.1
_PARENT_SECONDS = 0.5
_REASON_LENGTH = 500
# How often a process is started, or a cell is sent, before a run gives up.
_ATTEMPTS = 3
_READY, _TAKEN = "ready\n", "taken\n"


class Limits:
    """What one cell may use, together with all processes that it starts; None means no limit.

    Parameters
    ----------
    seconds : float, default=None
    memory_gb : float, default=None
        Memory of the processes; those that were forked share it where they can.
    """

    def __init__(self, seconds=None, memory_gb=None):
        if memory_gb is not None and not can_measure_memory():
            raise UserError(
                "A memory limit needs the folder /proc, which this system does not have, or the "
                "package psutil: pip install psutil"
            )
        for name, value in (("seconds", seconds), ("memory_gb", memory_gb)):
            if value is not None and not value > 0:
                raise UserError(f"The limit {name} must be above 0, got {value!r}.")
        self.seconds = seconds
        self.memory_gb = memory_gb

    def broken(self, started, pid):
        """Return the reason why a cell must stop, or None."""
        if self.seconds is not None and time.monotonic() - started > self.seconds:
            return f"passed its time limit of {self.seconds:g} s"
        if self.memory_gb is not None and uses_more_than(pid, self.memory_gb):
            return f"passed its memory limit of {self.memory_gb:g} GB"
        return None


class Worker:
    """The parent's side: `run` returns an outcome, whatever happens in the process.

    Parameters
    ----------
    threads : int, default=1
        Threads of the numerical libraries in the process.
    """

    def __init__(self, threads=1):
        self._threads = threads
        self._process: Any = None
        self._lines: queue.SimpleQueue = queue.SimpleQueue()
        self._mutex = threading.Lock()
        self._closed = False

    def run(self, job, limits):
        """Return the outcome of a job, {"failure": reason} where it has none.

        A process that dies between two cells costs nothing: the job goes to a new process.
        """
        for _ in range(_ATTEMPTS):
            process = self._process or self._start()
            outcome = self._try(process, job, limits)
            if outcome is not None:
                return outcome
        raise UserError(
            f"{_ATTEMPTS} worker processes ended one after another before they took a cell. "
            "Finished cells are kept; find out what ends them, and start again."
        )

    def _try(self, process, job, limits):
        """Return the outcome of a job, None if the process ended before it took the job."""
        started, taken = time.monotonic(), False
        try:
            process.stdin.write(json.dumps(job) + "\n")
            process.stdin.flush()
        except OSError:
            self.stop()
            return None
        while True:
            line = self._next_line(process)
            if line == _TAKEN:
                taken = True
            elif line:
                return json.loads(line)
            elif line is None:
                reason = limits.broken(started, process.pid)
                if reason:
                    self.stop()
                    return {"failure": reason}
            else:
                code = self._end(process)
                how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
                return {"failure": f"its process ended {how}"} if taken else None

    def _next_line(self, process):
        """Return the next line; None if there is none yet, "" if the process has ended."""
        for _ in range(2):
            with suppress(queue.Empty):
                line = self._lines.get(timeout=_POLL_SECONDS)
                # A process that died while it wrote has left half a line.
                return line if line.endswith("\n") else ""
            # A process that a cell started may keep the output of a dead worker open.
            if process.poll() is None:
                return None
        return ""

    def _launch(self):
        return subprocess.Popen(
            [sys.executable, "-m", "kernsemble.benchmark"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **dict.fromkeys(_THREADS, str(self._threads))},
            start_new_session=True,
        )

    def _start(self):
        for _ in range(_ATTEMPTS):
            with self._mutex:
                if self._closed:
                    raise UserError("The run has been stopped.")
                try:
                    self._process = process = self._launch()
                except OSError as error:
                    raise UserError(f"A worker process cannot be started: {error}") from error
                self._lines = queue.SimpleQueue()
            forward = threading.Thread(
                target=_forward, args=(process.stdout, self._lines), daemon=True
            )
            forward.start()
            line = None
            while line is None:
                line = self._next_line(process)
            if line == _READY:
                return process
            if self._end(process) >= 0:
                # It found an error, which another process would find too.
                break
        # Every cell would fail for this reason, so the run ends instead.
        raise UserError("The worker process did not start; see the messages above.")

    def _end(self, process):
        """End what is left of the process and its children, and return its exit code."""
        self.stop()
        return process.wait()

    def stop(self):
        """End the process and its children; the next `run` starts a new one."""
        process, self._process = self._process, None
        if process is not None:
            end_session(process.pid)
            with suppress(OSError):
                process.kill()
            process.wait()
            # Closing writes what is left of a job, which nobody reads any more.
            with suppress(OSError):
                process.stdin.close()

    def close(self):
        """End the process and its children for good."""
        with self._mutex:
            self._closed = True
        self.stop()


def _forward(stream, lines):
    with stream:
        for line in stream:
            lines.put(line)
    lines.put("")


def serve():
    """Read jobs and answer them until the input closes."""
    jobs, answers = _take_pipes()
    here = os.getpid()
    threading.Thread(target=_leave_with_parent, args=(os.getppid(),), daemon=True).start()
    from .cell import evaluate_cell

    # Nobody reads the answers of a worker whose parent is gone.
    with suppress(BrokenPipeError):
        _say(answers, _READY)
        for line in jobs:
            _say(answers, _TAKEN)
            outcome = _answer(evaluate_cell, json.loads(line))
            if os.getpid() != here:
                # A process that the cell has forked came back from its fit; it must not answer.
                os._exit(1)
            _say(answers, json.dumps(outcome) + "\n")
    _leave()


def _take_pipes():
    """Return the input and the output, which from now on the cells cannot reach."""
    jobs, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    # What a cell prints is a message for the user, and never an outcome.
    os.dup2(2, 1)
    return jobs, answers


def _say(answers, line):
    answers.write(line)
    answers.flush()


def _leave_with_parent(parent):
    while os.getppid() == parent:
        time.sleep(_PARENT_SECONDS)
    _leave()


def _leave():
    """End this process and, if it leads a session, all others of the session."""
    if hasattr(os, "getsid") and os.getsid(0) == os.getpid():
        end_session(os.getpid())
    os._exit(1)


def _answer(evaluate, job):
    try:
        with warnings.catch_warnings():
            # A thousand cells would repeat one warning, and scores and failures are what counts.
            warnings.simplefilter("ignore")
            return evaluate(job)
    except UserError as error:
        reason = str(error)
    except MemoryError:
        reason = "ran out of memory"
    except Exception as error:  # a cell that fails is a result, and the other cells go on
        reason = f"{type(error).__name__}: {error}"
    return {"failure": reason[:_REASON_LENGTH], "data_digest": _digest(job)}


def _digest(job):
    from .sources import data_digest

    try:
        return data_digest(job["dataset"])
    except Exception:  # the data cannot be read, and the failure says so
        return None
