"""Classifiers of other libraries that a study can name, and what to install for them."""

from dataclasses import dataclass, field
from typing import Any

_POWERS = [2.0**exponent for exponent in range(-5, 11, 3)]


@dataclass(frozen=True)
class Rival:
    """A ready name.

    Attributes
    ----------
    estimator : str
        Full path of the class.
    params : dict
        Constructor parameters: the defaults of the library, on one thread and silent.
    grid : dict
        Candidates of parameters, for protocols that tune.
    distribution : str
        What to install, with the extras that it needs.
    columns : str
        Which columns it takes; see `Method`.
    """

    estimator: str
    params: dict = field(default_factory=dict)
    grid: dict = field(default_factory=dict)
    distribution: str = "scikit-learn"
    columns: str = "auto"


_CATBOOST: dict[str, Any] = {"thread_count": 1, "verbose": False, "allow_writing_files": False}
_NETWORK: dict[str, Any] = {"device": "cpu", "n_threads": 1, "verbosity": 0}

RIVALS = {
    "AdaBoost": Rival("sklearn.ensemble.AdaBoostClassifier", {}, {"n_estimators": [50, 200]}),
    "Bagging": Rival("sklearn.ensemble.BaggingClassifier"),
    "CatBoost": Rival(
        "catboost.CatBoostClassifier", _CATBOOST, distribution="catboost", columns="texts"
    ),
    "EBM": Rival(
        "interpret.glassbox.ExplainableBoostingClassifier",
        {"n_jobs": 1},
        distribution="interpret-core",
        columns="categories",
    ),
    "ExtraTrees": Rival(
        "sklearn.ensemble.ExtraTreesClassifier",
        {"n_estimators": 200},
        {"max_features": ["sqrt", 0.5]},
    ),
    "GradientBoosting": Rival(
        "sklearn.ensemble.GradientBoostingClassifier",
        {},
        {"learning_rate": [0.03, 0.1], "max_depth": [2, 4]},
    ),
    "HistGradientBoosting": Rival(
        "sklearn.ensemble.HistGradientBoostingClassifier",
        {},
        {"learning_rate": [0.03, 0.1], "max_leaf_nodes": [7, 31]},
        columns="few categories",
    ),
    "LightGBM": Rival(
        "lightgbm.LGBMClassifier",
        {"n_jobs": 1, "verbose": -1},
        distribution="lightgbm",
        columns="categories",
    ),
    "LogisticRegression": Rival(
        "sklearn.linear_model.LogisticRegression",
        {"max_iter": 1000},
        {"C": [0.01, 0.1, 1.0, 10.0, 100.0]},
    ),
    "Majority": Rival("sklearn.dummy.DummyClassifier"),
    "NearestNeighbours": Rival(
        "sklearn.neighbors.KNeighborsClassifier", {}, {"n_neighbors": [1, 3, 5, 9, 15]}
    ),
    "RandomForest": Rival(
        "sklearn.ensemble.RandomForestClassifier",
        {"n_estimators": 200},
        {"max_features": ["sqrt", 0.5]},
    ),
    "RealMLP": Rival(
        "pytabkit.RealMLP_TD_Classifier",
        _NETWORK,
        distribution="pytabkit[models]",
        columns="imputed categories",
    ),
    "SVM": Rival(
        "sklearn.svm.SVC",
        {},
        {"C": _POWERS, "gamma": [2.0**exponent for exponent in range(-12, 2, 3)]},
    ),
    "TabM": Rival(
        "pytabkit.TabM_D_Classifier",
        _NETWORK,
        distribution="pytabkit[models]",
        columns="imputed categories",
    ),
    "TabPFN": Rival(
        "kernsemble.benchmark.rival_adapters.TabPFNClassifier", distribution="tabpfn==0.1"
    ),
    "XGBoost": Rival(
        "xgboost.XGBClassifier",
        {"n_jobs": 1, "enable_categorical": True},
        distribution="xgboost",
        columns="categories",
    ),
    "xRFM": Rival("kernsemble.benchmark.rival_adapters.XRFMClassifier", distribution="xrfm"),
}


def optional_rivals():
    """Return the names that need more than scikit-learn → what to install."""
    return {
        name: rival.distribution
        for name, rival in RIVALS.items()
        if rival.distribution != "scikit-learn"
    }
