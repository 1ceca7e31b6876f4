"""The Ho-Kashyap classifiers: how they reduce to each other, and to the papers' loops."""

import inspect
import warnings

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernsemble import (
    KernelRidgeClassifier,
    KMHKSClassifier,
    MEKLDLPClassifier,
    MEKLLPCClassifier,
    MultiKMHKSClassifier,
    RPEMEKLClassifier,
)
from kernsemble.datasets import load
from kernsemble.kernels import RBF, Linear, MedianGrid
from kernsemble.maps import EmpiricalKernelMap
from kernsemble.members.mhks_search import ALPHAS
from kernsemble.seeds import draw_seeds
from kernsemble.solvers.penalties import mean_squared_distance
from kernsemble.tables import MemoryTable
from kernsemble.tables.draws import copies_in_folds
from tests.reference import mhks as reference

# The equations that results are compared with know no scaling.
pytestmark = pytest.mark.usefixtures("unscaled")

KERNELS = [RBF(0.05), RBF(0.5), Linear()]
#: The grids of the paper.
STRENGTHS, LANDMARK_SHARES = [2.0**e for e in range(-4, 5)], [0.1, 0.2, 0.3, 0.4, 0.5]
TUNED = {"alpha": STRENGTHS, "coupling": STRENGTHS, "n_landmarks": LANDMARK_SHARES}
ALL = [KMHKSClassifier, MultiKMHKSClassifier, RPEMEKLClassifier, MEKLLPCClassifier]
ALL += [MEKLDLPClassifier]


@pytest.fixture(params=[2, 4], ids=["two classes", "four classes"])
def data(request):
    return make_blobs(60, n_features=3, centers=request.param, cluster_std=4.0, random_state=0)


def decisions(classifier, X, y):
    return classifier.fit(X, y).decision_function(X)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_one_kernel_makes_multik_mhks_kmhks(data, multi_class):
    one = KMHKSClassifier(RBF(0.2), multi_class=multi_class)
    many = MultiKMHKSClassifier([RBF(0.2)], coupling=7.0, multi_class=multi_class)
    assert_allclose(decisions(many, *data), decisions(one, *data), rtol=1e-10)


@pytest.mark.parametrize("algorithm", ["ho_kashyap", "newton"])
def test_one_member_on_all_rows_makes_rpemekl_multik_mhks(data, algorithm):
    options = {"alpha": 0.5, "coupling": 2.0, "algorithm": algorithm}
    random = RPEMEKLClassifier(1, kernels=KERNELS, n_landmarks=1.0, **options)
    whole = MultiKMHKSClassifier(KERNELS, **options)
    assert_allclose(decisions(random, *data), decisions(whole, *data), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_no_locality_makes_mekl_dlp_multik_mhks(data, multi_class):
    local = MEKLDLPClassifier(KERNELS, beta=0.0, multi_class=multi_class)
    plain = MultiKMHKSClassifier(KERNELS, multi_class=multi_class)
    assert_allclose(decisions(local, *data), decisions(plain, *data), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_all_pairs_and_no_means_make_mekl_dlp_mekl_lpc(data, multi_class):
    options = {"alpha": 0.3, "beta": 0.7, "multi_class": multi_class}
    general = MEKLDLPClassifier(KERNELS, gamma=0.0, n_neighbors=None, **options)
    special = MEKLLPCClassifier(KERNELS, **options)
    assert_allclose(decisions(general, *data), decisions(special, *data), rtol=1e-10)


def test_binary_mekl_dlp_follows_the_papers_loop():
    X, y = make_blobs(26, n_features=2, centers=2, cluster_std=3.0, random_state=2)
    t = np.where(y == 1, 1.0, -1.0)
    alpha, beta, gamma, coupling = 0.5, 0.4, 0.2, 1.5
    maps = [EmpiricalKernelMap(kernel) for kernel in (RBF(0.02), RBF(0.1))]
    views = [m.fit_transform(X) for m in maps]
    penalties = []
    for Z in views:
        scale = mean_squared_distance(Z)
        within = reference.locality(Z, y, 3, scale)
        R = within - gamma * reference.between_means(Z, y, scale)
        penalties.append(alpha * np.eye(Z.shape[1]) + beta * R)
    start = [np.zeros(Z.shape[1] + 1) for Z in views]
    ws, history = reference.mhks(views, t, penalties, coupling, start, n_iter=8)
    classifier = MEKLDLPClassifier(
        [RBF(0.02), RBF(0.1)],
        alpha=alpha,
        beta=beta,
        gamma=gamma,
        n_neighbors=3,
        coupling=coupling,
        tol=0.0,
        max_iter=8,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        scores = decisions(classifier, X, y)
    assert_allclose(classifier.objective_history_[0], history, rtol=1e-8)
    expected = sum(Z @ w[:-1] + w[-1] for Z, w in zip(views, ws)) / 2
    assert_allclose(scores, expected, rtol=1e-5, atol=1e-7)


def test_gamma_beyond_definiteness_is_reduced_with_a_warning(data):
    X, y = data
    classifier = MEKLDLPClassifier(alpha=0.01, beta=100.0, gamma=100.0)
    with pytest.warns(ConvergenceWarning, match="gamma=100.0 was reduced to"):
        classifier.fit(X, y)
    assert 0 < classifier.gamma_ < 100.0
    assert np.all(np.isfinite(classifier.decision_function(X)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        assert MEKLDLPClassifier(gamma=1e-3).fit(X, y).gamma_ == 1e-3


@pytest.mark.parametrize("cls", ALL)
def test_objective_never_rises_and_is_reported(cls, data):
    classifier = cls(random_state=0).fit(*data)
    assert (
        len(classifier.objective_history_) == len(classifier.estimators_) == len(classifier.n_iter_)
    )
    for objective, n_iter in zip(classifier.objective_history_, classifier.n_iter_):
        assert len(objective) == n_iter + 1
        assert np.all(np.diff(objective) <= 1e-9 * objective[:-1])


@pytest.mark.parametrize("cls", ALL)
def test_running_out_of_iterations_warns(cls, data):
    with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
        cls(max_iter=1, random_state=0).fit(*data)


@pytest.mark.parametrize("cls", [KMHKSClassifier, MultiKMHKSClassifier, MEKLLPCClassifier])
def test_whole_weights_are_repeated_rows(cls, data):
    X, y = data
    times = np.random.RandomState(0).randint(0, 3, size=len(X))
    rows = np.repeat(np.arange(len(X)), times)
    # LPC's graph is as wide as the mean distance of the rows, which repeating them changes.
    own = {"beta": 0.0} if cls is MEKLLPCClassifier else {}
    own |= {} if cls is KMHKSClassifier else {"coupling": 1.0}
    own["alpha"] = 1.0
    kernels = RBF(0.2) if cls is KMHKSClassifier else KERNELS
    weighted = cls(kernels, tol=1e-6, max_iter=500, **own).fit(X, y, times.astype(float))
    repeated = cls(kernels, tol=1e-6, max_iter=500, **own).fit(X[rows], y[rows])
    assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), rtol=1e-5, atol=1e-6
    )


def test_class_weight_moves_the_boundary():
    X, y = make_blobs([70, 15], n_features=2, cluster_std=4.0, centers=None, random_state=3)
    plain = RPEMEKLClassifier(n_landmarks=20, random_state=0).fit(X, y)
    heavy = RPEMEKLClassifier(n_landmarks=20, class_weight={1: 10.0}, random_state=0).fit(X, y)
    assert (heavy.predict(X) == 1).sum() > (plain.predict(X) == 1).sum()


def test_row_blocks_give_the_same_model(data):
    X, y = data
    classifier = RPEMEKLClassifier(n_landmarks=20, random_state=0)
    held = decisions(classifier, X, y)
    with sklearn.config_context(working_memory=0.001):
        streamed = decisions(classifier, X, y)
    assert_allclose(streamed, held, rtol=1e-6, atol=1e-8)


def test_lists_of_strengths_are_searched_as_in_the_paper(data):
    X, y = data
    classifier = RPEMEKLClassifier(preset="paper", **TUNED, random_state=0).fit(X, y)
    assert set(classifier.alphas_) <= set(STRENGTHS)
    assert classifier.coupling_ in STRENGTHS
    assert classifier.n_landmarks_ in [round(share * len(X)) for share in LANDMARK_SHARES]
    with pytest.raises(ValueError, match="Lists of alpha"):
        RPEMEKLClassifier(alpha=STRENGTHS).fit(X, y)


@pytest.mark.parametrize("cls", ALL)
def test_given_values_are_used_as_they_are(cls, data):
    given = {"alpha": 0.3, "coupling": 2.0, "beta": 0.02, "gamma": 1e-3, "n_landmarks": 12}
    known = inspect.signature(cls).parameters
    given = {name: value for name, value in given.items() if name in known}
    classifier = cls(**given, random_state=0).fit(*data)
    assert set(classifier.alphas_) == {0.3}
    for name in given.keys() - {"alpha"}:
        assert getattr(classifier, f"{name}_") == given[name]


@pytest.mark.parametrize("cls", ALL)
def test_the_chosen_strengths_are_those_of_least_leave_one_out_error(cls, data):
    X, y = data
    chosen = cls(random_state=0).fit(X, y)
    ridges = [KernelRidgeClassifier(kernel, alpha=ALPHAS).fit(X, y) for kernel in chosen.kernels_]
    assert chosen.alphas_ == [ridge.alpha_ for ridge in ridges]
    grids = [MedianGrid("rbf"), MedianGrid("laplacian"), MedianGrid("cauchy")]
    for kernel, grid in zip(chosen.kernels_, grids):
        ridge = KernelRidgeClassifier(grid, alpha=ALPHAS).fit(X, y)
        assert kernel.gamma == pytest.approx(ridge.kernel_.gamma)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("cls", [KMHKSClassifier, MultiKMHKSClassifier, MEKLLPCClassifier])
def test_honest_scores_are_those_of_fits_without_the_fold(cls, multi_class, data):
    X, y = data
    kernels = RBF(0.2) if cls is KMHKSClassifier else KERNELS
    # The graph of LPC joins all rows, held-out ones included, so it is left away here.
    own = {"beta": 0.0} if cls is MEKLLPCClassifier else {}
    own |= {} if cls is KMHKSClassifier else {"coupling": 1.0}
    settings = {"alpha": 0.5, "multi_class": multi_class, "tol": 1e-8, "max_iter": 2000, **own}
    clf = cls(kernels, **settings, random_state=0).fit(X, y)
    rng = np.random.RandomState(draw_seeds(np.random.RandomState(0), 1)[0])
    rows = MemoryTable(X, y, np.unique(y)).all
    folds = copies_in_folds(rows, 5, rng).argmax(axis=0)
    expected = np.empty_like(clf.honest_scores_)
    for k in range(5):
        rest = folds != k
        part = cls(kernels, **settings).fit(X[rest], y[rest])
        expected[~rest] = part.decision_function(X[~rest])
    assert_allclose(clf.honest_scores_, expected, atol=1e-4)


def test_votes_and_means_of_members(data):
    X, y = data
    classifier = RPEMEKLClassifier(3, n_landmarks=15, combine="vote", random_state=0).fit(X, y)
    assert classifier.score(X, y) > 0.5
    assert_array_equal(classifier.predict_proba(X).argmax(axis=1), classifier.predict(X))


@pytest.mark.parametrize(
    ("cls", "parameters"),
    [
        (KMHKSClassifier, {"alpha": 0.0}),
        (KMHKSClassifier, {"rho": 1.0}),
        (MultiKMHKSClassifier, {"coupling": -1.0}),
        (MultiKMHKSClassifier, {"multi_class": "all"}),
        (MultiKMHKSClassifier, {"algorithm": "sgd"}),
        (RPEMEKLClassifier, {"n_landmarks": 61}),
        (RPEMEKLClassifier, {"alpha": "best"}),
        (RPEMEKLClassifier, {"combine": "stacked"}),
        (MEKLLPCClassifier, {"beta": -0.1}),
        (MEKLDLPClassifier, {"gamma": -0.1}),
        (MEKLDLPClassifier, {"n_neighbors": 0}),
    ],
)
def test_bad_parameters_are_named(cls, parameters, data):
    (name,) = parameters
    with pytest.raises((ValueError, TypeError), match=name):
        cls(**parameters).fit(*data)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "published"), [("wine", 95.30), ("house-votes", 92.17)])
def test_rpemekl_reaches_the_published_accuracy(name, published, data_folder):
    data = load(f"papers_raw/{name}")
    classifier = RPEMEKLClassifier(preset="paper", **TUNED, random_state=0)
    pipeline = make_pipeline(SimpleImputer(), StandardScaler(), classifier)
    splits = StratifiedShuffleSplit(10, test_size=0.3, random_state=0)
    found = cross_val_score(pipeline, data.X, data.y, cv=splits)
    assert 100 * found.mean() >= published


@pytest.mark.slow
def test_mekl_dlp_reaches_the_published_accuracy(data_folder):
    data = load("papers_raw/house-votes")
    pipeline = make_pipeline(SimpleImputer(), StandardScaler(), MEKLDLPClassifier(preset="paper"))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    found = cross_val_score(pipeline, data.X, data.y, cv=folds)
    assert 100 * found.mean() >= 94.70


def test_every_member_of_rpemekl_draws_landmarks_of_its_own(data):
    X, y = data
    clf = RPEMEKLClassifier(3, kernels=KERNELS, n_landmarks=10, random_state=0).fit(X, y)
    drawn = [{tuple(row) for row in member.landmarks} for member in clf.estimators_]
    assert [len(rows) for rows in drawn] == [10, 10, 10]
    # Ten of sixty rows: two independent draws share two or three of them.
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert len(drawn[one] & drawn[other]) < 8
    for member in clf.estimators_:
        assert set(map(tuple, member.landmarks)) <= set(map(tuple, X))


@pytest.mark.parametrize("candidates", [[1e9, 0.01], [0.01, 1e9]])
def test_two_candidates_are_compared(candidates):
    # Three clouds on a line, the middle one of the other class: a huge strength sees no middle.
    x = np.concatenate([np.linspace(k - 0.2, k + 0.2, 20) for k in (-1.0, 0.0, 1.0)])[:, None]
    y = np.repeat([0, 1, 0], 20)
    clf = RPEMEKLClassifier(
        kernels=[RBF(5.0)], n_landmarks=10, alpha=candidates, coupling=0.0, random_state=0
    )
    assert set(clf.fit(x, y).alphas_) == {0.01}
