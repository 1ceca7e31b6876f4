"""What a page asks beyond honest scores: learning curve, importances, dependence, reasons.

Rows are handled by number: a row of a mixed table is a list of row numbers, one for each column, so
that columns of any kind can be exchanged between rows without looking into them.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ..explain.importance import Importances, log_losses, shuffled_changes
from ..explain.shapley import RowGame, sampled_contributions

# Largest number of rows of a model that is fitted again, and of rows that it is asked about.
MAX_FITTED = 2000
MAX_ASKED = 800
# Once is enough: which rows are asked matters more than how their columns are shuffled.
N_REPEATS = 1
# Rows and values that a line of partial dependence is drawn from.
N_AVERAGED, N_VALUES = 100, 12
N_BACKGROUND = 10


class Asked(NamedTuple):
    """A model, a table, and the columns of the table.

    Attributes
    ----------
    model : classifier or pipeline
    X : DataFrame of shape (n_rows, n_columns)
    codes : ndarray of int of shape (n_rows,)
    as_array : bool
        Whether the model was fitted to an array without names.
    """

    model: Any
    X: Any
    codes: np.ndarray
    as_array: bool = False

    def given(self, rows):
        """Return rows of the table in the form that the model was fitted to."""
        return rows.to_numpy() if self.as_array else rows

    def mixed(self, numbers):
        """Return the table whose cell (i, j) is that of row `numbers[i, j]` in column j."""
        parts = {
            name: self.X[name].array.take(numbers[:, j]) for j, name in enumerate(self.X.columns)
        }
        return self.given(type(self.X)(parts))

    def scores(self, numbers):
        """Return the class scores of mixed rows, one column for each class."""
        S = self.model.decision_function(self.mixed(numbers))
        return np.column_stack([-S, S]) if S.ndim == 1 else S

    def probabilities(self, numbers):
        """Return the class probabilities of mixed rows."""
        return self.model.predict_proba(self.mixed(numbers))

    def whole(self, rows):
        """Return the numbers of unmixed rows."""
        return np.repeat(np.asarray(rows)[:, None], self.X.shape[1], axis=1)


class Curve(NamedTuple):
    """Accuracy and log-loss of models that were fitted to more and more rows."""

    sizes: list
    accuracy: list
    loss: list


def learn_again(asked, y, rng):
    """Fit clones to nested samples of the rows, and ask them about rows that none of them saw.

    Returns
    -------
    curve : Curve
    largest : Asked
        The clone of most rows.
    held_out : ndarray of int
        Numbers of the rows that it did not see.
    """
    n, n_classes = len(asked.codes), asked.codes.max() + 1
    order = rng.permutation(n)
    # The first rows hold two of every class, so that every clone knows all classes.
    first = np.concatenate([order[asked.codes[order] == c][:2] for c in range(n_classes)])
    order = np.concatenate([first, order[~np.isin(order, first)]])
    top = min(MAX_FITTED, max(len(first), int(0.75 * n)))
    held_out = order[top : top + MAX_ASKED]
    sizes = sorted({max(len(first), top // 2**k) for k in (3, 2, 1, 0)})
    curve, largest = Curve([], [], []), asked
    for size in sizes:
        rows = np.sort(order[:size])
        model = clone(asked.model).fit(asked.given(asked.X.iloc[rows]), np.asarray(y)[rows])
        largest = asked._replace(model=model)
        if len(held_out):
            P = largest.probabilities(asked.whole(held_out))
            own = asked.codes[held_out]
            curve.sizes.append(size)
            curve.accuracy.append(float(np.mean(P.argmax(axis=1) == own)))
            curve.loss.append(float(log_losses(P, own).mean()))
    return curve, largest, held_out


def weigh_columns(asked, rows, rng):
    """Return the importances of the columns by shuffling rows that the model did not see."""
    groups = [np.array([j]) for j in range(asked.X.shape[1])]
    numbers = asked.whole(rows)
    changes = shuffled_changes(
        asked.probabilities, numbers, asked.codes[rows], groups, N_REPEATS, rng
    )
    names = np.array([str(name) for name in asked.X.columns])
    return Importances.of(names, changes, "shuffle")


def depend_on(asked, column, rng):
    """Return values of a column and the mean class probabilities of rows that have each of them.

    The values are quantiles of numbers, or the most frequent ones of anything else, in the rows
    `sources`, from which they can be put into other rows.
    """
    import pandas as pd

    own = asked.X.iloc[:, column]
    some = rng.choice(len(own), min(N_AVERAGED, len(own)), replace=False)
    known = np.flatnonzero(own.notna().to_numpy())
    numeric = pd.api.types.is_numeric_dtype(own) and own.nunique() > N_VALUES
    if numeric:
        order = known[np.argsort(own.to_numpy()[known], kind="stable")]
        places = np.linspace(0.01, 0.99, N_VALUES) * (len(order) - 1)
        sources = order[np.unique(places.round().astype(int))]
    else:
        # Numbers come in their order, names as they first appear.
        codes = pd.factorize(own, sort=pd.api.types.is_numeric_dtype(own))[0]
        frequent = pd.Series(codes[codes >= 0]).value_counts().index[:N_VALUES]
        sources = np.array([int(np.argmax(codes == c)) for c in sorted(frequent)])
    numbers = asked.whole(np.tile(some, len(sources)))
    numbers[:, column] = np.repeat(sources, len(some))
    P = asked.probabilities(numbers).reshape(len(sources), len(some), -1).mean(axis=1)
    values = [own.iloc[source] for source in sources]
    return {"values": values, "numeric": bool(numeric), "probabilities": P}


def find_reasons(asked, rows, codes, rng, n_reasons=3):
    """Return for each row the columns that speak most for a class, with their contributions."""
    background = asked.whole(
        rng.choice(len(asked.codes), min(N_BACKGROUND, len(asked.codes)), replace=False)
    )

    def score(numbers, owner):
        return asked.scores(numbers)[np.arange(len(owner)), codes[owner]]

    groups = [np.array([j]) for j in range(asked.X.shape[1])]
    game = RowGame(score, asked.whole(rows), background, groups)
    found = sampled_contributions(game, len(rows), (len(background), len(groups)), 2, rng).values
    best = np.argsort(-found, axis=1, kind="stable")[:, :n_reasons]
    names = [str(name) for name in asked.X.columns]
    return [
        [(names[j], asked.X.iloc[row, j], float(found[i, j])) for j in best[i] if found[i, j] > 0]
        for i, row in enumerate(rows)
    ]
