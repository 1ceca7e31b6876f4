"""A ridge regression on some of the leading coordinates of rows, in closed form."""

from typing import Any

import numpy as np

from ..solvers.ridge_loo import feature_coefs, loo_loss, loo_path, select_alpha
from ..solvers.ridge_spectrum import leading_spectra
from .kernel_ridge import ShareTargets
from .ridge import RidgeMember


def fit_ridge_to_coordinates(feature_map, Z, rows, numbers, alphas):
    """Return the `RidgeMember` on the leading coordinates of least leave-one-out error.

    Parameters
    ----------
    feature_map : transformer
        It has given the rows the coordinates `Z`.
    Z : ndarray of shape (n_rows, n_components)
    rows : Rows
        Classes and weights; the inputs are not read.
    numbers : sequence of int
        Candidates for the number of coordinates.
    alphas : ndarray
        Candidates for the strength.
    """
    T = rows.targets("one_hot")
    targets = ShareTargets(T, rows.sample_weight, True, left_out=rows.left_out)
    best: Any = None
    Z = Z.astype(np.float64, copy=False)
    numbers = sorted({min(number, Z.shape[1]) for number in numbers})
    for number, spectrum in zip(numbers, leading_spectra(Z, numbers, rows.sample_weight)):
        paths = loo_path(spectrum, targets.columns, alphas, rows.left_out)
        scores = targets.left_out(paths)
        losses = loo_loss(scores, T, rows.sample_weight)
        chosen = select_alpha(losses, alphas)
        if best is None or losses[chosen] < best[0]:
            best = losses[chosen], number, spectrum, float(alphas[chosen]), scores[chosen]
    _, number, spectrum, alpha, honest = best
    coefs = np.zeros((Z.shape[1] + 1, T.shape[1]))
    coefs[:number] = feature_coefs(spectrum, Z[:, :number], T - targets.shares, alpha)
    coefs[-1] = targets.shares
    return RidgeMember(feature_map, coefs, honest)
