import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.preprocessing import KernelCenterer

from kernsemble.kernels import RBF, Linear, Sigmoid
from kernsemble.kernels import spectrum as spectrum_module
from kernsemble.kernels.gram import center_gram, gram_stack
from kernsemble.kernels.spectrum import leading_spectrum

X = np.random.RandomState(0).randn(60, 4)


def test_centring_is_that_of_scikit_learn():
    K = RBF(0.2)(X)
    assert_allclose(center_gram(K), KernelCenterer().fit_transform(K), atol=1e-14)


def test_gram_stack_holds_every_kernel():
    stack = gram_stack([RBF(0.2), Linear()], X, X[:5])
    assert stack.shape == (2, 60, 5)
    assert_allclose(stack[1], X @ X[:5].T)


def dense_pairs(K, n_components):
    values, vectors = np.linalg.eigh(K)
    return values[::-1][:n_components], vectors[:, ::-1][:, :n_components]


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("n_rows", [60, 700])
def test_leading_pairs_are_those_of_a_dense_solver(n_rows, center):
    K = RBF(0.1)(np.random.RandomState(1).randn(n_rows, 4))
    found = leading_spectrum(K, 6, center=center)
    values, vectors = dense_pairs(center_gram(K) if center else K, 6)
    assert_allclose(found.values, values, rtol=1e-9)
    assert_allclose(np.abs(np.sum(found.vectors * vectors, axis=0)), 1.0, atol=1e-9)
    assert found.negative_share == 0.0


def test_a_flat_spectrum_falls_back_to_the_dense_solver(monkeypatch):
    monkeypatch.setattr(spectrum_module, "ITERATIVE_ROWS", 100)
    K = np.diag(1.0 + 1e-9 * np.arange(200.0))
    assert_allclose(leading_spectrum(K, 4).values, dense_pairs(K, 4)[0], rtol=1e-12)


def test_a_nearly_constant_kernel_needs_no_dense_solver(monkeypatch):
    # Centring leaves a thousandth of this kernel, and the mean must not grow back.
    K = RBF(gamma=1e-4)(np.random.RandomState(0).standard_normal((600, 5)))
    values, vectors = dense_pairs(center_gram(K), 10)
    monkeypatch.setattr(spectrum_module, "_dense", None)
    found = leading_spectrum(K, 10, center=True, tol=1e-12)
    assert_allclose(found.values, values, rtol=1e-6)
    assert_allclose(np.abs(np.sum(found.vectors[:, :5] * vectors[:, :5], axis=0)), 1.0, rtol=1e-6)


def test_what_centring_leaves_of_a_constant_kernel_is_found(monkeypatch):
    # Rounding keeps products with this kernel from reaching a residual of 1e-9.
    K = Sigmoid(1e-12, -0.4)(np.random.RandomState(0).standard_normal((700, 5)))
    values, vectors = dense_pairs(center_gram(K), 5)
    monkeypatch.setattr(spectrum_module, "_dense", None)
    found = leading_spectrum(K, 5, center=True)
    assert_allclose(found.values, values, rtol=1e-6)
    assert_allclose(np.abs(np.sum(found.vectors * vectors, axis=0)), 1.0, rtol=1e-6)


def test_directions_of_rounding_noise_are_dropped():
    K = Linear()(np.random.RandomState(0).randn(600, 3))
    assert leading_spectrum(K, 20).values.size == 3
    assert leading_spectrum(K).values.size == 3
    assert leading_spectrum(np.zeros((5, 5))).values.size == 0


def test_the_negative_share_of_an_indefinite_kernel_is_reported():
    K = Sigmoid(0.5, -1.0)(X)
    values = np.linalg.eigvalsh(K)
    found = leading_spectrum(K)
    assert_allclose(found.negative_share, -values[values < 0].sum() / np.abs(values).sum())
    assert (found.values > 0).all()


def test_the_leading_pairs_of_a_large_indefinite_kernel_are_found():
    A = np.random.RandomState(3).randn(900, 5)
    K = Sigmoid(0.2, -0.5)(A)
    found = leading_spectrum(K, 5, center=True)
    values, _ = dense_pairs(center_gram(K), 5)
    assert_allclose(found.values, values, rtol=1e-9)
    all_values = np.linalg.eigvalsh(center_gram(K))
    share = -all_values[all_values < 0].sum() / np.abs(all_values).sum()
    assert 0.5 * share < found.negative_share < 2.0 * share
