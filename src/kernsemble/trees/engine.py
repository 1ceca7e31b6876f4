"""Python functions that call the compiled code; numba is imported on the first call."""

from typing import NamedTuple

import numpy as np

from .frame import FramedRows
from .ranks import dense_ranks
from .tree import Tree

REGULARIZATIONS = ("axis", "tikhonov", "nullspace")


class Growth(NamedTuple):
    """How a tree is grown.

    Attributes
    ----------
    n_drawn : int
        Number of features drawn at each node.
    max_depth : int
    min_samples_split, min_samples_leaf : int
        Smallest number of copies of rows at a node that is split, and on each side of a split.
    min_decrease : float
        A split must lower the weighted Gini impurity of its node by more than this.
    regularization : {"axis", "tikhonov", "nullspace"} or None
        How singular nodes are split, see `proximal_planes`; None means an ordinary tree without
        planes. Compiled code takes the number of the rule.
    alpha : float
        Strength of the Tikhonov regularisation; None in compiled code that does not need it.
    bootstrap : bool
        Whether each tree is grown on rows drawn with replacement.
    """

    n_drawn: int
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    min_decrease: float
    regularization: str | int | None
    alpha: float | None
    bootstrap: bool


class MixedColumns(NamedTuple):
    """What the columns of mixed rows hold.

    Attributes
    ----------
    missing : ndarray of bool of shape (n_features, n_samples) or (n_features, 0)
        See `FramedRows`.
    n_levels : ndarray of int of shape (n_features,)
        Number of levels of each column; 0 means that it holds numbers.
    max_levels : int
        The largest number of levels.
    """

    missing: np.ndarray
    n_levels: np.ndarray
    max_levels: int


class SortedRows(NamedTuple):
    """Training rows sorted by class.

    Attributes
    ----------
    order : ndarray of int of shape (n_samples,)
        The row of the caller at each position.
    codes : ndarray of int of shape (n_samples,)
        Classes 0 … n_classes - 1, ascending.
    columns : ndarray of shape (n_features, n_samples)
    ranks, levels, level_starts : ndarray
        See `dense_ranks`.
    mixed : MixedColumns or None
        None means that all values are known numbers. Trees of such rows are grown by code that is
        compiled without the rest.
    """

    order: np.ndarray
    codes: np.ndarray
    columns: np.ndarray
    ranks: np.ndarray
    levels: np.ndarray
    level_starts: np.ndarray
    mixed: MixedColumns | None

    @classmethod
    def of(cls, framed, codes, n_levels):
        """Sort the rows of `FramedRows` by class."""
        order = np.argsort(codes, kind="stable")
        columns, missing = framed.take(order)
        mixed = None
        if framed.lack_values or n_levels.any():
            mixed = MixedColumns(missing, n_levels, int(n_levels.max()))
        ranks, levels, level_starts = dense_ranks(columns)
        return cls(
            order,
            codes[order].astype(np.int32),
            columns,
            ranks,
            levels,
            level_starts,
            mixed,
        )


def grow(rows, n_classes, sample_weight, growth, seeds):
    """Grow trees on the same rows.

    Parameters
    ----------
    rows : SortedRows
    n_classes : int
    sample_weight : ndarray of shape (n_samples,) or None
        In the order of the caller.
    growth : Growth
    seeds : ndarray of int of shape (n_trees,)

    Returns
    -------
    trees : list of Tree
    copies : ndarray of int of shape (n_trees, n_samples)
        How often each row, in the order of the caller, was drawn for each tree.
    """
    from .grow import NEVER, grow_trees

    weights = np.ones(len(rows.order))
    if sample_weight is not None:
        weights = sample_weight[rows.order].astype(np.float64)
    name = growth.regularization
    number = NEVER if name is None else REGULARIZATIONS.index(name)
    # Trees that need no strength are grown by code that is compiled without the rest.
    alpha = growth.alpha if name in ("tikhonov", "nullspace") else None
    trees, drawn = grow_trees(
        rows,
        weights,
        n_classes,
        growth._replace(regularization=number, alpha=alpha),
        np.asarray(seeds, dtype=np.int64),
    )
    copies = np.empty_like(drawn)
    copies[:, rows.order] = drawn
    return [Tree(*tree) for tree in trees], copies


def leaves_of(tree, framed):
    """Return the leaf of every row of `FramedRows`."""
    from .predict import find_leaves

    leaves = np.empty(framed.columns.shape[1], dtype=np.int32)
    find_leaves(framed, tree, leaves)
    return leaves


def add_scores(tree, framed, vote, total):
    """Add to `total` the class shares of the leaf of each row, or its vote if `vote` is set."""
    from .predict import add_tree_scores

    add_tree_scores(framed, tree, vote, total)


def add_all_scores(tree, roots, framed, total):
    """Add to `total` the class shares of the leaf of each row in each of the merged trees."""
    from .predict import add_forest_scores

    add_forest_scores(framed, tree, roots, total)


def add_turned_scores(tree, roots, rotations, turns, framed, total):
    """Do as `add_all_scores` for trees on rotated columns, each with the number of its rotation."""
    from .predict import add_turned_forest_scores

    add_turned_forest_scores(framed, tree, roots, rotations, turns, total)


def rotate(rotation, framed):
    """Return the rotated `FramedRows`; a rotated number is missing if one of its sources is."""
    from .predict import rotate_columns

    columns, missing = np.empty_like(framed.columns), framed.missing
    rotate_columns(framed.columns, rotation, columns)
    if framed.lack_values:
        used = rotation.weights != 0.0
        missing = np.array([missing[s[u]].any(axis=0) for s, u in zip(rotation.sources, used)])
    return FramedRows(columns, missing)
