"""The units in which trees are grown: every column has mean 0 and standard deviation 1."""

from typing import NamedTuple

import numpy as np


class Frame(NamedTuple):
    """Mean and standard deviation of every training column.

    The bisector of two planes depends on the units of the columns. In these units a forest does not
    depend on the units of the data, and rows far from the origin lose no digits.

    Attributes
    ----------
    centre, scale : ndarray of shape (n_features,)
    """

    centre: np.ndarray
    scale: np.ndarray

    def __call__(self, X):
        """Return the columns of X in these units, an array of shape (n_features, n_samples)."""
        columns = np.array(X.T, dtype=np.float64, order="C")
        columns -= self.centre[:, None]
        columns /= self.scale[:, None]
        return columns


def fit_frame(X, sample_weight=None):
    """Return the frame of the rows of X, an array of shape (n_samples, n_features)."""
    X = np.asarray(X, dtype=np.float64)
    centre = np.average(X, axis=0, weights=sample_weight)
    # The squares of very large numbers would overflow; the squares of these ratios do not.
    reach = np.abs(X - centre).max(axis=0)
    reach[reach == 0.0] = 1.0
    scale = reach * np.sqrt(np.average(((X - centre) / reach) ** 2, axis=0, weights=sample_weight))
    # A column that varies only by rounding is constant.
    scale[scale <= 1e-14 * np.abs(centre)] = 1.0
    scale[scale == 0.0] = 1.0
    return Frame(centre, scale)
