"""A fitted classifier and its training rows → everything that its page shows."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..calibration import conformal_threshold
from ..environment import code_version, describe_environment
from ..errors import UserError
from ..explain.decisions import class_thresholds
from .model_measures import by_class, by_group, measure, sets_by_confidence, threshold_counts
from .model_questions import Asked, depend_on, find_reasons, learn_again, weigh_columns

# How many columns, suspects and unusual rows a page shows.
N_COLUMNS, N_DEPENDENCE, N_SUSPECTS, N_UNUSUAL = 15, 6, 25, 15
# Rows listed behind a cell of the confusion matrix, and the classes that a matrix has at most.
N_LISTED, MAX_CLASSES = 40, 20


@dataclass
class ModelData:
    """What the page of a model shows; see `collect_model`."""

    name: str
    classes: list
    n_rows: int
    columns: list
    measures: dict
    by_class: list
    by_group: dict
    confusion: np.ndarray
    listed: dict
    reliability: tuple
    thresholds: list
    sets: list
    sets_by_class: list
    leaderboard: list
    race: list
    curve: Any
    importances: Any
    dependence: list
    suspects: Any
    suspect_rows: list
    unusual: list
    facts: dict = field(default_factory=dict)


def collect_model(clf, X, y, *, by=(), random_state=0, command=None):
    """Return the `ModelData` of a fitted classifier, or of a pipeline that ends in one.

    Parameters
    ----------
    clf : classifier with honest scores, or Pipeline
    X, y : the training rows and labels
    by : list of str
        Columns by whose values the measures are shown.
    random_state : int, default=0
        Seed of the samples that are drawn.
    command : str, default=None
        The command that made the model.
    """
    as_array = not isinstance(X, pd.DataFrame)
    X, last, inner = _opened(clf, X)
    P, honest = last._honest_probabilities()
    codes, rows = honest.codes, honest.rows
    if rows.max() >= len(X) or not np.array_equal(last.classes_[codes], np.asarray(y)[rows]):
        raise UserError("X and y must be the rows and labels that the model was fitted to.")
    table = Table(X, P, codes, rows, last.classes_)
    asked = Asked(clf, X.iloc[rows].reset_index(drop=True), codes, as_array)
    rng = np.random.RandomState(random_state)
    curve, largest, held_out = learn_again(asked, last.classes_[codes], rng)
    importances, dependence = None, []
    if len(held_out):
        importances = weigh_columns(largest, held_out, rng)
        for column in importances.order[:N_DEPENDENCE]:
            found = depend_on(asked, int(column), rng)
            dependence.append({"name": str(X.columns[column]), **found})
    suspects = last.suspects()
    return ModelData(
        name=type(last).__name__,
        classes=[str(name) for name in last.classes_],
        n_rows=len(rows),
        columns=_describe_columns(asked.X, last),
        measures=measure(P, codes),
        by_class=by_class(P, codes, last.classes_),
        by_group={name: by_group(P, codes, table.column(name)) for name in by},
        confusion=_confusion(P, codes),
        listed=table.listed(),
        reliability=_reliability(P, codes),
        thresholds=threshold_counts(P, codes) if P.shape[1] <= MAX_CLASSES else [],
        sets=sets_by_confidence(P, codes, lambda c: conformal_threshold(P, codes, c)),
        sets_by_class=sets_by_confidence(P, codes, lambda c: class_thresholds(P, codes, c)),
        leaderboard=list(getattr(last, "leaderboard_", [])),
        race=list(getattr(last, "race_", [])),
        curve=curve,
        importances=importances,
        dependence=dependence,
        suspects=suspects,
        suspect_rows=table.suspects(suspects, asked, rng),
        unusual=table.unusual(last, inner),
        facts=_facts(last, X, y, command),
    )


def _opened(clf, X):
    """Return the table as a DataFrame, the last step of the model, and what that step sees."""
    last = clf[-1] if hasattr(clf, "steps") else clf
    if not hasattr(last, "_honest_probabilities"):
        raise UserError(f"A page needs a kernsemble classifier, got {type(last).__name__}.")
    inner = clf[:-1].transform(X) if hasattr(clf, "steps") and len(clf.steps) > 1 else X
    if not isinstance(X, pd.DataFrame):
        array = np.asarray(X)
        X = pd.DataFrame(array, columns=[f"x{j}" for j in range(array.shape[1])])
    return X, last, inner


@dataclass
class Table:
    """The rows that have honest probabilities."""

    X: Any
    P: np.ndarray
    codes: np.ndarray
    rows: np.ndarray
    classes: np.ndarray

    def column(self, name):
        """Return a column of the rows, or raise an error that names those there are."""
        if name not in self.X.columns:
            known = ", ".join(map(str, self.X.columns[:20]))
            raise UserError(f"There is no column {name!r} to show the measures by; known: {known}.")
        return self.X[name].iloc[self.rows]

    def values(self, place, n_columns=8):
        """Return the first values of a row as they are written."""
        row = self.X.iloc[self.rows[place]]
        return [_written(value) for value in row.iloc[:n_columns]]

    def listed(self):
        """Return the rows behind every cell of the confusion matrix, the least likely first."""
        predicted = self.P.argmax(axis=1)
        own = self.P[np.arange(len(self.codes)), self.codes]
        found = {}
        for true, said in zip(*np.nonzero(_confusion(self.P, self.codes))):
            places = np.flatnonzero((self.codes == true) & (predicted == said))
            places = places[np.argsort(own[places], kind="stable")][:N_LISTED]
            found[f"{true} {said}"] = [
                [int(self.rows[p]), round(float(own[p]), 3), *self.values(p)] for p in places
            ]
        return found

    def suspects(self, suspects, asked, rng):
        """Return the first suspects with their values, and what speaks for the likelier class."""
        shown = min(N_SUSPECTS, len(suspects))
        if not shown:
            return []
        places = np.searchsorted(self.rows, suspects.rows[:shown])
        likely = np.searchsorted(self.classes, suspects.likely[:shown])
        n_explained = min(10, shown)
        reasons = find_reasons(asked, places[:n_explained], likely[:n_explained], rng)
        reasons += [[]] * (shown - n_explained)
        return [
            {
                "row": int(suspects.rows[i]),
                "label": str(suspects.labels[i]),
                "likely": str(suspects.likely[i]),
                "label_probability": float(suspects.label_probability[i]),
                "likely_probability": float(suspects.likely_probability[i]),
                "reasons": [f"{name} = {_written(value)}" for name, value, _ in reasons[i]],
            }
            for i in range(shown)
        ]

    def unusual(self, last, inner):
        """Return the rows of least novelty p-value, with the columns in which they are far out."""
        p = last.novelty(training=inner)
        worst = np.argsort(p, kind="stable")[:N_UNUSUAL]
        found = []
        for row in worst:
            here = np.flatnonzero(self.rows == row)
            label = str(self.classes[self.codes[here[0]]]) if len(here) else "–"
            found.append(
                {
                    "row": int(row),
                    "p": float(p[row]),
                    "label": label,
                    "why": _far_out(self.X, int(row)),
                }
            )
        return found


def _far_out(X, row, n_columns=3):
    """Return the values of a row that fewest rows reach or share."""
    rare = []
    for name in X.columns:
        own, value = X[name], X[name].iloc[row]
        if pd.isna(value):
            share = float(own.isna().mean())
        elif pd.api.types.is_numeric_dtype(own) and own.nunique() > 10:
            share = 2.0 * float(min((own >= value).mean(), (own <= value).mean()))
        else:
            share = float((own == value).mean())
        rare.append((share, f"{name} = {_written(value)}"))
    return [text for _, text in sorted(rare)[:n_columns]]


def _confusion(P, codes):
    counts = np.zeros((P.shape[1], P.shape[1]), dtype=int)
    np.add.at(counts, (codes, P.argmax(axis=1)), 1)
    return counts


def _reliability(P, codes):
    from ..ensembles.leaderboard import reliability

    return reliability(P, codes, n_bins=max(2, min(10, len(codes) // 10)))


def _describe_columns(X, last):
    """Return one dict for every column: what it holds, and how much of it is missing."""
    kinds = [codec.kind for codec in last.encoder_.codecs] if last.encoder_ is not None else None
    found = []
    for j, name in enumerate(X.columns):
        own = X[name]
        numeric = pd.api.types.is_numeric_dtype(own)
        kind = kinds[j] if kinds and len(kinds) == X.shape[1] else None
        if numeric and own.notna().any():
            low, middle, high = own.quantile([0.0, 0.5, 1.0])
            holds = f"{_written(low)} … {_written(middle)} … {_written(high)}"
        else:
            top = own.value_counts().index[:3]
            holds = ", ".join(_written(value) for value in top)
        found.append(
            {
                "name": str(name),
                "kind": kind or ("number" if numeric else "category"),
                "distinct": int(own.nunique()),
                "missing": float(own.isna().mean()),
                "holds": holds,
            }
        )
    return found


def _facts(last, X, y, command):
    digest = hashlib.sha256()
    for part in (X, pd.Series(np.asarray(y))):
        digest.update(pd.util.hash_pandas_object(part, index=False).to_numpy().tobytes())
    settings = {k: v for k, v in last.get_params(deep=False).items() if v is not None}
    return {
        **({"command": command} if command else {}),
        "model": f"{type(last).__name__}({', '.join(f'{k}={v!r}' for k, v in settings.items())})",
        "seed": getattr(last, "random_state", None),
        "data digest": digest.hexdigest()[:16],
        "code": code_version(),
        **describe_environment(),
    }


def _written(value):
    """Return a cell as people write it, cut where it is long."""
    if isinstance(value, (float, np.floating)):
        return "missing" if np.isnan(value) else f"{value:.4g}"
    text = "missing" if value is None or value is pd.NaT else str(value)
    return text if len(text) <= 40 else text[:39] + "…"
