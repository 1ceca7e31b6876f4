"""Pictures of what the columns are worth, to all rows and to one."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .displays import DARK, Display

LIGHT, AGAINST = "#c8d7e8", "#b4602b"


@dataclass(eq=False)
class ImportanceDisplay(Display):
    """The importances of columns, the largest first, with two standard errors to both sides.

    Parameters
    ----------
    importances : Importances
        What `importance` of a fitted classifier returns.
    n_columns : int, default=15
        Number of columns drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import KernelRidgeClassifier
    >>> from kernsemble.report import ImportanceDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = KernelRidgeClassifier(random_state=0).fit(X[::2], y[::2])
    >>> shown = ImportanceDisplay.from_estimator(clf, X[1::2], y[1::2])
    >>> shown.ax_.get_xlabel()
    'rise of the log-loss when shuffled'
    """

    importances: Any
    n_columns: int = 15

    @classmethod
    def from_estimator(cls, estimator, X=None, y=None, *, n_columns=15, ax=None, **options):
        """Ask a fitted classifier for its importances, with its options, and draw them.

        Parameters
        ----------
        estimator : classifier
            Fitted classifier.
        X, y : array-like, default=None
            Rows with labels, as `importance` takes them.
        n_columns : int, default=15
            Number of columns drawn.
        ax : matplotlib Axes, default=None
            None means new axes.
        **options : dict
            Further parameters of `importance`.

        Returns
        -------
        display : object
            The display, with `ax_` and `figure_`.
        """
        return cls(estimator.importance(X, y, **options), n_columns).plot(ax)

    def _size(self):
        return 6.0, 1.0 + 0.3 * min(self.n_columns, len(self.importances.order))

    def _draw(self, ax):
        found, shown = self.importances, self.importances.order[: self.n_columns]
        places = np.arange(len(shown))[::-1]
        ax.barh(places, found.values[shown], xerr=2 * found.errors[shown], color=LIGHT)
        ax.axvline(0.0, color="0.4", linewidth=0.8)
        ax.set_yticks(places, [str(found.names[j]) for j in shown])
        ax.set_xlabel(
            {
                "shuffle": "rise of the log-loss when shuffled",
                "gradients": "mean squared derivative",
                "decrease": "share in the decrease of impurity",
            }.get(found.method, "importance")
        )


@dataclass(eq=False)
class ExplanationDisplay(Display):
    """What the columns add to the score of one row, the strongest first.

    Parameters
    ----------
    explanation : Explanation
        What `explain` of a fitted classifier returns.
    row : int, default=0
        Which of the explained rows.
    n_columns : int, default=10
        Number of columns drawn; the rest is drawn together.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import KernelRidgeClassifier
    >>> from kernsemble.report import ExplanationDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = KernelRidgeClassifier(random_state=0).fit(X[::2], y[::2])
    >>> shown = ExplanationDisplay.from_estimator(clf, X[:1])
    >>> len(shown.ax_.get_yticks())
    4
    """

    explanation: Any
    row: int = 0
    n_columns: int = 10

    @classmethod
    def from_estimator(cls, estimator, x, *, n_columns=10, ax=None, **options):
        """Explain one row, given as a table of one row, and draw the explanation.

        Parameters
        ----------
        estimator : classifier
            Fitted classifier.
        x : array-like of shape (1, n_features)
            The row.
        n_columns : int, default=10
            Number of columns drawn.
        ax : matplotlib Axes, default=None
            None means new axes.
        **options : dict
            Further parameters of `explain`.

        Returns
        -------
        display : object
            The display, with `ax_` and `figure_`.
        """
        return cls(estimator.explain(x, **options), 0, n_columns).plot(ax)

    def _size(self):
        return 6.5, 1.2 + 0.3 * min(self.n_columns + 1, len(self.explanation.names))

    def _draw(self, ax):
        found, row = self.explanation, self.row
        amounts, errors = found.contributions[row], found.errors[row]
        order = np.argsort(-np.abs(amounts), kind="stable")
        shown, rest = order[: self.n_columns], order[self.n_columns :]
        names = [_named(found, row, j) for j in shown]
        amounts, errors = list(amounts[shown]), list(2 * errors[shown])
        if len(rest):
            names.append(f"{len(rest)} other columns")
            amounts.append(found.contributions[row, rest].sum())
            errors.append(2 * np.sqrt(np.sum(found.errors[row, rest] ** 2)))
        places = np.arange(len(names))[::-1]
        colours = [DARK if amount >= 0 else AGAINST for amount in amounts]
        ax.barh(places, amounts, xerr=errors if np.any(errors) else None, color=colours)
        ax.axvline(0.0, color="0.4", linewidth=0.8)
        ax.set_yticks(places, names)
        ax.set_xlabel(
            f"added to the mean score {found.mean_scores[row]:.3g} of class {found.classes[row]}"
            f" = {found.scores[row]:.3g}"
        )


def _named(found, row, column):
    name = str(found.names[column])
    if found.values is None:
        return name
    value = found.values[row, column]
    return (
        f"{name} = {value:.4g}" if isinstance(value, (float, np.floating)) else f"{name} = {value}"
    )
