import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.decomposition import KernelPCA

from kernsemble.kernels import (
    RBF,
    Cauchy,
    GeneralizedExponential,
    Laplacian,
    Linear,
    Matern,
    MedianScale,
    Normalized,
    Polynomial,
    Precomputed,
    Sigmoid,
)
from kernsemble.maps import EmpiricalKernelMap
from kernsemble.maps.landmarks import LANDMARK_RULES, select_landmarks
from tests.reference import empirical_map as reference

RNG = np.random.RandomState(0)
X, X_TEST = RNG.randn(80, 3), RNG.randn(20, 3)
POSITIVE_DEFINITE = [
    RBF(0.3),
    Cauchy(0.5),
    Laplacian(0.3),
    Laplacian(0.3, "l2"),
    GeneralizedExponential(1.5, 1.8, 1.2),
    Matern(1.0, 2.5),
    Linear(),
    Polynomial(2),
    Normalized(Linear() + 1),
    0.5 * RBF(1.0) + Linear() * Cauchy(0.1),
]


@pytest.mark.parametrize("kernel", POSITIVE_DEFINITE, ids=repr)
def test_inner_products_of_all_rows_are_the_kernel(kernel):
    feature_map = EmpiricalKernelMap(kernel)
    Z = feature_map.fit_transform(X)
    scale = np.abs(kernel(X)).max()
    assert_allclose(Z @ Z.T, kernel(X), atol=1e-8 * scale)
    # The relative cut of 1e-8 in eigenvalues leaves 1e-4 in coordinates of the smallest ones.
    assert_allclose(feature_map.transform(X), Z, atol=1e-4 * np.sqrt(scale))
    assert_allclose(feature_map.transform(X_TEST) @ Z.T, kernel(X_TEST, X), atol=1e-3 * scale)


@pytest.mark.parametrize("kernel", POSITIVE_DEFINITE, ids=repr)
def test_inner_products_with_landmarks_are_the_nystrom_matrix(kernel):
    feature_map = EmpiricalKernelMap(kernel, n_landmarks=15, random_state=0)
    Z = feature_map.fit_transform(X)
    chosen = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in feature_map.landmarks_]
    K = kernel(X)
    assert_allclose(Z @ Z.T, reference.nystrom(K, chosen), atol=1e-6 * np.abs(K).max())


@pytest.mark.parametrize("n_rows", [80, 600])
def test_centred_maps_are_kernel_pca(n_rows):
    A = np.random.RandomState(2).randn(n_rows, 3)
    ours = EmpiricalKernelMap(RBF(0.3), center=True, n_components=5).fit(A)
    theirs = KernelPCA(5, kernel="rbf", gamma=0.3, eigen_solver="dense").fit(A)
    signs = np.sign(np.sum(ours.transform(A) * theirs.transform(A), axis=0))
    assert_allclose(ours.transform(X_TEST) * signs, theirs.transform(X_TEST), atol=1e-8)
    literal = reference.kernel_pca(RBF(0.3)(A), RBF(0.3)(X_TEST, A), 5)
    assert_allclose(np.abs(ours.transform(X_TEST)), np.abs(literal), atol=1e-8)
    assert_allclose(ours.transform(A).mean(axis=0), 0.0, atol=1e-8)


@pytest.mark.parametrize("rule", LANDMARK_RULES)
@pytest.mark.parametrize("rows", [X, X.astype(np.float32), sparse.csr_array(X)], ids=str)
def test_every_landmark_rule_works_on_every_kind_of_rows(rule, rows):
    y = np.arange(80) % 3
    feature_map = EmpiricalKernelMap(n_landmarks=0.25, landmarks=rule, random_state=0)
    Z = feature_map.fit(rows, y).transform(rows)
    # Means of groups are at most a tenth of the rows.
    assert feature_map.landmarks_.shape == (20, 3) or rule == "group_means"
    assert Z.shape[0] == 80 and Z.dtype == rows.dtype


@pytest.mark.parametrize("rows", [X, sparse.csr_array(X)], ids=["dense", "sparse"])
def test_means_of_groups_are_no_rows(rows):
    # Twelve copies of a distant row are a group of their own, whose mean would be that row.
    far = np.full((12, 3), 50.0)
    stack = sparse.vstack if sparse.issparse(rows) else np.vstack
    with_copies = stack([rows, far]).tocsr() if sparse.issparse(rows) else stack([rows, far])
    means = select_landmarks(with_copies, 20, "group_means", np.random.RandomState(0))
    assert 1 < len(means) <= 9
    gaps = cdist(means, np.vstack([X, far]))
    assert gaps.min() > 1e-3 and np.abs(means).max() < 10
    # No number of landmarks means all rows, and these would be rows.
    feature_map = EmpiricalKernelMap(landmarks="group_means", random_state=0).fit(rows)
    assert len(feature_map.landmarks_) <= 8


def test_equal_rows_have_no_means_of_groups():
    with pytest.raises(ValueError, match="needs groups of at least 5 rows that differ"):
        select_landmarks(np.ones((30, 2)), 5, "group_means", np.random.RandomState(0))


def test_stratified_landmarks_hold_every_class():
    y = np.repeat([0, 1, 2], [70, 8, 2])
    chosen = select_landmarks(np.arange(80.0)[:, None], 10, "stratified", RNG, y=y)[:, 0]
    assert_array_equal(np.bincount(y[chosen.astype(int)]), [8, 1, 1])
    few = select_landmarks(np.arange(80.0)[:, None], 2, "stratified", RNG, y=y)
    assert len(few) == 2


def test_pivoted_cholesky_covers_separate_clusters():
    clusters = np.repeat(np.arange(6.0)[:, None] * 100, 50, axis=0)
    clusters[::50] += 1e-9
    chosen = select_landmarks(clusters, 6, "rpcholesky", np.random.RandomState(0), kernel=RBF(1.0))
    assert len(np.unique(chosen.round())) == 6


def test_pivoted_cholesky_fills_up_when_everything_is_explained():
    rows = np.repeat([[0.0], [5.0]], 10, axis=0)
    chosen = select_landmarks(rows, 7, "rpcholesky", np.random.RandomState(0), kernel=RBF(1.0))
    assert len(chosen) == 7


def test_blocks_and_output_arrays_do_not_change_the_answer():
    whole = EmpiricalKernelMap(RBF(0.3), n_landmarks=10, random_state=0, block_size="auto").fit(X)
    blocks = EmpiricalKernelMap(RBF(0.3), n_landmarks=10, random_state=0, block_size=7).fit(X)
    assert_allclose(blocks.transform(X), whole.transform(X), rtol=1e-12)
    out = np.empty((80, whole.projection_.shape[1]))
    assert whole.transform(X, out=out) is out
    assert_allclose(out, whole.transform(X))
    with pytest.raises(ValueError, match="out must have shape"):
        whole.transform(X, out=np.empty((80, 99)))


def test_indefinite_kernels_are_clipped_or_refused():
    kernel = Sigmoid(0.5, -1.0)
    clipped = EmpiricalKernelMap(kernel).fit(X)
    assert 0 < clipped.clipped_ < 1
    assert np.isfinite(clipped.transform(X)).all()
    with pytest.raises(ValueError, match="indefinite"):
        EmpiricalKernelMap(kernel, negative="raise").fit(X)
    assert EmpiricalKernelMap(RBF(0.3), negative="raise").fit(X).clipped_ == 0.0


def test_a_fit_that_fails_leaves_the_map_as_it_was():
    feature_map = EmpiricalKernelMap(RBF(0.3), negative="raise").fit(X)
    before, fitted = feature_map.transform(X_TEST), dict(vars(feature_map))
    with pytest.raises(ValueError, match="indefinite"):
        feature_map.set_params(kernel=Sigmoid(0.5, -1.0)).fit(X[:50])
    for name, value in fitted.items():
        assert name == "kernel" or getattr(feature_map, name) is value
    assert_array_equal(feature_map.transform(X_TEST), before)


def test_centring_keeps_the_digits_of_a_nearly_constant_sigmoid():
    gamma, coef0 = 1e-12, -0.7
    ours = EmpiricalKernelMap(Sigmoid(gamma, coef0), center=True, n_components=3).fit(X)
    # To first order the kernel is a constant and a linear one.
    factor = gamma * (1 - np.tanh(coef0) ** 2)
    theirs = EmpiricalKernelMap(Linear(), center=True, n_components=3).fit(X)
    for rows in (X, X_TEST):
        Z = theirs.transform(rows) * np.sqrt(factor)
        assert_allclose(ours.transform(rows), Z, rtol=1e-6, atol=1e-12)


def test_names_and_pandas_output():
    frame = pd.DataFrame(X, columns=list("abc"))
    feature_map = EmpiricalKernelMap(RBF(0.3), n_components=4).set_output(transform="pandas")
    Z = feature_map.fit_transform(frame)
    assert list(Z.columns) == [f"empiricalkernelmap{i}" for i in range(4)]
    assert list(feature_map.feature_names_in_) == list("abc")


def test_samplers_and_precomputed_kernels_work():
    by_sampler = EmpiricalKernelMap(MedianScale("laplacian"), random_state=0).fit(X)
    assert isinstance(by_sampler.kernel_, Laplacian)
    numbers = np.arange(80)[:, None]
    Z = EmpiricalKernelMap(Precomputed(RBF(0.3)(X))).fit_transform(numbers)
    assert_allclose(Z @ Z.T, RBF(0.3)(X), atol=1e-8)


@pytest.mark.parametrize("rows", [np.ones((9, 2)), np.zeros((9, 2)), np.ones((1, 1))], ids=str)
@pytest.mark.parametrize("center", [False, True])
def test_equal_rows_have_finite_coordinates(rows, center):
    for kernel in (RBF(), Linear()):
        Z = EmpiricalKernelMap(kernel, center=center).fit_transform(rows)
        assert Z.shape[1] >= 1 and np.isfinite(Z).all()


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_landmarks": 0}, ValueError, "n_landmarks must be between 1 and 80"),
        ({"n_landmarks": 81}, ValueError, "n_landmarks must be between 1 and 80"),
        ({"n_landmarks": 1.5}, ValueError, "n_landmarks"),
        ({"n_landmarks": -0.1}, ValueError, "n_landmarks"),
        ({"n_landmarks": "all"}, TypeError, "n_landmarks"),
        ({"n_components": 0}, ValueError, "n_components"),
        ({"n_components": 2.5}, TypeError, "n_components"),
        ({"landmarks": "random"}, ValueError, "landmarks must be one of"),
        ({"landmarks": "stratified", "n_landmarks": 5}, ValueError, "needs y"),
        ({"negative": "drop"}, ValueError, "negative"),
        ({"tol": -1.0}, ValueError, "tol"),
        ({"block_size": 0}, ValueError, "block_size"),
        ({"block_size": "many"}, TypeError, "block_size"),
        ({"block_size": None}, TypeError, "block_size"),
        ({"kernel": "rbf"}, TypeError, "kernels must be"),
        (
            {"kernel": Precomputed(np.eye(80)), "landmarks": "kmeans", "n_landmarks": 3},
            ValueError,
            "kmeans",
        ),
    ],
    ids=str,
)
def test_bad_parameters_are_named(parameters, error, message):
    with pytest.raises(error, match=message):
        EmpiricalKernelMap(**parameters).fit(X)


@pytest.mark.parametrize("center", [False, True])
def test_a_row_of_weight_two_spans_what_two_rows_span(center):
    rng = np.random.RandomState(0)
    X, weights = rng.randn(30, 3), rng.randint(1, 4, 30)
    repeated, kernel = X.repeat(weights, axis=0), RBF(0.3)
    options = {"center": center, "n_components": 5}
    many = EmpiricalKernelMap(kernel, **options)
    many.fit_gram(repeated, kernel(repeated))
    few = EmpiricalKernelMap(kernel, **options)
    Z = few.fit_gram(X, kernel(X), weights.astype(float))
    assert_allclose(few.eigenvalues_, many.eigenvalues_)
    new = rng.randn(10, 3)
    assert_allclose(np.abs(few.transform(new)), np.abs(many.transform(new)), atol=1e-9)
    assert_allclose(Z, few.transform(X), atol=1e-9)
