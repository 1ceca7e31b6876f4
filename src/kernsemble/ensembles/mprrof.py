"""Rotation forest of oblique trees whose nodes pass between two proximal planes."""

from ..fitting.forest import ObliqueForest

__all__ = ["MPRRoFClassifier"]


class MPRRoFClassifier(ObliqueForest):
    """Random rotation forest with proximal-plane nodes (MPRRoF), third of 183 methods in [1]_.

    Every tree sees all rows, after its own rotation of small groups of features to their principal
    components (see `RotationForestClassifier`). Its nodes draw `max_features` rotated features and
    split along a bisector of two proximal planes (see `MPRaFClassifier`).

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees; the papers use 500.
    {group_size}
    {max_samples}
    {regularization}
    {alpha_tikhonov}
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

    def __init__(
        self,
        n_estimators=100,
        *,
        group_size=3,
        max_samples=0.75,
        regularization="axis",
        alpha=0.01,
        max_features="sqrt",
        max_depth=None,
        min_samples_split=5,
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
        self.regularization = regularization
        self.alpha = alpha
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
