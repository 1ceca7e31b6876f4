"""Rotation forest: ordinary trees, each in its own rotated feature space."""

from ..fitting.forest import ObliqueForest

__all__ = ["RotationForestClassifier"]


class RotationForestClassifier(ObliqueForest):
    """Forest of ordinary trees on features rotated differently for every tree [1]_.

    For each tree the features are divided at random into groups of `group_size`. A group is rotated
    to the principal components of a random `max_samples` of the rows of a random set of classes;
    all components are kept, and the tree is grown on all rows.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees; the papers use 500.
    {group_size}
    {max_samples}
    {max_features}
    {max_depth}
    {min_samples_split}
    {min_samples_leaf}
    {bootstrap}
    {oob_score}
    {combine_shares}
    {class_weight}
    {n_jobs}
    {verbose}
    {random_state}

    Attributes
    ----------
    {trees}
    {honest}
    {fitted_shares}

    Notes
    -----
    Columns are standardised before they are rotated. Splits are chosen by the Gini impurity and
    trees are not pruned.

    References
    ----------
    .. [1] J. J. Rodriguez, L. I. Kuncheva and C. J. Alonso, "Rotation forest: a new classifier
       ensemble method", IEEE Transactions on Pattern Analysis and Machine Intelligence 28(10),
       2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import RotationForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = RotationForestClassifier(random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        n_estimators=100,
        *,
        group_size=3,
        max_samples=0.75,
        max_features=None,
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        bootstrap=False,
        oob_score=False,
        combine="mean",
        class_weight=None,
        n_jobs=None,
        verbose=0,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.group_size = group_size
        self.max_samples = max_samples
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.combine = combine
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state
