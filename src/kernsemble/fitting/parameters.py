"""Constructors: parameters are declared as fields, and documented once.

A class declares its parameters as annotated fields with defaults; `with_parameters` writes the
constructor, which stores them, and completes the docstring. The text about a parameter stands where
the parameter is declared: in the class itself, in a base class of its family, or, for parameters
that several families have, in `SHARED`. Defaults in the text come from the constructor.
"""

import inspect
import re
from dataclasses import dataclass
from textwrap import dedent, fill, indent
from typing import dataclass_transform

__all__ = ["ATTRIBUTES", "ORDER", "SHARED", "with_parameters"]

WIDTH = 100

#: The order of parameters in every constructor.
ORDER = """
members n_estimators n_views views kernel kernels n_kernels rule estimator n_components n_hidden
activation scale direct_links subset_size subset n_landmarks landmarks max_exact member C_range
gamma_range n_candidates level_one group_size max_samples regularization normalize alpha beta gamma
C coupling epsilon n_neighbors sparsity p method penalty fit_intercept perturbation max_features
max_depth min_samples_split min_samples_leaf bootstrap oob_score multi_class shared_weights
algorithm rho n_epochs tol max_iter calibration_folds combine prune time_budget class_weight n_jobs
verbose random_state
""".split()  # noqa: SIM905

#: Parameter → its type, and what it means.
SHARED = {
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
    "n_kernels": (
        "int",
        "Number of kernels drawn from a sampler; None means as many as its rule has.",
    ),
    "landmarks": (
        '{"uniform", "stratified", "kmeans", "rpcholesky"}',
        "How the landmarks are chosen; see `kernsemble.maps.EmpiricalKernelMap`.",
    ),
    "alpha": (
        'float, array-like or "auto"',
        'Ridge strength, or candidates of which leave-one-out chooses; "auto" means 2^-14, …, 2^5.',
    ),
    "multi_class": (
        '{"ovo", "ovr"}',
        "Whether there is one problem per pair of classes, or one per class against the rest.",
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
    "ho_kashyap": """\
        estimators_ : list of MHKSMember
        kernels_ : list of Kernel
        objective_history_ : list of ndarray
            For each member the objective after every iteration, summed over the problems.
        n_iter_ : ndarray of shape (n_estimators,)
        classes_ : ndarray of shape (n_classes,)
        temperature_ : float
            Temperature of the softmax that turns scores into probabilities.
        n_features_in_ : int
        feature_names_in_ : ndarray of str
            Only when the columns of `X` have names.""",
    "trees": """\
        estimators_ : list of TreeMember
            The trees; see `kernsemble.trees.export_text` and `kernsemble.trees.plot_tree`.
        feature_importances_ : ndarray of shape (n_features,)
            Mean decrease of the Gini impurity.""",
}

_GROUP = re.compile(r"^( *)\{(\w+)\}$", flags=re.MULTILINE)
_SECTION = re.compile(r"^    Parameters\n    -+\n((?:    .*\n)*)\n?", flags=re.MULTILINE)
_ENTRY = re.compile(r"^    (\w+) : (.*)\n((?:        .*\n)*)", flags=re.MULTILINE)


@dataclass_transform(eq_default=False)
def with_parameters(cls):
    """Give a class the constructor of its fields, and complete its docstring."""
    own_text = vars(cls).get("__doc__") or ""
    cls = dataclass(eq=False, repr=False)(cls)
    signature = inspect.signature(cls.__init__)
    first, *others = signature.parameters.values()
    if sum(parameter.kind is not parameter.KEYWORD_ONLY for parameter in others) > 1:
        raise TypeError(f"{cls.__name__} must declare at most one field before KW_ONLY.")
    others.sort(key=lambda parameter: ORDER.index(parameter.name))
    # All but the first parameter are passed by name, so that only the display changes.
    cls.__init__.__signature__ = signature.replace(parameters=[first, *others])
    cls._own_text = own_text
    cls.__doc__ = _complete(cls, own_text, others)
    return cls


def _complete(cls, text, parameters):
    """Return a docstring with all parameters in the order of the constructor."""
    told = {}
    for ancestor in reversed(cls.__mro__):
        section = _SECTION.search(vars(ancestor).get("_own_text", ""))
        for name, kind, lines in _ENTRY.findall(section[1] if section else ""):
            told[name] = re.sub(r", default=.*", "", kind), lines
    entries = []
    for parameter in parameters:
        kind, lines = told.get(parameter.name) or _shared(parameter.name)
        shown = repr(parameter.default).replace("'", '"')
        entries.append(f"    {parameter.name} : {kind}, default={shown}\n{lines}")
    section = "    Parameters\n    ----------\n" + "".join(entries) + "\n"
    text = _SECTION.sub("", text)
    text = text.replace("    Attributes\n    ---", section + "    Attributes\n    ---", 1)
    return _GROUP.sub(lambda found: indent(dedent(ATTRIBUTES[found[2]]), found[1]), text)


def _shared(name):
    kind, text = SHARED[name]
    return kind, indent(fill(text, WIDTH - 8), " " * 8) + "\n"
