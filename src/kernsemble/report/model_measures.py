"""How good honest probabilities are, with intervals, for all rows and for some of them."""

from typing import NamedTuple

import numpy as np

from ..explain.importance import log_losses

# Resamples of the rows for the intervals, and the share of them that an interval holds.
N_RESAMPLES = 300
SHARE = 0.95
#: Measures by name, and whether more is better.
MEASURES = {
    "accuracy": True,
    "balanced accuracy": True,
    "log-loss": False,
    "Brier score": False,
    "area under ROC": True,
}


class Measure(NamedTuple):
    """A value and the interval that holds it in 95 of 100 resamples of the rows."""

    value: float
    low: float
    high: float


def measure(P, codes, seed=0):
    """Return every measure of `MEASURES` that is defined, as a dict of `Measure`.

    Parameters
    ----------
    P : ndarray of shape (n_rows, n_classes)
    codes : ndarray of int of shape (n_rows,)
    seed : int, default=0
        Seed of the resamples.
    """
    n = len(codes)
    counts = np.random.RandomState(seed).multinomial(n, np.full(n, 1.0 / n), N_RESAMPLES)
    counts = np.vstack([np.ones(n), counts])
    hits = (P.argmax(axis=1) == codes).astype(float)
    squares = np.sum((P - np.eye(P.shape[1])[codes]) ** 2, axis=1)
    samples = {
        "accuracy": counts @ hits / n,
        "balanced accuracy": _balanced(counts, hits, codes, P.shape[1]),
        "log-loss": counts @ log_losses(P, codes) / n,
        "Brier score": counts @ squares / n,
        "area under ROC": _area(counts, P, codes),
    }
    return {
        name: Measure(float(values[0]), *np.nanquantile(values[1:], _ENDS).tolist())
        for name, values in samples.items()
        if np.isfinite(values[0])
    }


_ENDS = (0.5 - 0.5 * SHARE, 0.5 + 0.5 * SHARE)


def _balanced(counts, hits, codes, n_classes):
    """Return the mean recall over the classes that occur in each resample."""
    own = np.eye(n_classes)[codes]
    with np.errstate(invalid="ignore", divide="ignore"):
        recalls = (counts @ (own * hits[:, None])) / (counts @ own)
    return np.nanmean(np.where((counts @ own) > 0, recalls, np.nan), axis=1)


def _area(counts, P, codes):
    """Return the mean area under the ROC curve of each class against the rest."""
    columns = [1] if P.shape[1] == 2 else range(P.shape[1])
    areas = []
    for c in columns:
        own = codes == c
        if own.any() and not own.all():
            areas.append(_area_of(counts, P[:, c], own))
    return np.mean(areas, axis=0) if areas else np.full(len(counts), np.nan)


def _area_of(counts, scores, own):
    order = np.argsort(scores, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(scores[order]) > 0])
    inside = np.add.reduceat(counts[:, order] * own[order], starts, axis=1)
    outside = np.add.reduceat(counts[:, order] * ~own[order], starts, axis=1)
    below = np.cumsum(outside, axis=1) - 0.5 * outside
    pairs = inside.sum(axis=1) * outside.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(pairs > 0, np.sum(inside * below, axis=1) / pairs, np.nan)


def by_class(P, codes, classes):
    """Return rows, precision, recall and area under ROC of every class as a list of dicts."""
    predicted = P.argmax(axis=1)
    found = []
    for c, name in enumerate(classes):
        own, said = codes == c, predicted == c
        hits = float(np.sum(own & said))
        area = _area_of(np.ones((1, len(codes))), P[:, c], own)[0]
        found.append(
            {
                "name": str(name),
                "rows": int(own.sum()),
                "recall": hits / own.sum() if own.any() else None,
                "precision": hits / said.sum() if said.any() else None,
                "area": float(area) if np.isfinite(area) else None,
            }
        )
    return found


def by_group(P, codes, values):
    """Return the measures of rows with the same value, or in the same quarter of the numbers.

    A group stands out if its interval of the accuracy lies wholly below that of all rows.
    """
    overall = measure(P, codes)["accuracy"]
    found = []
    for name, rows in _groups(values):
        own = measure(P[rows], codes[rows])
        worse = own["accuracy"].high < overall.low
        found.append({"name": name, "rows": len(rows), "measures": own, "worse": worse})
    return sorted(found, key=lambda group: group["measures"]["accuracy"].value)


def _groups(values, most=20):
    """Yield the name and the rows of each group of equal values, or of each quarter of numbers."""
    import pandas as pd

    values = pd.Series(np.asarray(values))
    if pd.api.types.is_numeric_dtype(values) and values.nunique() > 10:
        values = pd.qcut(values, 4, duplicates="drop").astype(str)
    values = values.astype(object).where(values.notna(), "missing").astype(str)
    for name in values.value_counts().index[:most]:
        yield name, np.flatnonzero(values.to_numpy() == name)


def sets_by_confidence(P, codes, thresholds_of, confidences=(0.8, 0.9, 0.95, 0.99)):
    """Return coverage and size of honest label sets; `thresholds_of(confidence)` gives the cut."""
    found = []
    for confidence in confidences:
        sets = np.greater_equal(P, thresholds_of(confidence))
        sizes = sets.sum(axis=1)
        held = sets[np.arange(len(codes)), codes]
        classes = [held[codes == c].mean() for c in np.unique(codes)]
        found.append(
            {
                "confidence": confidence,
                "coverage": float(held.mean()),
                "worst": float(min(classes)),
                "size": float(sizes.mean()),
                "single": float(np.mean(sizes == 1)),
                "empty": float(np.mean(sizes == 0)),
            }
        )
    return found


def threshold_counts(P, codes, n_steps=200):
    """Return for every class the rows of it and of others at or above each threshold.

    Returns
    -------
    list of dict with the lists "inside" and "outside", of n_steps + 1 counts each
    """
    grid = np.linspace(0.0, 1.0, n_steps + 1)
    found = []
    for c in range(P.shape[1]):
        own = codes == c
        inside, outside = np.sort(P[own, c]), np.sort(P[~own, c])
        found.append(
            {
                "inside": (len(inside) - np.searchsorted(inside, grid)).tolist(),
                "outside": (len(outside) - np.searchsorted(outside, grid)).tolist(),
            }
        )
    return found
