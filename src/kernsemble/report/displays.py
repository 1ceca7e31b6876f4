"""Pictures of a fitted classifier in scikit-learn's manner: `from_estimator`, `plot`, `ax_`."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..ensembles.leaderboard import reliability
from ..explain.decisions import class_thresholds

DARK, LIGHT, AGAINST = "#1f5f8b", "#c8d7e8", "#b4602b"


class _Display:
    """What all displays have in common: axes that are made when none are given."""

    def _axes(self, ax, size=(6.0, 4.0)):
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=size, layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        return ax


@dataclass(eq=False)
class LeaderboardDisplay(_Display):
    """The members of an ensemble by weight, with their honest accuracy.

    Parameters
    ----------
    leaderboard : Leaderboard

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import KernelEnsembleClassifier
    >>> from kernsemble.report import LeaderboardDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = KernelEnsembleClassifier(["gaussian", "ranks"], random_state=0).fit(X, y)
    >>> shown = LeaderboardDisplay.from_estimator(clf)
    >>> shown.ax_.get_xlabel()
    'weight'
    """

    leaderboard: Any

    @classmethod
    def from_estimator(cls, estimator, *, ax=None):
        """Draw the leaderboard of a fitted ensemble."""
        if not hasattr(estimator, "leaderboard_"):
            raise ValueError(f"A {type(estimator).__name__} has no leaderboard_ to draw.")
        return cls(estimator.leaderboard_).plot(ax)

    def plot(self, ax=None):
        """Draw on the given axes, or on new ones; return the display."""
        ax = self._axes(ax, (6.0, 1.5 + 0.3 * len(self.leaderboard)))
        self.leaderboard.plot(ax)
        return self


@dataclass(eq=False)
class ReliabilityDisplay(_Display):
    """How often the predicted class is right, by its probability.

    Parameters
    ----------
    said, came : ndarray of shape (n_bins,)
        Mean probability of the predicted class, and the share of rows that have it.
    """

    said: np.ndarray
    came: np.ndarray

    @classmethod
    def from_estimator(cls, estimator, X=None, y=None, *, n_bins=10, ax=None):
        """Draw the honest probabilities of the training rows, or those of rows with labels."""
        if X is None:
            P, honest = estimator._honest_probabilities()
            return cls.from_predictions(honest.codes, P, n_bins=n_bins, ax=ax)
        codes = np.searchsorted(estimator.classes_, y)
        return cls.from_predictions(codes, estimator.predict_proba(X), n_bins=n_bins, ax=ax)

    @classmethod
    def from_predictions(cls, codes, P, *, n_bins=10, ax=None):
        """Draw probabilities of shape (n_rows, n_classes) against the codes of the classes."""
        return cls(*reliability(np.asarray(P), np.asarray(codes), n_bins)).plot(ax)

    def plot(self, ax=None):
        """Draw on the given axes, or on new ones; return the display."""
        ax = self._axes(ax, (4.5, 4.5))
        low = min(self.said.min(), self.came.min(), 0.5)
        ax.plot([low, 1], [low, 1], color="0.7", linewidth=1)
        ax.plot(self.said, self.came, "o-", color=DARK)
        ax.set(xlabel="probability of the predicted class", ylabel="share of rows that have it")
        return self


@dataclass(eq=False)
class ImportanceDisplay(_Display):
    """The importances of columns, the largest first, with two standard errors to both sides.

    Parameters
    ----------
    importances : Importances
    n_columns : int, default=15
        Number of columns drawn.
    """

    importances: Any
    n_columns: int = 15

    @classmethod
    def from_estimator(cls, estimator, X=None, y=None, *, n_columns=15, ax=None, **options):
        """Ask a fitted classifier for its importances, with its options, and draw them."""
        return cls(estimator.importance(X, y, **options), n_columns).plot(ax)

    def plot(self, ax=None):
        """Draw on the given axes, or on new ones; return the display."""
        found, shown = self.importances, self.importances.order[: self.n_columns]
        ax = self._axes(ax, (6.0, 1.0 + 0.3 * len(shown)))
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
        return self


@dataclass(eq=False)
class ExplanationDisplay(_Display):
    """What the columns add to the score of one row, the strongest first.

    Parameters
    ----------
    explanation : Explanation
    row : int, default=0
        Which of the explained rows.
    n_columns : int, default=10
        Number of columns drawn; the rest is drawn together.
    """

    explanation: Any
    row: int = 0
    n_columns: int = 10

    @classmethod
    def from_estimator(cls, estimator, x, *, n_columns=10, ax=None, **options):
        """Explain one row, given as a table of one row, and draw the explanation."""
        return cls(estimator.explain(x, **options), 0, n_columns).plot(ax)

    def plot(self, ax=None):
        """Draw on the given axes, or on new ones; return the display."""
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
        ax = self._axes(ax, (6.5, 1.2 + 0.3 * len(names)))
        places = np.arange(len(names))[::-1]
        colours = [DARK if amount >= 0 else AGAINST for amount in amounts]
        ax.barh(places, amounts, xerr=errors if np.any(errors) else None, color=colours)
        ax.axvline(0.0, color="0.4", linewidth=0.8)
        ax.set_yticks(places, names)
        ax.set_xlabel(
            f"added to the mean score {found.mean_scores[row]:.3g} of class {found.classes[row]}"
            f" = {found.scores[row]:.3g}"
        )
        return self


def _named(found, row, column):
    name = str(found.names[column])
    if found.values is None:
        return name
    value = found.values[row, column]
    return (
        f"{name} = {value:.4g}" if isinstance(value, (float, np.floating)) else f"{name} = {value}"
    )


@dataclass(eq=False)
class CoverageDisplay(_Display):
    """How often label sets hold the class, for all rows and for each class, by confidence.

    Parameters
    ----------
    confidences : ndarray of shape (n_confidences,)
    coverage : ndarray of shape (n_confidences,)
    by_class : ndarray of shape (n_confidences, n_classes)
    classes : ndarray of shape (n_classes,)
    """

    confidences: np.ndarray
    coverage: np.ndarray
    by_class: np.ndarray
    classes: np.ndarray
    lines_: list = field(default_factory=list, init=False)

    @classmethod
    def from_estimator(cls, estimator, X, y, *, by_class=False, ax=None):
        """Draw the coverage of label sets on rows with labels that the classifier did not see."""
        P, honest = estimator._honest_probabilities()
        codes, new = np.searchsorted(estimator.classes_, y), estimator.predict_proba(X)
        confidences = np.linspace(0.5, 0.99, 25)
        held = []
        for confidence in confidences:
            if by_class:
                least = class_thresholds(P, honest.codes, confidence, honest.sample_weight)
                sets = np.greater_equal(new, least)
            else:
                sets = estimator.predict_set(X, confidence)
            held.append(sets[np.arange(len(codes)), codes])
        return cls.from_predictions(codes, confidences, np.array(held), estimator.classes_, ax=ax)

    @classmethod
    def from_predictions(cls, codes, confidences, held, classes, *, ax=None):
        """Draw whether the set of each confidence (rows) held the class of each row (columns)."""
        shares = [
            held[:, codes == c].mean(axis=1) for c in range(len(classes)) if (codes == c).any()
        ]
        present = classes[[bool((codes == c).any()) for c in range(len(classes))]]
        return cls(confidences, held.mean(axis=1), np.column_stack(shares), present).plot(ax)

    def plot(self, ax=None):
        """Draw on the given axes, or on new ones; return the display."""
        ax = self._axes(ax, (4.5, 4.5))
        ax.plot(self.confidences, self.confidences, color="0.7", linewidth=1)
        self.lines_ = ax.plot(self.confidences, self.coverage, color=DARK, label="all rows")
        for c, name in enumerate(self.classes):
            (line,) = ax.plot(self.confidences, self.by_class[:, c], linewidth=1, label=str(name))
            self.lines_.append(line)
        ax.set(xlabel="confidence asked for", ylabel="share of sets that hold the class")
        ax.legend(frameon=False)
        return self
