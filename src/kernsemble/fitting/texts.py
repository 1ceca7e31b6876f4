"""Texts of docstrings that several classes share, and the order of parameters in all of them."""

#: The order of parameters in every constructor.
ORDER = """
members n_estimators n_views views kernel kernels n_kernels rule estimator n_components n_hidden
activation weight_scale direct_links subset_size subset n_landmarks landmarks max_exact member
C_range gamma_range n_candidates level_one group_size max_samples regularization normalize alpha
beta gamma C coupling epsilon n_neighbors sparsity p method penalty fit_intercept perturbation
max_features max_depth min_samples_split min_samples_leaf bootstrap oob_score multi_class
shared_weights algorithm rho n_epochs tol max_iter calibration_folds combine prune time_budget
preset scale categorical_features class_weight n_jobs verbose random_state
""".split()  # noqa: SIM905

#: Parameter → its type, and what it means.
SHARED = {
    "n_estimators": ("int", "Number of members."),
    "preset": (
        '{"auto", "paper"}',
        'Whether parameters left at "auto" are chosen from the data, which takes at most about '
        "five times as long as a fit with given values, or take the published values.",
    ),
    "scale": (
        '"auto", "robust" or None',
        'How columns are scaled before kernels see them: "robust" by the mean and standard '
        'deviation without outliers, None not at all, and "auto" means "robust" unless '
        '`preset="paper"`. Columns of sparse rows are divided by the median size of their entries, '
        "and row numbers of precomputed kernels are left alone.",
    ),
    "categorical_features": (
        '"from_dtype", array-like or None',
        'Columns that hold categories: names, positions or a mask; "from_dtype" means the columns '
        "of a data frame that hold texts, categories or truth values.",
    ),
    "class_weight": (
        'dict, "balanced" or None',
        'Factors of the sample weights by class; "balanced" makes all classes weigh the same.',
    ),
    "n_jobs": (
        "int",
        "Number of members fitted at a time; the answer is the same for every number.",
    ),
    "verbose": ("int", "Whether joblib reports its progress."),
    "random_state": ("int, RandomState or None", "Seed of everything that is drawn."),
    "n_kernels": (
        "int",
        "Number of kernels drawn from a sampler; None means as many as its rule has.",
    ),
    "landmarks": (
        '{"uniform", "stratified", "kmeans", "group_means", "rpcholesky"}',
        "How the landmarks are chosen; see `kernsemble.maps.EmpiricalKernelMap`.",
    ),
    "alpha": (
        'float, array-like or "auto"',
        'Ridge strength, or candidates of which leave-one-out chooses; "auto" means 2^-14, …, 2^5.',
    ),
    "max_iter": ("int", "Largest number of iterations."),
    "shared_weights": (
        "bool",
        "Whether all problems share one weight vector, of least summed objective, or each has its "
        "own.",
    ),
    "tol": ("float", "Relative duality gap at which the solver stops."),
    "combine": (
        '{"mean", "vote"}',
        "Whether member scores are averaged, or votes are counted.",
    ),
    "regularization": (
        '{"axis", "tikhonov", "nullspace"}',
        "What a node does when too few rows determine its planes: split on one feature (the choice "
        "of [1]_), add `alpha` to the diagonal of the matrix that is minimised, or minimise it "
        "exactly, over its null space.",
    ),
    "group_size": ("int", "Number of features that are rotated together."),
    "max_samples": ("float", "Share of the rows of the drawn classes that decides a rotation."),
}

_COLUMNS = """\
classes_ : ndarray of shape (n_classes,)
n_features_in_ : int
feature_names_in_ : ndarray of str
    Only when the columns of `X` have names.
encoder_ : Encoder or None
    Function from data frames to arrays of numbers; None if `X` had only numbers."""
_FITTED = (
    """\
temperature_ : float
    Temperature of the softmax that turns scores into probabilities.
"""
    + _COLUMNS
)
_VIEW = """\
view_ : callable
    Function from rows to the scaled rows that kernels and members see.
"""
_LEARNED_KERNEL = """\
estimators_ : list of one KernelExpansion
kernel_weights_ : ndarray of shape (n_kernels,) or (n_tasks, n_kernels)
kernel_ : Kernel
    The weighted sum of the normalised kernels, an ordinary kernel.
kernels_ : list of Kernel
    The normalised kernels."""

#: Name of a text in braces → the text: attributes, notes and references of several classes.
TEXTS = {
    "fitted": _VIEW + _FITTED,
    "fitted_plain": _FITTED,
    "fitted_shares": _COLUMNS,
    "honest": """\
honest_scores_ : ndarray of shape (n_scored,) or (n_scored, n_classes)
    `decision_function` of training rows by models that did not see them.
honest_accuracy_ : float
    Their accuracy, an estimate of `score` on new rows.
honest_log_loss_ : float
    Mean log-loss of their probabilities.
honest_weighted_accuracy_ : float
    The same with the weights of the fit: with `class_weight="balanced"`, balanced accuracy.
honest_rows_ : ndarray of int of shape (n_scored,)
    Their row numbers among the training rows of positive weight.""",
    "learned_kernel": _LEARNED_KERNEL,
    "learned_kernels": _LEARNED_KERNEL
    + """
task_kernels_ : list of Kernel
    One kernel per problem, when weights are not shared.""",
    "chosen_C": """\
C_ : float
    The cost that was used.""",
    "chosen_alpha": """\
alpha_ : float
    The strength that was used.""",
    "duality": """\
duality_gap_ : float
    How far the objective is from the best one at most.
n_iter_ : int""",
    "ho_kashyap": """\
estimators_ : list of MHKSMember
kernels_ : list of Kernel
alphas_ : list of float
    Kernel and strength of every space.
objective_history_ : list of ndarray
    For each member the objective after every iteration, summed over the problems.
n_iter_ : ndarray of shape (n_estimators,)
"""
    + _VIEW
    + _FITTED,
    "trees": """\
estimators_ : list of TreeMember
    The trees; see `kernsemble.trees.export_text` and `kernsemble.trees.plot_tree`.
feature_importances_ : ndarray of shape (n_features,)
    Mean decrease of the Gini impurity.""",
    "proximal_planes": """\
Notes
-----
Columns are standardised first, so that the answer does not depend on their units. Against the
released code of [2]_: the Bhattacharyya distance adds one per cent of the pooled variance to
the class covariances, since a class of few rows would be infinitely far from every other; one
eigenproblem gives both planes; a node whose bisectors do not lower the Gini impurity tries a
single feature before it becomes a leaf.

Categories and missing values are taken as they are. Planes use the numbers, with a missing one at
its expectation given the other numbers of its row, without the classes: columns are taken as
jointly normal, and small regression trees take over where they prove to be nearer. A plane
competes with the best division of the levels of each category drawn, ordered by a class share at
the node, and with the division of missing from present values. Where no plane is good enough, the
missing values of a feature stay at their expectations or go to one side, whichever is better.

References
----------
.. [1] L. Zhang and P. N. Suganthan, "Benchmarking ensemble classifiers with novel co-trained
   kernel ridge regression and random vector functional link ensembles", IEEE Computational
   Intelligence Magazine 12(4), 2017.
.. [2] L. Zhang and P. N. Suganthan, "Oblique decision tree ensemble via multisurface proximal
   support vector machine", IEEE Transactions on Cybernetics 45(10), 2015.""",
    "zhang_suganthan_2017": """\
References
----------
L. Zhang and P. N. Suganthan, "Benchmarking Ensemble Classifiers with Novel Co-Trained Kernel
Ridge Regression and Random Vector Functional Link Ensembles", IEEE Computational Intelligence
Magazine, 2017.""",
}
