"""CoKRRClassifier: independent views at zero coupling, exact leave-one-out, unlabelled rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification, make_moons
from sklearn.decomposition import PCA
from sklearn.preprocessing import QuantileTransformer

from kernsemble import CoKRRClassifier, KernelRidgeClassifier
from kernsemble.kernels import RBF, Laplacian, MedianGrid
from tests.reference import closed_form as ref

# The equations that results are compared with know no scaling.
pytestmark = pytest.mark.usefixtures("unscaled")

VIEWS = [RBF(0.1), Laplacian(0.2)]


def small(n=36, n_classes=3, seed=0):
    X, y = make_classification(
        n, 5, n_informative=4, n_redundant=0, n_classes=n_classes, random_state=seed
    )
    return X, y, np.random.RandomState(seed).uniform(0.3, 2.0, n)


def test_zero_coupling_gives_independent_classifiers():
    X, y, s = small()
    together = CoKRRClassifier(views=VIEWS, coupling=0.0, combine="mean").fit(X, y, s)
    apart = [KernelRidgeClassifier(kernel).fit(X, y, s) for kernel in VIEWS]
    assert together.alphas_ == [clf.alpha_ for clf in apart]
    mean = np.mean([clf.decision_function(X) for clf in apart], axis=0)
    assert_allclose(together.decision_function(X), mean, atol=1e-8)
    assert_allclose(
        together.honest_scores_, np.mean([c.honest_scores_ for c in apart], axis=0), atol=1e-8
    )


@pytest.mark.parametrize("combine", ["max", "mean"])
@pytest.mark.parametrize("n_unlabelled", [0, 8])
@pytest.mark.parametrize("n_views", [2, 3])
def test_leave_one_out_scores_equal_refitting(combine, n_unlabelled, n_views):
    X, y, s = small()
    more = np.random.RandomState(1).randn(n_unlabelled, 5) if n_unlabelled else None
    kernels = [*VIEWS, RBF(1.0)][:n_views]
    clf = CoKRRClassifier(
        views=kernels, coupling=1.5, combine=combine, fit_intercept=False, alpha=[0.02, 0.5]
    ).fit(X, y, s, X_unlabelled=more)
    rows = X if more is None else np.vstack([X, more])
    grams = [kernel(rows) for kernel in kernels]
    T = np.vstack([np.eye(3)[y], np.zeros((n_unlabelled, 3))])
    weights = np.concatenate([s, np.ones(n_unlabelled)])
    labelled = np.arange(len(rows)) < len(X)
    args = grams, T, clf.alphas_, 1.5 / (2 * n_views), weights, labelled
    left_out = ref.co_leave_one_out(*args)[:, : len(X)]
    expected = left_out.max(axis=0) if combine == "max" else left_out.mean(axis=0)
    assert_allclose(clf.honest_scores_, expected, atol=1e-8)
    scores = np.stack([K @ A for K, A in zip(grams, ref.co_krr_brute(*args))])[:, : len(X)]
    expected = scores.max(axis=0) if combine == "max" else scores.mean(axis=0)
    assert_allclose(clf.decision_function(X), expected, atol=1e-8)


def test_leave_one_out_with_class_shares_equals_refitting():
    X, y, s = small()
    clf = CoKRRClassifier(views=VIEWS, coupling=0.7, combine="mean").fit(X, y, s)
    grams, T = [kernel(X) for kernel in VIEWS], np.eye(3)[y]
    for i in range(0, len(X), 5):
        labelled = np.arange(len(X)) != i
        shares = (s * labelled) @ T / (s * labelled).sum()
        coefs = ref.co_krr_brute(grams, T - shares, clf.alphas_, 0.7 / 4, s, labelled)
        expected = shares + np.mean([K[i] @ A for K, A in zip(grams, coefs)], axis=0)
        assert_allclose(clf.honest_scores_[i], expected, atol=1e-8)


def test_unlabelled_rows_without_coupling_change_nothing():
    X, y, _ = small()
    alone = CoKRRClassifier(views=VIEWS, coupling=0.0).fit(X, y)
    more = CoKRRClassifier(views=VIEWS, coupling=0.0).fit(X, y, X_unlabelled=X + 0.1)
    assert_allclose(more.decision_function(X), alone.decision_function(X), atol=1e-8)


def test_unlabelled_rows_with_coupling_change_something():
    X, y, _ = small()
    alone = CoKRRClassifier(views=VIEWS, coupling=5.0).fit(X, y)
    more = CoKRRClassifier(views=VIEWS, coupling=5.0).fit(X, y, X_unlabelled=X + 1.0)
    assert np.abs(more.decision_function(X) - alone.decision_function(X)).max() > 1e-3


def test_the_second_view_is_a_wide_gaussian_projection():
    X, y, _ = small()
    clf = CoKRRClassifier(random_state=0).fit(X, y)
    first, second = clf.estimators_
    assert first.view(X) is X
    assert second.view.matrix.shape == (5, 10)
    assert len(CoKRRClassifier(4, random_state=0).fit(X, y).estimators_) == 4


def test_the_kernel_ridges_of_table_v_are_settings():
    X, y, s = small()
    W = np.random.RandomState(7).standard_normal((5, 10))
    T, kernel, alpha = np.eye(3)[y], RBF(0.05), 0.3

    def ridge(Z):
        """Return the scores A' k of the equation (K + alpha S^-1) A = T."""
        K = np.array([[np.exp(-0.05 * np.sum((a - b) ** 2)) for b in Z] for a in Z])
        return K @ np.linalg.solve(K + alpha * np.diag(1 / s), T)

    def fitted(**params):
        clf = CoKRRClassifier(
            kernels=kernel, alpha=alpha, coupling=0.0, fit_intercept=False, random_state=7, **params
        )
        return clf.fit(X, y, s).decision_function(X)

    original, transformed, combined = ridge(X), ridge(X @ W), ridge(np.hstack([X, X @ W]))
    assert_allclose(fitted(views=["inputs"]), original, atol=1e-8)
    assert_allclose(fitted(views=["projection"]), transformed, atol=1e-8)
    assert_allclose(fitted(views=["both"]), combined, atol=1e-8)
    both = np.stack([original, transformed])
    assert_allclose(fitted(combine="mean"), both.mean(axis=0), atol=1e-8)
    assert_allclose(fitted(combine="max"), both.max(axis=0), atol=1e-8)
    pairs = [("inputs", kernel), ("projection", [kernel])]
    assert_allclose(fitted(views=pairs), both.max(axis=0), atol=1e-8)


def test_views_may_be_transformers_samplers_and_pairs():
    X, y = make_moons(120, noise=0.2, random_state=0)
    ranks = QuantileTransformer(n_quantiles=20)
    views = [MedianGrid("laplacian"), ranks, (PCA(1), RBF(1.0)), [RBF(0.5), RBF(2.0)]]
    clf = CoKRRClassifier(views=views).fit(X, y)
    assert [type(k) for k in clf.kernels_] == [Laplacian, RBF, RBF, RBF]
    assert not hasattr(ranks, "quantiles_")
    assert clf.score(X, y) > 0.9


def test_landmark_views_at_every_row_are_the_dense_views():
    X, y, s = small(60)
    dense = CoKRRClassifier(views=VIEWS, coupling=2.0, alpha=0.1).fit(X, y, s)
    by_map = CoKRRClassifier(views=VIEWS, coupling=2.0, alpha=0.1, n_landmarks=60).fit(X, y, s)
    assert_allclose(by_map.honest_scores_, dense.honest_scores_, atol=1e-5)
    assert_allclose(by_map.decision_function(X), dense.decision_function(X), atol=1e-5)


def test_the_coupling_has_the_least_leave_one_out_error():
    X, y, _ = small(80)
    clf = CoKRRClassifier(random_state=0).fit(X, y)
    assert clf.coupling_candidates_[0] == 0 and len(clf.coupling_candidates_) == 21
    best = np.flatnonzero(clf.coupling_candidates_ == clf.coupling_)[0]
    assert clf.honest_losses_[best] <= np.nanmin(clf.honest_losses_) * (1 + 1e-10)


def test_by_default_few_couplings_are_tried_and_given_ones_all():
    X, y, _ = small(80)
    clf = CoKRRClassifier(random_state=0).fit(X, y)
    best = np.flatnonzero(clf.coupling_candidates_ == clf.coupling_)[0]
    tried = ~np.isnan(clf.honest_losses_)
    assert tried.sum() < 15
    assert tried[max(best - 1, 0)] and tried[min(best + 1, 20)]
    for params in ({"preset": "paper"}, {"coupling": clf.coupling_candidates_}):
        everything = CoKRRClassifier(random_state=0, **params).fit(X, y)
        assert not np.isnan(everything.honest_losses_).any()
    assert_allclose(clf.honest_losses_[tried], everything.honest_losses_[tried])


@pytest.mark.parametrize(
    "params, message",
    [
        ({"n_views": 0}, "n_views"),
        ({"views": "pca"}, "views"),
        ({"views": []}, "views"),
        ({"views": [3]}, "views"),
        ({"views": ["inputs", "pca"]}, "each name in views"),
        ({"coupling": -1.0}, "coupling"),
        ({"combine": "vote"}, "combine"),
        ({"alpha": -1}, "alpha"),
    ],
)
def test_bad_parameters_are_named(params, message):
    X, y, _ = small()
    with pytest.raises((ValueError, TypeError), match=message):
        CoKRRClassifier(**params).fit(X, y)


def test_unlabelled_rows_need_the_same_features():
    X, y, _ = small()
    with pytest.raises(ValueError, match="features"):
        CoKRRClassifier().fit(X, y, X_unlabelled=X[:, :2])
