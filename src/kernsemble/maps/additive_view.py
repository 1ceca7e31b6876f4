"""The view in which a linear model is a sum of curves, one for every column.

Next to every scaled number stand its rank and a few hinges, max(z - knot, 0), with their knots at
the quartiles. A linear model on these bends at the knots and follows the ranks where a few values
are far from the others. Categories and missing values have the coordinates of the scaled view.
"""

from typing import Any, NamedTuple

import numpy as np

from .mixed_views import MixedView
from .views import SeenRows

QUARTILES = (0.25, 0.5, 0.75)


class AdditiveView(NamedTuple):
    """Scaled rows with the ranks and the hinges of their numbers.

    Attributes
    ----------
    scaled, ranks : MixedView, or ScaledView and RankView
    columns, knots : ndarray of shape (n_hinges,)
        Column of the scaled rows in which each hinge is, and where it bends.
    centre, scale : ndarray of shape (n_hinges,)
        What gives the hinges mean 0 and variance 1.
    """

    scaled: Any
    ranks: Any
    columns: np.ndarray
    knots: np.ndarray
    centre: np.ndarray
    scale: np.ndarray

    def __call__(self, X):
        return self.through(SeenRows(X))

    def through(self, seen):
        """Return the rows that this view shows, given as `SeenRows`."""
        Z = seen(self.scaled)
        bent = (_hinges(Z, self.columns, self.knots) - self.centre) / self.scale
        return np.hstack([Z, _number_ranks(self.ranks, seen), bent])


def fit_additive_view(scaled, ranks, X):
    """Return the `AdditiveView` of rows.

    Parameters
    ----------
    scaled, ranks : MixedView, or ScaledView and RankView
        Views that were fitted to the rows.
    X : ndarray of shape (n_rows, n_features)
    """
    Z = scaled(X)
    # The first columns of a mixed view are those of the numbers.
    n_numbers = len(scaled.numbers) if isinstance(scaled, MixedView) else Z.shape[1]
    columns: list[int] = []
    knots: list[float] = []
    for column in range(n_numbers):
        values = Z[:, column]
        bends = np.unique(np.quantile(values, QUARTILES, method="lower"))
        # A hinge at the end is the column itself, or nothing.
        inner = [knot for knot in bends if values.min() < knot < values.max()]
        columns += [column] * len(inner)
        knots += inner
    places = np.array(columns, dtype=np.intp), np.array(knots)
    bent = _hinges(Z, *places)
    return AdditiveView(scaled, ranks, *places, bent.mean(axis=0), bent.std(axis=0))


def _hinges(Z, columns, knots):
    return np.maximum(Z[:, columns] - knots, 0.0)


def _number_ranks(ranks, seen):
    if isinstance(ranks, MixedView):
        return ranks.scaled(seen.X[:, ranks.numbers])
    return seen(ranks)
