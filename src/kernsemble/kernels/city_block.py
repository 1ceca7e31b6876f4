"""City-block distances, compiled."""

import numpy as np

from ..compiled import compiled


@compiled(entry=True)
def write_city_block(x_columns, y_columns, out):
    """Write the sums of absolute differences of all pairs of rows.

    The innermost loop runs over rows of `y`, so that several pairs are compared at once. Every pair
    adds its columns in their order, so that its distance does not depend on the other rows.

    Parameters
    ----------
    x_columns, y_columns : ndarray of shape (n_features, n_x) and (n_features, n_y)
    out : ndarray of shape (n_x, n_y)
    """
    for i in range(x_columns.shape[1]):
        distances = out[i]
        distances[:] = 0.0
        for k in range(x_columns.shape[0]):
            value, column = x_columns[k, i], y_columns[k]
            for j in range(column.shape[0]):
                distances[j] += np.abs(value - column[j])
