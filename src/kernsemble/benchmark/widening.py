"""The second view of co-trained kernel ridge, as a transformer: inputs times a random matrix."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data


class RandomWidening(TransformerMixin, BaseEstimator):
    """X W with W of size d × 2d, standard normal, after Zhang and Suganthan (2017).

    Parameters
    ----------
    keep_inputs : bool, default=False
        Whether the inputs themselves come first.
    random_state : int, RandomState or None, default=0
    """

    def __init__(self, keep_inputs=False, random_state=0):
        self.keep_inputs = keep_inputs
        self.random_state = random_state

    def fit(self, X, y=None):
        """Draw W."""
        d = validate_data(self, X).shape[1]
        self.matrix_ = check_random_state(self.random_state).standard_normal((d, 2 * d))
        return self

    def transform(self, X):
        """Return the wide rows."""
        X = validate_data(self, X, reset=False)
        Z = X @ self.matrix_
        return np.hstack([X, Z]) if self.keep_inputs else Z
