"""What a fitted classifier can say about itself, its training rows and new rows."""

from collections.abc import Callable

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..calibration import conformal_threshold
from ..explain.decisions import class_thresholds, cost_rule
from ..explain.novelty import novelty_p_values, own_p_values
from ..explain.suspects import find_suspects
from ..maps.views import UnchangedView
from ..validation import check_choice, check_count, check_instance, check_real
from .explaining import explain_rows
from .importances import decrease_importances, gradient_importances, shuffle_importances
from .known_rows import KnownRowsMixin

# Training rows at which gradients are computed, if they are not given.
MAX_ROWS = 1000


def may_have_honest_scores(estimator):
    """Raise the reason when a fitted classifier has no honest scores."""
    return "classes_" not in vars(estimator) or estimator._honest_scores() is not None


def label_sets(classifier, P, confidence, by_class=False):
    """Return what `predict_set` of a fitted classifier gives for rows of known probabilities."""
    honest_P, honest = classifier._honest_probabilities()
    threshold = class_thresholds if by_class else conformal_threshold
    least = threshold(honest_P, honest.codes, confidence, honest.sample_weight)
    return np.greater_equal(P, least)


class AnswersMixin(KnownRowsMixin):
    """Questions to a fitted classifier; the answers are computed when they are asked for."""

    # What the class that is mixed with this one has.
    predict_proba: Callable
    _honest_scores: Callable
    _probabilities: Callable

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
        check_real(confidence, "confidence", low=0.0, high=1.0, open_low=True, open_high=True)
        check_instance(by_class, "by_class", (bool, np.bool_), "a bool")
        return label_sets(self, self.predict_proba(X), confidence, by_class)

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
            do not hold them, such as trees and networks; members that hold them count equal rows
            once.

        Returns
        -------
        p : ndarray of shape (n_samples,)
            Small values for rows unlike the training rows.

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
        coded = self.encoder_ is not None and isinstance(held.look, UnchangedView)
        # A view may have made numbers of the rows before the members saw them.
        coded = coded and len(self.encoder_.n_levels) == held.rows.shape[1]
        n_levels = self.encoder_.n_levels if coded else None
        if X is None:
            return own_p_values(held.rows, n_levels)
        return novelty_p_values(held.look(self._checked(X)), held.rows, n_levels)

    def importance(
        self,
        X=None,
        y=None,
        *,
        groups=None,
        sample_weight=None,
        method="shuffle",
        n_folds="auto",
        n_repeats=5,
        random_state=0,
    ):
        """Return what each column, or group of columns, is worth, with standard errors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with labels `y`. For "gradients" any rows; None means training rows that the
            members hold.
        y : array-like of shape (n_samples,)
            Their labels.
        groups : dict, default=None
            Name of a group → columns that are taken together, by name or number, such as the
            indicators of one category; None means every column for itself.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights.
        method : {"shuffle", "gradients", "decrease"}, default="shuffle"
            "shuffle" is the rise of the log-loss when a column of rows that the model did not see
            is shuffled. "gradients" is the mean squared derivative of the scores by a standardised
            column, the diagonal of the expected gradient outer product, which suits kernels.
            "decrease" is the mean share in the decrease of the Gini impurity, for forests.
        n_folds : int, None or "auto", default="auto"
            Number of parts into which the rows are split, of which each is scored by a clone that
            is fitted to the others; None means that the rows are new, and need no clone. "auto"
            means 5 if `X` and `y` are the training rows, else None.
        n_repeats : int, default=5
            How often each column is shuffled.
        random_state : int, RandomState or None, default=0
            Seed of the folds and of the shuffles.

        Returns
        -------
        importances : Importances
            Names of the columns or groups, their values and standard errors.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from kernsemble import KernelRidgeClassifier
        >>> data = load_iris(as_frame=True)
        >>> clf = KernelRidgeClassifier(random_state=0).fit(data.data, data.target)
        >>> pairs = {"sepal": [0, 1], "petal": [2, 3]}
        >>> found = clf.importance(data.data, data.target, groups=pairs)
        >>> found.names[found.order].tolist()
        ['petal', 'sepal']
        """
        check_is_fitted(self)
        check_choice(method, "method", ("shuffle", "gradients", "decrease"))
        check_count(n_repeats, "n_repeats")
        if n_folds not in ("auto", None):
            check_count(n_folds, "n_folds", low=2)
        chosen, rng = self._groups(groups, with_rest=False), check_random_state(random_state)
        if method == "decrease":
            if not hasattr(self, "feature_importances_"):
                raise ValueError(
                    f"method='decrease' needs a forest, not a {type(self).__name__}; "
                    "use 'shuffle' or 'gradients'."
                )
            return decrease_importances(self, chosen)
        if method == "gradients":
            if self.encoder_ is not None and self.encoder_.n_levels.any():
                raise ValueError("method='gradients' needs columns of numbers; use 'shuffle'.")
            rows = self._background(MAX_ROWS, None, rng) if X is None else self._checked(X)
            return gradient_importances(self, rows, chosen)
        if X is None or y is None:
            raise ValueError("method='shuffle' needs rows X with their labels y.")
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        return shuffle_importances(self, X, y, chosen, weights, n_folds, n_repeats, rng)

    def explain(
        self,
        X,
        background=50,
        *,
        groups=None,
        training=None,
        n_orders=2,
        n_representers=5,
        random_state=0,
    ):
        """Return what each column adds to the score of the predicted class, row by row.

        The contributions of a row are Shapley values: they sum to its score minus the mean score of
        the background rows. They are exact for machines with product kernels (Gaussian, Laplacian
        with the l1 norm) and linear ones; otherwise columns are exchanged in random order, and the
        explanation says with which standard error. Members of an ensemble that are such machines,
        or networks, are scored again only where a column was exchanged, and their pool walks
        further orders, which lower the error.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to explain.
        background : int or array-like of shape (n_background, n_features), default=50
            Rows whose values stand for "not known", or their number; these are drawn evenly from
            the training rows that the members hold.
        groups : dict, default=None
            Name of a group → columns that are explained together, by name or number. Columns in no
            group are explained alone.
        training : array-like of shape (n_training, n_features), default=None
            The training rows; those that speak most for and against the prediction are then named
            by their numbers.
        n_orders : int, default=2
            Number of random orders for each background row, at least 2. Four times as many halve
            the standard error.
        n_representers : int, default=5
            Number of training rows shown for and against.
        random_state : int, RandomState or None, default=0
            Seed of the background rows and of the orders.

        Returns
        -------
        explanation : Explanation
            Contributions of the columns, their standard errors, and the training rows that speak
            for and against.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from kernsemble import KernelRidgeClassifier
        >>> data = load_iris(as_frame=True)
        >>> clf = KernelRidgeClassifier(random_state=0).fit(data.data, data.target)
        >>> found = clf.explain(data.data[:2])
        >>> found.strongest(0, 1)[0][0]
        'petal length (cm)'
        >>> gap = found.contributions.sum(axis=1) - (found.scores - found.mean_scores)
        >>> bool(abs(gap).max() < 1e-9), found.errors.any()
        (True, np.False_)
        """
        check_is_fitted(self)
        check_count(n_orders, "n_orders", low=2)
        check_count(n_representers, "n_representers", low=0)
        rng = check_random_state(random_state)
        x, (names, columns) = self._checked(X), self._groups(groups, with_rest=True)
        return explain_rows(
            self,
            x,
            self._background(background, x, rng),
            columns,
            names,
            np.asarray(X) if groups is None else None,
            None if training is None else self._checked(training),
            n_orders=n_orders,
            n_representers=n_representers,
            rng=rng,
        )

    def _honest_probabilities(self):
        """Return the honest probabilities, and the record of the honest scores."""
        honest = self._honest_scores()
        return self._probabilities(honest.scores), honest
