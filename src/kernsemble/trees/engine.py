"""The door to the compiled code: numba is imported when a tree is first grown or walked."""

from typing import NamedTuple

import numpy as np

from .ranks import dense_ranks
from .tree import Tree

__all__ = ["REGULARIZATIONS", "Growth", "SortedRows", "add_scores", "grow", "leaves_of", "rotate"]

REGULARIZATIONS = ("axis", "tikhonov", "nullspace")


class Growth(NamedTuple):
    """How a tree is grown; see `grow_tree`. `regularization` None means no plane at all."""

    n_drawn: int
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    min_decrease: float
    regularization: str | None
    alpha: float
    bootstrap: bool


class SortedRows(NamedTuple):
    """Training rows sorted by class, as columns and as ranks."""

    order: np.ndarray
    codes: np.ndarray
    columns: np.ndarray
    ranks: np.ndarray
    levels: np.ndarray
    level_starts: np.ndarray

    @classmethod
    def of(cls, X, codes):
        """Sort the rows of X, of shape (n_features, n_samples)."""
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
        In the caller's order.
    growth : Growth
    seeds : ndarray of int of shape (n_trees,)

    Returns
    -------
    trees : list of Tree
    copies : ndarray of int of shape (n_trees, n_samples)
        How often each row, in the caller's order, was drawn for each tree.
    """
    from .grow import NEVER, grow_trees

    weights = np.ones(len(rows.order))
    if sample_weight is not None:
        weights = sample_weight[rows.order].astype(np.float64)
    kind = NEVER if growth.regularization is None else REGULARIZATIONS.index(growth.regularization)
    trees, drawn = grow_trees(
        rows.columns,
        rows.ranks,
        rows.levels,
        rows.level_starts,
        rows.codes,
        weights,
        n_classes,
        growth.n_drawn,
        growth.max_depth,
        growth.min_samples_split,
        growth.min_samples_leaf,
        growth.min_decrease,
        kind,
        growth.alpha,
        growth.bootstrap,
        np.asarray(seeds, dtype=np.int64),
    )
    copies = np.empty_like(drawn)
    copies[:, rows.order] = drawn
    return [Tree(*tree) for tree in trees], copies


def leaves_of(tree, X):
    """Return the leaf of every row; X has shape (n_features, n_samples)."""
    from .predict import find_leaves

    leaves = np.empty(X.shape[1], dtype=np.int32)
    find_leaves(
        X,
        tree.feature,
        tree.threshold,
        tree.child,
        tree.plane,
        tree.plane_features,
        tree.plane_weights,
        leaves,
    )
    return leaves


def add_scores(tree, X, vote, total):
    """Add the class shares of the rows' leaves, or their votes, to `total`."""
    from .predict import add_leaf_shares, add_leaf_votes

    (add_leaf_votes if vote else add_leaf_shares)(leaves_of(tree, X), tree.shares, total)


def rotate(rotation, X):
    """Return the rotated columns of X, of shape (n_features, n_samples)."""
    from .predict import rotate_columns

    out = np.empty_like(X)
    rotate_columns(X, rotation.sources, rotation.weights, out)
    return out
