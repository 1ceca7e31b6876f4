"""Models of tables: fit one, keep it in a file, predict with it.

Files are in the skops format. Reading one runs no code that the file brings along: types outside
scikit-learn, NumPy and kernsemble are refused unless they are named.
"""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import skops.io
from sklearn.pipeline import make_pipeline

from ..environment import describe_environment
from ..errors import UserError
from .tables import make_features, read_frame, split_target

__all__ = ["fit_table", "load_model", "parse_params", "predict_table", "save_model"]

_TRUSTED = ("kernsemble.", "sklearn.", "numpy.", "scipy.sparse.")


def fit_table(path, classifier, target=None):
    """Fit a classifier to a table.

    Parameters
    ----------
    path : path-like
        CSV, TSV or Parquet file; categories and missing values are welcome.
    classifier : classifier
    target : str, default=None
        Column to predict; None means "target", else the last column.

    Returns
    -------
    dict
        "model" (a pipeline from columns to classes), "target", "columns" and "made".
    """
    frame = read_frame(path)
    X, y = split_target(frame, target, str(path))
    model = make_pipeline(make_features(X), classifier)
    try:
        model.fit(X, y)
    except ValueError as error:
        raise UserError(f"The model cannot be fitted to {path}: {error}") from error
    target = next(column for column in frame.columns if column not in X.columns)
    made = {
        "table": Path(path).name,
        "rows": len(X),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "environment": describe_environment(),
    }
    return {"model": model, "target": str(target), "columns": list(X.columns), "made": made}


def save_model(fitted, path):
    """Write a fitted model and return the path."""
    try:
        skops.io.dump(fitted, path)
    except OSError as error:
        raise UserError(f"The model cannot be written: {error}") from None
    return Path(path)


def load_model(path, trust=()):
    """Return what `save_model` wrote.

    Parameters
    ----------
    path : path-like
    trust : iterable of str, default=()
        Full names of further types that may be made from the file.
    """
    path = Path(path)
    if not path.is_file():
        raise UserError(f"There is no model {path}.")
    try:
        unknown = skops.io.get_untrusted_types(file=path)
    except Exception as error:  # a damaged zip file shows itself in many ways
        raise UserError(f"{path} is not a model file: {error}") from None
    known = [name for name in unknown if name.startswith(_TRUSTED) or name in trust]
    refused = sorted(set(unknown) - set(known))
    if refused:
        raise UserError(
            f"{path} holds types that are not trusted: {', '.join(refused)}. "
            "If you made the file yourself, name them with --trust."
        )
    fitted = skops.io.load(path, trusted=known)
    if not isinstance(fitted, dict) or "model" not in fitted:
        raise UserError(f"{path} holds no model of a table.")
    return fitted


def predict_table(fitted, path, probabilities=False):
    """Return the predicted classes of a table's rows, with probabilities where asked for.

    Returns
    -------
    DataFrame with the column of the target's name, and one column per class.
    """
    frame = read_frame(path)
    missing = [str(column) for column in fitted["columns"] if column not in frame.columns]
    if missing:
        raise UserError(f"{path} lacks columns of the model: {', '.join(missing)}.")
    X, model = frame[fitted["columns"]], fitted["model"]
    try:
        predicted = pd.DataFrame({fitted["target"]: model.predict(X)})
        if probabilities:
            shares = _probabilities(model, X)
            for label, column in zip(model.classes_, np.asarray(shares).T):
                predicted[f"probability of {label}"] = column
    except ValueError as error:
        raise UserError(f"The model cannot read {path}: {error}") from error
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
