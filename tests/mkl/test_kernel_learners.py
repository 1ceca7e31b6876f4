"""Kernel learners: the learned kernel works anywhere, and the methods reduce to one another."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

import kernsemble
from kernsemble import (
    AlignmentMKLClassifier,
    AverageMKLClassifier,
    EasyMKLClassifier,
    GroupLassoMKLClassifier,
    KernelFDAClassifier,
    MKDAClassifier,
    SILPMKLClassifier,
    SimpleMKLClassifier,
    SVM2KClassifier,
    UFOMKLClassifier,
)
from kernsemble.calibration import fit_class_lines, fit_temperature, probabilities
from kernsemble.kernels import RBF, Kernel, Linear, MedianScale, Normalized, Precomputed, evaluate
from kernsemble.kernels.mixture import Mixture, weighted_kernel

# The equations that results are compared with know no scaling.
pytestmark = pytest.mark.usefixtures("unscaled")

LEARNERS = [getattr(kernsemble.mkl, name) for name in kernsemble.mkl.__all__]
ONE_PROBLEM = [SimpleMKLClassifier, SILPMKLClassifier, GroupLassoMKLClassifier]
ON_SIMPLEX = [*ONE_PROBLEM, EasyMKLClassifier, AlignmentMKLClassifier, AverageMKLClassifier]
ON_SIMPLEX += [MKDAClassifier]
WITH_TASK_WEIGHTS = [cls for cls in ON_SIMPLEX if cls is not AverageMKLClassifier]
KERNELS = [RBF(0.01), RBF(0.1), 3.0 * RBF(1.0), Normalized(Linear())]


def two_classes(n=120, seed=0):
    X, y = make_classification(n, 6, n_informative=4, flip_y=0.03, random_state=seed)
    return X, y


def settings(cls, kernels=KERNELS, **params):
    """Return the parameters of `cls` that take two kernels, one kernel or any number."""
    if cls is KernelFDAClassifier:
        return {"kernel": kernels[1], **params}
    return {"kernels": kernels[:2] if cls is SVM2KClassifier else kernels, **params}


@pytest.mark.parametrize("cls", LEARNERS)
def test_the_learned_kernel_is_an_ordinary_kernel(cls):
    X, y = two_classes()
    clf = cls(**settings(cls, random_state=0)).fit(X, y)
    assert isinstance(clf.kernel_, Kernel)
    K = clf.kernel_(X)
    wanted = sum(d * k(X) for d, k in zip(clf.kernel_weights_, clf.kernels_))
    assert_allclose(K, wanted, atol=1e-10)
    assert SVC(kernel=clf.kernel_).fit(X, y).score(X, y) > 0.8
    assert clone(clf.kernel_) == clf.kernel_


@pytest.mark.parametrize("cls", ON_SIMPLEX)
@pytest.mark.parametrize("shared", [True, False])
def test_weights_lie_on_the_simplex(cls, shared):
    if not shared and cls not in WITH_TASK_WEIGHTS:
        pytest.skip("one weight vector only")
    X, y = load_iris(return_X_y=True)
    extra = {} if shared else {"shared_weights": False}
    clf = cls(**settings(cls, **extra)).fit(X, y)
    weights = np.atleast_2d(clf.kernel_weights_)
    assert weights.shape == (1 if shared else 3, len(KERNELS))
    assert weights.min() >= 0
    assert_allclose(weights.sum(axis=1), 1.0)
    assert clf.score(X, y) > 0.9
    if not shared:
        assert len(clf.task_kernels_) == 3


@pytest.mark.parametrize("cls", LEARNERS)
def test_one_class_against_the_rest(cls):
    if "multi_class" not in cls().get_params():
        pytest.skip("has its own way with many classes")
    X, y = load_iris(return_X_y=True)
    clf = cls(multi_class="ovr").fit(X, y)
    assert clf.decision_function(X).shape == (150, 3)
    assert clf.score(X, y) > 0.9
    if "shared_weights" in clf.get_params():
        apart = cls(multi_class="ovr", shared_weights=False).fit(X, y)
        assert np.shape(apart.kernel_weights_) == (3, len(apart.kernels_))
        assert apart.score(X, y) > 0.9


def test_three_classifiers_of_one_problem_agree():
    X, y = two_classes()
    found = [cls(kernels=KERNELS, C=1.0, tol=3e-4).fit(X, y) for cls in ONE_PROBLEM]
    assert_allclose([clf.objective_ for clf in found], found[0].objective_, rtol=1e-3)
    for clf in found:
        assert clf.duality_gap_ <= 3e-4 * clf.objective_
        assert clf.n_iter_ >= 1


@pytest.mark.parametrize("cls", LEARNERS)
def test_gram_matrices_in_the_place_of_kernels(cls):
    X, y = two_classes()
    train, test = np.arange(80), np.arange(80, 120)
    # Evaluated together and on the same rows, as a learner does: solvers amplify differences in the
    # last digit, and on some processors that of a product depends on the shape of the matrix.
    stack = np.stack(evaluate(KERNELS, X))
    stack[np.ix_(range(len(KERNELS)), train, train)] = evaluate(KERNELS, X[train])
    rows = np.arange(120.0)[:, None]
    if cls is KernelFDAClassifier:
        on_grams = cls(kernel=Precomputed(stack[1]), random_state=0)
    else:
        on_grams = cls(**settings(cls, stack, random_state=0))
    on_rows = cls(**settings(cls, random_state=0)).fit(X[train], y[train])
    on_grams.fit(rows[train], y[train])
    assert_allclose(
        on_grams.decision_function(rows[test]), on_rows.decision_function(X[test]), atol=1e-6
    )
    assert_allclose(on_grams.predict_proba(rows[test]), on_rows.predict_proba(X[test]), atol=1e-6)


@pytest.mark.parametrize("cls", LEARNERS)
def test_samplers_and_defaults_give_kernels(cls):
    X, y = two_classes()
    if cls in (KernelFDAClassifier, SVM2KClassifier):
        assert len(cls().fit(X, y).kernels_) == (1 if cls is KernelFDAClassifier else 2)
        return
    clf = cls(MedianScale(), n_kernels=4, random_state=0).fit(X, y)
    assert len(clf.kernels_) == len(clf.kernel_weights_) == 4
    assert len(cls().fit(X, y).kernels_) == (3 if cls is EasyMKLClassifier else 5)


def test_identical_kernels_share_their_weight_without_harm():
    X, y = two_classes()
    for cls in ON_SIMPLEX:
        once = cls(kernels=[RBF(0.1), RBF(1.0)], preset="paper").fit(X, y)
        twice = cls(kernels=[RBF(0.1), RBF(0.1), RBF(1.0)], preset="paper").fit(X, y)
        agree = np.mean(once.predict(X) == twice.predict(X))
        assert agree > 0.95, cls


@pytest.mark.parametrize("cls", [*ONE_PROBLEM, AlignmentMKLClassifier, MKDAClassifier])
def test_a_kernel_of_pure_noise_gets_next_to_nothing(cls):
    rng = np.random.RandomState(0)
    X, noise = rng.randn(150, 3), rng.randn(150, 3)
    y = X[:, 0] + 0.5 * X[:, 1] > 0
    stack = np.stack([RBF(0.1)(X), RBF(0.1)(noise)])
    clf = cls(kernels=stack, preset="paper").fit(np.arange(150.0)[:, None], y)
    assert clf.kernel_weights_[1] < 0.05


def test_one_kernel_reduces_to_the_machine_on_it():
    X, y = load_iris(return_X_y=True)
    machine = SVC(kernel=RBF(0.2), C=2.0).fit(X, y)
    for cls in [*ONE_PROBLEM, AlignmentMKLClassifier, AverageMKLClassifier]:
        clf = cls(kernels=[RBF(0.2)], C=2.0, normalize=None, multi_class="ovo").fit(X, y)
        assert_allclose(clf.kernel_weights_, 1.0)
        assert_array_equal(clf.predict(X), machine.predict(X))
    settings = {"normalize": "trace", "random_state": 0}
    alone = KernelFDAClassifier(RBF(0.2), **settings).fit(X, y)
    among = MKDAClassifier([RBF(0.2)], **settings).fit(X, y)
    assert_allclose(among.decision_function(X), alone.decision_function(X))


def test_infinite_norm_is_the_sum_of_kernels():
    X, y = two_classes()
    lasso = GroupLassoMKLClassifier(KERNELS, p=np.inf, C=1.0, random_state=0).fit(X, y)
    mean = AverageMKLClassifier(KERNELS, C=4.0, random_state=0).fit(X, y)
    assert_allclose(lasso.decision_function(X), mean.decision_function(X), atol=1e-2)


@pytest.mark.parametrize("normalize", ["trace", "variance", "cosine"])
def test_the_unit_of_a_kernel_does_not_matter_when_normalised(normalize):
    X, y = two_classes()
    options = {"C": 1.0, "normalize": normalize, "random_state": 0}
    one = SimpleMKLClassifier([RBF(0.1), Linear()], **options).fit(X, y)
    two = SimpleMKLClassifier([7.0 * RBF(0.1), 0.2 * Linear()], **options).fit(X, y)
    assert_allclose(two.kernel_weights_, one.kernel_weights_, atol=1e-6)
    assert_allclose(two.decision_function(X), one.decision_function(X), atol=1e-6)


def test_normalisation_is_part_of_the_learned_kernel():
    X, y = two_classes()
    for normalize, size in (
        ("trace", lambda K: np.trace(K) / len(K)),
        ("variance", lambda K: np.trace(K) / len(K) - K.mean()),
    ):
        clf = AverageMKLClassifier(KERNELS, normalize=normalize).fit(X, y)
        assert_allclose([size(k(X)) for k in clf.kernels_], 1.0)


@pytest.mark.parametrize("cls", [*ONE_PROBLEM, MKDAClassifier])
def test_stopping_early_is_told(cls):
    X, y = two_classes()
    with pytest.warns(ConvergenceWarning, match=cls.__name__):
        clf = cls(kernels=KERNELS, tol=1e-12, max_iter=1).fit(X, y)
    assert clf.n_iter_ == 1


@pytest.mark.parametrize("cls", LEARNERS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_are_honest_enough(cls, n_classes):
    X, y = make_classification(
        400, 6, n_informative=4, n_classes=n_classes, flip_y=0.3, random_state=0
    )
    clf = cls(random_state=0).fit(X[:200], y[:200])
    P = clf.predict_proba(X[200:])
    confidence, right = P.max(axis=1).mean(), clf.score(X[200:], y[200:])
    assert abs(confidence - right) < 0.12


@pytest.mark.parametrize("cls", [EasyMKLClassifier, MKDAClassifier, KernelFDAClassifier])
def test_class_weights_move_a_threshold_midway(cls):
    X, y = two_classes()
    for preset in ("auto", "paper"):
        options = {"alpha": 0.5, "preset": preset, "random_state": 0}
        weighted = [cls(class_weight={0: 1, 1: w}, **options).fit(X, y) for w in (0.01, 1, 100)]
        share = [np.mean(clf.predict(X)) for clf in weighted]
        assert share[0] < share[1] < share[2]
        plain = cls(**options).fit(X, y).decision_function(X)
        assert_allclose(weighted[1].decision_function(X), plain, atol=1e-12)


@pytest.mark.parametrize("cls", [EasyMKLClassifier, MKDAClassifier, KernelFDAClassifier])
def test_frequent_classes_move_a_threshold_midway_unless_they_are_balanced(cls):
    X, y = two_classes()
    few = np.flatnonzero((y == 0) | (np.arange(len(y)) % 3 == 0))
    X, y = X[few], y[few]

    def share(**options):
        return np.mean(cls(alpha=0.5, scale=None, **options).fit(X, y).predict(X))

    kernels = {"kernel" if cls is KernelFDAClassifier else "kernels": RBF(0.05)}
    published = share(preset="paper", **kernels)
    assert share(**kernels) < published
    assert share(preset="paper", class_weight={0: 1, 1: 1}, **kernels) == published


@pytest.mark.parametrize("cls", LEARNERS)
def test_one_class_against_the_rest_has_the_line_of_least_honest_loss(cls):
    X, y = make_classification(
        150, 5, n_informative=4, n_redundant=0, n_classes=3, weights=[0.7, 0.2], random_state=0
    )
    clf = cls(random_state=0).fit(X, y)
    honest = clf.honest_
    # Nothing is left to change, but for what keeping it near zero costs.
    factors, bias = fit_class_lines(honest.scores, honest.codes)
    assert np.abs(bias).max() < 0.3
    if cls._has_class_factors:
        assert np.abs(np.log(factors)).max() < 0.3
    loss = honest_loss(honest.scores, y)
    for step in np.vstack([np.eye(3), -np.eye(3)]):
        assert loss < honest_loss(honest.scores + 0.5 * honest.scores.std() * step, y)
        if cls._has_class_factors:
            assert loss < honest_loss(honest.scores * 2.0**step, y)


@pytest.mark.parametrize("cls", LEARNERS)
def test_the_lines_of_classes_change_nothing_but_the_scale(cls):
    X, y = make_classification(90, 6, n_informative=4, n_classes=3, random_state=0)
    strength = {"C": 1.0} if "C" in cls().get_params() else {"alpha": 0.5}
    clf = cls(random_state=0, **strength).fit(X, y)
    alone = cls(random_state=0, calibration_folds=0, **strength).fit(X, y)
    for S, raw in zip(clf.decision_function(X).T, alone.decision_function(X).T):
        line = np.polyfit(raw, S, 1)
        assert line[0] > 0
        assert_allclose(np.polyval(line, raw), S, atol=1e-8)


def honest_loss(scores, y):
    return log_loss(y, probabilities(scores, fit_temperature(scores, y)))


def test_hundreds_of_kernels_make_a_shallow_sum():
    kernels = [RBF(0.01 * (m + 1)) for m in range(600)]
    kernel = weighted_kernel(kernels, np.full(600, 1 / 600))
    assert_allclose(kernel(np.zeros((2, 1))), 1.0)
    assert clone(kernel) == kernel


def test_a_mixture_is_the_sum_of_its_kernels():
    X, _ = two_classes(300)
    A = np.random.RandomState(0).randn(300, 2)
    mixture, weights = Mixture(KERNELS, X), np.array([0.1, 0.0, 0.4, 0.5])
    grams = [kernel(X) for kernel in KERNELS]
    assert_allclose(mixture.combine(weights), sum(w * K for w, K in zip(weights, grams)))
    assert_allclose(mixture.quadratic_forms(A), [np.vdot(A, K @ A) for K in grams])


def test_easy_mkl_keeps_few_matrices():
    n, n_kernels = 600, 40
    matrix = 8 * n * n
    X, y = two_classes(n)
    tracemalloc.start()
    EasyMKLClassifier(MedianScale(), n_kernels=n_kernels, random_state=0).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * matrix < n_kernels * matrix


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"normalize": "max"}, "normalize"),
        ({"multi_class": "ecoc"}, "multi_class"),
        ({"calibration_folds": 1}, "calibration_folds"),
        ({"shared_weights": "yes"}, "shared_weights"),
        ({"kernels": []}, "kernels"),
        ({"C": 0.0}, "C must"),
        ({"tol": 0.0}, "tol"),
    ],
)
def test_bad_parameters_are_named(params, match):
    X, y = two_classes(40)
    with pytest.raises((ValueError, TypeError), match=match):
        SimpleMKLClassifier(**params).fit(X, y)


@pytest.mark.parametrize(
    ("clf", "match"),
    [
        (GroupLassoMKLClassifier(p=0.5), "p must"),
        (EasyMKLClassifier(alpha=1.5), "alpha"),
        (MKDAClassifier(alpha=0.0), "alpha"),
        (KernelFDAClassifier(penalty="l1"), "penalty"),
        (SVM2KClassifier(coupling=-1.0), "coupling"),
        (SVM2KClassifier(KERNELS), "two kernels"),
        (UFOMKLClassifier(n_epochs=0), "n_epochs"),
        (AlignmentMKLClassifier(method="cka"), "method"),
    ],
)
def test_bad_parameters_of_one_method_are_named(clf, match):
    X, y = two_classes(40)
    with pytest.raises((ValueError, TypeError), match=match):
        clf.fit(X, y)


@pytest.mark.parametrize("cls", LEARNERS)
def test_unseen_rows_are_classified_as_well_as_by_a_plain_machine(cls):
    X, y = two_classes(200)
    plain = cross_val_score(SVC(kernel=RBF(0.1)), X, y, cv=3).mean()
    clf = cls(random_state=0, calibration_folds=0)
    assert cross_val_score(clf, X, y, cv=3).mean() > plain - 0.06
