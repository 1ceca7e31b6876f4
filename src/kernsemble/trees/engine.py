"""Python functions that call the compiled code; numba is imported on the first call."""

from typing import NamedTuple

import numpy as np

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
        Strength of the Tikhonov regularisation.
    bootstrap : bool
        Whether each tree is grown on rows drawn with replacement.
    """

    n_drawn: int
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    min_decrease: float
    regularization: str | int | None
    alpha: float
    bootstrap: bool


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
    """

    order: np.ndarray
    codes: np.ndarray
    columns: np.ndarray
    ranks: np.ndarray
    levels: np.ndarray
    level_starts: np.ndarray

    @classmethod
    def of(cls, X, codes):
        """Sort rows that are the columns of X, an array of shape (n_features, n_samples)."""
        order = np.argsort(codes, kind="stable")
        columns = np.take(X, order, axis=1)
        return cls(order, codes[order].astype(np.int32), columns, *dense_ranks(columns))


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
    trees, drawn = grow_trees(
        rows,
        weights,
        n_classes,
        growth._replace(regularization=number),
        np.asarray(seeds, dtype=np.int64),
    )
    copies = np.empty_like(drawn)
    copies[:, rows.order] = drawn
    return [Tree(*tree) for tree in trees], copies


def leaves_of(tree, X):
    """Return the leaf of every row; X has shape (n_features, n_samples)."""
    from .predict import find_leaves

    leaves = np.empty(X.shape[1], dtype=np.int32)
    find_leaves(X, tree, leaves)
    return leaves


def add_scores(tree, X, vote, total):
    """Add to `total` the class shares of the leaf of each row, or its vote if `vote` is set."""
    from .predict import add_tree_scores

    add_tree_scores(X, tree, vote, total)


def rotate(rotation, X):
    """Return the rotated columns of X, an array of shape (n_features, n_samples)."""
    from .predict import rotate_columns

    out = np.empty_like(X)
    rotate_columns(X, rotation, out)
    return out
