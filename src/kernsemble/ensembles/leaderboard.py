"""The leaderboard of an ensemble: what each member is worth, as a list, a table and a picture."""

from typing import NamedTuple

import numpy as np
from sklearn.metrics import log_loss

from ..calibration import probabilities


class Standing(NamedTuple):
    """One member: its weight, seconds to fit, accuracy and log-loss on rows it did not see.

    The log-loss has the weights of the fit, as what is minimised; the accuracy counts every row
    once, to be compared with that of other methods. A member that was left out, because it cannot
    take the rows, has NaN for both.
    """

    member: str
    accuracy: float
    log_loss: float
    weight: float
    seconds: float


class Leaderboard(list):
    """A list of `Standing`, largest weight first, that prints as a table."""

    def __repr__(self):
        width = max([len("member"), *(len(row.member) for row in self)])
        lines = [f"{'member':<{width}}  accuracy  log-loss  weight  seconds"]
        lines += [
            f"{row.member:<{width}}  {row.accuracy:8.4f}  {row.log_loss:8.4f}  {row.weight:6.3f}"
            f"  {row.seconds:7.2f}"
            if row.accuracy == row.accuracy
            else f"{row.member:<{width}}  left out: it takes no sparse rows"
            for row in self
        ]
        return "\n".join(lines)

    def to_frame(self):
        """Return the rows as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(list(self), columns=Standing._fields)

    def plot(self, ax):
        """Draw honest accuracies as points and weights as bars on matplotlib axes."""
        places = np.arange(len(self))[::-1]
        ax.barh(places, [row.weight for row in self], color="#c8d7e8", label="weight")
        ax.set_yticks(places, [row.member for row in self])
        ax.set_xlabel("weight")
        above = ax.twiny()
        above.plot(
            [row.accuracy for row in self], places, "o", color="#1f4e79", label="honest accuracy"
        )
        above.locator_params(axis="x", nbins=5)
        above.set_xlabel("honest accuracy", color="#1f4e79")
        return ax


def make_leaderboard(names, honest, pool, seconds, codes, sample_weight=None, left_out=()):
    """Return the standings of members, best first.

    Parameters
    ----------
    names : list of str
    honest : ndarray of shape (n_members, n_samples, 1) or (n_members, n_samples, n_classes)
        Class scores of rows by members that did not see them.
    pool : Pooled
        Weights of the members, and the temperatures that make their scores probabilities.
    seconds : sequence of float
    codes : ndarray of int of shape (n_samples,)
    sample_weight : ndarray of shape (n_samples,), default=None
    left_out : iterable of str, default=()
        Names of members that cannot take the rows.
    """
    rows = []
    for name, S, weight, temperature, spent in zip(names, honest, *pool, seconds):
        P = probabilities(S, temperature)
        accuracy = float(np.mean(P.argmax(axis=1) == codes))
        loss = log_loss(codes, P, labels=np.arange(P.shape[1]), sample_weight=sample_weight)
        rows.append(Standing(name, accuracy, float(loss), float(weight), float(spent)))
    absent = [Standing(name, np.nan, np.nan, 0.0, 0.0) for name in left_out]
    return Leaderboard([*sorted(rows, key=lambda row: (-row.weight, row.log_loss)), *absent])


def reliability(P, codes, n_bins=10):
    """Return mean confidence and accuracy of the rows in bins of equal size by confidence."""
    confidence = P.max(axis=1)
    order = np.argsort(confidence, kind="stable")
    hits = P.argmax(axis=1) == codes
    bins = [part for part in np.array_split(order, n_bins) if part.size]
    return (
        np.array([confidence[part].mean() for part in bins]),
        np.array([hits[part].mean() for part in bins]),
    )
