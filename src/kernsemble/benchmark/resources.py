"""What a cell uses: processor time, memory, and the size of the fitted model."""

import os
import pickle
from pathlib import Path

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def cpu_seconds():
    """Return the processor time of this process and of those it has started and waited for."""
    return sum(os.times()[:4])


def forget_peak_memory():
    """Let `peak_memory_mb` count from now; return whether this system can."""
    try:
        # Linux sets the peak of a process to its present size when 5 is written here.
        _CLEAR.write_text("5")
    except OSError:
        return False
    return True


def peak_memory_mb():
    """Return the largest resident memory of this process, in megabytes, or None."""
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        return None
    peaks = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
    return int(peaks[0]) / 1024 if peaks else None


class _Counter:
    """A file that keeps nothing but the number of bytes written to it."""

    def __init__(self):
        self.n_bytes = 0

    def write(self, data):
        self.n_bytes += memoryview(data).nbytes
        return memoryview(data).nbytes


def model_bytes(model):
    """Return the number of bytes of a pickled model, or None if it cannot be pickled."""
    counter = _Counter()
    try:
        pickle.dump(model, counter, protocol=5)
    except Exception:  # a classifier that cannot be stored has no size
        return None
    return counter.n_bytes
