"""Texts about parameters and attributes that several classifiers share, written once.

A class docstring names a shared text in braces, alone on its line, for example ``{random_state}``.
When the class is made, the line is replaced by the entry below; the default of a parameter comes
from the constructor, so it cannot be wrong.
"""

import inspect
import re
from textwrap import fill, indent

__all__ = ["ATTRIBUTES", "PARAMETERS", "fill_docstring"]

WIDTH = 100

#: Parameter → its type, and what it means.
PARAMETERS = {
    "n_estimators": ("int", "Number of members."),
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
    "kernels_sampled": (
        "sampler, Kernel or list of Kernel",
        "Kernels, or where they are drawn from.",
    ),
    "kernels_weighed": (
        "list of Kernel, sampler, ndarray of shape (n_kernels, n, n) or None",
        "Kernels to weigh. An array is a stack of Gram matrices; X then holds row numbers. None "
        "means RBF kernels around the mean squared distance.",
    ),
    "n_kernels": (
        "int",
        "Number of kernels drawn from a sampler; None means as many as its rule has.",
    ),
    "landmarks": (
        '{"uniform", "stratified", "kmeans", "rpcholesky"}',
        "How the landmarks are chosen; see `kernsemble.maps.EmpiricalKernelMap`.",
    ),
    "alpha_auto": (
        'float, array-like or "auto"',
        'Ridge strength, or candidates of which leave-one-out chooses; "auto" means 2^-14, …, 2^5.',
    ),
    "multi_class": (
        '{"ovo", "ovr"}',
        "One problem per pair of classes, or one per class against the rest.",
    ),
    "algorithm": (
        '{"ho_kashyap", "newton"}',
        "The iteration of the paper, or the exact minimum by active sets.",
    ),
    "rho": ("float", "Step of the margins in the Ho-Kashyap iteration, between 0 and 1."),
    "tol_objective": (
        "float",
        "Ho-Kashyap stops when an iteration lowers the objective by less than this share of it.",
    ),
    "max_iter": ("int", "Largest number of iterations."),
    "normalize": (
        '{"trace", "variance", "cosine"} or None',
        "Whether every kernel is scaled to a mean diagonal of 1, to unit variance in feature "
        "space, to a unit diagonal, or left as it is.",
    ),
    "C": (
        "float",
        "Cost of a violated margin, as in `sklearn.svm.SVC`; sample weights multiply it.",
    ),
    "shared_weights": (
        "bool",
        "One weight vector for all problems, of least summed objective, or one for each.",
    ),
    "tol_gap": ("float", "Relative duality gap at which the solver stops."),
    "calibration_folds": (
        "int",
        "Number of parts of the training rows that are left out in turn, on the learned kernel, to "
        "get honest scores; 0 means that there are none.",
    ),
    "n_hidden": ("int", "Number of hidden units."),
    "activation": (
        '{"sigmoid", "tanh", "radbas", "sine", "relu"}',
        'Function of the hidden units; "radbas" is exp(-t²).',
    ),
    "scale": (
        'float, array-like or "auto"',
        'Range of the random weights, or candidates of which leave-one-out chooses; "auto" means\n'
        "2^-5, …, 2^2.",
    ),
    "direct_links": ("bool", "Whether the inputs go to the output as well."),
    "fit_intercept_output": (
        "bool",
        "Whether the output has a bias, penalised like every other weight.",
    ),
    "regularization": (
        '{"axis", "tikhonov", "nullspace"}',
        "What a node does when too few rows determine its planes: split on one feature (the choice "
        "of [1]_), add `alpha` to the diagonal of the matrix that is minimised, or minimise it "
        "exactly, over its null space.",
    ),
    "alpha_tikhonov": ("float", 'Strength of the "tikhonov" regularization.'),
    "group_size": ("int", "Number of features that are rotated together."),
    "max_samples": ("float", "Share of the rows of the drawn classes that decides a rotation."),
    "max_features": (
        '{"sqrt", "log2"}, int, float or None',
        "Features drawn at each node: a rule, a number, a share, or None for all features.",
    ),
    "max_depth": (
        "int",
        "Largest number of splits between the root and a leaf; None means no limit.",
    ),
    "min_samples_split": ("int", "Number of rows, copies counted, below which a node is a leaf."),
    "min_samples_leaf": (
        "int",
        "Number of rows, copies counted, that both sides of a split must keep.",
    ),
    "bootstrap": (
        "bool",
        "Whether each tree is grown on as many rows as there are, drawn with replacement.",
    ),
    "oob_score": (
        "bool",
        "Whether the training rows are scored by the trees that were grown without them, which "
        "gives honest scores. This needs `bootstrap`.",
    ),
    "combine_shares": (
        '{"mean", "vote"}',
        "Whether the class shares of the leaves are averaged, or their majority classes counted as "
        "in the paper.",
    ),
    "combine_scores": ('{"mean", "vote"}', "Whether member scores are averaged or votes counted."),
}

#: Group of attributes → their entries.
ATTRIBUTES = {
    "fitted": """\
classes_ : ndarray of shape (n_classes,)
temperature_ : float
    Temperature of the softmax that turns scores into probabilities.
n_features_in_ : int
feature_names_in_ : ndarray of str
    Only when the columns of `X` have names.""",
    "fitted_shares": """\
classes_ : ndarray of shape (n_classes,)
n_features_in_ : int
feature_names_in_ : ndarray of str
    Only when the columns of `X` have names.""",
    "honest": """\
honest_scores_ : ndarray of shape (n_scored,) or (n_scored, n_classes)
    `decision_function` of training rows by models that did not see them.
honest_accuracy_ : float
    Their weighted accuracy, an estimate of the accuracy on new rows.
honest_rows_ : ndarray of int of shape (n_scored,)
    Their row numbers among the training rows of positive weight.""",
    "learned_kernel": """\
estimators_ : list of one KernelExpansion
kernel_weights_ : ndarray of shape (n_kernels,) or (n_tasks, n_kernels)
kernel_ : Kernel
    The weighted sum of the normalised kernels, an ordinary kernel.
kernels_ : list of Kernel
    The normalised kernels.""",
    "task_kernels": """\
task_kernels_ : list of Kernel
    One kernel per problem, when weights are not shared.""",
    "duality": """\
duality_gap_ : float
    How far the objective is from the best one at most.
n_iter_ : int""",
    "trees": """\
estimators_ : list of TreeMember
    The trees; see `kernsemble.trees.export_text` and `kernsemble.trees.plot_tree`.
feature_importances_ : ndarray of shape (n_features,)
    Mean decrease of the Gini impurity.""",
}

_NAMED = re.compile(r"^( *)\{(\w+)\}$", flags=re.MULTILINE)


def fill_docstring(cls):
    """Replace the lines of a class docstring that name a shared text by that text."""
    text = vars(cls).get("__doc__")
    if text:
        defaults = inspect.signature(cls).parameters
        cls.__doc__ = _NAMED.sub(lambda found: _entry(found, defaults), text)


def _entry(found, defaults):
    margin, name = found.groups()
    if name in ATTRIBUTES:
        return indent(ATTRIBUTES[name], margin)
    kind, text = PARAMETERS[name]
    # A parameter whose text depends on the family of methods has a word after its own name.
    parameter = name if name in defaults else name.rpartition("_")[0]
    default = defaults[parameter].default
    shown = repr(default).replace("'", '"')
    text = fill(text, WIDTH - len(margin) - 4)
    return indent(f"{parameter} : {kind}, default={shown}\n{indent(text, '    ')}", margin)
