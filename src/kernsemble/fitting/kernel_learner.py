"""The road every kernel learner takes: kernels, their weights, a machine, held-out scores."""

import warnings
from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..kernels import MeanSquaredDistance, Normalized, Precomputed, Scaled, evaluate
from ..kernels.gram import gram_stack
from ..kernels.mixture import weighted_kernel
from ..kernels.samplers import resolve_kernels
from ..members.kernel_expansion import KernelExpansion, KernelPart
from ..solvers.svm import solve_svm
from ..solvers.tasks import two_sided_columns
from ..targets import target_codes
from ..validation import check_choice, check_count, check_instance, check_real
from .base import KernelEnsemble

__all__ = ["KernelLearner", "SVMKernelLearner"]

NORMALIZATIONS = ("trace", "variance", "cosine", "none")


class KernelLearner(KernelEnsemble):
    """Base class of the methods that learn one kernel from many.

    A subclass writes `_learn`, which finds kernel weights and machines, and `_machine`, which fits
    the machines alone on a Gram matrix that is already weighted; the base turns data into Gram
    matrices, tasks into classes, and machines that left rows out into probabilities.

    Of the constructor parameters the base reads `kernels`, `n_kernels`, `normalize`, `multi_class`,
    `shared_weights`, `calibration_folds`, `class_weight` and `random_state`; those a subclass lacks
    take the values below.
    """

    kernels = None
    n_kernels = None
    normalize = "trace"
    multi_class = "ovo"
    shared_weights = True
    calibration_folds = 5

    #: Where kernels come from when nobody says.
    _default_sampler = MeanSquaredDistance(multipliers=(0.0625, 0.25, 1.0, 4.0, 16.0))

    @property
    def _coding(self):
        return "ovo" if self.multi_class == "ovo" else "signed"

    @abstractmethod
    def _learn(self, grams, T, weight, rng):
        """Return weights, coefs, bias, objective, gap, n_iter and converged (an `MKLSolution`)."""

    @abstractmethod
    def _machine(self, K, T, weight):
        """Return an object with the coefs and bias of machines on one Gram matrix."""

    def _check_params(self, X):
        check_choice(self.normalize, "normalize", NORMALIZATIONS)
        check_choice(self.multi_class, "multi_class", ("ovo", "ovr"))
        check_instance(self.shared_weights, "shared_weights", (bool, np.bool_), "True or False")
        check_count(self.calibration_folds, "calibration_folds", low=0)
        if self.calibration_folds == 1:
            raise ValueError("calibration_folds must be 0 or at least 2, got 1.")
        if "tol" in self.get_params():
            check_real(self.tol, "tol", low=0.0, open_low=True)
        if "max_iter" in self.get_params():
            check_count(self.max_iter, "max_iter")

    def _fit_members(self, X, T, sample_weight, rng):
        X = X.astype(np.float64, copy=False)
        weight = np.ones(X.shape[0]) if sample_weight is None else sample_weight
        folds = self._calibration_rows(T, rng)
        # Rows of a class that weighs nothing take part in no task.
        T = np.where(weight[:, None] > 0, T, 0.0)
        kernels = self._resolve_kernels(X, rng)
        self.kernels_ = [self._normalized(kernel, X, weight) for kernel in kernels]
        if self.shared_weights or T.shape[1] == 1:
            parts, bias = self._fit_shared(X, T, weight, rng)
        else:
            parts, bias = self._fit_separate(X, T, weight, rng)
        honest = None
        if folds is not None:
            honest = self._held_out_scores(X, T, weight, folds, rng)
        return [KernelExpansion(parts, bias, honest)]

    def _resolve_kernels(self, X, rng):
        kernels = self.kernels
        if isinstance(kernels, np.ndarray) and kernels.ndim == 3:
            kernels = [Precomputed(gram) for gram in kernels]
        elif isinstance(kernels, Sequence) and not isinstance(kernels, list):
            kernels = list(kernels)
        return resolve_kernels(kernels, X, self.n_kernels, rng, default=self._default_sampler)

    def _normalized(self, kernel, X, weight):
        """Return the kernel with the scale or the unit diagonal that `normalize` asks for."""
        if self.normalize == "cosine":
            return Normalized(kernel)
        size = 1.0
        if self.normalize in ("trace", "variance"):
            size = np.average(kernel.diag(X), weights=weight)
        if self.normalize == "variance":
            share = weight / weight.sum()
            size -= share @ evaluate([kernel], X)[0] @ share
        # A kernel that is zero, or constant, on the training rows has no scale to bring to 1.
        return kernel if size <= 1e-12 or size == 1.0 else Scaled(kernel, 1.0 / size)

    def _grams(self, X):
        """Return the Gram matrices of `kernels_`, a stack or what the subclass reads instead."""
        return gram_stack(self.kernels_, X)

    def _fit_shared(self, X, T, weight, rng):
        """Learn one weight vector for all tasks."""
        found = self._learn(self._grams(X), T, weight, rng)
        self.kernel_weights_ = found.weights
        self.kernel_ = weighted_kernel(self.kernels_, found.weights)
        self._report([found])
        return [KernelPart.of_support(self.kernel_, X, found.coefs)], found.bias

    def _fit_separate(self, X, T, weight, rng):
        """Learn one weight vector per task, from the rows the task is about."""
        uniform = np.full(len(self.kernels_), 1.0 / len(self.kernels_))
        self.kernel_weights_ = np.tile(uniform, (T.shape[1], 1))
        bias, parts, solutions = np.zeros(T.shape[1]), [], []
        for column, rows, signs in two_sided_columns(T):
            found = self._learn(self._grams(X[rows]), signs[:, None], weight[rows], rng)
            self.kernel_weights_[column] = found.weights
            coefs = np.zeros((rows.size, T.shape[1]))
            coefs[:, column], bias[column] = found.coefs[:, 0], found.bias[0]
            kernel = weighted_kernel(self.kernels_, found.weights)
            parts.append(KernelPart.of_support(kernel, X[rows], coefs))
            solutions.append(found)
        self.task_kernels_ = [weighted_kernel(self.kernels_, d) for d in self.kernel_weights_]
        self.kernel_ = weighted_kernel(self.kernels_, self.kernel_weights_.mean(axis=0))
        self._report(solutions)
        return parts, bias

    def _report(self, solutions):
        """Keep what the solvers say about themselves and warn when one stopped early."""
        self.objective_ = float(sum(found.objective for found in solutions))
        self.n_iter_ = int(max(found.n_iter for found in solutions))
        gaps = [found.gap for found in solutions if found.gap is not None]
        if gaps:
            self.duality_gap_ = float(sum(gaps))
        if not all(found.converged for found in solutions):
            warnings.warn(
                f"{type(self).__name__} stopped after {self.n_iter_} iterations at a duality gap "
                f"of {self.duality_gap_:.3g} for an objective of {self.objective_:.3g}; "
                "raise max_iter, raise tol, or scale the kernels.",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _calibration_rows(self, T, rng):
        """Return the fold of every row, or None when a class is too small to leave rows out."""
        codes = target_codes(T, self._coding)
        counts = np.bincount(codes, minlength=len(self.classes_))
        if self.calibration_folds == 0 or counts.min() < 2:
            return None
        # Shuffled and dealt out class by class: every fold has its share of every class.
        order = rng.permutation(codes.size)
        order = order[np.argsort(codes[order], kind="stable")]
        folds = np.empty(codes.size, dtype=np.intp)
        folds[order] = np.arange(codes.size) % self.calibration_folds
        return folds

    def _held_out_scores(self, X, T, weight, folds, rng):
        """Return scores of every row by machines on the learned kernel that did not see it."""
        if self.shared_weights or T.shape[1] == 1:
            return self._score_folds([self.kernel_], X, T, weight, folds, rng)
        S = np.empty(T.shape)
        for column, kernel in enumerate(self.task_kernels_):
            alone = slice(column, column + 1)
            S[:, alone] = self._score_folds([kernel], X, T[:, alone], weight, folds, rng)
        return S

    def _score_folds(self, kernels, X, T, weight, folds, rng):
        grams = evaluate(kernels, X)
        S = np.empty(T.shape)
        for fold in np.unique(folds):
            train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            inner = [K[np.ix_(train, train)] for K in grams]
            coefs, bias = self._fit_fixed(inner, T[train], weight[train], rng)
            S[test] = bias + sum(K[np.ix_(test, train)] @ c for K, c in zip(grams, coefs))
        return S

    def _fit_fixed(self, grams, T, weight, rng):
        """Return the coefs on each Gram matrix and the bias for the weights as they are."""
        machine = self._machine(grams[0], T, weight)
        return [machine.coefs], machine.bias


class SVMKernelLearner(KernelLearner):
    """Base class of the kernel learners whose machine is a support vector machine."""

    def _check_params(self, X):
        super()._check_params(X)
        check_real(self.C, "C", low=0.0, open_low=True)

    def _machine(self, K, T, weight):
        return solve_svm(K, T, self.C * weight)
