"""The road every classifier takes: open a table, fit members in parallel, finish.

`fit` opens one table and hands it to every hook. A hook returns what it found, nothing travels on
the estimator, and fitted attributes are set in one place at the end, so that a fit that fails or is
interrupted leaves the estimator as it was.
"""

from abc import ABC
from dataclasses import KW_ONLY
from typing import Any, ClassVar, cast

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils.validation import check_is_fitted

from ..calibration import DEFAULT_TEMPERATURE, mean_log_loss, probabilities
from ..combine import RULES
from ..documentation import Documented
from ..seeds import draw_seeds
from ..tables import is_chunked, is_dask, lazily, open_chunks, open_memory
from ..targets import best_class
from ..threads import limited_threads, threads_for, usable_cores
from ..validation import check_choice, check_count
from .answers import AnswersMixin
from .dispatch import count_workers, map_in_threads, run_tasks
from .found import Found, combine_members
from .inputs import about_columns, read_head, read_new, read_training
from .memory import MemoryMixin
from .parameters import with_parameters
from .progress import CallbackSupportMixin, reporting, with_callbacks

# Size of the scores of all members for one block of rows.
BLOCK_BYTES = 1 << 25
# Workers take longer to start than fewer rows than this take to score.
WORKER_ROWS = 256


@with_parameters
class KernelEnsemble(
    CallbackSupportMixin, AnswersMixin, MemoryMixin, ClassifierMixin, Documented, BaseEstimator, ABC
):
    """Base class of all classifiers: a subclass says how to fit one member.

    It writes `_fit_member`, or `_fit_members` when members need each other, and extends
    `_check_params`. A member has `scores(X)`; one that also has `honest_scores` gives the ensemble
    calibrated probabilities, label sets and the fitted combinations.

    Of the constructor parameters the base reads `n_estimators`, `combine`, `class_weight`,
    `n_jobs`, `verbose` and `random_state`; those a subclass does not declare take the values below.
    """

    _: KW_ONLY
    class_weight: Any = None
    random_state: Any = None

    n_estimators = 1
    combine = "mean"
    categorical_features = cast(Any, "from_dtype")
    n_jobs = cast(Any, None)
    verbose = 0

    #: How classes become target columns; see `kernsemble.targets`.
    _coding = "signed"
    #: Values that `combine` may have.
    _combine_rules: ClassVar[tuple[str, ...]] = RULES
    #: Whether CSR input is passed on to the members.
    _accept_sparse = True
    #: Whether members take level codes of categories, and NaN for missing values.
    _accept_mixed = False
    #: Whether members can be fitted to a table whose rows are not in memory.
    _accept_chunks = False
    #: Whether equal rows are one row that counts its copies, so that a row of weight 2 is two rows.
    #: A bootstrap, which draws rows, needs every copy by itself.
    _merge_copies = True

    @with_callbacks
    def fit(self, X, y=None, sample_weight=None):
        """Fit the members.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Some methods also take dask arrays and data frames, and re-iterables of chunks
            (X, y) or (X, y, sample_weight); the rows are then never brought together.
        y : array-like of shape (n_samples,)
            None when `X` holds the chunks.
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight two is two rows, and one of weight zero is left out. If all weights are
            whole numbers, honest scores leave out one of the rows that a row counts for. Of weights
            whose mean is not between 1e-6 and 1e6 only the ratios matter.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        table, columns = self._open_table(X, y, sample_weight)
        with reporting(self, X, y, self.n_estimators):
            return self._fit_table(table, columns)

    def _fit_table(self, table, columns, **given):
        settled = self._settled()
        settled._check_params(table)
        with limited_threads(threads_for(table.n_rows)), settled._bounded_memory(table):
            found = settled._fit_members(table, check_random_state(self.random_state), **given)
            return self._set_fitted(table, columns, settled._finish(table, found))

    def decision_function(self, X):
        """Return the scores of the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            The rows, as `fit` takes them.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes positive for `classes_[1]`, else largest for the predicted class.
            A dask collection gives a lazy dask array, as from the other methods.
        """
        if is_dask(X):
            return self._lazily(self.decision_function, X, np.float64, len(self.classes_))
        return _squeezed(self._class_scores(X))

    def predict(self, X):
        """Return the class of largest score for every row.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            The rows, as `fit` takes them.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Labels as in `classes_`.
        """
        if is_dask(X):
            return self._lazily(self.predict, X, self.classes_.dtype, None)
        codes = best_class(self._class_scores(X))
        return self.classes_[codes]

    def predict_proba(self, X):
        """Return class probabilities, which have the order of the scores.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            The rows, as `fit` takes them.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`.
        """
        if is_dask(X):
            return self._lazily(self.predict_proba, X, np.float64, len(self.classes_))
        return self._probabilities(self._class_scores(X))

    @property
    def honest_scores_(self):
        """`decision_function` of training rows by models that did not see them."""
        return _squeezed(self._honest_scores().scores)

    @property
    def honest_accuracy_(self):
        """Accuracy of `honest_scores_`, an estimate of `score` on new rows."""
        return self._honest_scores().accuracy

    @property
    def honest_log_loss_(self):
        """Mean log-loss of the honest probabilities, an estimate of that on new rows."""
        P, honest = self._honest_probabilities()
        return mean_log_loss(P, honest.codes)

    @property
    def honest_weighted_accuracy_(self):
        """Accuracy of `honest_scores_` with `sample_weight` and `class_weight`."""
        return self._honest_scores().weighted_accuracy

    @property
    def honest_rows_(self):
        """Row numbers of `honest_scores_` among the training rows of positive weight."""
        return self._honest_scores().rows

    def _honest_scores(self):
        check_is_fitted(self)
        if "honest_" not in vars(self):
            raise AttributeError(
                f"This {type(self).__name__} has no honest scores: {self._why_not_honest()}."
            )
        return self.honest_

    def _why_not_honest(self):
        return "its members score their training rows only by models that saw them"

    def _fit_member(self, table, rng, **drawn):
        """Fit one member.

        Parameters
        ----------
        table : Table
        rng : RandomState
            The member's own generator.
        **drawn
            What `_draw_members` returned for this member.

        Returns
        -------
        Member
        """
        raise TypeError(f"{type(self).__name__} must define _fit_member or _fit_members.")

    def _draw_members(self, table, rng):
        """Return what each member gets beyond its seed, a list of dicts of keyword arguments.

        This is for draws that are cheaper or only possible for all members at once, such as kernels
        from one set of pairwise distances.
        """
        return [{}] * self.n_estimators

    def _fit_members(self, table, rng):
        """Fit all members and return them as `Found`."""
        return Found(self._fit_each(table, rng))

    def _fit_each(self, table, rng, members=None):
        """Return what `_fit_member` gives for every member, each from its own seed.

        Parameters
        ----------
        table : Table
        rng : RandomState
        members : list of dict, default=None
            What each member gets; None means what `_draw_members` returns.
        """
        members = self._draw_members(table, rng) if members is None else members
        seeds = draw_seeds(rng, len(members))
        # What all members have in common is shared like the table.
        common = {
            name: value
            for name, value in members[0].items()
            if all(drawn[name] is value for drawn in members)
        }
        own = [
            {name: value for name, value in drawn.items() if name not in common}
            for drawn in members
        ]
        fits = run_tasks(
            _fit_seeded,
            (self._bare(), table, common),
            list(zip(seeds, own)),
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            # Work on a table in parts is spread over the parts, not over the members.
            one_by_one=not table.in_memory,
        )
        return list(fits)

    def _settled(self):
        """Return the classifier whose parameters are used, all that a preset decides filled in."""
        return self

    def _check_params(self, table):
        """Raise when a parameter has an illegal value for this table."""
        check_count(self.n_estimators, "n_estimators")
        check_choice(self.combine, "combine", self._combine_rules)

    def _bare(self):
        """Return a copy with the constructor parameters alone, which is all that a worker needs."""
        return type(self)(**self.get_params(deep=False))

    def _open_table(self, X, y, sample_weight):
        """Return the table of the training data, and the fitted attributes about its columns."""
        if not is_chunked(X, y):
            return self._open_memory(X, y, sample_weight, merge=self._merge_copies)
        if not self._accept_chunks:
            raise TypeError(
                f"{type(self).__name__} needs its training rows in memory, got {type(X)}."
            )
        table = open_chunks(
            X, y, sample_weight, class_weight=self.class_weight, accept_sparse=self._accept_sparse
        )
        self._check_classes(table)
        return table, read_head(self._bare(), table.head)

    def _open_memory(self, X, y, sample_weight, *, classes=None, reset=True, **options):
        # Names and number of the columns are checked on a copy, and kept only at the end.
        probe = self._bare()
        if not reset:
            vars(probe).update(about_columns(self))
        read = read_training(probe, X, y, sample_weight, reset=reset)
        table = open_memory(
            read.X,
            read.y,
            sample_weight,
            class_weight=self.class_weight,
            classes=classes,
            columns=read.columns,
            **options,
        )
        self._check_classes(table)
        return table, {**about_columns(probe), "encoder_": read.encoder}

    def _accepts_mixed(self):
        """Return whether members can be fitted to rows with categories and missing values."""
        return self._accept_mixed

    def _check_classes(self, table):
        if table.n_classes < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least 2 classes, "
                f"got {table.n_classes} class: {table.classes.tolist()}."
            )

    def _set_fitted(self, table, columns, finished):
        """Replace the fitted attributes of an earlier fit, all at once."""
        fitted = {"classes_": table.classes, **columns, **finished}
        kept = {name: value for name, value in vars(self).items() if not name.endswith("_")}
        self.__dict__ = {**kept, **fitted}
        return self

    def _finish(self, table, found):
        """Return the fitted attributes: members, their combination, what honest scores tell."""
        members, honest, combination = found.members, found.honest, found.combination
        if combination is None:
            combination, combined = combine_members(self.combine, members, table, self._coding)
            honest = combined if honest is None else honest
        fitted = {
            # The members' own honest scores have done their work, and are as long as the data.
            "estimators_": [member.without_honest_scores() for member in members],
            "combination_": combination,
            "temperature_": DEFAULT_TEMPERATURE if honest is None else honest.temperature(),
            **found.attributes,
        }
        if honest is not None and table.in_memory and table.merged is not None:
            honest = honest.unmerged(table.merged)
        return fitted if honest is None else {**fitted, "honest_": honest}

    def _lazily(self, method, X, dtype, n_columns):
        """Return what `method` gives for the chunks of a dask collection, computed on demand."""
        check_is_fitted(self)
        if method.__name__ == "decision_function" and n_columns == 2:
            n_columns = None
        return lazily(method, X, dtype, n_columns)

    def _probabilities(self, scores):
        """Return probabilities in the order of the class scores."""
        return probabilities(scores, self.temperature_)

    def _class_scores(self, X):
        check_is_fitted(self)
        X = read_new(self, X)
        n_rows, step, n_workers = X.shape[0], self._rows_per_block(X.shape[0]), 1
        if n_rows >= 2 * WORKER_ROWS:
            n_workers = min(count_workers(self.n_jobs), usable_cores(), n_rows // WORKER_ROWS)
            step = min(step, -(-n_rows // n_workers))
        blocks = [X[rows] for rows in gen_batches(n_rows, step)]
        with limited_threads(1 if n_workers > 1 else threads_for(n_rows)):
            return np.concatenate(map_in_threads(self._score_block, blocks, n_workers))

    def _rows_per_block(self, n_rows):
        """Return how many rows a worker scores at a time, at most."""
        return max(WORKER_ROWS, BLOCK_BYTES // (8 * len(self.estimators_) * len(self.classes_)))

    def _score_block(self, X):
        return self._block_scores(self._seen(X))

    def _seen(self, X):
        """Return rows as the members see them."""
        return X

    def _block_scores(self, X):
        """Return the class scores of some rows as the members see them."""
        return self.combination_(np.stack([m.class_scores(X) for m in self.estimators_]))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._accept_sparse
        tags.input_tags.allow_nan = tags.input_tags.categorical = self._accepts_mixed()
        return tags


def _fit_seeded(ensemble, table, common, seed, own):
    return ensemble._fit_member(table, np.random.RandomState(seed), **common, **own)


def _squeezed(scores):
    return scores[:, 0] if scores.shape[1] == 1 else scores
