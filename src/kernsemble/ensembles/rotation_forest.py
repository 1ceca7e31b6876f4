"""Rotation forest: ordinary trees, each in its own rotated feature space."""

from dataclasses import KW_ONLY

from ..fitting.forest import ObliqueForestEnsemble
from ..fitting.parameters import with_parameters


@with_parameters
class RotationForestClassifier(ObliqueForestEnsemble):
    """Forest of ordinary trees on features rotated differently for every tree.

    For each tree the features are divided at random into groups of `group_size`. A group is rotated
    to the principal components of a random `max_samples` of the rows of a random set of classes;
    all components are kept. The tree is grown on a bootstrap sample, and nodes of fewer than five
    rows are leaves: published are all rows and pure leaves (`bootstrap=False,
    min_samples_split=2`), whose class shares are far too certain.

    Attributes
    ----------
    {trees}
    {honest}
    {fitted_shares}

    Notes
    -----
    Columns are standardised before they are rotated. Splits are chosen by the Gini impurity and
    trees are not pruned. Categories are not rotated. A missing number is rotated at its expectation
    given the other numbers of its row, and goes to one side of a node if that is better.

    References
    ----------
    .. [1] J. J. Rodriguez, L. I. Kuncheva and C. J. Alonso, "Rotation forest: a new classifier
       ensemble method", IEEE Transactions on Pattern Analysis and Machine Intelligence 28(10),
       2006.
    """

    _: KW_ONLY
    group_size: int = 3
    max_samples: float = 0.75
    min_samples_split: int = 5
    bootstrap: bool = True
