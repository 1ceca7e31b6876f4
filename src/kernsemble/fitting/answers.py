"""What a fitted classifier can say about itself, its training rows and new rows."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..calibration import conformal_threshold
from ..explain.decisions import class_thresholds, cost_rule
from ..explain.novelty import novelty_p_values, own_p_values
from ..explain.suspects import find_suspects
from ..maps.views import UnchangedView
from ..members.member import HeldRows
from ..validation import check_instance, check_real
from .inputs import read_new


def may_have_honest_scores(estimator):
    """Raise the reason when a fitted classifier has no honest scores."""
    return "classes_" not in vars(estimator) or estimator._honest_scores() is not None


class AnswersMixin:
    """Questions to a fitted classifier; the answers are computed when they are asked for."""

    # What the class that is mixed with this one has.
    classes_: Any
    estimators_: Any
    honest_: Any
    predict_proba: Callable
    _honest_scores: Callable
    _probabilities: Callable
    _seen: Callable

    @available_if(may_have_honest_scores)
    def predict_set(self, X, confidence=0.9, by_class=False):
        """Return the classes that cannot be ruled out at this confidence.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        confidence : float, default=0.9
            Share of new rows, drawn like the training rows, whose set shall hold their class.
        by_class : bool, default=False
            Whether that shall hold for the rows of every class, not only for all rows together.
            Sets are then larger, mostly by classes that are rare or hard.

        Returns
        -------
        ndarray of bool of shape (n_samples, n_classes)
            Columns are in the order of `classes_`. A row none of whose classes is likely enough has
            an empty set; a row between classes has several.
        """
        P, honest = self._honest_probabilities()
        check_real(confidence, "confidence", low=0.0, high=1.0, open_low=True, open_high=True)
        check_instance(by_class, "by_class", (bool, np.bool_), "a bool")
        threshold = class_thresholds if by_class else conformal_threshold
        least = threshold(P, honest.codes, confidence, honest.sample_weight)
        return np.greater_equal(self.predict_proba(X), least)

    @available_if(may_have_honest_scores)
    def threshold(self, cost):
        """Return the decision rule of least expected cost, and what it costs on honest scores.

        Parameters
        ----------
        cost : array-like of shape (n_classes, n_classes) or dict
            What a decision costs, by true class (rows) and decision (columns) in the order of
            `classes_`; or a dict from pairs (true class, decision) to costs, in which pairs that
            are not named cost 1, and nothing when both are the same.

        Returns
        -------
        CostRule
            With two classes it has the `threshold` of the probability of the second. Its method
            `predict` takes the probabilities of new rows.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from kernsemble import KernelRidgeClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> clf = KernelRidgeClassifier(random_state=0).fit(X, y)
        >>> rule = clf.threshold({(0, 1): 10.0})  # a missed tumour costs ten false alarms
        >>> round(rule.threshold, 3)
        0.909
        >>> rule.expected_cost <= rule.usual_cost
        True
        """
        P, honest = self._honest_probabilities()
        return cost_rule(P, honest.codes, self.classes_, cost, honest.sample_weight)

    @available_if(may_have_honest_scores)
    def suspects(self):
        """Return the training rows whose label is doubtful, and how many labels seem wrong.

        Honest probabilities that contradict a label are counted as in confident learning, without
        any cross-validation.

        Returns
        -------
        Suspects
            Row numbers, labels and likelier classes, the most doubtful first, and `n_wrong`, the
            estimated number of wrong labels. It prints as a table.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from kernsemble import KernelRidgeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> y[[3, 60]] = 2
        >>> found = KernelRidgeClassifier(random_state=0).fit(X, y).suspects()
        >>> {3, 60} <= set(found.rows.tolist())
        True
        """
        P, honest = self._honest_probabilities()
        return find_suspects(P, honest.codes, self.classes_, honest.rows, honest.sample_weight)

    def novelty(self, X=None, training=None):
        """Return how unlike the training rows each row is, as a p-value.

        The mean distance of a row to its nearest training rows, on scaled columns, is ranked among
        those of the training rows themselves, each left out of the rows that it is compared with.
        Rows drawn like the training rows get uniform p-values, rows from elsewhere small ones.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), default=None
            New rows; None means the training rows themselves.
        training : array-like of shape (n_training, n_features), default=None
            The training rows, or some drawn evenly from them. Only needed when the fitted members
            do not hold them, such as trees and networks.

        Returns
        -------
        p : ndarray of shape (n_samples,)

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from kernsemble import KernelRidgeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = KernelRidgeClassifier(random_state=0).fit(X, y)
        >>> clf.novelty([[5.0, 3.4, 1.5, 0.2], [5.0, 3.4, 6.0, 0.2]]).round(2)
        array([1.  , 0.01])
        """
        check_is_fitted(self)
        held = self._training_rows(training)
        if X is None:
            return own_p_values(held.rows)
        return novelty_p_values(held.look(self._checked(X)), held.rows)

    def _honest_probabilities(self):
        """Return the honest probabilities, and the record of the honest scores."""
        honest = self._honest_scores()
        return self._probabilities(honest.scores), honest

    def _checked(self, X):
        """Return new rows as the members take them."""
        return self._seen(read_new(self, X))

    def _training_rows(self, training=None):
        """Return the given training rows, or those that a member holds, as `HeldRows`."""
        if training is not None:
            return HeldRows(UnchangedView(), self._checked(training))
        n_honest = len(self.honest_.codes) if "honest_" in vars(self) else None
        found = [member.held_rows() for member in self.estimators_]
        found = [
            held
            for held in found
            if held is not None and (held.drawn_evenly or len(held.rows) == n_honest)
        ]
        if not found:
            raise ValueError(
                f"The members of this {type(self).__name__} do not hold their training rows; "
                "pass them, or some drawn evenly from them, as training=."
            )
        return max(found, key=lambda held: len(held.rows))
