"""One oblique tree, for itself or to look at."""

from dataclasses import KW_ONLY
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..fitting.forest import ObliqueForest
from ..fitting.parameters import with_parameters


@with_parameters
class ObliqueTreeClassifier(ObliqueForest):
    """One tree whose nodes pass between two proximal planes.

    A node divides its classes into two groups A and B, finds the planes w'x = b that minimise
    |A w - b|² / |B w - b|² and the reverse, and splits along the one of their two angle bisectors
    with the lower Gini impurity. `MPRaFClassifier` is a forest of such trees.

    Attributes
    ----------
    estimators_ : list of one TreeMember
    tree_ : Tree
        The arrays of the tree.
    feature_importances_ : ndarray of shape (n_features,)
        Decrease of the Gini impurity.
    {fitted_shares}

    {proximal_planes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import ObliqueTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = ObliqueTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.9
    True
    >>> clf.get_depth(), clf.get_n_leaves()
    (2, 3)
    """

    _: KW_ONLY
    regularization: str = "axis"
    alpha: Any = 0.01

    @property
    def tree_(self):
        """The arrays of the tree's nodes."""
        return self.estimators_[0].tree

    def apply(self, X):
        """Return the leaf every row ends in.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        leaves : ndarray of shape (n_samples,)
            Numbers of nodes.
        """
        return super().apply(X)[:, 0]

    def get_depth(self):
        """Return the number of splits on the longest way from the root to a leaf.

        Returns
        -------
        depth : int
            0 for a tree that is one leaf.
        """
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self):
        """Return the number of leaves.

        Returns
        -------
        n_leaves : int
            At least 1.
        """
        check_is_fitted(self)
        return self.tree_.n_leaves
