"""A lock that the operating system frees when its holder dies, however it dies."""

import glob
import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    # What `locking` reports for a file that another process has locked.
    _TAKEN = (PermissionError,)

    def _try_lock(descriptor):
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    _TAKEN = (BlockingIOError,)

    def _try_lock(descriptor):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class HeldLock:
    """A lock file, held from construction to `release`."""

    def __init__(self, path):
        self.path = Path(path)
        while True:
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT)
            try:
                _try_lock(self._descriptor)
            except _TAKEN:
                os.close(self._descriptor)
                continue
            except OSError:
                # A file system without locks would be asked for ever.
                os.close(self._descriptor)
                self.path.unlink(missing_ok=True)
                raise
            # Another process that removes the files of dead runners may have removed this one
            # before it was locked.
            if _is_file(self._descriptor, self.path):
                return
            os.close(self._descriptor)

    def release(self):
        """Free the lock and remove the file."""
        self.path.unlink(missing_ok=True)
        os.close(self._descriptor)


def _is_file(descriptor, path):
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def is_held(path):
    """Return whether a living process holds the lock; the file of a dead one is removed."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        _try_lock(descriptor)
    except _TAKEN:
        return True
    else:
        Path(path).unlink(missing_ok=True)
        return False
    finally:
        os.close(descriptor)


def remove_dead_locks(ledger):
    """Remove the lock files that dead runners left beside a ledger."""
    for left_behind in ledger.parent.glob(f"{glob.escape(ledger.name)}.*.lock"):
        is_held(left_behind)
