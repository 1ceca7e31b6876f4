"""Exact contributions of columns to the scores of kernel machines whose kernel is a product.

Put the columns of a set S of a row x into a background row b, and let a training row r see the
result through a kernel that is a product over the columns. With p_j and q_j the factors of x and b
in column j, the value of the set is the product of p_j over S and of q_j over the rest. Along the
line from b to x it becomes ∏ (q_j + t (p_j - q_j)), and the Shapley value of column j is
the integral over t from 0 to 1 of (p_j - q_j) ∏ (q_k + t (p_k - q_k)) over k ≠ j. Its degree is one
less than the number of columns, so half as many Gauss-Legendre nodes give it exactly. Columns that
are explained together have the product of their factors.
"""

from typing import Any, NamedTuple

import numpy as np

from ..kernels.base import Constant
from ..kernels.dot_product import Linear
from ..kernels.stationary import RBF, GeneralizedExponential, Laplacian

# Beyond so many pairs of training and background rows per explained row, sampling is faster.
MAX_PAIRS = 400_000


class ProductFactor(NamedTuple):
    """A kernel factor · exp(-gamma Σ |x_j - y_j|^power)."""

    factor: float
    gamma: float
    power: float


class Products(NamedTuple):
    """A kernel as a sum of products over the columns, of a linear kernel and of a constant."""

    factors: list[ProductFactor]
    linear: float


def product_factors(kernel):
    """Return a kernel as `Products`, or None if it is none."""
    products, linear = [], 0.0
    for factor, part in kernel._terms():
        if type(part) is RBF:
            products.append(ProductFactor(factor, float(part.gamma), 2.0))
        elif type(part) is Laplacian and part.metric == "l1":
            products.append(ProductFactor(factor, float(part.gamma), 1.0))
        elif type(part) is GeneralizedExponential and part.p == part.q:
            gamma = float(part.scale) ** -float(part.p)
            products.append(ProductFactor(factor, gamma, float(part.p)))
        elif type(part) is Linear:
            linear += factor
        elif type(part) is not Constant:
            return None
    return Products(products, linear)


def exact_contributions(kernel, x, background, rows, coefs, place, n_groups):
    """Return Shapley values of groups of coordinates for the scores k(x, rows) @ coefs.

    Parameters
    ----------
    kernel : Kernel
        One that `product_factors` knows.
    x : ndarray of shape (n_rows, n_coordinates)
    background : ndarray of shape (n_background, n_coordinates)
    rows : ndarray of shape (n_training, n_coordinates)
    coefs : ndarray of shape (n_training, n_rows)
        The coefficients of the score that is explained, for each row of `x`.
    place : ndarray of int of shape (n_coordinates,)
        The group of each coordinate.
    n_groups : int

    Returns
    -------
    ndarray of shape (n_rows, n_groups)
    """
    # numba takes longer to load than most scripts run.
    from .compiled_products import add_products

    found: Any = product_factors(kernel)
    products, linear = found
    x, background, rows = (
        np.ascontiguousarray(array, dtype=np.float64) for array in (x, background, rows)
    )
    values = np.zeros((len(x), n_groups))
    if linear:
        each = linear * (x - background.mean(axis=0)) * (coefs.T @ rows)
        values += each @ np.eye(n_groups)[place]
    nodes, weights = np.polynomial.legendre.leggauss((n_groups + 1) // 2)
    nodes, weights = 0.5 * (nodes + 1.0), 0.5 * weights / len(background)
    # A training row without a coefficient says nothing.
    used = np.flatnonzero(np.any(coefs != 0, axis=1))
    rows, coefs = rows[used], np.ascontiguousarray(coefs[used])
    for factor, gamma, power in products:
        shape = np.array([gamma, power])
        add_products(x, background, rows, factor * coefs, shape, place, nodes, weights, values)
    return values
