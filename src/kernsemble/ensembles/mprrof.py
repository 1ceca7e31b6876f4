"""Rotation forest of oblique trees whose nodes pass between two proximal planes."""

from dataclasses import KW_ONLY
from typing import Any

from ..fitting.forest import ObliqueForestEnsemble
from ..fitting.parameters import with_parameters

__all__ = ["MPRRoFClassifier"]


@with_parameters
class MPRRoFClassifier(ObliqueForestEnsemble):
    """Random rotation forest with proximal-plane nodes (MPRRoF), third of 183 methods in [1]_.

    Every tree sees all rows, after its own rotation of small groups of features to their principal
    components (see `RotationForestClassifier`). Its nodes draw `max_features` rotated features and
    split along a bisector of two proximal planes (see `MPRaFClassifier`).

    Attributes
    ----------
    {trees}
    {honest}
    {fitted_shares}

    Notes
    -----
    Columns are standardised first, so that the forest does not depend on their units. Against the
    released code of [2]_: the Bhattacharyya distance adds one per cent of the pooled variance to
    the class covariances, since a class of few rows would be infinitely far from every other; one
    eigenproblem gives both planes; a node whose bisectors do not lower the Gini impurity tries a
    single feature before it becomes a leaf.

    References
    ----------
    .. [1] L. Zhang and P. N. Suganthan, "Benchmarking ensemble classifiers with novel co-trained
       kernel ridge regression and random vector functional link ensembles", IEEE Computational
       Intelligence Magazine 12(4), 2017.
    .. [2] L. Zhang and P. N. Suganthan, "Oblique decision tree ensemble via multisurface proximal
       support vector machine", IEEE Transactions on Cybernetics 45(10), 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import MPRRoFClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = MPRRoFClassifier(random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.95
    True
    """

    _: KW_ONLY
    group_size: int = 3
    max_samples: float = 0.75
    regularization: str = "axis"
    alpha: Any = 0.01
    max_features: Any = "sqrt"
    min_samples_split: int = 5
