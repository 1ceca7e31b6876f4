"""RVFL networks and their ensembles against brute force, and against each other."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification, make_moons

from kernsemble import RVFLClassifier, RVFLEnsembleClassifier
from kernsemble.maps.random_layer import draw_layer
from kernsemble.maps.views import UnchangedView
from kernsemble.members import networks
from kernsemble.members import rvfl as rvfl_members
from kernsemble.members.rvfl import draw_bag, fit_bagged_members, search_rvfl
from kernsemble.members.rvfl_parts import Wiring
from kernsemble.strengths import SCALE_STARTS, SCALES, STRENGTHS
from kernsemble.tables import MemoryTable, RowChunks
from tests.reference import closed_form as ref

# The equations that results are compared with know no scaling.
pytestmark = pytest.mark.usefixtures("unscaled")


def small(n=40, n_classes=3, seed=0):
    X, y = make_classification(
        n, 5, n_informative=4, n_redundant=0, n_classes=n_classes, random_state=seed
    )
    return X, y, np.random.RandomState(seed).uniform(0.3, 2.0, n)


def features(clf, member, X):
    assert member.wiring == (clf.activation, clf.direct_links, clf.fit_intercept)
    (H,) = member.wiring.hidden(X, [member.layer])
    return np.hstack([member.wiring.links(X), H])


@pytest.mark.parametrize("n_hidden", [10, 70])
@pytest.mark.parametrize("links", [(True, True), (True, False), (False, True), (False, False)])
@pytest.mark.parametrize("alpha", [0.1, "auto"])
def test_leave_one_out_scores_equal_refitting(n_hidden, links, alpha):
    X, y, s = small()
    clf = RVFLClassifier(
        n_hidden,
        direct_links=links[0],
        fit_intercept=links[1],
        alpha=alpha,
        random_state=0,
    ).fit(X, y, s)
    Z = features(clf, clf.estimators_[0], X)
    expected = ref.leave_one_out(Z @ Z.T, np.eye(3)[y], clf.alpha_, s, ref.plain_model)
    assert_allclose(clf.honest_scores_, expected, atol=1e-8)


@pytest.mark.parametrize("direct", [True, False])
@pytest.mark.parametrize("intercept", [True, False])
def test_links_are_a_bias_and_the_inputs(direct, intercept):
    X = np.random.RandomState(0).randn(4, 2)
    links = Wiring("sigmoid", direct, intercept).links(X)
    parts = [np.ones((4, int(intercept))), X[:, : 2 * direct]]
    assert_allclose(links, np.hstack(parts))
    assert links.shape == (4, intercept + 2 * direct)


def test_networks_of_several_tasks_are_one_member():
    X, y, _ = small(60)
    table, n_networks = MemoryTable(X, y, np.arange(3)), 2 * networks.TASK_NETWORKS
    member = networks.fit_networks_member(
        table, UnchangedView(), n_networks, 5, [1.0], [0.1], np.random.RandomState(0)
    )
    assert len(member.networks) == n_networks
    # Leaving out one row of sixty moves the mean of fifty networks a little.
    assert np.abs(member.honest_scores - member.scores(X)).max() < 0.5


def test_the_choice_has_the_least_leave_one_out_error():
    X, y, s = small(60)
    scales, alphas = [0.1, 1.0], [0.01, 1.0]
    clf = RVFLClassifier(20, weight_scale=scales, alpha=alphas, random_state=0).fit(X, y, s)

    def error(scale, alpha):
        S = (
            RVFLClassifier(20, weight_scale=scale, alpha=alpha, random_state=0)
            .fit(X, y, s)
            .honest_scores_
        )
        return np.average(np.sum((S - np.eye(3)[y]) ** 2, axis=1), weights=s)

    errors = {(a, b): error(a, b) for a in scales for b in alphas}
    assert (clf.weight_scale_, clf.alpha_) == min(errors, key=errors.get)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_ensemble_scores_are_means_over_networks(n_classes):
    X, y, s = small(50, n_classes)
    clf = RVFLEnsembleClassifier(40, n_hidden=8, random_state=0).fit(X, y, s)
    T = np.eye(n_classes)[y]
    scores = np.mean([m.scores(X) for m in clf.estimators_], axis=0)
    left_out = np.zeros_like(T)
    for m in clf.estimators_:
        Z = features(clf, m, X)
        left_out += ref.leave_one_out(Z @ Z.T, T, m.alpha, s, ref.plain_model) / 40
    if n_classes == 2:
        scores, left_out = (S[:, 1] - S[:, 0] for S in (scores, left_out))
    assert_allclose(clf.decision_function(X), scores, atol=1e-10)
    assert_allclose(np.squeeze(clf.honest_scores_), left_out, atol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_votes_are_counted(n_classes):
    X, y, _ = small(50, n_classes)
    clf = RVFLEnsembleClassifier(15, n_hidden=8, combine="vote", random_state=0).fit(X, y)
    votes = np.zeros((len(X), n_classes))
    for m in clf.estimators_:
        votes[np.arange(len(X)), m.scores(X).argmax(axis=1)] += 1
    assert_allclose(votes.max(axis=1), votes[np.arange(len(X)), clf.predict(X)])


def test_perturbations_follow_table_3_or_the_middle(monkeypatch):
    X, y, _ = small()
    base = {
        "n_estimators": 60,
        "n_hidden": 50,
        "weight_scale": 0.5,
        "alpha": 0.2,
        "random_state": 0,
    }
    drawn = {}
    for perturbation in ("one_sided", "symmetric", None):
        members = RVFLEnsembleClassifier(**base, perturbation=perturbation).fit(X, y).estimators_
        drawn[perturbation] = np.array([[m.layer.n_hidden / 50, m.alpha / 0.2] for m in members])
    assert drawn["one_sided"].min() >= 1 and drawn["one_sided"].max() <= 2
    assert drawn["symmetric"].min() >= 0.5 and drawn["symmetric"].max() <= 2
    assert abs(np.log2(drawn["symmetric"]).mean()) < 0.2
    assert_allclose(drawn[None], 1)


@pytest.mark.parametrize(
    ("perturbation", "low", "high"),
    [("one_sided", 1.0, 2.0), ("symmetric", 0.5, 2.0), (None, 1, 1)],
)
def test_the_range_of_the_weights_is_perturbed_too(perturbation, low, high):
    X, y, _ = small()
    options = {"n_hidden": 100, "weight_scale": 0.5, "alpha": 0.2, "random_state": 0}
    clf = RVFLEnsembleClassifier(60, perturbation=perturbation, **options).fit(X, y)
    # The largest of 500 uniform weights is near their range.
    ranges = np.array([np.abs(m.layer.weights).max() / 0.5 for m in clf.estimators_])
    assert ranges.min() > 0.97 * low and ranges.max() <= high
    assert np.std(ranges) > 0.2 * (high - low) and ranges.max() - ranges.min() >= 0.8 * (high - low)
    biases = np.array([m.layer.biases.max() / 0.5 for m in clf.estimators_])
    assert_allclose(biases, ranges, rtol=0.1)


@pytest.mark.parametrize("n_hidden", [6, 60])
def test_the_errors_behind_the_choice_count_rows_by_their_weights(n_hidden):
    X, y, s = small()
    s = np.where(np.arange(40) % 4, s, 25.0)
    layer = draw_layer(5, n_hidden, 1.0, np.random.RandomState(0))
    scales, alphas, wiring = [0.3, 2.0], [0.05, 1.0], Wiring("sigmoid", True, True)
    table, T = MemoryTable(X, y, np.arange(3), s), np.eye(3)[y]
    found = search_rvfl(table, layer, scales, alphas, wiring)
    for i, scale in enumerate(scales):
        (H,) = wiring.hidden(X, [layer.scaled(scale)])
        Z = np.hstack([wiring.links(X), H])
        for j, alpha in enumerate(alphas):
            S = ref.leave_one_out(Z @ Z.T, T, alpha, s, ref.plain_model)
            expected = np.average(np.sum((S - T) ** 2, axis=1), weights=s)
            assert_allclose(found[i, j], expected, rtol=1e-5)


@pytest.mark.parametrize("n_hidden", [6, 60])
def test_bagged_networks_are_ridges_on_repeated_rows(n_hidden):
    X, y, s = small()
    rows, wiring = MemoryTable(X, y, np.arange(3), s).all, Wiring("sigmoid", True, True)
    layer = draw_layer(5, n_hidden, 1.0, np.random.RandomState(1))
    bag = draw_bag(rows, np.random.RandomState(2))
    (member,) = fit_bagged_members(rows, [layer], [0.3], wiring, np.random.RandomState(2))
    drawn = np.round(bag.sample_weight / s).astype(int)
    assert drawn.sum() == 40 and 5 < np.count_nonzero(drawn == 0) < 25
    Z, T = np.hstack([wiring.links(X), *wiring.hidden(X, [layer])]), np.eye(3)[y]

    def coefs_of(copies):
        repeated = np.repeat(np.arange(40), copies)
        return ref.weighted_ridge(Z[repeated], T[repeated], 0.3, s[repeated])

    assert_allclose(member.coefs, coefs_of(drawn), atol=1e-8)
    for i in range(40):
        without = np.where(np.arange(40) == i, 0, drawn)
        assert_allclose(member.honest_scores[i], Z[i] @ coefs_of(without), atol=1e-7)


def test_bagged_networks_have_the_tuned_parameters_and_differ_in_their_rows():
    X, y, _ = small()
    options = {"n_hidden": 8, "weight_scale": 0.5, "alpha": 0.2, "random_state": 0}
    bagged = RVFLEnsembleClassifier(30, perturbation=None, bootstrap=True, **options).fit(X, y)
    assert {(m.layer.n_hidden, m.alpha) for m in bagged.estimators_} == {(8, 0.2)}
    plain = RVFLEnsembleClassifier(30, perturbation=None, **options).fit(X, y)
    assert_allclose(plain.estimators_[0].layer.weights, bagged.estimators_[0].layer.weights)
    assert np.abs(plain.estimators_[0].coefs - bagged.estimators_[0].coefs).max() > 1e-3
    assert bagged.honest_scores_.shape == (40, 3)


def test_a_bag_of_copies_draws_every_copy_with_the_same_chance():
    X, y, _ = small()
    counts = np.where(np.arange(40) < 20, 1.0, 3.0)
    rows = MemoryTable(X, y, np.arange(3), 2.0 * counts, copies=counts).all
    rng = np.random.RandomState(0)
    weights = np.mean([draw_bag(rows, rng).sample_weight for _ in range(2000)], axis=0)
    assert_allclose(weights, 2.0 * counts, rtol=0.15)


def test_bagging_needs_all_rows_in_memory():
    X, y, _ = small()
    clf = RVFLEnsembleClassifier(3, bootstrap=True)
    with pytest.raises(ValueError, match="bootstrap=True draws rows"):
        clf.fit(RowChunks(X, y, size=10))
    with pytest.raises(ValueError, match="bootstrap=True needs all rows"):
        clf.partial_fit(X, y)
    with pytest.raises(TypeError, match="bootstrap must be True or False"):
        clf.set_params(bootstrap="yes").fit(X, y)


def test_members_keep_no_training_scores_and_later_ones_are_not_left_out(monkeypatch):
    monkeypatch.setattr(networks, "N_HONEST", 25)
    X, y, _ = small()
    clf = RVFLEnsembleClassifier(60, n_hidden=5, random_state=0).fit(X, y)
    assert len(clf.estimators_) == 60
    assert all(m.honest_scores is None for m in clf.estimators_)
    first = RVFLEnsembleClassifier(25, n_hidden=5, random_state=0).fit(X, y)
    assert_allclose(clf.honest_scores_.shape, first.honest_scores_.shape)


def test_ensembles_learn_what_lines_cannot():
    X, y = make_moons(600, noise=0.2, random_state=0)
    clf = RVFLEnsembleClassifier(50, random_state=0).fit(X[:400], y[:400])
    assert clf.score(X[400:], y[400:]) > 0.92
    assert abs(clf.honest_accuracy_ - clf.score(X[400:], y[400:])) < 0.05


@pytest.mark.parametrize(
    "params, message",
    [
        ({"n_hidden": 0}, "n_hidden"),
        ({"activation": "step"}, "activation"),
        ({"weight_scale": 0.0}, "weight_scale"),
        ({"alpha": "cv"}, "alpha"),
        ({"perturbation": "both"}, "perturbation"),
        ({"combine": "stacked"}, "combine"),
        ({"n_estimators": 0}, "n_estimators"),
    ],
)
def test_bad_parameters_are_named(params, message):
    X, y, _ = small()
    with pytest.raises((ValueError, TypeError), match=message):
        RVFLEnsembleClassifier(**params).fit(X, y)


@pytest.mark.parametrize("cls", [RVFLClassifier, RVFLEnsembleClassifier])
def test_features_that_are_not_held_give_the_same_networks(cls, monkeypatch):
    X, y, _ = small(200)
    settings = {"n_hidden": 15, "random_state": 0}
    settings |= {"n_estimators": 30} if cls is RVFLEnsembleClassifier else {}
    held = cls(**settings).fit(X, y)
    monkeypatch.setattr(MemoryTable, "HELD_VALUES", 0)
    passed = cls(**settings).fit(X, y)
    assert_allclose(passed.predict_proba(X), held.predict_proba(X), atol=1e-8)
    assert_allclose(passed.honest_scores_, held.honest_scores_, atol=1e-7)


@pytest.mark.parametrize("min_gain", [0.0, 0.3])
def test_the_defaults_try_a_few_scales_and_the_neighbours_of_the_best(min_gain, monkeypatch):
    monkeypatch.setattr(rvfl_members, "MIN_GAIN", min_gain)
    X, y, s = small()
    layer = draw_layer(5, 12, 1.0, np.random.RandomState(0))
    table, wiring = MemoryTable(X, y, np.arange(3), s), Wiring("sigmoid", True, True)
    options = table, layer, SCALES, STRENGTHS, wiring
    everything, walked = search_rvfl(*options), search_rvfl(*options, starts=SCALE_STARTS)
    tried = ~np.isnan(walked[:, 0])
    assert not np.isnan(everything).any() and tried.sum() < len(SCALES)
    assert tried[list(SCALE_STARTS)].all()
    assert_allclose(walked[tried], everything[tried])
    best = np.nanargmin(walked.min(axis=1, initial=np.inf, where=~np.isnan(walked)))
    assert tried[max(best - 1, 0)]
    # A neighbour that is hardly better is the last one that is tried.
    assert min_gain or tried[min(best + 1, len(SCALES) - 1)]
