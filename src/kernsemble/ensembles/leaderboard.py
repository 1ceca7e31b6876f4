"""The leaderboard of an ensemble: what each member is worth, as a list, a table and a picture."""

from html import escape
from typing import NamedTuple

import numpy as np

from ..calibration import mean_log_loss, probabilities


class Standing(NamedTuple):
    """One member: its weight, seconds to fit, accuracy and log-loss on rows it did not see.

    The log-loss has the weights of the fit, as what is minimised; the accuracy counts every row
    once, to be compared with that of other methods. A member that was left out has NaN for both,
    and the note says why.
    """

    member: str
    accuracy: float
    log_loss: float
    weight: float
    seconds: float
    note: str = ""


class Leaderboard(list):
    """A list of `Standing`, largest weight first, that prints as a table."""

    def __repr__(self):
        width = max([len("member"), *(len(row.member) for row in self)])
        lines = [f"{'member':<{width}}  accuracy  log-loss  weight  seconds"]
        lines += [
            f"{row.member:<{width}}  {row.accuracy:8.4f}  {row.log_loss:8.4f}  {row.weight:6.3f}"
            f"  {row.seconds:7.2f}"
            if row.accuracy == row.accuracy
            else f"{row.member:<{width}}  left out: {row.note}"
            for row in self
        ]
        return "\n".join(lines)

    def _repr_html_(self):
        """Return the table as notebooks show it, with a bar behind every weight."""
        names = ("member", "honest accuracy", "honest log-loss", "weight", "seconds")
        top = max((row.weight for row in self), default=0.0) or 1.0
        lines = "".join(_html_row(row, row.weight / top) for row in self)
        sides = ("left", *4 * ("right",))
        heads = "".join(f"<th style='text-align:{s}'>{h}</th>" for s, h in zip(sides, names))
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"

    def to_frame(self):
        """Return the rows as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(list(self), columns=Standing._fields)

    def plot(self, ax=None):
        """Draw honest accuracies as points and weights as bars.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            None makes a new figure.

        Returns
        -------
        axes
        """
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=(6.0, 1.5 + 0.3 * len(self)), layout="constrained")
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


def _html_row(row, share):
    """Return a line of the table; `share` is the length of its bar."""
    name = f"<td style='text-align:left'>{escape(row.member)}</td>"
    if row.accuracy != row.accuracy:
        note = f"<td colspan='4' style='text-align:left'>left out: {escape(row.note)}</td>"
        return f"<tr>{name}{note}</tr>"
    bar = f"background:linear-gradient(to left, #7fa8cc66 {100 * share:.0f}%, transparent 0)"
    texts = (
        (f"{row.accuracy:.4f}", ""),
        (f"{row.log_loss:.4f}", ""),
        (f"{row.weight:.3f}", bar),
        (f"{row.seconds:.2f}", ""),
    )
    cells = "".join(f"<td style='text-align:right;{style}'>{text}</td>" for text, style in texts)
    return f"<tr>{name}{cells}</tr>"


def make_leaderboard(names, honest, pool, seconds, codes, sample_weight, left_out):
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
    sample_weight : ndarray of shape (n_samples,) or None
    left_out : dict
        Name of a member that was not fitted → why.
    """
    rows = []
    weighed = zip(names, honest, pool.weights, pool.temperatures, seconds)
    for name, S, weight, temperature, spent in weighed:
        P = probabilities(S, temperature)
        accuracy = float(np.mean(P.argmax(axis=1) == codes))
        loss = mean_log_loss(P, codes, sample_weight)
        rows.append(Standing(name, accuracy, loss, float(weight), float(spent)))
    absent = [Standing(name, np.nan, np.nan, 0.0, 0.0, why) for name, why in left_out.items()]
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
