"""Models of tables: fit one, predict with it. `model_files` keeps them in files."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd

from ..environment import describe_environment
from ..errors import UserError
from .features import make_model
from .limits import MAX_BYTES
from .tables import TableFile


def fit_table(path, classifier, target=None, max_bytes=MAX_BYTES):
    """Fit a classifier to the table in a file.

    Parameters
    ----------
    path : path-like
        CSV, TSV or Parquet file. Columns may hold numbers, categories, dates and missing values;
        `kernsemble.frames.columns` says which is which.
    classifier : classifier
    target : str, default=None
        Column to predict; None means "target", else the last column.
    max_bytes : int, default=2 GB
        Packed files that take more, unpacked, are refused.

    Returns
    -------
    dict
        "model" (a pipeline from columns to classes), "target", "columns" (name → kind), "id" (the
        column that names the rows, or None) and "made".
    """
    return fit_training(TableFile(path, max_bytes).training(target), classifier, path)


def fit_training(training, classifier, path, id_column=None):
    """Fit a classifier to a table that was read; see `fit_table`.

    Parameters
    ----------
    training : Training
    classifier : classifier
    path : path-like
        Where the table is from.
    id_column : str, default=None
        Column that names the rows, which predictions repeat.
    """
    model = make_model(training.X, classifier)
    try:
        model.fit(training.X, training.y)
    except (ValueError, TypeError, ImportError) as error:
        raise UserError(f"The model cannot be fitted to {path}: {error}") from error
    except MemoryError as error:
        raise UserError(
            f"There is not enough memory to fit the model to {path} ({error}); fit fewer rows or "
            "columns, or another method."
        ) from error
    made = {
        "table": Path(path).name,
        "rows": len(training.X),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "environment": describe_environment(),
    }
    return {
        "model": model,
        "target": training.target,
        "columns": training.kinds,
        "id": id_column,
        "made": made,
    }


def predict_table(fitted, path, probabilities=False, max_bytes=MAX_BYTES):
    """Return the predicted classes of the rows of a file; see `predict_frame`."""
    return predict_frame(fitted, TableFile(path, max_bytes), probabilities=probabilities)


def predict_frame(fitted, file, further=(), *, probabilities=False, id_column=None):
    """Return the predicted classes of a table's rows, with further columns where asked for.

    What was a category in training is read as one, cell by cell as it is written, and what was a
    number must be a number. Columns that the model does not know are left out.

    Parameters
    ----------
    fitted : dict
        What `fit_table` or `load_model` returned.
    file : TableFile
    further : iterable of callable, default=()
        Each takes the fitted pipeline and the rows, and returns a dict of columns.
    probabilities : bool, default=False
    id_column : str, default=None
        Column that names the rows; None means the one that the model was fitted with.

    Returns
    -------
    DataFrame with the column that names the rows, if any, the column of the target's name, and one
    column per class.
    """
    model, target = fitted["model"], fitted["target"]
    rows = file.known(fitted["columns"])
    predicted: dict = _row_names(file, id_column, fitted.get("id"))
    if target in predicted:
        raise UserError(f"Column {target} is predicted and cannot name the rows as well.")
    functions = [_classes, *([_probabilities] if probabilities else []), *further]
    try:
        for function in functions:
            predicted |= function(model, target, rows)
    except UserError:
        raise
    except Exception as error:  # a model from a file can be wrong in any way
        raise UserError(f"The model cannot predict the rows of {file.path}: {error}") from error
    return pd.DataFrame(predicted)


def _row_names(file, wanted, usual):
    """Return the column that names the rows, as it is written; a usual one may be absent."""
    name = wanted or (usual if usual in file.names else None)
    if name is None:
        return {}
    return {name: file.frame([name], text=[name])[0][name]}


def _classes(model, target, rows):
    return {target: model.predict(rows)}


def _probabilities(model, target, rows):
    if not hasattr(model, "predict_proba"):
        raise UserError(f"{type(model[-1]).__name__} gives no probabilities; leave the option out.")
    shares = np.asarray(model.predict_proba(rows))
    return {f"probability of {label}": column for label, column in zip(model.classes_, shares.T)}


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
