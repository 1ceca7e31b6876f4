"""Small work uses one thread, large work the cores of this process, and nothing more than that."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_info, threadpool_limits

from kernsemble import RVFLClassifier, RVFLEnsembleClassifier, threads
from kernsemble.environment import _control_group_cores, describe_threads
from kernsemble.fitting import dispatch
from kernsemble.fitting.base import KernelEnsemble
from kernsemble.kernels import RBF, evaluate
from kernsemble.kernels.base import Kernel
from kernsemble.maps import EmpiricalKernelMap
from kernsemble.solvers.ridge_spectrum import gram_spectrum
from kernsemble.threads import (
    SMALL_ROWS,
    blas_threads,
    limited_threads,
    threads_by_rows,
    threads_for,
    threads_for_features,
    threads_for_pairs,
)

# Paths of libraries whose number of threads cannot be set, such as those of other solvers.
STUBBORN: set[str] = set()


def counted(api="blas"):
    """Return the numbers of threads of all libraries whose number can be set."""
    pools = [pool for pool in threadpool_info() if pool["filepath"] not in STUBBORN]
    return {pool["num_threads"] for pool in pools if pool["user_api"] == api}


@pytest.fixture(autouse=True)
def four_cores(monkeypatch):
    """Let the process have four cores, and BLAS as many threads."""
    monkeypatch.setattr(threads, "cpu_count", lambda: 4)
    with threadpool_limits(4):
        STUBBORN.update(p["filepath"] for p in threadpool_info() if p["num_threads"] != 4)
        yield


class Counting(KernelEnsemble):
    """A classifier whose fit and scores note the numbers of threads."""

    def __init__(self, n_estimators=3, n_jobs=None, seen=None):
        self.n_estimators, self.n_jobs, self.seen = n_estimators, n_jobs, seen

    def _fit_member(self, table, rng):
        self.seen.append((counted(), counted("openmp")))
        return CountingMember(self.seen)


class CountingMember(BaseEstimator):
    def __init__(self, seen):
        self.seen = seen

    def class_scores(self, X):
        self.seen.append((counted(), counted("openmp")))
        return X[:, :1]

    def without_honest_scores(self):
        return self


def seen_by(n_rows, n_jobs=None, *, predict=False):
    X = np.random.RandomState(0).randn(n_rows, 2)
    seen = []
    fitted = Counting(n_jobs=n_jobs, seen=seen).fit(X, X[:, 0] > 0)
    if predict:
        seen.clear()
        fitted.predict(X)
    assert counted() == {4}
    return seen


@pytest.mark.parametrize("predict", [False, True])
def test_small_tables_use_one_thread(predict):
    assert seen_by(100, predict=predict) == 3 * [({1}, {1})]


@pytest.mark.parametrize("predict", [False, True])
def test_large_tables_use_the_cores_of_this_process(monkeypatch, predict):
    monkeypatch.setattr(threads, "cpu_count", lambda: 3)
    assert seen_by(SMALL_ROWS + 1, predict=predict) == 3 * [({3}, {3})]


@pytest.mark.parametrize("n_rows", [100, SMALL_ROWS + 1])
@pytest.mark.parametrize("predict", [False, True])
def test_members_beside_others_use_one_thread(n_rows, predict):
    assert all(found[0] == {1} for found in seen_by(n_rows, n_jobs=2, predict=predict))
    if not predict:
        assert all(found[1] == {1} for found in seen_by(n_rows, n_jobs=2))


def test_a_limit_of_the_user_is_never_raised():
    with threadpool_limits(1):
        with limited_threads(4):
            assert counted() == counted("openmp") == {1}
        assert counted() == {1}


def test_there_are_never_more_workers_than_cores(monkeypatch):
    assert dispatch.count_workers(100) == 4
    assert dispatch.count_workers(-1) <= 4
    at_once, most, lock = [0], [0], threading.Lock()

    def task(_number):
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        threading.Event().wait(0.01)
        with lock:
            at_once[0] -= 1

    list(dispatch.run_tasks(task, (), [(number,) for number in range(20)], n_jobs=20))
    assert most[0] <= 4


def test_the_lowest_limit_holds_and_the_last_to_end_restores():
    first, second = limited_threads(2), limited_threads(1)
    first.__enter__()
    assert blas_threads() == 2
    second.__enter__()
    assert blas_threads() == 1
    # Threads that share BLAS do not end in the order in which they began.
    first.__exit__(None, None, None)
    assert blas_threads() == 1
    second.__exit__(None, None, None)
    assert blas_threads() == 4


def test_a_library_without_threads_does_not_count(monkeypatch):
    real = threads._libraries
    alone = SimpleNamespace(num_threads=1, set_num_threads=lambda _number: None)
    monkeypatch.setattr(threads, "_libraries", lambda api: [*real(api), alone])
    assert blas_threads() == 4
    with limited_threads(2):
        assert blas_threads() == 2


def test_fits_in_threads_of_the_user_leave_blas_as_it_was():
    X = np.random.RandomState(0).randn(80, 3)
    fits = [
        threading.Thread(target=RVFLEnsembleClassifier(random_state=s).fit, args=(X, X[:, 0] > 0))
        for s in range(6)
    ]
    for fit in fits:
        fit.start()
    for fit in fits:
        fit.join()
    assert counted() == {4}


class CountingKernel(Kernel):
    """A constant kernel that notes the number of threads of BLAS."""

    seen: list = []  # noqa: RUF012

    def _gram(self, pairs):
        self.seen.append(blas_threads())
        return np.ones(pairs.shape)

    def _diag(self, X):
        return np.ones(len(X))


def test_kernels_alone_use_one_thread_for_small_matrices():
    X = np.zeros((700, 2))
    CountingKernel.seen.clear()
    evaluate([CountingKernel()], X)
    EmpiricalKernelMap(CountingKernel(), n_landmarks=5, random_state=0).fit_transform(X)
    assert set(CountingKernel.seen) == {1}
    assert threads_for_pairs(SMALL_ROWS, SMALL_ROWS) == 1
    assert threads_for_pairs(SMALL_ROWS + 1, SMALL_ROWS) == 4


def test_solvers_alone_use_one_thread_for_few_rows(monkeypatch):
    seen = []

    @threads_by_rows(1)
    def solve(_first, rows):
        seen.append(blas_threads())

    solve(None, np.zeros(SMALL_ROWS))
    solve(None, np.zeros(SMALL_ROWS + 1))
    assert seen == [1, 4]
    assert (threads_for(SMALL_ROWS), threads_for(SMALL_ROWS + 1)) == (1, 4)
    K = RBF(0.1)(np.random.RandomState(0).randn(30, 2))
    module = "kernsemble.solvers.ridge_spectrum.eigenpairs"
    real = np.linalg.eigh
    monkeypatch.setattr(module, lambda K: seen.append(blas_threads()) or real(K))
    gram_spectrum(K)
    assert set(seen[2:]) == {1}


def test_few_features_of_many_rows_are_small_work(monkeypatch):
    seen, real = [], np.linalg.eigh
    module = "kernsemble.solvers.ridge_loo.eigenpairs"
    monkeypatch.setattr(module, lambda K: seen.append(blas_threads()) or real(K))
    rng = np.random.RandomState(0)
    X, y = rng.randn(SMALL_ROWS + 100, 3), rng.randint(2, size=SMALL_ROWS + 100)
    RVFLClassifier(10, random_state=0).fit(X, y)
    assert seen and set(seen) == {1}
    assert threads_for_features(SMALL_ROWS**2, 20) == 1
    assert threads_for_features(SMALL_ROWS**2, 30) == 4


def test_the_description_names_libraries_cores_and_limits(monkeypatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "7")
    told = describe_threads()
    assert "(blas) 4" in told["threads"] and told["usable cores"].startswith("4 of ")
    assert "OPENBLAS_NUM_THREADS 7" in told["limits"]


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({}, None),
        ({"cpu.max": "max 100000"}, None),
        ({"cpu.max": "150000 100000"}, 1.5),
        ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, None),
        ({"cpu/cpu.cfs_quota_us": "200000", "cpu/cpu.cfs_period_us": "100000"}, 2),
    ],
)
def test_the_cores_of_the_control_group_are_read(tmp_path, files, cores):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text + "\n")
    assert _control_group_cores(tmp_path) == cores
