"""Which models hold rows of the table they were fitted to; SECURITY.md lists the same facts.

Some that do can be asked for a form without rows.

Every model holds the names of columns and classes, every category of each column, and the mean and
standard deviation of each numeric column. Many hold scores of the training rows as well.
"""

from typing import Any

from ..errors import UserError

_ALL = "all training rows"
_UP_TO_5000 = "all training rows up to 5,000, and a part of more"
_SUPPORT = "the training rows on which its kernel machines rest"
_LANDMARKS = "training rows as landmarks, a part of them or all"

#: Class of the classifier → the rows it holds, as they are or with columns scaled.
ROWS = {
    "AlignmentMKLClassifier": _SUPPORT,
    "AverageMKLClassifier": _SUPPORT,
    "CoKRRClassifier": _UP_TO_5000,
    "EasyMKLClassifier": _SUPPORT,
    "GroupLassoMKLClassifier": _SUPPORT,
    "KMHKSClassifier": _ALL,
    "KNeighborsClassifier": _ALL,
    "KernelEnsembleClassifier": "all training rows up to 1,000, and a part of more",
    "KernelFDAClassifier": _ALL,
    "KernelPCAEnsembleClassifier": "all training rows up to `max_exact`, and a part of more",
    "KernelRidgeClassifier": _UP_TO_5000,
    "LandmarkRidgeClassifier": _LANDMARKS,
    "MEKLDLPClassifier": _ALL,
    "MEKLLPCClassifier": _ALL,
    "MKDAClassifier": _ALL,
    "MRSKLClassifier": "the training rows in the subsets of its members",
    "MultiKMHKSClassifier": _ALL,
    "RPEMEKLClassifier": _LANDMARKS,
    "SILPMKLClassifier": _SUPPORT,
    "SVC": "support vectors, which are training rows",
    "SVM2KClassifier": _ALL,
    "SimpleMKLClassifier": _SUPPORT,
    "UFOMKLClassifier": _SUPPORT,
}

_TREES = "thresholds between values of the training rows"

#: Class of the classifier → what it holds instead of rows.
NO_ROWS = {
    "AdaBoostClassifier": _TREES,
    "BaggingClassifier": _TREES,
    "DummyClassifier": "the shares of the classes",
    "ExtraTreesClassifier": _TREES,
    "GradientBoostingClassifier": _TREES,
    "HistGradientBoostingClassifier": _TREES,
    "LogisticRegression": "coefficients",
    "MPRRoFClassifier": _TREES,
    "MPRaFClassifier": _TREES,
    "ObliqueTreeClassifier": _TREES,
    "EdRVFLClassifier": "weights of random layers",
    "RVFLClassifier": "weights of random layers",
    "RVFLEnsembleClassifier": "weights of random layers",
    "RandomForestClassifier": _TREES,
    "RotationForestClassifier": _TREES,
}

#: Class of the classifier → the parameters with which it holds no rows, and what it holds then.
WITHOUT_ROWS: dict[str, tuple[dict[str, Any], str]] = {
    "KernelEnsembleClassifier": (
        {"members": ["boosted", "forest", "rvfl"]},
        f"{_TREES} and weights of random layers",
    ),
    "LandmarkRidgeClassifier": (
        {"landmarks": "group_means"},
        "means of groups of at least five training rows",
    ),
}


def leave_rows_out(classifier, methods, given=()):
    """Give a classifier the parameters with which its model file holds no training rows.

    Parameters
    ----------
    classifier : classifier
    methods : dict
        Name of a method → its class, of those that the message of an error may offer.
    given : collection of str
        Parameters that the user has set, which are not overruled.
    """
    name = type(classifier).__name__
    if name in NO_ROWS:
        return
    if name not in WITHOUT_ROWS:
        own = next((method for method, cls in methods.items() if cls == name), name)
        able = [method for method, cls in methods.items() if cls in {*NO_ROWS, *WITHOUT_ROWS}]
        raise UserError(
            f"A model of {own} cannot do without training rows. These can: {', '.join(able)}. "
            "Choose one with --method."
        )
    params, _ = WITHOUT_ROWS[name]
    for parameter, value in params.items():
        if parameter in given:
            raise UserError(
                f"--no-training-rows sets {parameter} to {value!r}; leave --param {parameter} out."
            )
    classifier.set_params(**params)


def describe_rows(classifier):
    """Return a line for the user: whether a file with this classifier holds training rows.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> describe_rows(SVC())
    'The file holds support vectors, which are training rows: share it only as you would the table.'
    """
    name = type(classifier).__name__
    if name in NO_ROWS:
        return f"The file holds no training rows, but {NO_ROWS[name]}."
    params, instead = WITHOUT_ROWS.get(name, ({}, ""))
    if params and all(getattr(classifier, key) == value for key, value in params.items()):
        return f"The file holds no training rows, but {instead}."
    if name in ROWS:
        return f"The file holds {ROWS[name]}: share it only as you would the table."
    return f"The file may hold training rows ({name} is not known here): share it as the table."
