"""A dask scheduler and workers as processes of their own on this machine."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from distributed import Client

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

# Should the process that started it be killed, nobody else would end it.
ADDRESS = ("--host", "127.0.0.1", "--port", "0", "--idle-timeout", "1800")


class Loopback:
    """Start a cluster, connect, and end everything that was started.

    Parameters
    ----------
    n_workers : int, default=2
        Of one thread each.
    memory : str, default="1GB"
        Limit of a worker.
    worker_env : dict, default=None
        Environment of the workers where it differs from this process's.
    """

    def __init__(self, n_workers=2, *, memory="1GB", worker_env=None):
        self.n_workers, self.memory, self.worker_env = n_workers, memory, worker_env or {}
        self.workers = []

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        try:
            self.scheduler = self._start("scheduler", *ADDRESS, "--scheduler-file", self._file)
            self._wait_for_file()
            for _ in range(self.n_workers):
                self.add_worker()
            self.client = Client(scheduler_file=self._file, timeout=60)
            if self.n_workers:
                self.client.wait_for_workers(self.n_workers, timeout=60)
        except BaseException:
            self.__exit__()
            raise
        return self

    @property
    def _file(self):
        return str(Path(self.folder.name) / "scheduler.json")

    def _start(self, kind, *options, env=None):
        return subprocess.Popen(
            [sys.executable, "-m", "dask", kind, *options, "--no-dashboard"],
            cwd=self.folder.name,
            env={**os.environ, **ONE_THREAD, **(env or {})},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _wait_for_file(self):
        limit = time.monotonic() + 60
        while not Path(self._file).exists():
            if time.monotonic() > limit or self.scheduler.poll() is not None:
                raise RuntimeError("The scheduler did not start.")
            time.sleep(0.05)

    def add_worker(self):
        options = ("--scheduler-file", self._file, "--nthreads", "1", "--no-nanny")
        limits = ("--memory-limit", self.memory, "--death-timeout", "60")
        worker = self._start("worker", *options, *limits, env=self.worker_env)
        self.workers.append(worker)
        return worker

    @property
    def address(self):
        return self.client.scheduler.address

    def kill_worker(self, number):
        self.workers[number].send_signal(signal.SIGKILL)
        self.workers[number].wait()

    def peak_megabytes(self):
        """Return the largest memory each living worker has had."""
        return [_peak(worker.pid) for worker in self.workers if worker.poll() is None]

    def __exit__(self, *error):
        if hasattr(self, "client"):
            self.client.close(timeout=5)
        for process in [*self.workers, getattr(self, "scheduler", None)]:
            if process is not None and process.poll() is None:
                process.kill()
                process.wait()
        self.folder.cleanup()


def _peak(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024
