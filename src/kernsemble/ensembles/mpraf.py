"""Random forest of oblique trees whose nodes pass between two proximal planes."""

from dataclasses import KW_ONLY
from typing import Any

from ..fitting.forest import ObliqueForestEnsemble
from ..fitting.parameters import with_parameters


@with_parameters
class MPRaFClassifier(ObliqueForestEnsemble):
    """Random forest with proximal-plane nodes (MPRaF), first of 183 methods in its study.

    Every tree is grown on a bootstrap sample. A node draws `max_features` features and divides its
    classes into two groups A and B by the Bhattacharyya distance. Two planes w'x = b, each near one
    group and far from the other, minimise

        |A w - b|² / |B w - b|²    and    |B w - b|² / |A w - b|²,

    and the node splits along the one of their two angle bisectors with the lower Gini impurity.

    Attributes
    ----------
    {trees}
    {honest}
    {fitted_shares}

    {proximal_planes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import MPRaFClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = MPRaFClassifier(oob_score=True, random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.95
    True
    >>> clf.honest_accuracy_ > 0.9
    True
    """

    _: KW_ONLY
    regularization: str = "axis"
    alpha: Any = 0.01
    max_features: Any = "sqrt"
    min_samples_split: int = 5
    bootstrap: bool = True
