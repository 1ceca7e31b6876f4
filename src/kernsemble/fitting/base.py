"""The road every ensemble takes: validate, encode, fit members in parallel, combine, decode."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_array, check_random_state, gen_batches
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from ..calibration import DEFAULT_TEMPERATURE, fit_temperature, probabilities
from ..combine import RULES, fit_combination
from ..tables import Table, calibration_rows, is_chunked, is_dask, lazily, open_table
from ..targets import decode_scores, encode_targets
from ..validation import check_choice, check_count
from .dispatch import blas_threads, count_workers, run_tasks
from .progress import CallbackSupportMixin, MemberProgress, with_callbacks

__all__ = ["KernelEnsemble"]

# Scores of all members for one block of rows.
BLOCK_BYTES = 1 << 25


class KernelEnsemble(CallbackSupportMixin, ClassifierMixin, BaseEstimator):
    """Base class of the ensembles: a subclass says how to fit one member.

    It writes `_fit_member`, or `_fit_members` when members need each other, and `_check_params`.
    A member is any object with `scores(X) -> (n_samples, n_outputs)`; one that also has
    `honest_scores`, the scores of its training rows by models that did not see them, gives the
    ensemble calibrated probabilities and the fitted combinations.

    Of the constructor parameters the base reads `n_estimators`, `combine`, `class_weight`,
    `n_jobs`, `verbose` and `random_state`; those a subclass lacks take the values below.
    """

    n_estimators = 1
    combine = "mean"
    class_weight = None
    n_jobs = None
    verbose = 0
    random_state = None

    #: How classes become target columns; see `kernsemble.targets`.
    _coding = "signed"
    #: Whether CSR input is passed on to the members.
    _accept_sparse = True
    #: Whether members can be fitted to a `Table` in parts.
    _accept_chunks = False

    @with_callbacks
    def fit(self, X, y=None, sample_weight=None):
        """Fit the members.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Some methods also take dask arrays and data frames, and re-iterables of chunks
            (X, y) or (X, y, sample_weight); the rows are then never brought together.
        y : array-like of shape (n_samples,)
            None where `X` holds the chunks.
        sample_weight : array-like of shape (n_samples,), default=None
            Rows of weight zero are left out.

        Returns
        -------
        self
        """
        # What earlier calls of `partial_fit` have summed up.
        self.__dict__.pop("_sums", None)
        if is_chunked(X, y):
            return self._fit_table(self._open_table(X, y, sample_weight))
        X, codes, sample_weight = self._validate_training(X, y, sample_weight)
        self._check_base_params()
        self._check_params(X)
        T = encode_targets(codes, len(self.classes_), self._coding)
        rng = check_random_state(self.random_state)
        with MemberProgress(self, X, y, self.n_estimators) as self._progress:
            self.estimators_ = self._fit_members(X, T, sample_weight, rng)
        del self._progress
        self._fit_combination(codes, sample_weight)
        return self

    def _fit_table(self, table):
        """Fit to a table in parts; what `fit` does, with the rows left where they are."""
        self._check_base_params()
        self._check_params(table)
        n_classes = len(self.classes_)
        table.set_targets(
            encode_targets(np.arange(n_classes), n_classes, self._coding),
            table.class_factors(self.class_weight),
        )
        rng = check_random_state(self.random_state)
        with MemberProgress(self, None, None, self.n_estimators) as self._progress:
            self.estimators_ = self._fit_members(table, None, None, rng)
        del self._progress
        self._fit_combination(table.honest.codes, table.honest.sample_weight)
        return self

    def decision_function(self, X):
        """Return the scores of the classes.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes positive for `classes_[1]`, else largest for the predicted class.
            For a dask collection a lazy dask array, as from the other methods.
        """
        if is_dask(X):
            return self._lazily(self.decision_function, X, np.float64, len(self.classes_))
        scores = self._class_scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X):
        """Return the class of largest score for every row."""
        if is_dask(X):
            return self._lazily(self.predict, X, self.classes_.dtype, None)
        scores = self._class_scores(X)
        best = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
        return self.classes_[best.astype(np.intp)]

    def predict_proba(self, X):
        """Return class probabilities, of shape (n_samples, n_classes), in the order of scores."""
        if is_dask(X):
            return self._lazily(self.predict_proba, X, np.float64, len(self.classes_))
        return self._probabilities(self._class_scores(X))

    def _fit_member(self, X, T, sample_weight, rng, **drawn):
        """Fit one member to validated rows.

        Parameters
        ----------
        X : {ndarray, CSR matrix} of shape (n_samples, n_features)
        T : ndarray of shape (n_samples, n_outputs)
        sample_weight : ndarray of shape (n_samples,) or None
        rng : RandomState
            The member's own.
        **drawn
            What `_draw_members` returned for this member.

        Returns
        -------
        member : object with scores(X)
        """
        raise TypeError(f"{type(self).__name__} must define _fit_member or _fit_members.")

    def _draw_members(self, X, T, rng):
        """Return what each member gets beyond its seed, a list of dicts of keyword arguments.

        For what is cheaper or only possible to draw for all at once, like kernels from one set of
        pairwise distances.
        """
        return [{}] * self.n_estimators

    def _fit_members(self, X, T, sample_weight, rng):
        """Fit all members, each from its own seed, in parallel."""
        members = self._draw_members(X, T, rng)
        seeds = rng.randint(np.iinfo(np.int32).max, size=len(members))
        if isinstance(X, Table):
            # The work is spread over the parts of the table, not over the members.
            fits = (
                self._fit_member(X, T, sample_weight, np.random.RandomState(seed), **drawn)
                for seed, drawn in zip(seeds, members)
            )
            return list(self._progress.watch(fits))
        # What all members have is shared like X.
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
            (self, X, T, sample_weight, common),
            list(zip(seeds, own)),
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            as_they_come=self._progress.active,
        )
        return list(self._progress.watch(fits))

    def _check_params(self, X):
        """Raise when a parameter has an illegal value for the validated rows `X`."""

    def _check_base_params(self):
        check_count(self.n_estimators, "n_estimators")
        check_choice(self.combine, "combine", RULES)

    def _validate_training(self, X, y, sample_weight, *, known=None, reset=True):
        """Return checked rows, class codes and weights; sets `classes_`.

        `known` are the classes where `y` may lack some.
        """
        X, y = validate_data(
            self,
            X,
            y,
            reset=reset,
            accept_sparse="csr" if self._accept_sparse else False,
            dtype=[np.float64, np.float32],
        )
        check_classification_targets(y)
        if sample_weight is not None:
            sample_weight = _checked_weights(sample_weight, X)
            kept = sample_weight > 0
            if not kept.all():
                # As if they were not there: also for landmarks, subsets and scales.
                X, y, sample_weight = X[kept], y[kept], sample_weight[kept]
        if known is None:
            self.classes_, codes = np.unique(y, return_inverse=True)
        else:
            self.classes_, codes = known, _known_codes(y, known)
        self._check_classes()
        if self.class_weight is not None:
            by_class = compute_sample_weight(self.class_weight, y)
            sample_weight = by_class if sample_weight is None else by_class * sample_weight
        return X, codes, sample_weight

    def _open_table(self, X, y, sample_weight):
        if not self._accept_chunks:
            raise TypeError(
                f"{type(self).__name__} needs its training rows in memory, got {type(X)}."
            )
        table = open_table(X, y, sample_weight, accept_sparse=self._accept_sparse)
        # Sets the number and the names of the features.
        self._validate_rows(table.head, reset=True)
        self.classes_ = table.labels
        self._check_classes()
        return table

    def _check_classes(self):
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least 2 classes, "
                f"got {len(self.classes_)} class: {self.classes_.tolist()}."
            )

    def _validate_rows(self, X, *, reset=False):
        return validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr" if self._accept_sparse else False,
            dtype=[np.float64, np.float32],
        )

    def _lazily(self, method, X, dtype, n_columns):
        """Return what `method` gives for the chunks of a dask collection, computed on demand."""
        check_is_fitted(self)
        if method.__name__ == "decision_function" and n_columns == 2:
            n_columns = None
        return lazily(method, X, dtype, n_columns)

    def _fit_combination(self, codes, sample_weight):
        """Fit the combination and the temperature on the members' honest scores, if any."""
        n_classes = len(self.classes_)
        scores = [getattr(member, "honest_scores", None) for member in self.estimators_]
        honest = None
        if all(S is not None for S in scores):
            honest = np.stack([decode_scores(S, n_classes, self._coding) for S in scores])
        # What perfect members would score, in the units of their coding.
        aims = encode_targets(codes, n_classes, self._coding)
        aims = decode_scores(aims, n_classes, self._coding)
        self._combination = fit_combination(self.combine, honest, aims, sample_weight)
        self.temperature_ = DEFAULT_TEMPERATURE
        if honest is not None:
            self._fit_temperature(self._combination(honest), codes, sample_weight)

    def _fit_temperature(self, scores, codes, sample_weight):
        """Fit the temperature on honest class scores, of a sample where they are many."""
        rows = calibration_rows(len(codes))
        if len(rows) < len(codes):
            scores, codes = scores[rows], codes[rows]
            sample_weight = None if sample_weight is None else sample_weight[rows]
        self.temperature_ = fit_temperature(scores, codes, sample_weight)

    def _probabilities(self, scores):
        """Return probabilities in the order of the class scores."""
        return probabilities(scores, self.temperature_)

    def _class_scores(self, X):
        check_is_fitted(self)
        X = self._validate_rows(X)
        bytes_per_row = 8 * len(self.estimators_) * len(self.classes_)
        blocks = gen_batches(X.shape[0], max(256, BLOCK_BYTES // bytes_per_row))
        parallel = Parallel(n_jobs=self.n_jobs, require="sharedmem")
        with blas_threads(count_workers(self.n_jobs)):
            return np.concatenate(parallel(delayed(self._block_scores)(X[rows]) for rows in blocks))

    def _block_scores(self, X):
        n_classes = len(self.classes_)
        return self._combination(
            np.stack(
                [decode_scores(m.scores(X), n_classes, self._coding) for m in self.estimators_]
            )
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._accept_sparse
        return tags


def _fit_seeded(ensemble, X, T, sample_weight, common, seed, own):
    rng = np.random.RandomState(seed)
    return ensemble._fit_member(X, T, sample_weight, rng, **common, **own)


def _known_codes(y, classes):
    unknown = np.setdiff1d(y, classes)
    if len(unknown):
        raise ValueError(f"y has labels {unknown.tolist()} that are not in classes.")
    return np.searchsorted(classes, y)


def _checked_weights(sample_weight, X):
    weights = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
    )
    if weights.ndim != 1:
        raise ValueError(f"sample_weight must be 1-dimensional, got shape {weights.shape}.")
    check_consistent_length(X, weights)
    if weights.min() < 0:
        raise ValueError(f"sample_weight must not be negative, got {weights.min()!r}.")
    if not weights.any():
        raise ValueError("sample_weight must not be zero for every row.")
    return weights
