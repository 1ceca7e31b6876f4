"""What the kernel learners share: kernels, their weights, a machine, held-out scores."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any, ClassVar, cast

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..calibration import fit_class_bias, fit_class_lines
from ..kernels import KernelSampler, MeanSquaredDistance, Normalized, Precomputed, Scaled, evaluate
from ..kernels.gram import gram_stack
from ..kernels.mixture import weighted_kernel
from ..kernels.samplers import resolve_kernels
from ..members.kernel_expansion import KernelExpansion, KernelPart
from ..members.kernel_width import find_gamma, gaussians_around
from ..seeds import draw_seed
from ..solvers.svm import solve_svm
from ..tables.draws import copies_in_folds
from ..validation import (
    check_choice,
    check_count,
    check_folds,
    check_instance,
    check_real,
    warn_user,
)
from .found import Found
from .kernel_method import KernelMethod, is_auto
from .learning_problem import Learned, LearningProblem, Tasks
from .parameters import with_parameters
from .strength_path import choose_strength, middle_of

# Number of parts to choose a strength by where no honest scores are asked for.
DEFAULT_FOLDS = 5
NORMALIZATIONS = ("trace", "variance", "cosine")


@with_parameters
class KernelLearner(KernelMethod):
    """Base class of the methods that learn one kernel from many.

    A subclass writes `_learn`, which finds kernel weights and machines, and `_machine`, which fits
    the machines alone on a Gram matrix that is already weighted. The base turns data into Gram
    matrices, problems into classes, and machines that left rows out into probabilities.

    Of the constructor parameters the base also reads `kernels`, `n_kernels`, `multi_class` and
    `shared_weights`; those a subclass does not declare take the values below.

    Parameters
    ----------
    kernels : list of Kernel, sampler, ndarray of shape (n_kernels, n, n) or None
        Kernels to weigh. An array is a stack of Gram matrices; X then holds row numbers. None
        means five RBF kernels in powers of four around the gamma of least leave-one-out error of a
        kernel ridge, and with `preset="paper"` around the mean squared distance.
    normalize : {"auto", "trace", "variance", "cosine"} or None
        Whether every kernel is scaled to a mean diagonal of 1, to unit variance in feature space,
        to a unit diagonal, or left as it is. "auto" means "trace".
    multi_class : {"auto", "ovo", "ovr"}
        Whether there is one problem per pair of classes, as in the papers, or one per class against
        the rest, which "auto" means: its scores are on one scale, and many classes are few
        problems.
    calibration_folds : int
        Number of parts of the training rows that are left out in turn, on the learned kernel, to
        get honest scores; 0 means that there are none. By honest scores, the scores of each class
        against the rest get the factor and the bias of least log-loss, but not with
        `preset="paper"`.
    """

    _: KW_ONLY
    normalize: str | None = "auto"
    calibration_folds: int = 5

    kernels = cast(Any, None)
    n_kernels = cast(Any, None)
    multi_class = "auto"
    shared_weights = True

    _auto: ClassVar[dict[str, Any]] = {"normalize": "trace", "multi_class": "ovr"}
    _paper: ClassVar[dict[str, Any]] = {
        **KernelMethod._paper,
        "normalize": "trace",
        "multi_class": "ovo",
    }
    #: The parameter that "auto" chooses, and the values on the path, the smoothest first.
    _strength: ClassVar[str] = "C"
    _strengths: ClassVar[tuple[float, ...]] = (0.25, 1.0, 4.0, 16.0, 64.0, 256.0, 1024.0)
    #: Number of Gaussian kernels around the best width that are the default.
    _n_gaussians: ClassVar[int] = 5
    #: Whether the scores of each class against the rest get a factor of their own beside a bias.
    _has_class_factors: ClassVar[bool] = True
    #: Where kernels come from by default with `preset="paper"`.
    _default_sampler: ClassVar[KernelSampler] = MeanSquaredDistance(
        multipliers=(0.0625, 0.25, 1.0, 4.0, 16.0)
    )

    @property
    def _coding(self):
        return "ovo" if self.multi_class == "ovo" else "signed"

    @abstractmethod
    def _learn(self, grams, tasks, rng):
        """Return weights, coefs, bias, objective, gap, n_iter and converged (an `MKLSolution`)."""

    def _machine(self, K, tasks):
        """Return an object with the coefs and bias of machines on one Gram matrix."""
        raise TypeError(f"{type(self).__name__} has no machine on a single Gram matrix.")

    def _check_params(self, table):
        super()._check_params(table)
        if self.normalize is not None:
            check_choice(self.normalize, "normalize", ("auto", *NORMALIZATIONS))
        check_choice(self.multi_class, "multi_class", ("auto", "ovo", "ovr"))
        check_instance(self.shared_weights, "shared_weights", (bool, np.bool_), "True or False")
        check_folds(self.calibration_folds, "calibration_folds")
        if "tol" in self.get_params():
            check_real(self.tol, "tol", low=0.0, open_low=True)
        if "max_iter" in self.get_params():
            check_count(self.max_iter, "max_iter")

    def _why_not_honest(self):
        return "calibration_folds is 0, or a class has only one row"

    def _fit_members(self, table, rng):
        rows = table.all
        X, weight = rows.X.astype(np.float64, copy=False), rows.weights
        folds = copies_in_folds(rows, self.calibration_folds or DEFAULT_FOLDS, rng)
        # Rows of a class that weighs nothing take part in no problem.
        T = np.where(weight[:, None] > 0, rows.targets(self._coding), 0.0)
        tasks = Tasks(T, rows.codes, rows.n_classes, weight)
        kernels = [
            self._normalized(kernel, X, weight) for kernel in self._resolve_kernels(table, rng)
        ]
        problem = LearningProblem(kernels, X, tasks, folds, draw_seed(rng))
        sizes = np.bincount(rows.codes, rows.copies, minlength=rows.n_classes)
        honest = self.calibration_folds > 0 and sizes.min() >= 2
        path = self._path(X.shape[0])
        if table.n_copies == table.n_classes:
            # A row that is left out tells nothing if no other row has its class.
            path = path[middle_of(path) :][:1]
        learner, learned, scores = choose_strength(path, problem, honest)
        member = KernelExpansion(
            learned.parts, learned.bias, scores if honest else None, self._coding
        )
        attributes = {
            "kernels_": kernels,
            f"{self._strength}_": getattr(learner, self._strength),
            **learned.attributes,
            **self._report(learned.solutions),
        }
        return Found([self._on_one_scale(member, table)], attributes)

    def _on_one_scale(self, member, table):
        """Return the member with the scores of all classes on one scale, by honest scores."""
        if member.honest_scores is None:
            return member
        rows = table.all
        return member.on_lines(*self._lines(member.honest_scores, rows.codes, rows.weights))

    def _lines(self, S, codes, weights):
        """Return the factor and the bias of every column of honest scores."""
        if self.preset != "auto" or self._coding != "signed":
            return np.ones(1), np.zeros(1)
        if not self._has_class_factors:
            return np.ones(1), fit_class_bias(S, codes, weights)
        return fit_class_lines(S, codes, weights)

    def _gram_values(self, table):
        # The mixture, and what the machine copies of it.
        return 2 * table.n_rows**2

    def _class_work(self, table):
        # Three strengths at least are compared, each by machines that left out a fold.
        machines = 1 + 3 * (self.calibration_folds or DEFAULT_FOLDS)
        rows = table.n_rows / (1 if self._coding == "signed" else table.n_classes / 2)
        # A machine on few rows takes as long as a million operations.
        return self._count_columns(table) * machines * max(rows**2, 1e6)

    def _path(self, n_rows):
        """Return this learner with every strength that is to be compared, the smoothest first."""
        given = getattr(self, self._strength)
        if not is_auto(given):
            return [self]
        params = self.get_params(deep=False)
        return [
            type(self)(**{**params, self._strength: strength})
            for strength in self._strengths_for(n_rows)
        ]

    def _strengths_for(self, n_rows):
        return self._strengths

    def _resolve_kernels(self, table, rng):
        kernels = self.kernels
        if isinstance(kernels, np.ndarray) and kernels.ndim == 3:
            kernels = [Precomputed(gram) for gram in kernels]
        elif isinstance(kernels, Sequence) and not isinstance(kernels, list):
            kernels = list(kernels)
        if kernels is None and self.preset == "auto":
            return gaussians_around(find_gamma(table, rng), self.n_kernels or self._n_gaussians)
        return resolve_kernels(kernels, table, self.n_kernels, rng, default=self._default_sampler)

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

    def _grams(self, kernels, X):
        """Return the Gram matrices of the kernels, a stack or what the subclass reads instead."""
        return gram_stack(kernels, X)

    def _fit_shared(self, kernels, X, tasks, rng):
        """Learn one weight vector for all problems."""
        found = self._learn(self._grams(kernels, X), tasks, rng)
        kernel = weighted_kernel(kernels, found.weights)
        return Learned(
            [KernelPart.of_support(kernel, X, found.coefs)],
            found.bias,
            [found],
            [[kernel]],
            {"kernel_weights_": found.weights, "kernel_": kernel},
        )

    def _fit_separate(self, kernels, X, tasks, rng):
        """Learn one weight vector per problem, from the rows the problem is about."""
        n_tasks = tasks.T.shape[1]
        weights = np.full((n_tasks, len(kernels)), 1.0 / len(kernels))
        bias, parts, solutions = np.zeros(n_tasks), [], []
        for column, rows, alone in tasks.each():
            found = self._learn(self._grams(kernels, X[rows]), alone, rng)
            weights[column] = found.weights
            coefs = np.zeros((rows.size, n_tasks))
            coefs[:, column], bias[column] = found.coefs[:, 0], found.bias[0]
            kernel = weighted_kernel(kernels, found.weights)
            parts.append(KernelPart.of_support(kernel, X[rows], coefs))
            solutions.append(found)
        own = [weighted_kernel(kernels, d) for d in weights]
        attributes = {
            "kernel_weights_": weights,
            "kernel_": weighted_kernel(kernels, weights.mean(axis=0)),
            "task_kernels_": own,
        }
        return Learned(parts, bias, solutions, [[kernel] for kernel in own], attributes)

    def _report(self, solutions):
        """Return what the solvers say about themselves, and warn when one stopped early."""
        told = {
            "objective_": float(sum(found.objective for found in solutions)),
            "n_iter_": int(max(found.n_iter for found in solutions)),
        }
        gaps = [found.gap for found in solutions if found.gap is not None]
        if gaps:
            told["duality_gap_"] = float(sum(gaps))
        if not all(found.converged for found in solutions):
            warn_user(
                f"{type(self).__name__} stopped after {told['n_iter_']} iterations at a duality "
                f"gap of {told['duality_gap_']:.3g} for an objective of {told['objective_']:.3g}; "
                "raise max_iter, raise tol, or scale the kernels.",
                ConvergenceWarning,
            )
        return told

    def _decided(self, S, tasks):
        """Return held-out scores of the problems with the thresholds of the fitted classifier."""
        return S

    def _fit_fixed(self, grams, tasks, rng):
        """Return the coefs on each Gram matrix and the bias for the weights as they are."""
        machine = self._machine(grams[0], tasks)
        return [machine.coefs], machine.bias


@with_parameters
class SVMKernelLearner(KernelLearner):
    """Base class of the kernel learners whose machine is a support vector machine.

    Parameters
    ----------
    C : float or "auto"
        Cost of a violated margin, as in `sklearn.svm.SVC`; sample weights multiply it. "auto" means
        that of least honest log-loss among 1/4, 1, 4, …, 1024, which takes up to five times as long
        as one cost, and with `preset="paper"` 1.
    """

    _: KW_ONLY
    C: Any = "auto"

    _paper: ClassVar[dict[str, Any]] = {**KernelLearner._paper, "C": 1.0}

    def _check_params(self, table):
        super()._check_params(table)
        if not is_auto(self.C):
            check_real(self.C, "C", low=0.0, open_low=True)

    def _machine(self, K, tasks):
        return solve_svm(K, tasks.T, self.C * tasks.weight)

    def _fit_fixed(self, grams, tasks, rng):
        # At LIBSVM's usual tolerance the last digit of a Gram matrix would move honest scores, and
        # with them the temperature, by a ten-thousandth.
        machine = solve_svm(grams[0], tasks.T, self.C * tasks.weight, tol=1e-6)
        return [machine.coefs], machine.bias
