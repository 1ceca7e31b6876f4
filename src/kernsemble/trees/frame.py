"""The units trees are grown in: every column with mean 0 and standard deviation 1."""

from typing import NamedTuple

import numpy as np

__all__ = ["Frame", "fit_frame"]


class Frame(NamedTuple):
    """Training means and standard deviations.

    A plane's unit normal and a bisector depend on the units of the columns; in these a forest does
    not. Rows far from the origin also keep their digits.

    Attributes
    ----------
    centre, scale : ndarray of shape (n_features,)
    """

    centre: np.ndarray
    scale: np.ndarray

    def __call__(self, X):
        """Return the columns of X in these units, of shape (n_features, n_samples)."""
        columns = np.array(X.T, dtype=np.float64, order="C")
        columns -= self.centre[:, None]
        columns /= self.scale[:, None]
        return columns


def fit_frame(X, sample_weight=None):
    """Return the frame of the rows of X, of shape (n_samples, n_features)."""
    X = np.asarray(X, dtype=np.float64)
    centre = np.average(X, axis=0, weights=sample_weight)
    # Squares of very large numbers would overflow, those of the ratios do not.
    reach = np.abs(X - centre).max(axis=0)
    reach[reach == 0.0] = 1.0
    scale = reach * np.sqrt(np.average(((X - centre) / reach) ** 2, axis=0, weights=sample_weight))
    # A column that varies by rounding alone is constant.
    scale[scale <= 1e-14 * np.abs(centre)] = 1.0
    scale[scale == 0.0] = 1.0
    return Frame(centre, scale)
