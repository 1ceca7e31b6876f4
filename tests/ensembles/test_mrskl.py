"""MRSKL against its literal sum, the paper's choices by name, and its own promises."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_moons
from sklearn.svm import SVC

from kernsemble import MRSKLClassifier
from kernsemble.datasets import make_ten_gaussians
from kernsemble.ensembles import mrskl
from kernsemble.members import training_scores
from kernsemble.members.subset import fit_subset_members
from kernsemble.tables import MemoryTable
from tests.reference.mrskl import combined_score

# The equations that results are compared with know no scaling.
pytestmark = pytest.mark.usefixtures("unscaled")


@pytest.fixture
def moons():
    return make_moons(200, noise=0.25, random_state=0)


def test_decision_is_the_literal_weighted_sum(moons):
    X, y = moons
    clf = MRSKLClassifier(12, random_state=0).fit(X, y)
    bias = clf.combination_.bias[0]
    for x, score in zip(X[:5], clf.decision_function(X[:5])):
        literal = combined_score(clf.estimators_, clf.weights_, bias, x)
        assert_allclose(score, literal, atol=1e-10)


@pytest.mark.parametrize("member", ["svm", "ridge", "squared_hinge"])
@pytest.mark.parametrize("combiner", ["linear_svm", "ridge", "nnls"])
def test_every_member_and_combiner_learns(member, combiner, moons):
    X, y = moons
    clf = MRSKLClassifier(40, member=member, combine=combiner, random_state=0)
    # Hundreds of new rows, so that the seed decides little.
    assert clf.fit(X[::2], y[::2]).score(*make_moons(2000, noise=0.25, random_state=1)) > 0.9


@pytest.mark.parametrize("options", [{}, {"member": "svm"}, {"n_candidates": 3}])
def test_members_do_not_depend_on_the_number_of_jobs(options, moons):
    clf = MRSKLClassifier(21, random_state=0, **options)
    alone = clf.fit(*moons).decision_function(moons[0])
    assert_allclose(clf.set_params(n_jobs=4).fit(*moons).decision_function(moons[0]), alone)


def test_three_classes_have_weights_of_their_own():
    X, y = load_iris(return_X_y=True)
    clf = MRSKLClassifier(30, subset="pair", combine="linear_svm", random_state=0).fit(X, y)
    assert clf.weights_.shape == (30, 3)
    assert all(len(member.coefs) <= 3 for member in clf.estimators_)
    assert clf.score(X, y) > 0.93


def test_rare_classes_are_in_every_subset():
    rng = np.random.RandomState(0)
    X, y = rng.randn(300, 2), np.zeros(300, dtype=int)
    y[:2], y[2] = 1, 2
    clf = MRSKLClassifier(10, subset="random", subset_size=10, member="svm", random_state=0)
    P = clf.fit(X, y).predict_proba(X)
    assert P.shape == (300, 3)
    # No column is a bias alone, as it would be without a row of its class.
    assert all(member.coefs.any(axis=0).all() for member in clf.estimators_)


def test_pairs_are_one_row_of_each_class(moons):
    X, y = moons
    clf = MRSKLClassifier(20, subset="pair", member="svm", random_state=0).fit(X, y)
    for member in clf.estimators_:
        labels = [y[(row == X).all(axis=1)][0] for row in member.support]
        assert sorted(labels) == [0, 1]
        assert_allclose(member.coefs.sum(), 0.0, atol=1e-12)


def test_ranges_are_kept(moons):
    X, y = moons
    named = MRSKLClassifier(30, C_range="paper", gamma_range="paper", random_state=0).fit(X, y)
    gammas = [member.kernel.gamma for member in named.estimators_]
    assert min(gammas) >= 2.0**-5 and max(gammas) <= 2.0**2
    given = MRSKLClassifier(30, C_range=(1, 2), random_state=0).fit(X, y)
    assert all(1 <= member.C <= 2 for member in given.estimators_)


def test_scale_free_range_does_not_depend_on_the_unit(moons):
    X, y = moons
    one = MRSKLClassifier(20, random_state=0).fit(X, y)
    other = MRSKLClassifier(20, random_state=0).fit(1024.0 * X, y)
    assert_allclose(other.decision_function(1024.0 * X), one.decision_function(X), atol=1e-6)


def test_candidates_raise_the_members_training_accuracy(moons):
    X, y = moons

    def mean_accuracy(n_candidates):
        settings = {"subset": "pair", "member": "svm", "level_one": "in_sample"}
        clf = MRSKLClassifier(30, n_candidates=n_candidates, random_state=0, **settings)
        clf.fit(X, y)
        return np.mean([((m.scores(X)[:, 0] > 0) == y).mean() for m in clf.estimators_])

    assert mean_accuracy(8) > mean_accuracy(1) + 0.05


def test_pruning_drops_the_light_members(moons):
    X, y = moons
    full = MRSKLClassifier(60, combine="linear_svm", random_state=0).fit(X, y)
    pruned = MRSKLClassifier(60, combine="linear_svm", prune=0.3, random_state=0).fit(X, y)
    assert len(pruned.estimators_) < 60
    assert pruned.n_support_ < full.n_support_
    assert abs(pruned.score(X, y) - full.score(X, y)) < 0.05


def test_members_are_ranked_by_weight(moons):
    clf = MRSKLClassifier(20, combine="linear_svm", random_state=0).fit(*moons)
    ranked = np.abs(clf.weights_[clf.ranking_])
    assert (np.diff(ranked) <= 0).all()


def test_non_negative_weights_cost_nothing_at_prediction(moons):
    clf = MRSKLClassifier(40, combine="nnls", random_state=0).fit(*moons)
    assert (clf.weights_ >= 0).all() and (clf.weights_ == 0).any()
    used = [m for m, w in zip(clf.estimators_, clf.weights_) if w]
    assert clf.n_support_ == sum(len(member.coefs) for member in used)


def test_scores_that_are_not_kept_give_the_same_weights(moons, monkeypatch):
    X, y = moons
    kept = MRSKLClassifier(15, combine="linear_svm", random_state=0).fit(X, y)
    monkeypatch.setattr(training_scores, "KEPT_BYTES", 0)
    monkeypatch.setattr(training_scores, "BLOCK_BYTES", 1)
    again = MRSKLClassifier(15, combine="linear_svm", random_state=0).fit(X, y)
    assert_allclose(again.weights_, kept.weights_, rtol=1e-6)


def test_a_sample_chooses_the_strength_and_all_rows_the_weights(moons, monkeypatch):
    X, y = moons
    monkeypatch.setattr(mrskl, "SAMPLE_ROWS", 80)
    clf = MRSKLClassifier(15, combine="linear_svm", random_state=0).fit(X, y)
    whole = MRSKLClassifier(15, combine="linear_svm", alpha=clf.alpha_, random_state=0)
    monkeypatch.setattr(mrskl, "SAMPLE_ROWS", 1000)
    assert_allclose(clf.weights_, whole.fit(X, y).weights_, rtol=0.05, atol=0.02)


def test_large_members_go_through_libsvm(moons):
    X, y = moons
    clf = MRSKLClassifier(3, subset_size=0.9, subset="random", member="svm", random_state=0)
    assert clf.fit(X, y).score(X, y) > 0.9


def test_rows_of_little_weight_have_little_say():
    X, y = make_moons(60, noise=0.3, random_state=0)
    plain = MRSKLClassifier(10, random_state=0).fit(X, y)
    light = MRSKLClassifier(10, random_state=0).fit(X, y, sample_weight=np.where(y, 1.0, 1e-3))
    assert light.predict(X).mean() > plain.predict(X).mean() + 0.1


@pytest.mark.parametrize(
    "bad, error",
    [
        ({"subset": "pairs"}, ValueError),
        ({"subset": "pair", "subset_size": 3}, ValueError),
        ({"subset_size": 1000}, ValueError),
        ({"C_range": (2, 1)}, ValueError),
        ({"C_range": 3}, TypeError),
        ({"gamma_range": "wide"}, ValueError),
        ({"n_candidates": 0}, ValueError),
        ({"member": "tree"}, ValueError),
        ({"combine": "mean"}, ValueError),
        ({"level_one": "oob"}, ValueError),
        ({"alpha": -1.0}, ValueError),
        ({"prune": 2.0}, ValueError),
    ],
)
def test_bad_parameters_are_named(bad, error, moons):
    with pytest.raises(error, match=list(bad)[-1]):
        MRSKLClassifier(**bad).fit(*moons)


def test_same_seed_same_answer(moons):
    X, y = moons
    scores = [MRSKLClassifier(10, random_state=3).fit(X, y).decision_function(X) for _ in "ab"]
    assert_array_equal(*scores)


@pytest.mark.slow
def test_two_hundred_pairs_reach_a_tuned_svm():
    X, y = make_ten_gaussians(20000, random_state=0)
    X_test, y_test = make_ten_gaussians(20000, random_state=1)
    full = SVC(C=3.0, gamma=0.5).fit(X, y).score(X_test, y_test)
    settings = {"subset": "pair", "member": "svm", "gamma_range": "paper"}
    clf = MRSKLClassifier(200, combine="linear_svm", random_state=0, **settings).fit(X, y)
    assert clf.score(X_test, y_test) >= full - 0.001


@pytest.mark.parametrize("level_one", ["out_of_subset", "in_sample"])
def test_the_candidate_most_accurate_on_all_rows_is_kept(level_one, moons):
    X, y = moons
    table = MemoryTable(X, y, np.arange(2))
    clf = MRSKLClassifier(6, n_candidates=5, level_one=level_one, random_state=0)
    for drawn in clf._draw_members(table, np.random.RandomState(0)):
        candidates = fit_subset_members(table, clf.member, **drawn)
        accuracies = np.array([np.mean(fit.member.predict(X) == y) for fit in candidates])
        kept = clf._fit_member(table, np.random.RandomState(0), **drawn)
        found = [np.mean(fit.member.predict(X) == y) for fit in kept]
        assert_allclose(found, accuracies.reshape(-1, 5).max(axis=1))


def test_large_whole_weights_are_not_listed_one_by_one(moons):
    X, y = moons
    clf = MRSKLClassifier(20, random_state=0).fit(X, y, np.full(len(y), 10_000))
    assert clf.honest_rows_.tolist() == list(range(len(y)))
    assert clf.score(X, y) > 0.85
