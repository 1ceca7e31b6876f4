"""Rotation forest: ordinary trees, each in its own rotated feature space."""

from ..fitting.forest import ObliqueForest

__all__ = ["RotationForestClassifier"]


class RotationForestClassifier(ObliqueForest):
    """Forest of ordinary trees on features rotated differently for every tree [1]_.

    For each tree the features are divided at random into groups of `group_size`. A group is rotated
    to the principal components of a random `sample_share` of the rows of a random set of classes;
    all components are kept, and the tree is grown on all rows.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees; the papers use 500.
    group_size : int, default=3
        Features that are rotated together.
    sample_share : float, default=0.75
        Share of the rows of the drawn classes that decides a rotation.
    max_features : {"sqrt", "log2"}, int, float or None, default=None
        Features drawn at each node: a rule, a number, a share or, with None, all.
    max_depth : int, default=None
        Most splits between the root and a leaf; None means no limit.
    min_samples_split : int, default=2
        Rows, copies counted, below which a node is a leaf.
    min_samples_leaf : int, default=1
        Rows, copies counted, that both sides of a split must keep.
    bootstrap : bool, default=False
        Grow each tree on as many rows as there are, drawn with replacement.
    oob_score : bool or callable, default=False
        Score the training rows by the trees that were grown without them; a callable is called
        with true and predicted classes in place of the accuracy. Needs `bootstrap`.
    combine : {"mean", "vote"}, default="mean"
        Average the class shares of the leaves, or count their majority classes as in the paper.
    class_weight : dict, "balanced" or None, default=None
    n_jobs : int, default=None
        Threads; the forest is the same for every number.
    verbose : int, default=0
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    estimators_ : list of TreeMember
        The trees; see `kernsemble.trees.export_text` and `kernsemble.trees.plot_tree`.
    classes_ : ndarray of shape (n_classes,)
    feature_importances_ : ndarray of shape (n_features,)
        Mean decrease of the Gini impurity.
    oob_score_ : float
        Only with `oob_score`.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Class shares of the training rows by trees that did not see them, with `oob_score`.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

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
        sample_share=0.75,
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
        self.sample_share = sample_share
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
