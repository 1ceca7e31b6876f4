"""Rivals that take categories and missing values themselves, for mixed-tables.toml.

Each is on its defaults, with one thread. Levels that training did not show are missing values, as
far as the rival has no better way; CatBoost reads them as they are. `OneHotKernelEnsemble` is the
flagship behind indicator columns and imputation.
"""

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier

from kernsemble import KernelEnsembleClassifier

# Scikit-learn's boosting takes no more levels; the rarest share the last one.
MAX_LEVELS = 255


class NativeRival(ClassifierMixin, BaseEstimator):
    """A classifier of data frames: a subclass makes the rival and the columns that it takes."""

    def __init__(self, random_state=0):
        self.random_state = random_state

    def fit(self, X, y):
        frame = pd.DataFrame(X)
        self.levels_ = {
            name: self._levels(frame[name]) for name in frame if _is_category(frame[name])
        }
        self.machine_ = self._machine()
        self.machine_.fit(self._frame(frame), y)
        self.classes_ = self.machine_.classes_
        return self

    def predict(self, X):
        return np.ravel(self.machine_.predict(self._frame(pd.DataFrame(X))))

    def predict_proba(self, X):
        return self.machine_.predict_proba(self._frame(pd.DataFrame(X)))

    def _levels(self, column):
        return column.dropna().astype(str).value_counts().index.tolist()

    def _frame(self, frame):
        return frame.assign(
            **{
                name: pd.Categorical(_texts(frame[name]), categories=levels)
                for name, levels in self.levels_.items()
            }
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = True
        return tags


class NativeCatBoost(NativeRival):
    """CatBoost with `cat_features`."""

    def _machine(self):
        from catboost import CatBoostClassifier

        options = {"thread_count": 1, "verbose": False, "allow_writing_files": False}
        cats = list(self.levels_)
        return CatBoostClassifier(cat_features=cats, random_seed=self.random_state, **options)

    def _frame(self, frame):
        changed = {name: _texts(frame[name]).fillna("missing") for name in self.levels_}
        return frame.assign(**changed)


class NativeLightGBM(NativeRival):
    """LightGBM with columns of type category."""

    def _machine(self):
        from lightgbm import LGBMClassifier

        return LGBMClassifier(n_jobs=1, verbose=-1, random_state=self.random_state)


class NativeXGBoost(NativeRival):
    """XGBoost with `enable_categorical`."""

    def _machine(self):
        from xgboost import XGBClassifier

        return XGBClassifier(enable_categorical=True, n_jobs=1, random_state=self.random_state)


class NativeHistGradientBoosting(NativeRival):
    """Scikit-learn's boosting with columns of type category."""

    def _levels(self, column):
        return super()._levels(column)[: MAX_LEVELS - 1]

    def _machine(self):
        return HistGradientBoostingClassifier(random_state=self.random_state)


class OneHotKernelEnsemble(KernelEnsembleClassifier):
    """The flagship, which gets indicator columns and imputed numbers."""

    def _accepts_mixed(self):
        return False


def _is_category(column):
    return not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column)


def _texts(column):
    return column.astype(object).where(column.notna(), None).map(str, na_action="ignore")
