"""A tree as a member, with the units and the rotation of the columns it was grown on."""

from dataclasses import dataclass

import numpy as np

from ..trees.engine import add_scores, leaves_of, rotate
from ..trees.frame import Frame
from ..trees.rotation import Rotation
from ..trees.tree import Tree
from .member import Member


@dataclass(frozen=True, eq=False)
class TreeMember(Member):
    """A tree that scores rows in their original units; `frame` holds the units it was grown in."""

    tree: Tree
    frame: Frame
    rotation: Rotation | None

    def scores(self, X):
        """Return the class shares of the leaf that each row reaches."""
        total = np.zeros((X.shape[0], self.tree.shares.shape[1]))
        self.add_to(total, self.frame(X))
        return total

    def apply(self, X):
        """Return the number of the leaf that each row reaches."""
        return self.apply_framed(self.frame(X))

    def add_to(self, total, framed, vote=False):
        """Add the class shares (or votes) of rows to `total`, from `FramedRows`."""
        add_scores(self.tree, self._turned(framed), vote, total)

    def apply_framed(self, framed):
        """Return the leaves of rows from `FramedRows`."""
        return leaves_of(self.tree, self._turned(framed))

    def _turned(self, framed):
        return framed if self.rotation is None else rotate(self.rotation, framed)

    def splits(self):
        """Return every split in the units of the data.

        Returns
        -------
        nodes : ndarray of shape (n_inner,)
        W : ndarray of shape (n_inner, n_features)
        thresholds : ndarray of shape (n_inner,)
            A row x goes left when W x is at most the threshold; `tree.route` says more about
            missing values and about splits of levels, which have weight 1 on their column.
        """
        nodes, W = self._directions()
        W = W / self.frame.scale
        thresholds = self.tree.threshold[nodes] + W @ self.frame.centre
        # A split on one column is scaled, because x <= t is easier to read than 0.1 x <= 0.1 t.
        lone = np.count_nonzero(W, axis=1) == 1
        factor = W[lone].sum(axis=1)
        positive = factor > 0
        where = np.flatnonzero(lone)[positive]
        W[where] /= factor[positive, None]
        thresholds[where] /= factor[positive]
        return nodes, W, thresholds

    def importances(self):
        """Return the Gini decrease of each feature; a plane divides its own by squared weights."""
        nodes, W = self._directions()
        squares = W**2
        squares /= squares.sum(axis=1, keepdims=True)
        return self.tree.gains[nodes] @ squares

    def _directions(self):
        nodes, W = self.tree.directions(len(self.frame.scale))
        return nodes, W if self.rotation is None else self.rotation.back(W)
