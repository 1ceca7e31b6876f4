"""Decisions from honest probabilities: label sets for every class, rules of least cost."""

from typing import NamedTuple

import numpy as np

from ..calibration import conformal_threshold


def class_thresholds(P, codes, confidence, sample_weight=None):
    """Return for every class the probability that its own rows reach with this confidence.

    Parameters
    ----------
    P : ndarray of shape (n_rows, n_classes)
        Honest probabilities.
    codes : ndarray of int of shape (n_rows,)
    confidence : float
    sample_weight : ndarray of shape (n_rows,), default=None

    Returns
    -------
    ndarray of shape (n_classes,)
        0 for a class with too few rows, which is then in every label set.
    """
    thresholds = np.zeros(P.shape[1])
    for c in range(P.shape[1]):
        own = codes == c
        if own.any():
            weights = None if sample_weight is None else sample_weight[own]
            thresholds[c] = conformal_threshold(P[own], codes[own], confidence, weights)
    return thresholds


class CostRule(NamedTuple):
    """The decision of least expected cost.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    cost : ndarray of shape (n_classes, n_classes)
        Cost by true class (rows) and decision (columns).
    threshold : float or None
        With two classes, the probability of the second one above which it is chosen. None with more
        classes, or when one decision is never dearer than the other.
    expected_cost, standard_error : float
        Mean honest cost of a row under this rule, and its standard error.
    usual_cost : float
        Mean honest cost when the likeliest class is chosen.
    """

    classes: np.ndarray
    cost: np.ndarray
    threshold: float | None
    expected_cost: float
    standard_error: float
    usual_cost: float

    def predict(self, P):
        """Return the decision for each row of class probabilities."""
        return self.classes[decide(np.asarray(P), self.cost)]


def decide(P, cost):
    """Return the code of the decision of least expected cost for each row of probabilities."""
    expected = P @ cost
    # Decisions that cost the same go to the likelier class.
    lowest = expected.min(axis=1, keepdims=True)
    tied = expected <= lowest + 1e-12 * np.maximum(1.0, np.abs(lowest))
    return np.where(tied, P, -1.0).argmax(axis=1)


def cost_rule(P, codes, classes, cost, sample_weight=None):
    """Return the `CostRule` of a table of costs, with its cost on honest probabilities.

    Parameters
    ----------
    P : ndarray of shape (n_rows, n_classes)
        Honest probabilities.
    codes : ndarray of int of shape (n_rows,)
    classes : ndarray of shape (n_classes,)
    cost : array-like of shape (n_classes, n_classes) or dict
        What a decision costs; `read_costs` says in which form.
    sample_weight : ndarray of shape (n_rows,), default=None
    """
    cost = read_costs(cost, classes)
    weights = np.ones(len(codes)) if sample_weight is None else sample_weight
    paid = cost[codes, decide(P, cost)]
    mean = float(np.average(paid, weights=weights))
    deviation = np.sqrt(np.sum((weights * (paid - mean)) ** 2)) / weights.sum()
    usual = float(np.average(cost[codes, P.argmax(axis=1)], weights=weights))
    return CostRule(classes, cost, _threshold(cost), mean, float(deviation), usual)


def read_costs(cost, classes):
    """Return costs as an array of shape (n_classes, n_classes).

    Parameters
    ----------
    cost : array-like or dict
        Costs by true class (rows) and decision (columns), or a dict from pairs (true class,
        decision) to costs. A pair of equal classes that a dict does not name costs nothing, any
        other costs 1.
    classes : ndarray of shape (n_classes,)
    """
    k = len(classes)
    if isinstance(cost, dict):
        table = 1.0 - np.eye(k)
        places = {label: place for place, label in enumerate(classes.tolist())}
        for pair, value in cost.items():
            if not isinstance(pair, tuple) or len(pair) != 2 or not set(pair) <= set(places):
                raise ValueError(
                    f"cost must have pairs (true class, decision) of the classes "
                    f"{classes.tolist()} as keys, got {pair!r}."
                )
            table[places[pair[0]], places[pair[1]]] = value
    else:
        table = np.asarray(cost, dtype=np.float64)
    if table.shape != (k, k) or not np.isfinite(table).all():
        raise ValueError(
            f"cost must be a table of finite numbers with one row for each true class and one "
            f"column for each decision, {k} × {k}, got {cost!r}."
        )
    return table


def _threshold(cost):
    if cost.shape != (2, 2):
        return None
    # Choosing the second class costs `false` more for a row of the first, and saves `missed` for
    # a row of the second.
    false, missed = cost[0, 1] - cost[0, 0], cost[1, 0] - cost[1, 1]
    return float(false / (false + missed)) if false > 0 and missed > 0 else None
