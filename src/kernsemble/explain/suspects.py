"""Suspects: training rows whose label the honest probabilities contradict.

The counts are those of confident learning. A row speaks for a class when its probability of that
class is at least the mean probability that rows with this label have of it, so that a class of
which the model is always unsure is not suspected as a whole.

C. G. Northcutt, L. Jiang and I. L. Chuang, "Confident learning: estimating uncertainty in dataset
labels", Journal of Artificial Intelligence Research 70, 2021.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, repr=False, eq=False)
class Suspects:
    """Rows with doubtful labels, the most doubtful first, and how many labels seem to be wrong.

    It prints as a table; `to_frame()` makes it a DataFrame.

    Attributes
    ----------
    rows : ndarray of int of shape (n_suspects,)
        Row numbers, as in `honest_rows_`.
    labels, likely : ndarray of shape (n_suspects,)
        The label of each row, and the class that its honest probabilities suggest instead.
    label_probability, likely_probability : ndarray of shape (n_suspects,)
        Honest probabilities of the two.
    n_wrong : float
        Estimated number of wrong labels among all rows, by weight.
    joint : ndarray of shape (n_classes, n_classes)
        Estimated number of rows by label (rows) and true class (columns); its sum is the weight of
        all rows.
    classes : ndarray of shape (n_classes,)
    """

    rows: np.ndarray
    labels: np.ndarray
    likely: np.ndarray
    label_probability: np.ndarray
    likely_probability: np.ndarray
    n_wrong: float
    joint: np.ndarray
    classes: np.ndarray

    def __len__(self):
        return len(self.rows)

    def __repr__(self):
        lines = [f"{len(self)} suspects; about {self.n_wrong:.0f} labels seem to be wrong"]
        lines += [
            f"row {row}: {label} ({p:.2f}), rather {other} ({q:.2f})"
            for row, label, other, p, q in zip(*self._columns().values())
        ][:20]
        return "\n".join(lines + ["…"] * (len(self) > 20))

    def to_frame(self):
        """Return the suspects as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(self._columns())

    def _columns(self):
        names = ("rows", "labels", "likely", "label_probability", "likely_probability")
        return {name: getattr(self, name) for name in names}


def find_suspects(P, codes, classes, rows, sample_weight=None):
    """Return the `Suspects` among rows with honest probabilities.

    As many rows are suspected as labels seem to be wrong: those of least probability of their
    label, as far as another class is likelier.

    Parameters
    ----------
    P : ndarray of shape (n_rows, n_classes)
        Honest probabilities.
    codes : ndarray of int of shape (n_rows,)
        Labels, as positions in `classes`.
    classes : ndarray of shape (n_classes,)
    rows : ndarray of int of shape (n_rows,)
        Row numbers.
    sample_weight : ndarray of shape (n_rows,), default=None

    Returns
    -------
    Suspects
    """
    weights = np.ones(len(codes)) if sample_weight is None else sample_weight
    joint = confident_joint(P, codes, weights)
    n_wrong = float(joint.sum() - np.trace(joint))
    own = P[np.arange(len(codes)), codes]
    order = np.argsort(own, kind="stable")
    order = order[np.cumsum(weights[order]) <= n_wrong + 0.5 * weights[order]]
    chosen = order[P[order].max(axis=1) > own[order]]
    likely = P[chosen].argmax(axis=1)
    return Suspects(
        rows[chosen],
        classes[codes[chosen]],
        classes[likely],
        own[chosen],
        P[chosen, likely],
        n_wrong,
        joint,
        classes,
    )


def confident_joint(P, codes, weights):
    """Return the estimated weight of rows by label and true class.

    Every label keeps the total weight of its rows. A label none of whose rows speaks for any class
    counts as right.
    """
    n_classes = P.shape[1]
    of_label = np.bincount(codes, weights, minlength=n_classes)
    own = np.bincount(codes, weights * P[np.arange(len(codes)), codes], minlength=n_classes)
    # A class without rows has no threshold, and no row speaks for it.
    thresholds = np.divide(own, of_label, out=np.full(n_classes, np.inf), where=of_label > 0)
    # Means of equal numbers may be rounded above them.
    slack = 1e-12
    speaks = np.greater_equal(P, thresholds - slack)
    best = np.where(speaks, P, -1.0).argmax(axis=1)
    sure = speaks.any(axis=1)
    counts = np.zeros((n_classes, n_classes))
    np.add.at(counts, (codes[sure], best[sure]), weights[sure])
    totals = counts.sum(axis=1)
    empty = totals == 0
    counts[empty, empty] = 1.0
    return counts / counts.sum(axis=1, keepdims=True) * of_label[:, None]
