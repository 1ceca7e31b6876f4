"""Models of tables: fit one, predict with it. `model_files` keeps them in files."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

from ..environment import describe_environment
from ..errors import UserError
from .columns import CATEGORY, as_kind, kind_of, with_columns
from .limits import MAX_BYTES
from .tables import make_features, read_frame, read_labelled


def fit_table(path, classifier, target=None, max_bytes=MAX_BYTES):
    """Fit a classifier to a table.

    Parameters
    ----------
    path : path-like
        CSV, TSV or Parquet file. Columns may hold numbers, categories and missing values;
        `kernsemble.frames.columns` says which is which.
    classifier : classifier
    target : str, default=None
        Column to predict; None means "target", else the last column.
    max_bytes : int, default=2 GB
        Packed files that take more, unpacked, are refused.

    Returns
    -------
    dict
        "model" (a pipeline from columns to classes), "target", "columns" (name → kind) and "made".
    """
    X, y, target = read_labelled(path, target, max_bytes)
    model = make_pipeline(make_features(X), classifier)
    try:
        model.fit(X, y)
    except ValueError as error:
        raise UserError(f"The model cannot be fitted to {path}: {error}") from error
    made = {
        "table": Path(path).name,
        "rows": len(X),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "environment": describe_environment(),
    }
    kinds = {name: kind_of(dtype) for name, dtype in X.dtypes.items()}
    return {"model": model, "target": target, "columns": kinds, "made": made}


def predict_table(fitted, path, probabilities=False, max_bytes=MAX_BYTES):
    """Return the predicted classes of a table's rows, with probabilities where asked for.

    What was a category in training is read as one, cell by cell as it is written, and what was a
    number must be a number. Columns that the model does not know are left out.

    Parameters
    ----------
    fitted : dict
        What `fit_table` or `load_model` returned.
    path : path-like
    probabilities : bool, default=False
    max_bytes : int, default=2 GB
        Packed files that take more, unpacked, are refused.

    Returns
    -------
    DataFrame with the column of the target's name, and one column per class.
    """
    kinds, model = fitted["columns"], fitted["model"]
    categories = [name for name, kind in kinds.items() if kind == CATEGORY]
    frame = read_frame(path, list(kinds), categories, max_bytes)
    changed = {
        name: as_kind(frame[name], kinds[name], name, path)
        for name, dtype in frame.dtypes.items()
        if kind_of(dtype) != kinds[name]
    }
    X = with_columns(frame, changed)
    try:
        predicted = pd.DataFrame({fitted["target"]: model.predict(X)})
        if probabilities:
            shares = _probabilities(model, X)
            for label, column in zip(model.classes_, np.asarray(shares).T):
                predicted[f"probability of {label}"] = column
    except UserError:
        raise
    except Exception as error:  # a model from a file can be wrong in any way
        raise UserError(f"The model cannot predict the rows of {path}: {error}") from error
    return predicted


def _probabilities(model, X):
    if not hasattr(model, "predict_proba"):
        raise UserError(f"{type(model[-1]).__name__} gives no probabilities; leave the option out.")
    return model.predict_proba(X)


def parse_params(texts):
    """Return name=value texts as a dict; values are numbers, booleans, None or else strings.

    Examples
    --------
    >>> parse_params(["C=10", "kernel=rbf", "shrinking=false"])
    {'C': 10, 'kernel': 'rbf', 'shrinking': False}
    """
    params = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise UserError(f"A parameter is given as name=value, got {text!r}.")
        params[name.strip()] = _parse(value.strip())
    return params


def _parse(value):
    words = {"true": True, "false": False, "none": None}
    if value.lower() in words:
        return words[value.lower()]
    for number in (int, float):
        try:
            return number(value)
        except ValueError:
            continue
    return value
