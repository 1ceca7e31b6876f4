"""What a fitted classifier can say about itself and its training rows, from honest scores."""

from collections.abc import Callable
from typing import Any

from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..explain.suspects import find_suspects


def may_have_honest_scores(estimator):
    """Raise the reason when a fitted classifier has no honest scores."""
    return "classes_" not in vars(estimator) or estimator._honest_scores() is not None


class AnswersMixin:
    """Questions to a fitted classifier; the answers are computed when they are asked for."""

    # What the class that is mixed with this one has.
    classes_: Any
    _honest_scores: Callable
    _probabilities: Callable

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

    def _honest_probabilities(self):
        """Return the honest probabilities, and the record of the honest scores."""
        check_is_fitted(self)
        honest = self._honest_scores()
        return self._probabilities(honest.scores), honest
