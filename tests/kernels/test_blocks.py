"""Blocks on several threads: the same bits as on one, and errors that come out."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from kernsemble.kernels import RBF, Laplacian, Linear, Polynomial, evaluate
from kernsemble.kernels.blocks import for_each_block


def _evaluate_with(n_threads, X, Y):
    with threadpool_limits(n_threads, "blas"):
        return evaluate([RBF(0.1), RBF(0.037), RBF(0.3), Polynomial(), Laplacian(0.2)], X, Y)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_y", [None, 1201])
def test_every_number_of_threads_gives_the_same_bits(dtype, n_y):
    rng = np.random.RandomState(0)
    X = rng.randn(1003, 7).astype(dtype)
    Y = None if n_y is None else rng.randn(n_y, 7).astype(dtype)
    alone = _evaluate_with(1, X, Y)
    for n_threads in (2, 3):
        for K, expected in zip(_evaluate_with(n_threads, X, Y), alone):
            np.testing.assert_array_equal(K, expected)


def test_every_matrix_is_exactly_symmetric():
    X = np.random.RandomState(0).randn(517, 5)
    for K in evaluate([RBF(0.1), Linear()], X):
        np.testing.assert_array_equal(K, K.T)


def test_an_error_in_a_block_is_raised_and_blas_gets_its_threads_back():
    def fail(block):
        raise ValueError(f"block {block}")

    with threadpool_limits(2, "blas"):
        before = threadpool_info()
        with pytest.raises(ValueError, match="block 0"):
            for_each_block(fail, [0, 1, 2])
        assert threadpool_info() == before
