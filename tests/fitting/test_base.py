import threading
from dataclasses import dataclass

import numpy as np
import pytest
import sklearn
from joblib import cpu_count, parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from threadpoolctl import threadpool_info

from kernsemble import LandmarkRidgeClassifier
from kernsemble.fitting import base as base_module
from kernsemble.fitting.base import KernelEnsemble
from kernsemble.kernels import RBF, MedianScale
from kernsemble.members.member import Member

X, Y = load_iris(return_X_y=True)


class Recorder:
    """A callback that counts what it is told."""

    def __init__(self):
        self.events = []

    def setup(self, estimator, context):
        self.events.append("setup")

    def on_fit_task_begin(self, estimator, context):
        self.events.append("begin")

    def on_fit_task_end(self, estimator, context):
        self.events.append("end")

    def teardown(self, estimator, context):
        self.events.append("teardown")


class Threads(KernelEnsemble):
    """Members that remember how many BLAS threads they were allowed."""

    def __init__(self, n_estimators=2, n_jobs=None):
        self.n_estimators = n_estimators
        self.n_jobs = n_jobs

    def _fit_member(self, table, rng):
        pools = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
        return Constant(max(pools, default=1))


@dataclass
class Constant(Member):
    threads: int

    def scores(self, X):
        return np.ones((X.shape[0], 3))


@pytest.mark.parametrize("combine", ["mean", "vote", "weighted", "stacked"])
def test_every_combination_classifies(combine):
    clf = LandmarkRidgeClassifier(5, combine=combine, random_state=0).fit(X, Y)
    assert clf.score(X, Y) > 0.93


def test_members_have_their_own_kernels_and_landmarks():
    members = LandmarkRidgeClassifier(3, n_landmarks=10, random_state=0).fit(X, Y).estimators_
    assert len({member.feature_map.kernel_.gamma for member in members}) == 3
    assert not np.array_equal(members[0].feature_map.landmarks_, members[1].feature_map.landmarks_)


def test_one_seed_gives_one_answer_and_two_seeds_two():
    one, again, other = (
        LandmarkRidgeClassifier(3, n_landmarks=10, random_state=seed).fit(X, Y).decision_function(X)
        for seed in (0, 0, 1)
    )
    assert_array_equal(one, again)
    assert not np.allclose(one, other)


def test_honest_scores_are_those_of_models_that_did_not_see_the_row():
    rng = np.random.RandomState(0)
    A, weights = rng.randn(25, 2), rng.uniform(0.5, 2.0, 25)
    y = (A[:, 0] + 0.3 * rng.randn(25) > 0).astype(int)
    settings = {"n_landmarks": 8, "kernels": RBF(0.5), "alpha": 0.01, "scale": None}
    clf = LandmarkRidgeClassifier(1, **settings, random_state=0).fit(A, y, weights)
    member = clf.estimators_[0]
    Z, T = member.feature_map.transform(A), np.eye(2)[y]
    for left_out in range(25):
        kept = np.arange(25) != left_out
        S = np.diag(weights[kept])
        system = Z[kept].T @ S @ Z[kept] + 0.01 * np.eye(Z.shape[1])
        shares = np.average(T[kept], axis=0, weights=weights[kept])
        W = np.linalg.solve(system, Z[kept].T @ S @ (T[kept] - shares))
        scores = shares + Z[left_out] @ W
        assert_allclose(clf.honest_scores_[left_out], scores[1] - scores[0], atol=1e-8)


def test_every_member_of_landmark_ridges_takes_the_strength_of_least_leave_one_out_error():
    alphas = [1e-3, 1e-1, 10.0]
    settings = {"kernels": RBF(0.5), "n_landmarks": 20, "scale": None, "random_state": 0}
    clf = LandmarkRidgeClassifier(2, alpha=alphas, **settings).fit(X, Y)
    single = [LandmarkRidgeClassifier(1, alpha=alpha, **settings).fit(X, Y) for alpha in alphas]
    errors = [np.sum((fitted.honest_scores_ - np.eye(3)[Y]) ** 2) for fitted in single]
    assert len(clf.alphas_) == 2
    assert LandmarkRidgeClassifier(1, alpha=alphas, **settings).fit(X, Y).alphas_ == [
        alphas[int(np.argmin(errors))]
    ]


def test_rows_of_weight_zero_are_as_if_absent():
    weights = np.where(np.arange(150) % 3 == 0, 0.0, 1.0)
    with_zeros = LandmarkRidgeClassifier(3, random_state=0).fit(X, Y, sample_weight=weights)
    without = LandmarkRidgeClassifier(3, random_state=0).fit(X[weights > 0], Y[weights > 0])
    assert_allclose(with_zeros.decision_function(X), without.decision_function(X), atol=1e-10)


def test_class_weight_moves_the_boundary():
    y = (Y == 1).astype(int)
    plain = LandmarkRidgeClassifier(3, alpha=10.0, random_state=0).fit(X, y)
    heavy = LandmarkRidgeClassifier(3, alpha=10.0, class_weight={1: 20.0}, random_state=0)
    assert heavy.fit(X, y).predict(X).sum() > plain.predict(X).sum()


def test_predictions_in_blocks_are_the_same(monkeypatch):
    clf = LandmarkRidgeClassifier(3, random_state=0).fit(X, Y)
    many = np.tile(X, (20, 1))
    whole = clf.decision_function(many)
    monkeypatch.setattr(base_module, "BLOCK_BYTES", 1)
    assert_allclose(clf.set_params(n_jobs=2).decision_function(many), whole, rtol=1e-12, atol=1e-14)


def test_several_workers_score_new_rows(monkeypatch):
    clf = LandmarkRidgeClassifier(3, random_state=0).fit(X, Y)
    many, seen = np.tile(X, (20, 1)), []
    score = LandmarkRidgeClassifier._score_block

    def watched(self, rows):
        seen.append((threading.get_ident(), len(rows)))
        return score(self, rows)

    monkeypatch.setattr(LandmarkRidgeClassifier, "_score_block", watched)
    monkeypatch.setattr(base_module, "usable_cores", lambda: 2)
    monkeypatch.setattr(base_module, "WORKER_ROWS", len(many) // 2)
    alone = clf.decision_function(many)
    assert seen == [(threading.get_ident(), len(many))]
    seen.clear()
    with parallel_config(n_jobs=2):
        assert_allclose(clf.decision_function(many), alone, rtol=1e-12, atol=1e-14)
    assert sorted(rows for _, rows in seen) == [len(many) // 2] * 2
    assert threading.get_ident() not in {thread for thread, _ in seen}
    seen.clear()
    clf.set_params(n_jobs=2).predict(X)
    assert seen == [(threading.get_ident(), len(X))]


def test_an_error_of_a_worker_is_raised(monkeypatch):
    clf = LandmarkRidgeClassifier(3, n_jobs=2, random_state=0).fit(X, Y)

    def fail(self, rows):
        raise MemoryError("no room")

    monkeypatch.setattr(LandmarkRidgeClassifier, "_score_block", fail)
    monkeypatch.setattr(base_module, "WORKER_ROWS", 10)
    with pytest.raises(MemoryError, match="no room"):
        clf.predict(X)


def test_workers_times_blas_threads_stay_within_the_cores():
    for n_jobs in (1, 2):
        members = Threads(4, n_jobs=n_jobs).fit(X, Y).estimators_
        assert max(member.threads for member in members) * n_jobs <= max(cpu_count(), n_jobs)


def test_small_tables_use_one_blas_thread_and_large_ones_all():
    (member,) = Threads(1).fit(X, Y).estimators_
    assert member.threads == 1
    # Equal rows would count as one row with copies.
    many = np.tile(X, (20, 1)) + np.random.RandomState(0).rand(20 * len(X), 1)
    (member,) = Threads(1).fit(many, np.tile(Y, 20)).estimators_
    pools = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    assert member.threads == max(pools, default=1)


@pytest.mark.skipif(
    tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9),
    reason="scikit-learn has callbacks from 1.9 on",
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_callbacks_hear_of_every_member(n_jobs):
    recorder = Recorder()
    LandmarkRidgeClassifier(4, n_jobs=n_jobs).set_callbacks(recorder).fit(X, Y)
    assert recorder.events[0] == "setup" and recorder.events[-1] == "teardown"
    assert recorder.events.count("begin") == recorder.events.count("end") == 5


def test_a_grid_search_reaches_into_kernels():
    grid = {"kernels__spread": [0.5, 2.0], "alpha": [0.1, 1.0]}
    search = GridSearchCV(LandmarkRidgeClassifier(2, kernels=MedianScale()), grid, cv=2)
    assert search.fit(X, Y).best_score_ > 0.9


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_estimators": 0}, ValueError, "n_estimators must be at least 1, got 0"),
        ({"n_estimators": 2.5}, TypeError, "n_estimators"),
        ({"combine": "median"}, ValueError, "combine must be one of"),
        ({"alpha": 0.0}, ValueError, "alpha"),
        ({"n_landmarks": 1000}, ValueError, "n_landmarks must be between 1 and 150"),
        ({"landmarks": "first"}, ValueError, "landmarks"),
        ({"kernels": [RBF()]}, ValueError, "kernels has 1 entries"),
    ],
    ids=str,
)
def test_bad_parameters_are_named_before_any_work(parameters, error, message):
    with pytest.raises(error, match=message):
        LandmarkRidgeClassifier(**parameters).fit(X, Y)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (-np.ones(150), "must not be negative"),
        (np.zeros(150), "zero for every row"),
        (np.ones((150, 2)), "1-dimensional"),
        (np.ones(10), "inconsistent"),
        (np.full(150, np.nan), "NaN"),
    ],
    ids=["negative", "zero", "two columns", "short", "nan"],
)
def test_bad_weights_are_named(weights, message):
    with pytest.raises(ValueError, match=message):
        LandmarkRidgeClassifier().fit(X, Y, sample_weight=weights)


def test_fitted_combinations_need_honest_scores():
    with pytest.raises(ValueError, match="needs members that give honest scores"):
        ensemble = Threads()
        ensemble.combine = "stacked"
        ensemble.fit(X, Y)
