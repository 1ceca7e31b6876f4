"""Columns of any kind → the columns that a classifier takes by itself.

=======================  =========================================================================
``auto``                 kernsemble's own classifiers get columns as they are, others numbers
``numbers``              numbers: missing values imputed, categories as indicator columns
``categories``           pandas' categories with the levels of the training rows, missing values
                         as they are
``few categories``       the same with the 254 most frequent levels of each column
``imputed categories``   the same as ``categories`` with missing numbers imputed
``texts``                categories as text, missing ones as a level of their own, and their names
                         in the fit parameter `cat_features`
=======================  =========================================================================

Levels that training did not show are missing values, but for ``texts``, which a classifier reads
itself. Dates become numbers. Rows that are plain numbers stay as they are: they are not scaled.
"""

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

from ..frames.columns import CATEGORY, DATE, TRUTH, kind_of
from ..frames.features import CalendarParts, make_model

COLUMNS = ("auto", "numbers", "categories", "few categories", "imputed categories", "texts")

# Scikit-learn's boosting takes 255 values, and a missing one is a value.
_FEW = 254
_MISSING = "missing"


def make_rival_model(X, classifier, columns, standardize):
    """Return an unfitted pipeline from rows like `X` to classes, and parameters for its fit.

    Parameters
    ----------
    X : DataFrame or ndarray
    classifier : classifier
    columns : str
        One of `COLUMNS`.
    standardize : bool
        Whether columns of numbers are standardised for a classifier that takes numbers alone.
    """
    if columns == "auto":
        return make_model(X, classifier, standardize), {}
    if columns == "numbers":
        return make_model(X, classifier, standardize, as_numbers=True), {}
    model = make_pipeline(NativeColumns(columns), classifier)
    if columns != "texts" or not isinstance(X, pd.DataFrame):
        return model, {}
    return model, {f"{model.steps[-1][0]}__cat_features": _categorical(X)}


def _categorical(frame):
    return [name for name in frame if kind_of(frame[name].dtype) in (CATEGORY, TRUTH)]


class NativeColumns(TransformerMixin, BaseEstimator):
    """Frames with the columns that a classifier takes.

    Parameters
    ----------
    columns : {"categories", "few categories", "imputed categories", "texts"}
        See the module.

    Examples
    --------
    >>> import pandas as pd
    >>> train = pd.DataFrame({"size": [1.0, None, 3.0], "colour": ["red", "blue", "red"]})
    >>> native = NativeColumns().fit(train)
    >>> native.transform(pd.DataFrame({"size": [2.0], "colour": ["green"]}))
       size colour
    0   2.0    NaN
    """

    def __init__(self, columns="categories"):
        self.columns = columns

    def fit(self, X, y=None):
        """Learn the levels of the training rows."""
        levels, imputer = {}, None
        most = _FEW if self.columns == "few categories" else None
        if isinstance(X, pd.DataFrame):
            levels = {
                name: _texts(X[name]).dropna().value_counts().index.tolist()[:most]
                for name in _categorical(X)
            }
        if self.columns == "imputed categories":
            imputer = SimpleImputer(strategy="mean", add_indicator=True, keep_empty_features=True)
            imputer.fit(_numbers(X, levels))
        self.levels_, self.imputer_ = levels, imputer
        return self

    def transform(self, X):
        """Return rows of the same order; plain numbers stay an array."""
        numbers = _numbers(X, self.levels_)
        if self.imputer_ is not None:
            names = self.imputer_.get_feature_names_out()
            numbers = self.imputer_.transform(numbers)
            if isinstance(X, pd.DataFrame):
                numbers = pd.DataFrame(numbers, columns=names, index=X.index)
        if not isinstance(X, pd.DataFrame):
            return numbers
        as_text = self.columns == "texts"
        found = {
            name: _texts(X[name]).fillna(_MISSING)
            if as_text
            else _known_levels(_texts(X[name]), levels)
            for name, levels in self.levels_.items()
        }
        categories = pd.DataFrame(found, index=X.index)
        whole = pd.concat([numbers, categories], axis=1)
        # Columns keep their places, and new ones come last.
        return whole[sorted(whole, key=_place(X))]


def _known_levels(texts, levels):
    """Return texts as categories of these levels; others are missing."""
    return pd.Categorical(texts.where(texts.isin(levels)), categories=levels)


def _place(X):
    places = {str(name): number for number, name in enumerate(X)}
    return lambda name: places.get(str(name), len(places))


def _numbers(X, levels):
    """Return the columns that hold no categories, as numbers."""
    if not isinstance(X, pd.DataFrame):
        return np.asarray(X, dtype=float)
    kept = X.drop(columns=list(levels))
    dates = [name for name in kept if kind_of(kept[name].dtype) == DATE]
    numbers = kept.drop(columns=dates).astype(float)
    if not dates:
        return numbers
    calendar = CalendarParts().fit(kept[dates])
    parts = pd.DataFrame(
        calendar.transform(kept[dates]),
        columns=calendar.get_feature_names_out(dates),
        index=X.index,
    )
    return pd.concat([numbers, parts], axis=1)


def _texts(column):
    return column.astype(object).where(column.notna(), None).map(str, na_action="ignore")
