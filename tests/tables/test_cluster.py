"""A scheduler and workers of our own: same answers, early complaints, and no wait for the dead."""

import os
import signal
import time
from concurrent.futures import Future
from operator import add

import dask.array as da
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification

import kernsemble
from kernsemble import (
    KernelEnsembleClassifier,
    KernelPCAEnsembleClassifier,
    LandmarkRidgeClassifier,
    MPRaFClassifier,
    MRSKLClassifier,
    RPEMEKLClassifier,
    RVFLClassifier,
)
from kernsemble.benchmark.ledger import Ledger
from kernsemble.benchmark.runner import run_study
from kernsemble.benchmark.study import make_study
from kernsemble.tables import cluster as watching
from kernsemble.tables.cluster import ClusterError, check_cluster
from kernsemble.tables.dask_table import DaskTable
from tests.tables.loopback import Loopback


@pytest.fixture(scope="module")
def loopback():
    with Loopback(2) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def rows():
    return make_classification(600, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=0)


def in_chunks(X, y):
    return da.from_array(X, chunks=(150, -1)), da.from_array(y, chunks=150)


@pytest.mark.parametrize(
    "clf",
    [
        RPEMEKLClassifier(1, n_landmarks=20, random_state=0),
        MRSKLClassifier(20, subset="pair", random_state=0),
        RVFLClassifier(20, random_state=0),
    ],
    ids=lambda clf: type(clf).__name__,
)
def test_rows_on_workers_give_the_fit_of_rows_in_memory(clf, loopback, rows):
    X, y = rows
    expected = clf.fit(X, y).predict_proba(X)
    lazy, labels = in_chunks(X, y)
    clf.fit(lazy, labels)
    assert_allclose(clf.predict_proba(X), expected, atol=1e-8)
    assert_allclose(clf.predict_proba(lazy).compute(), expected, atol=1e-8)


@pytest.mark.parametrize(
    "clf",
    [
        LandmarkRidgeClassifier(6, random_state=0),
        KernelPCAEnsembleClassifier(4, random_state=0),
        MPRaFClassifier(30, random_state=0),
        MRSKLClassifier(20, random_state=0),
        KernelEnsembleClassifier(["gaussian", "boosted", "rvfl"], random_state=0),
    ],
    ids=lambda clf: type(clf).__name__,
)
def test_members_on_workers_get_the_rows_once(clf, loopback, rows, monkeypatch):
    X, y = rows
    expected = clf.fit(X, y).predict_proba(X)
    sent = []
    scatter = loopback.client.scatter

    def counting(data, **options):
        sent.append(data)
        return scatter(data, **options)

    monkeypatch.setattr(loopback.client, "scatter", counting)
    with parallel_config(backend="dask"):
        clf.fit(X, y)
    # The flagship's members race, and every round sends the rows anew.
    n_rounds = len(clf.race_) if isinstance(clf, KernelEnsembleClassifier) else 1
    assert len(sent) == n_rounds
    # Workers have fewer BLAS threads, which add up in another order.
    assert_allclose(clf.predict_proba(X), expected, rtol=0, atol=1e-10)


@pytest.mark.skipif(
    not hasattr(KernelPCAEnsembleClassifier, "set_callbacks"),
    reason="scikit-learn has callbacks from 1.9 on",
)
def test_progress_comes_from_the_parent(loopback, rows):
    recorder = Recorder()
    clf = LandmarkRidgeClassifier(4, random_state=0).set_callbacks(recorder)
    with parallel_config(backend="dask"):
        clf.fit(*rows)
    assert recorder.where == [os.getpid()] * len(recorder.where) and len(recorder.where) >= 4


class Recorder:
    """A callback that notes in which process it is told of a member."""

    def __init__(self):
        self.where = []

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context):
        self.where.append(os.getpid())


def test_errors_of_members_arrive_as_they_are(loopback, rows):
    X, y = rows
    with parallel_config(backend="dask"), pytest.raises(ValueError, match="n_kernels"):
        LandmarkRidgeClassifier(3, kernels=[kernsemble.kernels.RBF()] * 2).fit(X, y)


def test_benchmark_cells_run_on_a_named_cluster(loopback, tmp_path):
    study = make_study(["iris"], ["NearestNeighbours"], "kfold", protocol_options={"n_splits": 2})
    with Ledger(tmp_path / "cells.sqlite") as ledger:
        summary = run_study(study, ledger, dask=loopback.address)
        assert (summary.planned, summary.failed) == (2, 0)
        assert (ledger.results()["accuracy"] > 0.9).all()


HIDDEN = "import sys\nsys.modules['kernsemble'] = None\n"
OTHER_VERSION = "import sys, types\nm = types.ModuleType('kernsemble')\n" + (
    "m.__version__ = '0.0.1'\nm.__spec__ = types.SimpleNamespace()\nsys.modules['kernsemble'] = m\n"
)


COMPLAINTS = {
    "worker tcp.* lacks the package kernsemble": HIDDEN,
    "worker tcp.* has kernsemble 0.0.1, this process has": OTHER_VERSION,
}


def test_a_cluster_that_cannot_run_the_work_is_refused_at_once(rows, tmp_path):
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    X, y = rows
    with Loopback(0, worker_env={"PYTHONPATH": path}) as cluster:
        for number, (complaint, code) in enumerate(COMPLAINTS.items()):
            (tmp_path / "sitecustomize.py").write_text(code)
            cluster.add_worker()
            cluster.client.wait_for_workers(1, timeout=60)
            start = time.monotonic()
            with parallel_config(backend="dask"), pytest.raises(ClusterError, match=complaint):
                LandmarkRidgeClassifier(3).fit(X, y)
            with pytest.raises(ClusterError, match=complaint):
                RVFLClassifier().fit(*in_chunks(X, y))
            assert time.monotonic() - start < watching.CHECK_SECONDS
            cluster.kill_worker(number)
            while cluster.client.nthreads():
                time.sleep(0.05)


def test_lost_workers_are_survived_and_lost_clusters_reported(rows, monkeypatch):
    X, y = rows
    monkeypatch.setattr(watching, "PATIENCE", 2.0)
    by_rows = RPEMEKLClassifier(1, n_landmarks=20, tol=1e-4, max_iter=100, random_state=0)
    by_members = KernelPCAEnsembleClassifier(8, max_exact=0, n_landmarks=100, random_state=0)
    expected = [clf.fit(X, y).decision_function(X) for clf in (by_rows, by_members)]
    with Loopback(2) as cluster:
        with _Dying(cluster, [0], DaskTable, "scan"):
            by_rows.fit(*in_chunks(X, y))
        assert_allclose(by_rows.decision_function(X), expected[0], atol=1e-8)
        cluster.add_worker()
        cluster.client.wait_for_workers(2, timeout=60)
        with (
            parallel_config(backend="dask"),
            _Dying(cluster, [1], watching, "result_of"),
        ):
            by_members.fit(X, y)
        assert_allclose(by_members.decision_function(X), expected[1], atol=1e-8)
        with (
            _Dying(cluster, [2], DaskTable, "scan"),
            pytest.raises(ClusterError, match="no workers for 2 s"),
        ):
            by_rows.fit(*in_chunks(X, y))
        monkeypatch.setattr(watching, "CHECK_SECONDS", 2.0)
        with pytest.raises(ClusterError, match="has no workers"):
            check_cluster(cluster.client)


def test_a_worker_that_dies_just_before_a_fit_is_survived(rows, monkeypatch):
    # A busy machine may be slow to answer; patience is not what is tested here.
    monkeypatch.setattr("kernsemble.tables.cluster.CHECK_SECONDS", 90.0)
    X, y = rows
    by_members = LandmarkRidgeClassifier(4, random_state=0)
    by_rows = RVFLClassifier(20, random_state=0)
    expected = [clf.fit(X, y).decision_function(X) for clf in (by_members, by_rows)]
    with Loopback(4) as cluster:

        def kill_before(name, victim, call):
            original = getattr(cluster.client, name)
            left = [victim]

            def dying(*args, **options):
                if left:
                    # The scheduler has not noticed the death when the request reaches it.
                    cluster.workers[left.pop()].send_signal(signal.SIGKILL)
                return original(*args, **options)

            monkeypatch.setattr(cluster.client, name, dying)
            call()
            assert not left
            monkeypatch.setattr(cluster.client, name, original)

        def fit_members():
            with parallel_config(backend="dask"):
                by_members.fit(X, y)

        kill_before("run", 0, fit_members)
        assert_allclose(by_members.decision_function(X), expected[0], atol=1e-8)
        kill_before("scatter", 1, fit_members)
        assert_allclose(by_members.decision_function(X), expected[0], atol=1e-8)
        kill_before("run", 2, lambda: by_rows.fit(*in_chunks(X, y)))
        assert_allclose(by_rows.decision_function(X), expected[1], atol=1e-8)


class _Client:
    """A client whose requests have prepared answers, one after another."""

    status = "running"

    def __init__(self, answers=(), failures=()):
        self.answers, self.failures = list(answers), list(failures)

    def nthreads(self):
        return {"a": 1, "b": 1}

    def run_on_scheduler(self, function, code):
        return eval(code)

    def run(self, function, code, on_error):
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return {"a": eval(code)} | ({} if answer is None else {"b": answer})

    def scatter(self, data, **options):
        if self.failures:
            raise self.failures.pop(0)
        return data

    def submit(self, function, *args, pure):
        future = Future()
        future.set_result(function(*args))
        return future

    def cancel(self, futures):
        pass


def test_a_worker_that_does_not_answer_is_asked_again_until_it_is_gone(monkeypatch):
    client = _Client(answers=[OSError("closed"), OSError("closed"), None])
    check_cluster(client)
    assert client.answers == [None]
    monkeypatch.setattr(watching, "CHECK_SECONDS", 0.5)
    with pytest.raises(ClusterError, match="worker b does not answer: closed"):
        check_cluster(_Client(answers=[OSError("closed")]))


def test_what_all_workers_share_is_sent_again_if_one_dies():
    lost = [KeyError("tcp://127.0.0.1:1"), OSError("closed")]
    found = watching.run_on_cluster(_Client(failures=lost), add, (1,), [(2,), (3,)])
    assert list(found) == [3, 4]
    with pytest.raises(ClusterError, match="lost a worker: KeyError"):
        list(watching.run_on_cluster(_Client(failures=lost * 2), add, (1,), [(2,)]))


class _Dying:
    """Kill workers after the second call of a function that a fit calls several times."""

    def __init__(self, cluster, victims, owner, name):
        self.cluster, self.victims = cluster, victims
        self.owner, self.name, self.calls = owner, name, 0

    def __enter__(self):
        self.original = getattr(self.owner, self.name)

        def called(*args):
            result = self.original(*args)
            self.calls += 1
            if self.calls == 2:
                for victim in self.victims:
                    self.cluster.kill_worker(victim)
            return result

        setattr(self.owner, self.name, called)
        return self

    def __exit__(self, *error):
        setattr(self.owner, self.name, self.original)
        assert self.calls >= 2


def test_ray_works_through_joblib(rows):
    pytest.importorskip("ray")
    from ray.util.joblib import register_ray

    register_ray()
    X, y = rows
    expected = LandmarkRidgeClassifier(4, random_state=0).fit(X, y).predict_proba(X)
    with parallel_config(backend="ray", n_jobs=-1):
        clf = LandmarkRidgeClassifier(4, random_state=0, n_jobs=-1).fit(X, y)
    assert_allclose(clf.predict_proba(X), expected)
