"""A process and all that it starts: the memory they use, and their end.

A worker process leads a session of its own, and the processes that its cells start belong to that
session. On Linux the members are found in /proc. Elsewhere the package psutil, where it is
installed, finds the children of the leader. Without either only the leader is known.
"""

import os
import signal
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_GIGABYTE = 2**30
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


def can_measure_memory():
    """Return whether the memory of a session can be measured on this system."""
    return _has_proc() or _psutil() is not None


def uses_more_than(leader, gigabytes):
    """Return whether the processes of a session together use more memory than this.

    Parameters
    ----------
    leader : int
        Process id of the session's leader.
    gigabytes : float
    """
    members = _members(leader)
    if sum(map(_resident_bytes, members)) <= gigabytes * _GIGABYTE:
        return False
    # Forked processes share pages, and the sum above counts such a page once for each of them.
    return sum(map(_own_bytes, members)) > gigabytes * _GIGABYTE


def end_session(leader):
    """End all processes of a session, the leader last."""
    for member in _members(leader):
        if member != leader:
            with suppress(OSError):
                os.kill(member, _KILL)
    # The group also holds processes that have started since the members were listed.
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(leader, _KILL)
        else:
            os.kill(leader, _KILL)


def _has_proc():
    return (_PROC / "self" / "statm").exists()


def _psutil():
    try:
        import psutil
    except ModuleNotFoundError:
        return None
    return psutil


def _members(leader):
    """Return the process ids of a session."""
    if _has_proc():
        names = filter(str.isdigit, os.listdir(_PROC))
        return [int(name) for name in names if _session_of(name) == leader]
    psutil = _psutil()
    if psutil is None:
        return [leader]
    try:
        children = psutil.Process(leader).children(recursive=True)
    except psutil.Error:
        return []
    return [leader, *(child.pid for child in children)]


def _session_of(name):
    try:
        with open(_PROC / name / "stat", "rb") as file:
            content = file.read()
        # The second field is the name of the program in parentheses and may hold anything. It is
        # followed by the state, the parent, the group and the session.
        return int(content[content.rindex(b")") + 2 :].split(None, 4)[3])
    except (OSError, ValueError, IndexError):
        return None


def _resident_bytes(pid):
    if not _has_proc():
        return _psutil_bytes(pid)
    try:
        pages = int((_PROC / str(pid) / "statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _own_bytes(pid):
    """Return the memory of a process, with its share of the pages that it has in common."""
    if not _has_proc():
        return _psutil_bytes(pid)
    try:
        for line in (_PROC / str(pid) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    # Old kernels do not have the file.
    return _resident_bytes(pid)


def _psutil_bytes(pid):
    psutil = _psutil()
    try:
        return psutil.Process(pid).memory_info().rss
    except psutil.Error:
        return 0
