"""Forests: trees grown in batches on shared columns, and their out-of-bag scores."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from ..trees.engine import (
    Growth,
    SortedRows,
    add_all_scores,
    add_turned_scores,
    grow,
    rotate,
)
from ..trees.frame import Frame, FramedRows, fit_frame
from ..trees.rotation import Rotation, draw_rotation, stack_rotations
from ..trees.tree import merge_trees
from .member import Member
from .tree import TreeMember

# Largest number of trees of one task, and smallest number of tasks per worker. Larger tasks have
# less overhead, and more tasks share the work more evenly.
MAX_TREES, MIN_TASKS = 25, 4
# Largest number of rows that the trees of one task hold together.
MAX_COPIES = 1 << 20
# Number of rows that a forest scores at once; the columns of more would leave the cache.
BLOCK_ROWS = 4000
# Smallest decrease of the Gini impurity that is worth a split.
MIN_DECREASE = 1e-5


class ForestPlan(NamedTuple):
    """How a forest is grown.

    Attributes
    ----------
    growth : Growth
    group_size : int or None
        Number of features rotated together; None means no rotation.
    max_samples : float
        Share of the rows from which a rotation is computed.
    vote : bool
        Whether a tree votes for one class instead of giving the class shares of its leaves.
    out_of_bag : bool
        Whether training rows are scored by the trees that were grown without them.
    trees_per_rotation : int
        Number of trees that are grown on the same rotated columns.
    """

    growth: Growth
    group_size: int | None = None
    max_samples: float = 0.75
    vote: bool = False
    out_of_bag: bool = False
    trees_per_rotation: int = 1


class PreparedRows(NamedTuple):
    """The training rows in the form that all trees of a forest share.

    Attributes
    ----------
    frame : Frame
        The units of the columns.
    framed : FramedRows
        The columns in these units.
    codes : ndarray of int of shape (n_rows,)
    n_classes : int
    sample_weight : ndarray of shape (n_rows,) or None
    ranked : SortedRows or None
        The sorted columns, unless every tree rotates them first.
    """

    frame: Frame
    framed: FramedRows
    codes: np.ndarray
    n_classes: int
    sample_weight: np.ndarray | None
    ranked: SortedRows | None


class OutOfBag(NamedTuple):
    """Sums of the class shares of each row, and the number of trees in each sum."""

    total: np.ndarray
    n_trees: np.ndarray

    @classmethod
    def zeros(cls, n_rows, n_classes):
        """Return the sums over no tree."""
        return cls(np.zeros((n_rows, n_classes)), np.zeros(n_rows, dtype=int))

    def __add__(self, other):
        return OutOfBag(self.total + other.total, self.n_trees + other.n_trees)

    def shares(self, class_weights):
        """Return the mean shares; a row that is in every bag gets the class shares of all rows."""
        P = self.total / np.maximum(self.n_trees, 1)[:, None]
        P[self.n_trees == 0] = class_weights / class_weights.sum()
        return P


def prepare_rows(table, plan):
    """Return the `PreparedRows` of a table."""
    rows = table.all
    frame = fit_frame(rows.X, rows.sample_weight, table.columns.n_levels)
    framed = frame(rows.X)
    ranked = None
    if plan.group_size is None:
        ranked = SortedRows.of(framed, rows.codes, frame.n_levels)
    return PreparedRows(frame, framed, rows.codes, rows.n_classes, rows.sample_weight, ranked)


def trees_together(n_trees, n_rows, n_workers):
    """Return the number of trees that one task grows."""
    return max(1, min(MAX_TREES, n_trees // (MIN_TASKS * n_workers), MAX_COPIES // n_rows))


def grow_batch(prepared, plan, seeds):
    """Grow one tree from each seed; return a list of `TreeMember`, and `OutOfBag` or None."""
    trees, copies = _grow_trees(prepared, plan, seeds)
    if not plan.out_of_bag:
        return trees, None
    found = OutOfBag.zeros(len(prepared.codes), prepared.n_classes)
    for tree, counts in zip(trees, copies):
        out = np.flatnonzero(counts == 0)
        scores = np.zeros((len(out), prepared.n_classes))
        tree.add_to(scores, prepared.framed.take(out), vote=plan.vote)
        found.total[out] += scores
        found.n_trees[out] += 1
    return trees, found


def _grow_trees(prepared, plan, seeds):
    """Return the trees, and the number of copies of each row that each tree was grown on."""
    frame, framed, codes, n_classes, weights, ranked = prepared
    if ranked is not None:
        trees, copies = grow(ranked, n_classes, weights, plan.growth, seeds)
        return [TreeMember(tree, frame, None) for tree in trees], copies
    trees, copies = [], []
    for part in gen_batches(len(seeds), plan.trees_per_rotation):
        rng = np.random.RandomState(seeds[part][0])
        turn = draw_rotation(
            framed.columns,
            codes,
            n_classes,
            frame.n_levels,
            plan.group_size,
            plan.max_samples,
            rng,
        )
        n_levels = frame.n_levels[turn.sources[:, 0]]
        turned = SortedRows.of(rotate(turn, framed), codes, n_levels)
        grown, counts = grow(turned, n_classes, weights, plan.growth, seeds[part])
        trees += [TreeMember(tree, frame, turn) for tree in grown]
        copies += list(counts)
    return trees, copies


def mean_shares(trees, X, *, vote=False):
    """Return the mean class shares of rows, or the shares of votes."""
    framed = trees[0].frame(X)
    total = np.zeros((X.shape[0], trees[0].tree.shares.shape[1]))
    for tree in trees:
        tree.add_to(total, framed, vote=vote)
    total /= len(trees)
    return total


@dataclass(frozen=True, eq=False)
class ForestMember(Member):
    """A forest as one member, whose honest scores are the out-of-bag class shares.

    Attributes
    ----------
    trees : list of TreeMember
    honest_scores : ndarray of shape (n_samples, n_classes) or None
    roots : ndarray of int or None
        If it is given, the forest is compact: its only tree has the nodes of all, and these are
        their roots.
    rotations : Rotation or None
        The rotations of the trees of a compact forest, along a first axis.
    turns : ndarray of int or None
        The number of the rotation of each of these trees.
    """

    trees: list
    honest_scores: np.ndarray | None = None
    roots: np.ndarray | None = None
    rotations: Rotation | None = None
    turns: np.ndarray | None = None

    def scores(self, X):
        starts = range(0, X.shape[0], BLOCK_ROWS)
        return np.concatenate([self._block_scores(X[s : s + BLOCK_ROWS]) for s in starts])

    def _block_scores(self, X):
        if self.roots is None:
            return mean_shares(self.trees, X)
        framed = self.trees[0].frame(X)
        tree = self.trees[0].tree
        total = np.zeros((X.shape[0], tree.shares.shape[1]))
        if self.rotations is None:
            add_all_scores(tree, self.roots, framed, total)
        else:
            add_turned_scores(tree, self.roots, self.rotations, self.turns, framed, total)
        total /= len(self.roots)
        return total

    def compact(self):
        if self.roots is not None:
            return self
        tree, roots = merge_trees([member.tree for member in self.trees])
        first, turned = self.trees[0], []
        if first.rotation is not None:
            # Which rotated numbers are missing is not kept.
            if tree.asks_for_missing:
                return self
            turned = stack_rotations([member.rotation for member in self.trees])
        merged = replace(first, tree=tree, rotation=None)
        return ForestMember([merged], self.honest_scores, roots, *turned)


def fit_forest_member(table, plan, seeds):
    """Grow a `ForestMember` with out-of-bag scores, one tree from each seed."""
    prepared = prepare_rows(table, plan)
    together = trees_together(len(seeds), table.n_rows, 1)
    trees, out_of_bag = [], OutOfBag.zeros(table.n_rows, table.n_classes)
    for batch in gen_batches(len(seeds), together):
        grown, found = grow_batch(prepared, plan, seeds[batch])
        trees += grown
        out_of_bag = out_of_bag + found
    return ForestMember(trees, out_of_bag.shares(table.class_weights))
