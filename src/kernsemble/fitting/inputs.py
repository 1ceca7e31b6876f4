"""The input side of every classifier: from what the user has to validated arrays of floats.

Arrays of numbers and sparse matrices take the way that scikit-learn has for them. Data frames with
other columns than numbers, and arrays of objects, are encoded: categories become the codes of their
levels, missing values NaN. Names of columns are checked as scikit-learn does, but a frame whose
columns are in another order than in training is put into that order.
"""

from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from ..frames.cells import (
    NUMBER,
    column_names,
    has_only_numbers,
    is_array_of_objects,
    is_frame,
    read_columns,
)
from ..frames.encoder import fit_encoder
from ..tables import Columns
from ..tables.weights import check_weights
from ..validation import naming_missing_columns

#: Fitted attributes about the columns of the training rows.
ABOUT_COLUMNS = ("n_features_in_", "feature_names_in_", "encoder_")
FLOATS = [np.float64, np.float32]


class Read(NamedTuple):
    """Validated training rows.

    Attributes
    ----------
    X : {ndarray, CSR matrix} of shape (n_samples, n_columns)
    y : ndarray of shape (n_samples,)
    columns : Columns
        What the columns of `X` hold.
    encoder : Encoder or None
        What made `X` of the rows of the user; None for arrays of numbers.
    """

    X: Any
    y: Any
    columns: Columns
    encoder: Any


def about_columns(estimator):
    """Return what a fitted estimator knows about its columns."""
    return {name: vars(estimator)[name] for name in ABOUT_COLUMNS if name in vars(estimator)}


def read_training(estimator, X, y, sample_weight=None, *, reset):
    """Validate training rows.

    Parameters
    ----------
    estimator : KernelEnsemble
        Names and number of the columns are stored on it, so it must be a copy.
    X, y, sample_weight : what the user gave to `fit`
    reset : bool
        Whether the rows decide what the columns hold; otherwise they must be as in training.

    Returns
    -------
    Read
    """
    encoder: Any = None if reset else estimator.encoder_
    X = X if reset else _in_order(estimator, X)
    if encoder is None and not (reset and _needs_encoding(estimator, X)):
        X, y = _validate(estimator, X, y, reset=reset)
        return Read(X, y, _columns_of(X), None)
    # Only names and number of the columns; the cells are read by the encoder.
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    if encoder is not None:
        Z, y = _check(estimator, encoder(X), y)
        return Read(Z, y, encoder.columns(Z), encoder)
    encoder, Z, columns = fit_encoder(X, estimator.categorical_features)
    Z, y = _check(estimator, Z, y)
    check_classification_targets(y)
    weights = None if sample_weight is None else check_weights(sample_weight, Z)
    # The members of an ensemble of several kinds use either levels or their class shares.
    keep = getattr(estimator, "_keep_codes", False)
    encoder, Z, columns = encoder.with_class_shares(Z, columns, y, weights, keep_codes=keep)
    return Read(Z, y, columns, encoder)


def _check(estimator, Z, y):
    return check_X_y(Z, y, dtype=FLOATS, ensure_all_finite="allow-nan", estimator=estimator)


def read_head(estimator, head):
    """Return what the first row of chunks says about the columns, which must be numbers."""
    _validate(estimator, head, reset=True)
    return {**about_columns(estimator), "encoder_": None}


def read_new(estimator, X):
    """Return validated new rows as the array that a fitted estimator takes."""
    if _needs_no_check(estimator, X):
        return X
    X = _in_order(estimator, X)
    if estimator.encoder_ is None:
        return _validate(estimator, X, reset=False)
    return estimator.encoder_(validate_data(estimator, X, reset=False, skip_check_array=True))


def _needs_no_check(estimator, X):
    """Return whether scikit-learn would return new rows as they are, without a warning.

    To find that out it takes as long as some classifiers take for the scores of a row.
    """
    if type(X) is not np.ndarray or X.dtype != np.float64 or X.ndim != 2 or not len(X):
        return False
    if estimator.encoder_ is not None or hasattr(estimator, "feature_names_in_"):
        return False
    if X.shape[1] != estimator.n_features_in_:
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        # If the sum is finite, so are all values.
        return bool(np.isfinite(X.sum()))


def _validate(estimator, X, *labels, reset):
    may_lack = estimator._accepts_mixed() and not sparse.issparse(X)
    with _saying_what_is_taken(estimator, X), naming_missing_columns(X):
        return validate_data(
            estimator,
            X,
            *labels,
            reset=reset,
            accept_sparse="csr" if estimator._accept_sparse else False,
            dtype=FLOATS,
            ensure_all_finite="allow-nan" if may_lack else True,
        )


def _needs_encoding(estimator, X):
    if not estimator._accepts_mixed():
        return False
    chosen = not isinstance(estimator.categorical_features, (str, type(None)))
    if is_frame(X):
        return chosen or not has_only_numbers(X)
    return isinstance(X, np.ndarray) and (chosen or is_array_of_objects(X))


def _in_order(estimator, X):
    """Return a frame with its columns in the order of the training rows, if it has all of them."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None or not is_frame(X):
        return X
    own = column_names(X)
    if own == list(names) or sorted(map(str, own)) != sorted(names):
        return X
    import narwhals

    return narwhals.from_native(X, eager_only=True).select(list(names)).to_native()


def _columns_of(X):
    """Return what the columns of an array hold, in which NaN is a missing value."""
    if sparse.issparse(X) or not np.isnan(np.sum(X)):
        return Columns.plain(X.shape[1])
    missing = np.isnan(X)
    if missing.all():
        raise ValueError("Input X contains NaN alone; no value is known.")
    return Columns(np.zeros(X.shape[1], dtype=np.intp), missing.any(axis=0))


@contextmanager
def _saying_what_is_taken(estimator, X):
    """Let the error about columns that are no numbers say what to do."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if not (is_array_of_objects(X) or (is_frame(X) and not has_only_numbers(X))):
            raise
        if estimator._accepts_mixed():
            # The training rows held numbers only.
            other = [f"{c.name} (holds {c.kind})" for c in read_columns(X) if c.kind != NUMBER]
            raise ValueError(
                "Columns of X are of another kind than in training, where all held numbers: "
                f"{', '.join(other)}."
            ) from error
        name = type(estimator).__name__
        raise type(error)(
            f"{name} takes numbers, none of them missing ({error}); put an encoder before it: "
            f"make_pipeline(skrub.TableVectorizer(), sklearn.impute.SimpleImputer(), {name}())."
        ) from error
