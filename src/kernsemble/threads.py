"""Threads of numeric libraries: one for small work, and never more than this process has cores.

A product or a factor of a small matrix takes less time than waking a second thread, and on a busy
machine the threads wait for each other: an eigendecomposition of 500 rows can take ten times the
processor time. So small work runs on one thread, and so does everything in a member that is fitted
beside others.
"""

import os
import sys
from contextlib import contextmanager
from functools import lru_cache, wraps
from threading import Lock

from joblib import cpu_count
from threadpoolctl import ThreadpoolController

#: Number of rows up to which dense algebra runs on one thread.
SMALL_ROWS = 1500


def usable_cores():
    """Return the number of cores that this process may use.

    The limits of its affinity mask, of its control group (containers) and of the environment
    variable LOKY_MAX_CPU_COUNT are respected.
    """
    return cpu_count()


def threads_for(n_rows):
    """Return the number of threads for dense algebra with this many rows."""
    return 1 if n_rows <= SMALL_ROWS else usable_cores()


def threads_for_pairs(n_x, n_y):
    """Return the number of threads for a matrix with this many rows and columns."""
    return 1 if n_x * n_y <= SMALL_ROWS**2 else usable_cores()


def threads_for_features(n_rows, n_columns):
    """Return the number of threads for the moments and the ridge of features.

    They take as many steps as a factor of `SMALL_ROWS` rows if rows times squared columns are a
    third of its cube.
    """
    return 1 if 3 * n_rows * n_columns**2 <= SMALL_ROWS**3 else usable_cores()


@contextmanager
def limited_threads(n_threads):
    """Limit the threads of BLAS, and the OpenMP threads of loops that the calling thread starts.

    A limit that somebody has set before, such as OPENBLAS_NUM_THREADS, is never raised.
    """
    with _BLAS.at_most(n_threads), _openmp_at_most(n_threads):
        yield


def limited_blas(n_threads):
    """Return a context that limits the threads of BLAS alone, which takes a microsecond."""
    return _BLAS.at_most(n_threads)


def threads_by_rows(position=0):
    """Return a decorator: a function gets as many threads as the rows of one argument call for.

    Estimators limit their threads as a whole. This is for functions that are also called alone.
    `position` is the place of the argument, which is passed by position.
    """

    def decorate(function):
        @wraps(function)
        def limited(*args, **kwargs):
            with limited_blas(threads_for(len(args[position]))):
                return function(*args, **kwargs)

        return limited

    return decorate


def blas_threads():
    """Return the number of threads that BLAS may use at the moment.

    Other packages may have loaded a BLAS that was built without threads, so the largest counts.
    """
    return max((library.num_threads for library in _libraries("blas")), default=1)


class _BlasLimits:
    """The thread settings of the BLAS libraries, which belong to the whole process.

    Several threads may ask for limits at the same time, and may end in any order. The lowest limit
    holds, and the last one to end restores what was there before the first.
    """

    def __init__(self):
        self._lock = Lock()
        self._limits: list[int] = []
        self._before: list[tuple] = []
        # A lock that another thread holds at the time of a fork would stay locked in the child.
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew_lock)

    @contextmanager
    def at_most(self, limit):
        """Limit all libraries while the context is open."""
        self._change(self._limits.append, limit)
        try:
            yield
        finally:
            self._change(self._limits.remove, limit)

    def _change(self, change, limit):
        with self._lock:
            lowest = min(self._limits, default=None)
            if lowest is None:
                self._before = [(library, library.num_threads) for library in _libraries("blas")]
            change(limit)
            now = min(self._limits, default=None)
            if now == lowest:
                return
            for library, before in self._before:
                library.set_num_threads(before if now is None else min(now, before))

    def _renew_lock(self):
        self._lock = Lock()


_BLAS = _BlasLimits()


@contextmanager
def _openmp_at_most(n_threads):
    # OpenMP keeps one setting for every thread of the process, so this needs no common record.
    before = [(library, library.num_threads) for library in _libraries("openmp")]
    for library, number in before:
        library.set_num_threads(min(n_threads, number))
    try:
        yield
    finally:
        for library, number in before:
            library.set_num_threads(number)


def _libraries(api):
    """Return the loaded libraries of one kind that have threads."""
    # Finding them takes milliseconds, and only an import can have loaded another one.
    return _find_libraries(len(sys.modules))[api]


@lru_cache(maxsize=1)
def _find_libraries(n_modules):
    found = ThreadpoolController()
    return {api: found.select(user_api=api).lib_controllers for api in ("blas", "openmp")}
