"""A process of its own for cells, so that a crash, a hang or a full memory costs one cell only.

Jobs and outcomes are lines of JSON on the process's standard input and output. The process ends
when its input closes, or when its parent is gone while it computes.
"""

import json
import os
import queue
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

from ..errors import UserError

__all__ = ["Limits", "Worker", "serve"]

_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
_POLL_SECONDS = 0.05
_REASON_LENGTH = 500


class Limits:
    """What one cell may take; None is no limit.

    Parameters
    ----------
    seconds : float, default=None
    memory_gb : float, default=None
        Resident memory of the cell's process, read from /proc.
    """

    def __init__(self, seconds=None, memory_gb=None):
        if memory_gb is not None and not Path("/proc/self/statm").exists():
            raise UserError("A memory limit needs /proc, which this system does not have.")
        for name, value in (("seconds", seconds), ("memory_gb", memory_gb)):
            if value is not None and not value > 0:
                raise UserError(f"The limit {name} must be above 0, got {value!r}.")
        self.seconds = seconds
        self.memory_gb = memory_gb

    def broken(self, started, pid):
        """Return the reason why a cell must stop, or None."""
        if self.seconds is not None and time.monotonic() - started > self.seconds:
            return f"passed its time limit of {self.seconds:g} s"
        if self.memory_gb is not None and _resident_gb(pid) > self.memory_gb:
            return f"passed its memory limit of {self.memory_gb:g} GB"
        return None


def _resident_gb(pid):
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**30


class Worker:
    """The parent's side: `run(job)` returns an outcome, whatever happens in the process."""

    def __init__(self, threads=1):
        self._threads = threads
        self._process: Any = None
        self._lines: queue.SimpleQueue = queue.SimpleQueue()

    def run(self, job, limits):
        """Return the job's outcome; {"failure": reason} where it has none."""
        process = self._process or self._start()
        started = time.monotonic()
        try:
            process.stdin.write(json.dumps(job) + "\n")
            process.stdin.flush()
        except OSError:
            return self._ended(process)
        while True:
            try:
                line = self._lines.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                reason = limits.broken(started, process.pid)
                if reason:
                    self.stop()
                    return {"failure": reason}
                continue
            return json.loads(line) if line else self._ended(process)

    def _launch(self):
        return subprocess.Popen(
            [sys.executable, "-m", "kernsemble.benchmark"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **dict.fromkeys(_THREADS, str(self._threads))},
        )

    def _start(self):
        self._process = process = self._launch()
        self._lines = queue.SimpleQueue()
        reader = threading.Thread(target=_forward, args=(process.stdout, self._lines), daemon=True)
        reader.start()
        # A process that cannot start would make every cell a failure, so it is an error instead.
        if self._lines.get() != "ready\n":
            self.stop()
            raise UserError("The worker process did not start; see the messages above.")
        return process

    def _ended(self, process):
        code = process.wait()
        self.stop()
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        return {"failure": f"its process ended {how}"}

    def stop(self):
        """End the process; the next `run` starts a new one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            process.stdin.close()


def _forward(stream, lines):
    with stream:
        for line in stream:
            lines.put(line)
    lines.put("")


def serve():
    """Read jobs and answer them until the input closes."""
    # What an estimator prints must not be taken for an outcome.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    threading.Thread(target=_leave_with_parent, args=(os.getppid(),), daemon=True).start()
    from .cell import evaluate_cell

    answers.write("ready\n")
    answers.flush()
    for line in sys.stdin:
        answers.write(json.dumps(_answer(evaluate_cell, json.loads(line))) + "\n")
        answers.flush()


def _leave_with_parent(parent):
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _answer(evaluate, job):
    try:
        with warnings.catch_warnings():
            # A thousand cells repeat one warning; scores and failures are what counts here.
            warnings.simplefilter("ignore")
            return evaluate(job)
    except UserError as error:
        return {"failure": str(error)[:_REASON_LENGTH]}
    except MemoryError:
        return {"failure": "ran out of memory"}
    except Exception as error:  # a cell that fails is a result, and the rest goes on
        return {"failure": f"{type(error).__name__}: {error}"[:_REASON_LENGTH]}
