"""Columns of any kind → plain numbers, for methods that take nothing else."""

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import get_tags

from .codecs import calendar_parts
from .columns import CATEGORY, DATE, NUMBER, TRUTH, kind_of

# Rarer categories than this share one column: a column of names must not become a column per row.
_MAX_CATEGORIES = 50
_PARTS = ("days", "month", "weekday", "hour")


def make_model(X, classifier, standardize=True, *, as_numbers=False):
    """Return an unfitted pipeline from rows like `X` to classes.

    Its last step is the classifier. A classifier of this library that takes columns of any kind
    gets them as they are; for the others the first step makes numbers of them.

    Parameters
    ----------
    X : DataFrame or ndarray
    classifier : classifier
    standardize : bool, default=True
        Whether columns of numbers are standardised for a classifier that takes numbers alone.
    as_numbers : bool, default=False
        Whether columns become numbers for a classifier that takes others, too.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> table = pd.DataFrame({"size": [1.0, None, 3.0], "colour": ["red", "blue", None]})
    >>> make_model(table, LogisticRegression())[0].fit_transform(table).shape
    (3, 5)
    """
    if not as_numbers and _reads_frames(X, classifier):
        return make_pipeline("passthrough", classifier)
    return make_pipeline(_make_features(X, standardize), classifier)


def _reads_frames(X, classifier):
    # Others that call themselves fit for categories want them as codes, unless they take texts.
    is_own = type(classifier).__module__.split(".")[0] == __package__.split(".")[0]
    tags = get_tags(classifier).input_tags
    reads = (is_own or tags.string) and tags.categorical and tags.allow_nan
    return isinstance(X, pd.DataFrame) and reads


def _make_features(X, standardize=True):
    """Return an unfitted transformer from rows like `X` to numbers, none of them missing.

    Numeric columns are standardised and missing values replaced by the mean, with a column that
    says where they were; categories become indicator columns, unknown ones all zero; dates become
    days and the place in the year, the week and the day. It must be fitted on training rows alone;
    only column types are read here.
    """
    if not isinstance(X, pd.DataFrame):
        return _numeric(standardize)
    kinds = {column: kind_of(dtype) for column, dtype in X.dtypes.items()}
    numbers = [column for column, kind in kinds.items() if kind in (NUMBER, TRUTH)]
    categories = [column for column, kind in kinds.items() if kind == CATEGORY]
    dates = [column for column, kind in kinds.items() if kind == DATE]
    one_hot = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=_MAX_CATEGORIES, sparse_output=False
    )
    steps = [("numbers", _numeric(standardize), numbers), ("categories", one_hot, categories)]
    if dates:
        steps.append(("dates", make_pipeline(CalendarParts(), *_steps(standardize)), dates))
    return ColumnTransformer(steps, verbose_feature_names_out=False)


def _numeric(standardize):
    return make_pipeline(*_steps(standardize))


def _steps(standardize):
    # The scaler passes missing values on, so the mean is 0 behind it and indicators stay 0 or 1.
    imputer = SimpleImputer(strategy="mean", add_indicator=True)
    return [StandardScaler(), imputer] if standardize else [imputer]


class CalendarParts(TransformerMixin, BaseEstimator):
    """Dates → days since 1970, month, weekday and hour, each a column of numbers."""

    def fit(self, X, y=None):
        """Return the transformer itself: a calendar is the same for all rows."""
        return self

    def __sklearn_is_fitted__(self):
        return True

    def transform(self, X):
        """Return four columns for every column of dates; missing dates are NaN."""
        return np.hstack([_parts(column) for _, column in pd.DataFrame(X).items()])

    def get_feature_names_out(self, names=None):
        """Return the names of the columns."""
        return np.array([f"{name} {part}" for name in names for part in _PARTS], dtype=object)


def _parts(column):
    moments = column.to_numpy(dtype="datetime64[us]")
    missing = np.isnat(moments)
    known = calendar_parts(np.where(missing, np.datetime64(0, "us"), moments).astype(np.int64))
    parts = np.column_stack([known[part] for part in _PARTS]).astype(float)
    return np.where(missing[:, None], np.nan, parts)
