"""Importances of columns: what the score or the log-loss loses without them.

Shuffling a column breaks what it says about the class and leaves everything else as it is. Done to
rows that the model did not see, the rise of the log-loss is what the column is worth; done to
training rows, it also counts what the model remembers of them, and even noise seems important.
"""

from dataclasses import dataclass

import numpy as np

# Step of the differences that stand for derivatives, in standard deviations of a column.
STEP = 1e-3


@dataclass(frozen=True, repr=False, eq=False)
class Importances:
    """What each column or group of columns is worth, with standard errors.

    It prints as a table, the most important first; `to_frame()` makes it a DataFrame.

    Attributes
    ----------
    names : ndarray of str of shape (n_groups,)
    values : ndarray of shape (n_groups,)
    errors : ndarray of shape (n_groups,)
        Standard errors of the values.
    method : str
        How they were found: "shuffle", "gradients" or "decrease".
    """

    names: np.ndarray
    values: np.ndarray
    errors: np.ndarray
    method: str

    @classmethod
    def of(cls, names, samples, method, sample_weight=None):
        """Return the means of samples of shape (n_groups, n_samples), with standard errors."""
        values, errors = mean_and_error(samples, sample_weight)
        return cls(names, values, errors, method)

    def __len__(self):
        return len(self.names)

    @property
    def order(self):
        """Positions of the columns, the most important first."""
        return np.argsort(-self.values, kind="stable")

    def __repr__(self):
        width = max(len("column"), *(len(str(name)) for name in self.names))
        lines = [f"{'column':<{width}}  importance  standard error"]
        lines += [
            f"{self.names[j]!s:<{width}}  {self.values[j]:10.4f}  {self.errors[j]:14.4f}"
            for j in self.order[:30]
        ]
        return "\n".join(lines + ["…"] * (len(self) > 30))

    def to_frame(self):
        """Return the importances as a pandas DataFrame, the most important first."""
        import pandas as pd

        frame = pd.DataFrame(
            {"column": self.names, "importance": self.values, "standard error": self.errors}
        )
        return frame.iloc[self.order].reset_index(drop=True)


def log_losses(P, codes):
    """Return the log-loss of every row."""
    return -np.log(np.maximum(P[np.arange(len(codes)), codes], np.finfo(float).tiny))


def shuffled_changes(probabilities, X, codes, groups, n_repeats, rng):
    """Return the mean change of every row's log-loss when each group of columns is shuffled.

    Parameters
    ----------
    probabilities : callable
        Class probabilities of rows.
    X : ndarray of shape (n_rows, n_columns)
    codes : ndarray of int of shape (n_rows,)
    groups : list of ndarray of int
        The columns of a group are shuffled together.
    n_repeats : int
    rng : RandomState

    Returns
    -------
    ndarray of shape (n_groups, n_rows)
    """
    before = log_losses(probabilities(X), codes)
    orders = [rng.permutation(len(X)) for _ in range(n_repeats)]
    changes = np.zeros((len(groups), len(X)))
    for change, columns in zip(changes, groups):
        for order in orders:
            Z = X.copy()
            Z[:, columns] = X[np.ix_(order, columns)]
            change += (log_losses(probabilities(Z), codes) - before) / n_repeats
    return changes


def mean_and_error(samples, sample_weight=None):
    """Return the weighted means of the rows of an array, and their standard errors."""
    n = samples.shape[1]
    weights = np.ones(n) if sample_weight is None else sample_weight
    mean = samples @ weights / weights.sum()
    squares = ((samples - mean[:, None]) * weights) ** 2
    return mean, np.sqrt(squares.sum(axis=1) * n / max(1, n - 1)) / weights.sum()


def squared_gradients(score, X):
    """Return the squared derivatives of scores by column, in standard deviations of the columns.

    Their mean over the rows is the diagonal of the expected gradient outer product of the scores
    on standardised columns.

    Parameters
    ----------
    score : callable
        Class scores of rows, of shape (n_rows, n_outputs).
    X : ndarray of shape (n_rows, n_columns)

    Returns
    -------
    ndarray of shape (n_columns, n_rows)
        Summed over the outputs.
    """
    squares = np.zeros((X.shape[1], len(X)))
    for j, spread in enumerate(np.nanstd(X, axis=0)):
        if spread > 0:
            ends = []
            for side in (-STEP, STEP):
                Z = X.copy()
                Z[:, j] += side * spread
                ends.append(score(Z))
            squares[j] = np.sum((ends[1] - ends[0]) ** 2, axis=1) / (2.0 * STEP) ** 2
    return squares
