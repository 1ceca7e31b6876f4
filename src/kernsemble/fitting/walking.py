"""The scores of an ensemble along walks, of which each step changes one group of columns.

Kernel machines with product kernels and networks with one hidden layer go from stop to stop without
looking at the other columns again; other members score the whole rows.
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..combine import Pooled
from ..explain.product_games import ProductFactor, product_factors
from ..explain.shapley import RowGame
from ..maps.mixed_views import coordinate_columns
from ..maps.views import UnchangedView
from ..members.together import class_scores_together
from ..threads import limited_threads, threads_for

# Largest number of factors of all background rows for one kernel.
MAX_FACTORS = 2 * 10**7
# How far scores along walks may be from those of whole rows, relative to their size.
NEAR = 1e-5
# Smallest weight of the members that walk for which their pool is like the ensemble.
MIN_WEIGHT = 0.5


def coordinate_groups(look, rows, place):
    """Return the group of each coordinate of a view, or None if one comes from several columns.

    Parameters
    ----------
    look : View
    rows : list of ndarray of shape (n_rows, n_columns)
        All rows that are looked at.
    place : ndarray of int of shape (n_columns,)
        The group of each column.
    """
    columns = coordinate_columns(look, len(place))
    if columns is None:
        return None
    if (columns < 0).any() and any(look(part)[:, columns < 0].any() for part in rows):
        return None
    return place[columns]


class Setting(NamedTuple):
    """What is explained: rows, background rows, and the group of each column.

    Attributes
    ----------
    x : ndarray of shape (n_rows, n_columns)
    background : ndarray of shape (n_background, n_columns)
    place : ndarray of int of shape (n_columns,)
    n_groups : int
    """

    x: np.ndarray
    background: np.ndarray
    place: np.ndarray
    n_groups: int


class ProductTerm(NamedTuple):
    """One product kernel of a member, with the factors of the background rows.

    Attributes
    ----------
    x : ndarray of shape (n_rows, n_coordinates)
        The explained rows as the kernel sees them.
    groups : ndarray of int of shape (n_coordinates,)
    shape : ProductFactor
    rows : ndarray of shape (n_training, n_coordinates)
    coefs : ndarray of shape (n_columns, n_training)
        Coefficients of the class scores.
    below : ndarray of shape (n_background, n_groups, n_training)
    """

    x: np.ndarray
    groups: np.ndarray
    shape: ProductFactor
    rows: np.ndarray
    coefs: np.ndarray
    below: np.ndarray


def _factors(Z, rows, groups, shape, n_groups):
    """Return the factors of rows in a product kernel: (row, group, training row)."""
    out = np.zeros((len(Z), n_groups, len(rows)))
    for coordinate, group in enumerate(groups):
        gaps = np.abs(Z[:, coordinate, None] - rows[:, coordinate])
        out[:, group] -= shape.gamma * (gaps if shape.power == 1.0 else gaps**shape.power)
    return np.exp(out, out=out)


class ProductWalker:
    """Class scores of a member whose kernels are all products over the columns."""

    def __init__(self, terms, constant):
        self.terms, self.constant = terms, constant

    @classmethod
    def of(cls, member, setting):
        """Return the walker of a member, or None if it is of another kind."""
        expansions = member.expansions()
        if expansions is None or member.coding == "ovo":
            return None
        terms: list[Any] = []
        for factor, look, found in expansions:
            look = UnchangedView() if look is None else look
            groups = coordinate_groups(look, setting[:2], setting.place)
            for kernel, rows, coefs in found.parts:
                products = product_factors(kernel)
                # A linear part and a constant are not products.
                if groups is None or products is None or sparse.issparse(rows):
                    return None
                if products.linear or len(products.factors) < len(list(kernel._terms())):
                    return None
                if len(setting.background) * setting.n_groups * len(rows) > MAX_FACTORS:
                    return None
                x, background = (look(part).astype(np.float64) for part in setting[:2])
                for shape in products.factors:
                    below = _factors(background, rows, groups, shape, setting.n_groups)
                    own = np.ascontiguousarray(member.decode(factor * shape.factor * coefs).T)
                    terms.append(ProductTerm(x, groups, shape, rows, own, below))
        constant = sum(factor * found.bias for factor, _, found in expansions)
        return cls(terms, member.decode(constant[None])[0])

    def __call__(self, numbers, starts, orders):
        """Return class scores: (walk, stop, row, column)."""
        # numba takes longer to load than most scripts run.
        from ..explain.compiled_walks import walk_products

        n_walks, n_groups = orders.shape
        out = np.empty((n_walks, n_groups - 1, len(numbers), len(self.constant)))
        out[:] = self.constant
        for term in self.terms:
            p = _factors(term.x[numbers], term.rows, term.groups, term.shape, n_groups)
            walk_products(p, term.below, term.coefs, starts, orders, out)
        return out


class NetworkWalker:
    """Class scores of a member that is made of networks with one layer of sigmoid units."""

    def __init__(self, units, setting, groups):
        x, background = (units.look(part).astype(np.float64) for part in setting[:2])
        self.inputs = x, background, np.ascontiguousarray(units.weights), units.biases
        self.coefs, self.constant = np.ascontiguousarray(units.coefs.T), units.constant
        self.groups = groups
        chosen = np.eye(setting.n_groups)[groups]
        # What the links of each group add: (row, group, column).
        self.links = [
            np.einsum("ni,ic,ig->ngc", part, units.links, chosen) for part in (x, background)
        ]

    @classmethod
    def of(cls, member, setting):
        """Return the walker of a member, or None if it is of another kind."""
        units = member.hidden_units()
        if units is None or units.activation != "sigmoid":
            return None
        groups = coordinate_groups(units.look, setting[:2], setting.place)
        return None if groups is None else cls(units, setting, groups)

    def __call__(self, numbers, starts, orders):
        """Return class scores: (walk, stop, row, column)."""
        from ..explain.compiled_walks import walk_sigmoids

        above, below = self.links[0][numbers], self.links[1][starts]
        inside = np.cumsum(above[:, orders], axis=2)[:, :, :-1]
        outside = np.take_along_axis(below, orders[:, :, None], axis=1)
        outside = np.cumsum(outside[:, ::-1], axis=1)[:, -2::-1]
        out = inside.transpose(1, 2, 0, 3) + outside[:, :, None] + self.constant
        x, *others = self.inputs
        walk_sigmoids(x[numbers], *others, self.coefs, self.groups, starts, orders, out)
        return out


class EnsembleGame:
    """The game of the scores of the predicted classes of some rows.

    The quick score is that of the pool of the members that walk.

    Parameters
    ----------
    explained : PredictedClass
    x, background, groups
        These are as in `RowGame`, and every column is in one of the groups.
    """

    def __init__(self, explained, x, background, groups):
        self.explained, self.rows = explained, RowGame(explained.score, x, background, groups)
        self.members, self.pool = explained.clf.estimators_, explained.clf.combination_
        place = np.empty(x.shape[1], dtype=np.intp)
        for g, columns in enumerate(groups):
            place[columns] = g
        setting = Setting(x, background, place, len(groups))
        self.walkers = [
            ProductWalker.of(member, setting) or NetworkWalker.of(member, setting)
            for member in self.members
        ]
        self.walking = [k for k, walker in enumerate(self.walkers) if walker is not None]
        self.others = [k for k, walker in enumerate(self.walkers) if walker is None]

    @cached_property
    def has_quick(self):
        if type(self.pool) is not Pooled or not self.others:
            return False
        return bool(self.pool.weights[self.walking].sum() >= MIN_WEIGHT)

    def ends(self, numbers):
        codes = self.explained.codes[numbers]
        complete = self._pooled(class_scores_together(self.members, self.rows.x[numbers]))
        return [
            (_of_classes(below, codes), self.explained.own_scores(S, codes))
            for below, S in zip(self._without, complete)
        ]

    @cached_property
    def _without(self):
        return self._pooled(class_scores_together(self.members, self.rows.background))

    def stops(self, numbers, starts, orders, *, only_quick=False):
        scores: list[Any] = [None] * len(self.members)
        with limited_threads(threads_for(len(numbers) * orders.size)):
            for k in self.walking:
                S = self.walkers[k](numbers, starts, orders)
                scores[k] = S.reshape(-1, S.shape[-1])
            if self.others and not only_quick:
                Z = self.rows.rows(numbers, starts, orders)
                slow = class_scores_together([self.members[k] for k in self.others], Z)
                for k, S in zip(self.others, slow):
                    scores[k] = S
            pooled = self._pooled(scores, only_quick=only_quick)
        codes = np.tile(self.explained.codes[numbers], len(pooled[0]) // len(numbers))
        shape = len(orders), -1, len(numbers)
        return [self.explained.own_scores(S, codes).reshape(shape) for S in pooled]

    def _pooled(self, scores, *, only_quick=False):
        """Return the class scores of all members together, and of those that walk."""
        found = [] if only_quick else [self.pool(np.stack(scores))]
        if self.has_quick:
            found.append(self.pool.keep(self.walking)([scores[k] for k in self.walking]))
        return found

    def agrees(self):
        """Return whether members walk, and the first walk has the scores of whole rows.

        A classifier may do more to its scores than its members say.
        """
        # The walk to a single group has no stop.
        if not self.walking or len(self.rows.has) < 2:
            return False
        first, order = np.zeros(1, dtype=np.intp), np.arange(len(self.rows.has))[None]
        for own, expected in (
            (self.stops(first, first, order), self.rows.stops(first, first, order)),
            (self.ends(first)[0], self.rows.ends(first)[0]),
        ):
            gap = np.abs(own[0] - expected[0])
            if not np.all(gap <= NEAR * (1.0 + np.abs(expected[0]))):
                return False
        return True


def _of_classes(S, codes):
    """Return the scores of some classes for every row of class scores: (row, class)."""
    return S * np.where(codes == 1, 1.0, -1.0) if S.shape[1] == 1 else S[:, codes]
