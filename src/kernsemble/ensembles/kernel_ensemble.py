"""The ensemble to try first: many kinds of members, weighted by scores they did not train for."""

import time

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..calibration import conformal_threshold
from ..combine import Weighted
from ..fitting.base import KernelEnsemble
from ..fitting.dispatch import run_tasks
from ..targets import decode_scores
from ..validation import check_real
from .leaderboard import make_leaderboard, reliability
from .library import KINDS, Workshop, fit_recipe, recipes_of

__all__ = ["KernelEnsembleClassifier"]

# Members of less weight are dropped: together they would move no score by more than a rounding of
# the accuracy, and each costs its share of every prediction.
MIN_WEIGHT = 0.01


class KernelEnsembleClassifier(KernelEnsemble):
    """Kernel machines and oblique trees, weighted by honest scores: no tuning needed.

    Members are kernel ridges in several families and widths (on scaled columns, on ranks, and under
    a metric learned from gradients), co-trained views, random networks and an oblique forest. Every
    member scores each training row by a model that did not see its label: in closed form by
    leave-one-out, out of bag, or by folds. Non-negative weights of least squared error on these
    scores, shrunk towards equal ones for few rows, combine the members; the same scores tune each
    member, calibrate the probabilities, give conformal label sets and the ensemble's own accuracy.

    Parameters
    ----------
    members : list, default=None
        Kinds by name ("gaussian", "laplace_l1", "laplace_l2", "exponential", "forest", "metric",
        "ranks", "co_trained", "rvfl") and classifiers of your own, which are scored by five folds.
        None means all kinds.
    time_budget : float, default=None
        Seconds after which no further member is started; the first always is. With a budget the
        answer depends on the machine.
    class_weight : dict, "balanced" or None, default=None
    n_jobs : int, default=None
        Members fitted at a time.
    verbose : int, default=0
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    leaderboard_ : Leaderboard
        Member, honest accuracy, honest log-loss, weight and seconds, the largest weight first.
        Prints as a table; `to_frame()` makes it a DataFrame.
    honest_scores_ : ndarray of shape (n_scored,) or (n_scored, n_classes)
        The ensemble's `decision_function` of training rows by members that did not see them.
    honest_rows_ : ndarray of int of shape (n_scored,)
        Their row numbers among the training rows of positive weight: all up to 50,000.
    honest_accuracy_ : float
        Their weighted accuracy, an estimate of the accuracy on new rows.
    estimators_ : list of members with a weight
    weights_ : ndarray of shape (n_estimators,)
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the softmax of scores, fitted on `honest_scores_`.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Columns are scaled inside, robustly, and constant ones left out. Numbers are expected; for
    tables with categories and holes put `kernsemble.benchmark.tables.make_features(X)` before it
    in a pipeline, as `kernsemble fit` does.

    Ridges are exact up to 4,000 rows: a sample of 250 finds the width and strength, and all rows
    choose among their neighbours. Beyond they use up to 1,200 landmarks; forest and networks see
    at most 50,000 rows, co-trained views at most 4,000.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import KernelEnsembleClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = KernelEnsembleClassifier(["gaussian", "laplace_l1"], random_state=0).fit(X, y)
    >>> bool(clf.honest_accuracy_ > 0.95)
    True
    >>> clf.predict_set(X[:1], confidence=0.9)
    array([[ True, False, False]])
    """

    combine = "weighted"
    _coding = "one_hot"
    _accept_sparse = False

    def __init__(
        self,
        members=None,
        *,
        time_budget=None,
        class_weight=None,
        n_jobs=None,
        verbose=0,
        random_state=None,
    ):
        self.members = members
        self.time_budget = time_budget
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @staticmethod
    def kinds():
        """Return the names that `members` may hold."""
        return list(KINDS)

    @property
    def n_estimators(self):
        """Number of members that are fitted, before those without weight are dropped."""
        return len(recipes_of(self.members))

    def predict_set(self, X, confidence=0.9):
        """Return the classes that cannot be ruled out at this confidence.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        confidence : float, default=0.9
            Share of new rows, drawn like the training rows, whose set shall hold their class.

        Returns
        -------
        ndarray of bool of shape (n_samples, n_classes)
            In the order of `classes_`. A row none of whose classes is likely enough has an empty
            set; one between classes has several.
        """
        check_is_fitted(self)
        check_real(confidence, "confidence", low=0.0, high=1.0, open_low=True, open_high=True)
        threshold = conformal_threshold(
            self._probabilities(self._honest), self._codes, confidence, self._weights
        )
        return self.predict_proba(X) >= threshold

    def plot(self, axes=None):
        """Draw the leaderboard, and how far honest probabilities can be believed.

        Parameters
        ----------
        axes : pair of matplotlib axes, default=None
            None makes a new figure.

        Returns
        -------
        figure
        """
        check_is_fitted(self)
        import matplotlib.pyplot as plt

        if axes is None:
            _, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
        self.leaderboard_.plot(axes[0])
        said, came = reliability(self._probabilities(self._honest), self._codes)
        axes[1].plot([0, 1], [0, 1], color="0.7", linewidth=1)
        axes[1].plot(said, came, "o-", color="#1f4e79")
        axes[1].set(
            xlabel="probability of the predicted class",
            ylabel="honest accuracy",
            title=f"honest accuracy {self.honest_accuracy_:.3f}",
            xlim=(min(0.4, said.min()), 1.01),
            ylim=(min(0.4, came.min()), 1.01),
        )
        return axes[0].figure

    def _check_base_params(self):
        recipes_of(self.members)
        if self.time_budget is not None:
            check_real(self.time_budget, "time_budget", low=0.0, open_low=True)

    def _fit_members(self, X, T, sample_weight, rng):
        started = time.time()
        recipes = recipes_of(self.members)
        seeds = rng.randint(np.iinfo(np.int32).max, size=len(recipes))
        deadline = None if self.time_budget is None else started + self.time_budget
        shop = Workshop(X, T, sample_weight, rng)
        self.honest_rows_ = shop.scored
        entries = run_tasks(
            fit_recipe,
            (shop,),
            [(*task, None if k == 0 else deadline) for k, task in enumerate(zip(recipes, seeds))],
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            as_they_come=self._progress.active,
        )
        entries = list(self._progress.watch(entries))
        return [entry for entry in entries if entry is not None]

    def _fit_combination(self, codes, sample_weight):
        """Weigh the members, drop those without weight, and keep what they say of themselves."""
        rows, n_classes = self.honest_rows_, len(self.classes_)
        self._codes = codes[rows]
        self._weights = None if sample_weight is None else sample_weight[rows]
        super()._fit_combination(self._codes, self._weights)
        weights = self._combination.weights
        honest = np.stack(
            [decode_scores(e.honest_scores, n_classes, self._coding) for e in self.estimators_]
        )
        self.leaderboard_ = make_leaderboard(
            [entry.name for entry in self.estimators_],
            honest,
            weights,
            [entry.seconds for entry in self.estimators_],
            self._codes,
            self._weights,
        )
        kept = np.flatnonzero(weights >= min(MIN_WEIGHT, weights.max()))
        self.weights_ = weights[kept] / weights[kept].sum()
        self._combination = Weighted(self.weights_)
        self._honest = self._combination(honest[kept])
        # Members' own honest scores have done their work, and are as long as the data.
        self.estimators_ = [self.estimators_[k]._replace(honest_scores=None) for k in kept]
        margins = self._honest
        self.honest_scores_ = margins[:, 0] if margins.shape[1] == 1 else margins
        best = self._probabilities(margins).argmax(axis=1)
        self.honest_accuracy_ = float(np.average(best == self._codes, weights=self._weights))
