"""Why the predicted class: what each column adds, and which training rows speak for and against."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Representers(NamedTuple):
    """The training rows that speak most for and against the predicted class of each row.

    Attributes
    ----------
    supporting, opposing : ndarray of int of shape (n_rows, n_shown)
        Numbers of rows among those passed as `training`, the strongest first.
    support, opposition : ndarray of shape (n_rows, n_shown)
        What each of them adds to the score of the predicted class.
    """

    supporting: np.ndarray
    opposing: np.ndarray
    support: np.ndarray
    opposition: np.ndarray


@dataclass(frozen=True, repr=False, eq=False)
class Explanation:
    """Additive explanations of the predicted classes of some rows.

    `contributions.sum(axis=1) == scores - mean_scores`, up to rounding.

    Attributes
    ----------
    names : ndarray of str of shape (n_columns,)
        Names of the columns or of the groups.
    classes : ndarray of shape (n_rows,)
        The predicted class of each row.
    scores : ndarray of shape (n_rows,)
        Its score: with two classes the decision function towards the predicted class.
    mean_scores : ndarray of shape (n_rows,)
        The mean score of that class over the background rows.
    contributions : ndarray of shape (n_rows, n_columns)
        What the value of each column adds to the score, against the background rows.
    errors : ndarray of shape (n_rows, n_columns)
        Standard errors of the contributions; zeros when these are exact.
    values : ndarray of shape (n_rows, n_columns) or None
        The values that were explained; None for groups of columns.
    representers : Representers or None
        None when the training rows were not passed, or no member compares rows with them all, as
        with many rows, when members use landmarks.
    """

    names: np.ndarray
    classes: np.ndarray
    scores: np.ndarray
    mean_scores: np.ndarray
    contributions: np.ndarray
    errors: np.ndarray
    values: np.ndarray | None
    representers: Representers | None

    def __len__(self):
        return len(self.scores)

    def __repr__(self):
        return "\n".join(
            f"{self.classes[i]}: {self.scores[i]:.3g} = {self.mean_scores[i]:.3g} "
            + " ".join(
                f"{'+' if amount >= 0 else '-'} {abs(amount):.3g} ({name})"
                for name, amount in self.strongest(i)
            )
            + " …"
            for i in range(min(10, len(self)))
        )

    def strongest(self, row, n_columns=3):
        """Return the names and contributions of the columns that matter most for one row."""
        order = np.argsort(-np.abs(self.contributions[row]), kind="stable")[:n_columns]
        return [(str(self.names[j]), float(self.contributions[row, j])) for j in order]

    def to_frame(self):
        """Return class, score and mean score, and a column of contributions for each name."""
        import pandas as pd

        frame = pd.DataFrame(self.contributions, columns=list(map(str, self.names)))
        frame.insert(0, "mean score", self.mean_scores)
        frame.insert(0, "score", self.scores)
        frame.insert(0, "class", self.classes)
        return frame


def find_representers(votes, n_shown):
    """Return the `Representers` from what each training row adds to the score of each row.

    Parameters
    ----------
    votes : ndarray of shape (n_rows, n_training)
    n_shown : int
    """
    n_shown = min(n_shown, votes.shape[1])
    order = np.argsort(-votes, axis=1, kind="stable")
    best, worst = order[:, :n_shown], order[:, ::-1][:, :n_shown]
    return Representers(
        best,
        worst,
        np.take_along_axis(votes, best, axis=1),
        np.take_along_axis(votes, worst, axis=1),
    )
