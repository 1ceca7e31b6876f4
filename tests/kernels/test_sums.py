"""Sums of kernel values are the products of Gram matrices and coefficients."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist

from kernsemble.kernels import (
    RBF,
    Cauchy,
    GeneralizedExponential,
    Laplacian,
    Linear,
    Matern,
    evaluate,
)
from kernsemble.kernels import sums as sums_module
from kernsemble.kernels.decay_sums import TILE
from kernsemble.kernels.sums import FEW_ROWS, MAX_COLUMNS, TASK_ROWS, decay_of, kernel_sums

DECAYS = [
    RBF(0.1),
    Laplacian(0.2),
    Laplacian(0.3, metric="l2"),
    GeneralizedExponential(2.0, p=1, q=0.7),
    GeneralizedExponential(1.5, p=2, q=1.3),
    GeneralizedExponential(3.0, p=2, q=2),
]


class OwnProfile(RBF):
    """A kernel of a user that is no Gaussian."""

    def _gram(self, pairs):
        return 1.0 / (1.0 + pairs.squared_distances())

    def _write_gram(self, pairs, out):
        out[...] = self._gram(pairs)


def literal(kernel, X, Y):
    """The Gram matrix from its formula, with distances that are not computed from products."""
    if isinstance(kernel, GeneralizedExponential):
        metric = {1: "cityblock", 2: "euclidean"}[kernel.p]
        return np.exp(-((cdist(X, Y, metric) / kernel.scale) ** kernel.q))
    if isinstance(kernel, Laplacian):
        metric = {"l1": "cityblock", "l2": "euclidean"}[kernel.metric]
        return np.exp(-kernel.gamma * cdist(X, Y, metric))
    if type(kernel) is RBF:
        return np.exp(-kernel.gamma * cdist(X, Y, "sqeuclidean"))
    return evaluate([kernel], X, Y)[0]


def expected_sums(kernels, coefs, X, Y):
    return [literal(kernel, X, Y) @ own for kernel, own in zip(kernels, coefs)]


def problem(n_x, n_y, n_columns, n_kernels, seed=0):
    rng = np.random.RandomState(seed)
    X, Y = rng.randn(n_x, n_columns), rng.randn(n_y, n_columns)
    return X, Y, [rng.randn(n_y, 1 + k % 3) for k in range(n_kernels)]


@pytest.mark.parametrize("n_columns", [1, 2, 3, 4, 5, 8, 11])
@pytest.mark.parametrize("n_y", [1, 7, TILE, TILE + 1, 300])
def test_all_kernels_of_a_distance(n_columns, n_y):
    X, Y, coefs = problem(6, n_y, n_columns, len(DECAYS))
    found = kernel_sums(DECAYS, coefs, X, Y)
    for own, expected in zip(found, expected_sums(DECAYS, coefs, X, Y), strict=True):
        assert_allclose(own, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("kernel", DECAYS, ids=repr)
def test_one_kernel_alone(kernel):
    X, Y, coefs = problem(5, 40, 6, 1)
    assert decay_of(kernel) is not None
    (found,) = kernel_sums([kernel], coefs, X, Y)
    assert_allclose(found, expected_sums([kernel], coefs, X, Y)[0], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("kernel", [Linear(), Cauchy(0.3), Matern(2.0), OwnProfile(), 2 * RBF()])
def test_other_kernels_take_blocks(kernel, monkeypatch):
    monkeypatch.setattr(sums_module, "BLOCK_BYTES", 1)
    X, Y, coefs = problem(40, 30, 3, 2)
    kernels = [kernel, RBF(0.5)]
    assert decay_of(kernel) is None
    for own, expected in zip(
        kernel_sums(kernels, coefs, X, Y), expected_sums(kernels, coefs, X, Y), strict=True
    ):
        assert_allclose(own, expected, rtol=1e-12, atol=1e-13)


def test_wide_and_sparse_rows_give_the_same(monkeypatch):
    X, Y, coefs = problem(FEW_ROWS + 1, 30, MAX_COLUMNS + 1, 3)
    X[np.abs(X) < 1] = Y[np.abs(Y) < 1] = 0.0
    wide = kernel_sums(DECAYS[:3], coefs, X, Y)
    thin = kernel_sums(DECAYS[:3], coefs, X[:FEW_ROWS], Y)
    scattered = kernel_sums(DECAYS[:3], coefs, *map(sparse.csr_array, (X, Y)))
    for a, b, c in zip(wide, thin, scattered, strict=True):
        assert_allclose(a[:FEW_ROWS], b, rtol=1e-11, atol=1e-12)
        assert_allclose(a, c, rtol=1e-11, atol=1e-12)


def test_a_row_alone_has_the_sums_that_it_has_among_others_to_the_last_digit():
    X, Y, coefs = problem(TASK_ROWS + 20, 150, 5, len(DECAYS))
    together = kernel_sums(DECAYS, coefs, X, Y)
    for i in (0, 17, TASK_ROWS, len(X) - 1):
        for own, alone in zip(together, kernel_sums(DECAYS, coefs, X[i : i + 1], Y)):
            assert_array_equal(own[i : i + 1], alone)


def test_order_and_type_of_the_arrays_make_no_difference():
    X, Y, coefs = problem(9, 20, 4, 2)
    X, Y = X.astype(np.float32), Y.astype(np.float32)
    found = kernel_sums(DECAYS[:2], coefs, X, Y)
    as_columns = [np.asfortranarray(own) for own in coefs]
    other = kernel_sums(DECAYS[:2], as_columns, np.asfortranarray(X), np.asfortranarray(Y))
    exact = kernel_sums(DECAYS[:2], coefs, X.astype(float), Y.astype(float))
    for a, b, c in zip(found, other, exact, strict=True):
        assert_array_equal(a, b)
        assert_array_equal(a, c)


def test_far_rows_count_for_nothing_and_equal_rows_fully():
    X = np.array([[0.0, 0.0], [1e160, -1e160], [1e-170, 0.0]])
    for kernel in DECAYS:
        (found,) = kernel_sums([kernel], [np.eye(3)], X, X)
        assert_allclose(np.diag(found), 1.0)
        assert_allclose(found[1, [0, 2]], 0.0, atol=1e-300)
        assert_allclose(found[0, 2], 1.0)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_a_scale_whose_power_is_no_number_takes_the_ratio(scale):
    kernel = GeneralizedExponential(scale, p=2, q=2)
    assert decay_of(kernel) is None
    X = scale * np.array([[0.0], [1.0]])
    (found,) = kernel_sums([GeneralizedExponential(scale, p=1, q=1.9)], [np.eye(2)], X, X)
    assert_allclose(found, [[1.0, np.exp(-1)], [np.exp(-1), 1.0]])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_no_numbers_are_an_error(bad):
    X, Y, coefs = problem(3, 10, 2, 1)
    coefs[0][4, 0] = bad
    with pytest.raises(ValueError, match=r"RBF\(gamma=0.1\) returned NaN or infinity"):
        kernel_sums([RBF(0.1)], coefs, X, Y)
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN or infinity"):
        kernel_sums([Laplacian()], [np.ones((10, 1))], X, Y)


def test_few_rows_need_no_compiled_code():
    X, Y, coefs = problem(3, 10, 2, 1)
    found = kernel_sums([RBF(0.1)], coefs, X, Y, for_few=False)
    assert_allclose(found, kernel_sums([RBF(0.1)], coefs, X, Y), rtol=1e-12)
