"""Learning chunk after chunk, for methods whose solution follows from sums over the rows."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..tables import Rows
from ..tables.base import add
from ..targets import encode_targets

__all__ = ["IncrementalMixin"]


class IncrementalMixin:
    """Adds `partial_fit` to an ensemble.

    A subclass chooses what does not follow from sums (hidden layers, landmarks, a strength) on the
    first chunk, says what it sums up, and solves for its members.
    """

    # Of the ensemble that this is mixed into.
    classes_: Any
    class_weight: Any
    random_state: Any
    _coding: str
    _validate_training: Any
    _check_base_params: Any
    _check_params: Any
    _fit_combination: Any

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Add a chunk of rows and solve again.

        Kernels, landmarks, scales and strengths are those that the first chunk suggests. After any
        number of chunks the members are those of all rows together; leave-one-out scores and the
        temperature are of the rows of the last chunk, left out of all the others.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,), default=None
            All classes, for the first call; None means those of the first chunk.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all rows at once; give partial_fit a dict."
            )
        first = not hasattr(self, "_sums")
        known = self.classes_ if not first else None if classes is None else np.unique(classes)
        X, codes, weight = self._validate_training(X, y, sample_weight, known=known, reset=first)
        T = encode_targets(codes, len(self.classes_), self._coding)
        rows = Rows(0, X, T, weight, codes)
        if first:
            self._check_base_params()
            self._check_params(X)
            self._begin(rows, check_random_state(self.random_state))
            self._sums = self._sum_rows(rows)
        else:
            self._sums = add(self._sums, self._sum_rows(rows))
        self.estimators_ = self._solve_sums(rows)
        self._fit_combination(codes, weight)
        return self

    def _begin(self, rows, rng):
        """Choose on the first chunk what stays."""
        raise TypeError(f"{type(self).__name__} must define _begin.")

    def _sum_rows(self, rows):
        """Return the sums of a chunk, which `kernsemble.tables.base.add` can add up."""
        raise TypeError(f"{type(self).__name__} must define _sum_rows.")

    def _solve_sums(self, rows):
        """Return the members of `_sums`, with honest scores of the last chunk."""
        raise TypeError(f"{type(self).__name__} must define _solve_sums.")
