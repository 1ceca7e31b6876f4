"""The rows and columns that answers are about: given by the user, or held by the members."""

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse

from ..explain.groups import column_groups
from ..maps.views import UnchangedView
from ..members.member import HeldRows
from ..validation import check_count
from .inputs import read_new


class KnownRowsMixin:
    """Training rows that a fitted classifier holds, and rows as its members see them."""

    # What the class that is mixed with this one has.
    classes_: Any
    estimators_: Any
    honest_: Any
    n_features_in_: int
    encoder_: Any
    _seen: Callable

    def _groups(self, groups, *, with_rest):
        """Return names of groups, and their columns of the array that the members take."""
        names, columns = column_groups(groups, self._names(), with_rest=with_rest)
        if self.encoder_ is None:
            return names, columns
        origins = self.encoder_.origins
        return names, [np.flatnonzero(np.isin(origins, own)) for own in columns]

    def _n_columns(self):
        """Return the number of columns of the array that the members take."""
        return self.n_features_in_ if self.encoder_ is None else len(self.encoder_.n_levels)

    def _names(self):
        """Return the names of the columns, as scikit-learn makes them up where there are none."""
        names = getattr(self, "feature_names_in_", None)
        return np.array([f"x{j}" for j in range(self.n_features_in_)] if names is None else names)

    def _background(self, background, x, rng):
        """Return the given background rows, or some training rows that the members hold."""
        if not isinstance(background, Integral):
            return self._checked(background)
        check_count(background, "background")
        like = np.zeros(self._n_columns()) if x is None else x[0]
        for member in self.estimators_:
            held = member.held_rows()
            if held is not None and self._is_even(held):
                n_rows = min(background, len(held.rows))
                chosen = held.rows[rng.choice(len(held.rows), n_rows, replace=False)]
                restore = getattr(held.look, "restore", None)
                rows = None if restore is None else restore(chosen, like)
                if rows is not None:
                    return rows
        raise ValueError(
            f"The members of this {type(self).__name__} do not hold their training rows; "
            "pass some of them, drawn evenly, as background=."
        )

    def _is_even(self, held):
        """Return whether the rows that a member holds are like the training rows."""
        n_honest = len(self.honest_.codes) if "honest_" in vars(self) else None
        return held.drawn_evenly or len(held.rows) == n_honest

    def _checked(self, X):
        """Return rows as the members see them."""
        X = self._seen(read_new(self, X))
        if sparse.issparse(X):
            raise TypeError("Sparse rows cannot be explained or compared; pass X.toarray().")
        return X

    def _training_rows(self, training=None):
        """Return the given training rows, or those that a member holds, as `HeldRows`."""
        if training is not None:
            return HeldRows(UnchangedView(), self._checked(training))
        found = [member.held_rows() for member in self.estimators_]
        found = [held for held in found if held is not None and self._is_even(held)]
        if not found:
            raise ValueError(
                f"The members of this {type(self).__name__} do not hold their training rows; "
                "pass them, or some drawn evenly from them, as training=."
            )
        return max(found, key=lambda held: len(held.rows))
