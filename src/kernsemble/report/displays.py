"""Pictures of a fitted classifier in scikit-learn's manner: `from_estimator`, `plot`, `ax_`."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..ensembles.leaderboard import reliability
from ..explain.decisions import class_thresholds

DARK = "#1f5f8b"


class Display(ABC):
    """What all displays have in common: axes that are made when none are given."""

    def plot(self, ax=None):
        """Draw on the given axes, or on new ones.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None means new axes.

        Returns
        -------
        display : object
            This display, with `ax_` and `figure_`.
        """
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=self._size(), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax)
        return self

    def _size(self):
        """Return width and height of new axes in inches."""
        return 4.5, 4.5

    @abstractmethod
    def _draw(self, ax):
        """Draw on these axes."""


@dataclass(eq=False)
class LeaderboardDisplay(Display):
    """The members of an ensemble by weight, with their honest accuracy.

    Parameters
    ----------
    leaderboard : Leaderboard
        The attribute `leaderboard_` of a fitted ensemble.

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
        """Draw the leaderboard of a fitted ensemble.

        Parameters
        ----------
        estimator : classifier
            Fitted ensemble with `leaderboard_`.
        ax : matplotlib Axes, default=None
            None means new axes.

        Returns
        -------
        display : object
            The display, with `ax_` and `figure_`.
        """
        if not hasattr(estimator, "leaderboard_"):
            raise ValueError(f"A {type(estimator).__name__} has no leaderboard_ to draw.")
        return cls(estimator.leaderboard_).plot(ax)

    def _size(self):
        return 6.0, 1.5 + 0.3 * len(self.leaderboard)

    def _draw(self, ax):
        self.leaderboard.plot(ax)


@dataclass(eq=False)
class ReliabilityDisplay(Display):
    """How often the predicted class is right, by its probability.

    Parameters
    ----------
    said, came : ndarray of shape (n_bins,)
        Mean probability of the predicted class, and the share of rows that have it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import KernelRidgeClassifier
    >>> from kernsemble.report import ReliabilityDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = KernelRidgeClassifier(random_state=0).fit(X[::2], y[::2])
    >>> ReliabilityDisplay.from_estimator(clf).ax_.get_xlabel()
    'probability of the predicted class'
    """

    said: np.ndarray
    came: np.ndarray

    @classmethod
    def from_estimator(cls, estimator, X=None, y=None, *, n_bins=10, ax=None):
        """Draw the honest probabilities of the training rows, or those of rows with labels.

        Parameters
        ----------
        estimator : classifier
            Fitted classifier with honest scores.
        X, y : array-like, default=None
            Rows with labels; None means the honest probabilities of the training rows.
        n_bins : int, default=10
            Largest number of points.
        ax : matplotlib Axes, default=None
            None means new axes.

        Returns
        -------
        display : object
            The display, with `ax_` and `figure_`.
        """
        if X is None:
            P, honest = estimator._honest_probabilities()
            return cls.from_predictions(honest.codes, P, n_bins=n_bins, ax=ax)
        codes = np.searchsorted(estimator.classes_, y)
        return cls.from_predictions(codes, estimator.predict_proba(X), n_bins=n_bins, ax=ax)

    @classmethod
    def from_predictions(cls, codes, P, *, n_bins=10, ax=None):
        """Draw probabilities of shape (n_rows, n_classes) against the codes of the classes.

        Parameters
        ----------
        codes : array-like of int of shape (n_rows,)
            Classes of the rows, as numbers of columns of `P`.
        P : array-like of shape (n_rows, n_classes)
            Probabilities.
        n_bins : int, default=10
            Largest number of points.
        ax : matplotlib Axes, default=None
            None means new axes.

        Returns
        -------
        display : object
            The display, with `ax_` and `figure_`.
        """
        return cls(*reliability(np.asarray(P), np.asarray(codes), n_bins)).plot(ax)

    def _draw(self, ax):
        low = min(self.said.min(), self.came.min(), 0.5)
        ax.plot([low, 1], [low, 1], color="0.7", linewidth=1)
        ax.plot(self.said, self.came, "o-", color=DARK)
        ax.set(xlabel="probability of the predicted class", ylabel="share of rows that have it")


@dataclass(eq=False)
class CoverageDisplay(Display):
    """How often label sets hold the class, for all rows and for each class, by confidence.

    Parameters
    ----------
    confidences : ndarray of shape (n_confidences,)
        Confidences asked for.
    coverage : ndarray of shape (n_confidences,)
        Share of all sets that hold the class of their row.
    by_class : ndarray of shape (n_confidences, n_classes)
        The same share among the rows of each class.
    classes : ndarray of shape (n_classes,)
        Names of the classes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import KernelRidgeClassifier
    >>> from kernsemble.report import CoverageDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = KernelRidgeClassifier(random_state=0).fit(X[::2], y[::2])
    >>> shown = CoverageDisplay.from_estimator(clf, X[1::2], y[1::2])
    >>> len(shown.lines_)
    4
    """

    confidences: np.ndarray
    coverage: np.ndarray
    by_class: np.ndarray
    classes: np.ndarray
    lines_: list = field(default_factory=list, init=False)

    @classmethod
    def from_estimator(cls, estimator, X, y, *, by_class=False, ax=None):
        """Draw the coverage of label sets on rows with labels that the classifier did not see.

        Parameters
        ----------
        estimator : classifier
            Fitted classifier with honest scores.
        X, y : array-like
            New rows with their labels.
        by_class : bool, default=False
            Whether every class shall be covered with the confidence asked for.
        ax : matplotlib Axes, default=None
            None means new axes.

        Returns
        -------
        display : object
            The display, with `ax_` and `figure_`.
        """
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
        """Draw whether the set of each confidence (rows) held the class of each row (columns).

        Parameters
        ----------
        codes : ndarray of int of shape (n_rows,)
            Classes of the rows, as positions in `classes`.
        confidences : ndarray of shape (n_confidences,)
            Confidences asked for.
        held : ndarray of bool of shape (n_confidences, n_rows)
            Whether a set held the class of its row.
        classes : ndarray of shape (n_classes,)
            Names of the classes.
        ax : matplotlib Axes, default=None
            None means new axes.

        Returns
        -------
        display : object
            The display, with `ax_` and `figure_`.
        """
        shares = [
            held[:, codes == c].mean(axis=1) for c in range(len(classes)) if (codes == c).any()
        ]
        present = classes[[bool((codes == c).any()) for c in range(len(classes))]]
        return cls(confidences, held.mean(axis=1), np.column_stack(shares), present).plot(ax)

    def _draw(self, ax):
        ax.plot(self.confidences, self.confidences, color="0.7", linewidth=1)
        self.lines_ = ax.plot(self.confidences, self.coverage, color=DARK, label="all rows")
        for c, name in enumerate(self.classes):
            (line,) = ax.plot(self.confidences, self.by_class[:, c], linewidth=1, label=str(name))
            self.lines_.append(line)
        ax.set(xlabel="confidence asked for", ylabel="share of sets that hold the class")
        ax.legend(frameon=False)
