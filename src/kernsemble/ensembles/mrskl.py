"""MRSKL: kernel machines on random subsets with random parameters, weighted by a linear SVM."""

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import gen_batches

from ..calibration import HonestScores
from ..combine import ClassWeighted
from ..fitting.dispatch import count_workers
from ..fitting.found import Found
from ..fitting.kernel_method import KernelMethod, is_auto
from ..fitting.parameters import with_parameters
from ..kernels import MedianGrid
from ..kernels.samplers import log_uniform
from ..kernels.statistics import distance_statistics
from ..members.kernel_ridge import fit_kernel_ridge_member
from ..members.mhks_search import ALPHAS, TUNING_ROWS, typical_part
from ..members.subset import CollapsedMachine, MemberBank, fit_subset_members
from ..members.training_scores import TrainingScores
from ..seeds import draw_seed
from ..solvers.stacking import (
    choose_alpha,
    leave_one_out,
    solve_linear,
    solve_non_negative,
    summed_weights,
)
from ..tables.draws import SUBSET_RULES, draw_rows, draw_subsets
from ..validation import check_choice, check_count, check_real, warn_user

#: "auto" is in units of the C and gamma of the best kernel ridge.
C_RANGES = {"paper": (2.0**-1, 2.0**10), "auto": (2.0**-3, 2.0**3)}
#: The range "scale" is in units of 1 / median squared distance.
GAMMA_RANGES = {
    "paper": (2.0**-5, 2.0**2),
    "scale": (2.0**-1, 2.0**4),
    "auto": (2.0**-2, 2.0**2),
}
DEFAULT_SIZE = 50
DEFAULT_SHARE = 0.3
MAX_SIZE = 300
# Size of the Gram matrices of the members that are solved together.
BATCH_BYTES = 1 << 25
# Number of rows on which the level-one strength is chosen and the probabilities are calibrated.
SAMPLE_ROWS = 20_000
# Copies of a row are rows of their own as long as there are no more rows than this.
LISTED_ROWS = 100_000


@with_parameters
class MRSKLClassifier(KernelMethod):
    """Multiple random subset-kernel learning: many small kernel machines, linearly combined.

    Member m draws a subset of the rows, a cost C and an RBF width γ, and fits a kernel machine f_m
    to its subset. The members' scores of all rows are the inputs of a linear machine that finds
    the kernel weights β in f(x) = Σ_m β_m f_m(x) + b by minimising
    Σ_i max(0, 1 - t_i f(x_i))² + alpha |β|². With more than two classes every class has its own β
    on its own column of the members.

    Parameters
    ----------
    subset_size : int, float or "auto"
        Number of rows of a member, or their share; "auto" means three tenths of the rows, at least
        50 and at most 300, or 50 with `preset="paper"`, but never more than half of the rows; and
        one of each class for "pair", which allows nothing else.
    subset : {"auto", "pair", "random", "stratified"}
        Whether a subset has one row of each class, rows at random, or classes in proportion to
        their size, which "auto" means. Subsets always hold every class where that is possible.
        Published: "random".
    member : {"auto", "svm", "ridge", "squared_hinge"}
        Loss of a member, "auto" means "ridge". Members of few rows are solved in stacks.
        Published: "svm".
    C_range : (float, float), "auto" or "paper"
        C is drawn between the two, uniform in its logarithm; "paper" is (2⁻¹, 2¹⁰), and "auto"
        within a factor of eight of the kernel ridge of least leave-one-out error on at most 300
        rows.
    gamma_range : (float, float), "auto", "scale" or "paper"
        Range of γ, which is drawn likewise; "auto" is within a factor of four of that ridge,
        "paper" is (2⁻⁵, 2²), which depends on the unit of the data, and "scale" is (2⁻¹, 2⁴) /
        median², with the median distance of the rows.
    n_candidates : int
        Number of subsets with parameters that are drawn for each member; the one with the best
        accuracy on all training rows is kept.
    level_one : {"auto", "out_of_subset", "in_sample"}
        Whether a member is silent about the rows of its own subset when the weights are fitted,
        which "auto" means, or speaks about them too, as in the paper.
    alpha : float or "auto"
        Level-one strength; "auto" chooses it by leave-one-out loss.
    combine : {"auto", "linear_svm", "ridge", "nnls"}
        Level-one loss: squared hinge as in the paper, squared, which "auto" means, or squared with
        weights that are not negative and the same for all classes, which leaves most members
        without weight.
    prune : float or None
        Members whose |β_m| is below this part of the largest are dropped and the weights fitted
        again.

    Attributes
    ----------
    estimators_ : list of SubsetMember
        Each with `kernel`, `C`, `support`, `coefs` and `bias`.
    weights_ : ndarray of shape (n_members,) or (n_members, n_classes)
        The weights β.
    ranking_ : ndarray of int of shape (n_members,)
        Members from the largest |β_m| to the smallest.
    alpha_ : float
        The level-one strength used.
    machine_ : CollapsedMachine
        All members with a weight as one machine on their support rows, which predicts.
    n_support_ : int
        Number of kernel evaluations that a prediction takes.
    {honest}
    {fitted}

    Notes
    -----
    The weights are those of an unconstrained linear SVM; the paper's β ≥ 0, Σ β = 1 is not what
    its own combiner gives ("nnls" gives β ≥ 0). Members give margins, not probabilities, and carry
    a bias of their own. The paper's members are support vector machines on one row of each class or
    on random rows, and speak about all rows at level one. The defaults are ridges on stratified
    subsets, which one stacked solver fits.

    A row of weight 2 is drawn as two rows are. With `preset="paper"` a row is drawn once, whatever
    its weight, which multiplies its cost.

    References
    ----------
    Nishida, Fujiki and Kurita (2011), Multiple random subset-kernel learning, CAIP.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import MRSKLClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = MRSKLClassifier(50, random_state=0).fit(X[::2], y[::2])
    >>> clf.score(X[1::2], y[1::2]) > 0.9
    True
    """

    n_estimators: int = 200
    _: KW_ONLY
    subset_size: Any = "auto"
    subset: str = "auto"
    member: str = "auto"
    C_range: Any = "auto"
    gamma_range: Any = "auto"
    n_candidates: int = 1
    level_one: str = "auto"
    alpha: Any = "auto"
    combine: str = "auto"
    prune: float | None = None
    n_jobs: int | None = None
    verbose: int = 0

    _accept_chunks = True
    _combine_rules = ("linear_svm", "ridge", "nnls")
    _auto: ClassVar[dict[str, Any]] = {
        "subset": "stratified",
        "member": "ridge",
        "level_one": "out_of_subset",
        "combine": "ridge",
    }
    _paper: ClassVar[dict[str, Any]] = {
        **KernelMethod._paper,
        "subset": "random",
        "member": "svm",
        "C_range": "paper",
        "gamma_range": "paper",
        "level_one": "in_sample",
        "combine": "linear_svm",
    }

    def _check_params(self, table):
        super()._check_params(table)
        check_choice(self.subset, "subset", SUBSET_RULES)
        check_choice(self.member, "member", ("svm", "ridge", "squared_hinge"))
        check_choice(self.level_one, "level_one", ("out_of_subset", "in_sample"))
        check_count(self.n_candidates, "n_candidates")
        _resolve_range(self.C_range, "C_range", C_RANGES)
        _resolve_range(self.gamma_range, "gamma_range", GAMMA_RANGES)
        if isinstance(self.alpha, str):
            check_choice(self.alpha, "alpha", ("auto",))
        else:
            check_real(self.alpha, "alpha", low=0.0, open_low=True)
        if self.prune is not None:
            check_real(self.prune, "prune", low=0.0, high=1.0)
        self._count_rows(table)

    def _count_rows(self, table):
        """Return how many rows a subset has."""
        is_auto = isinstance(self.subset_size, str)
        if is_auto:
            check_choice(self.subset_size, "subset_size", ("auto",))
        if self.subset == "pair":
            if not is_auto:
                raise ValueError(
                    "subset_size must be 'auto' with subset='pair', which takes one row of each "
                    f"class, got {self.subset_size!r}."
                )
            return table.n_classes
        if is_auto:
            half = max(table.n_classes, table.n_rows // 2)
            size = int(DEFAULT_SHARE * table.n_rows) if self.preset == "auto" else 0
            return min(max(DEFAULT_SIZE, min(size, MAX_SIZE)), half, table.n_rows)
        return table.count(self.subset_size, "subset_size")

    def _draw_members(self, table, rng):
        """Return batches of subsets with their C and γ.

        All are drawn here, so that the members do not depend on how many workers share them.
        """
        n_drawn = self.n_estimators * self.n_candidates
        size = self._count_rows(table)
        subsets = draw_subsets(table.class_rows, self.subset, size, n_drawn, rng)
        C_unit, gamma_unit = self._units(table, rng)
        low, high = _resolve_range(self.C_range, "C_range", C_RANGES)
        costs = log_uniform(low * C_unit, high * C_unit, n_drawn, rng)
        low, high = _resolve_range(self.gamma_range, "gamma_range", GAMMA_RANGES)
        if self.gamma_range == "scale":
            gamma_unit = distance_statistics(table, rng).median ** -2
        gammas = log_uniform(low * gamma_unit, high * gamma_unit, n_drawn, rng)
        n_workers = count_workers(self.n_jobs) if table.in_memory else 1
        together = BATCH_BYTES // (8 * subsets.shape[1] ** 2)
        batch = max(1, min(together // self.n_candidates, -(-self.n_estimators // n_workers)))
        return [
            {"subsets": subsets[some], "gammas": gammas[some], "costs": costs[some]}
            for some in gen_batches(n_drawn, batch * self.n_candidates)
        ]

    def _units(self, table, rng):
        """Return the C and the gamma of the best kernel ridge, or 1 where ranges are given."""
        found = is_auto(self.C_range), is_auto(self.gamma_range)
        if not any(found):
            return 1.0, 1.0
        part = typical_part(table, TUNING_ROWS, rng)
        widths = MedianGrid().sample(table, MedianGrid().n_default, rng)
        ridge = fit_kernel_ridge_member(part, widths, ALPHAS)
        return 1.0 / ridge.alpha if found[0] else 1.0, ridge.kernel.gamma if found[1] else 1.0

    def _fit_member(self, table, rng, subsets, gammas, costs):
        """Fit a batch of members."""
        fits = fit_subset_members(table, self.member, subsets, gammas, costs)
        if self.n_candidates == 1:
            return fits
        # Every candidate speaks about every row, its own included, as in the paper.
        scores = TrainingScores(table, fits, out_of_subset=False)
        accuracies = scores.parts.total(_weighted_hits)
        accuracies = accuracies.reshape(-1, self.n_candidates)
        best = accuracies.argmax(axis=1) + self.n_candidates * np.arange(len(accuracies))
        return [fits[number] for number in best]

    def _training_scores(self, table, fits):
        return TrainingScores(table, fits, out_of_subset=self.level_one == "out_of_subset")

    @property
    def _merge_copies(self):
        # Published tables draw from the rows in the order in which they came.
        return self.preset != "paper"

    def _fit_members(self, table, rng):
        # A member is silent about the rows that it drew, not about other copies of them.
        table, origin = table.list_copies(LISTED_ROWS)
        fits = [fit for batch in self._fit_each(table, rng) for fit in batch]
        seed = draw_seed(rng)
        W, alpha, honest = self._solve_level_one(table, fits, seed)
        shares = np.abs(W[:, :-1]).mean(axis=0)
        if self.prune is not None and (shares < self.prune * shares.max()).any():
            fits = [fits[m] for m in np.flatnonzero(shares >= self.prune * shares.max())]
            W, alpha, honest = self._solve_level_one(table, fits, seed)
        honest = honest if origin is None else honest.merged(origin)
        return self._found([fit.member for fit in fits], W, alpha, honest)

    def _solve_level_one(self, table, fits, seed):
        """Return the weights of the members, the strength and honest scores of a sample.

        The last column of the weights is the bias.
        """
        scores = self._training_scores(table, fits)
        numbers = np.arange(table.n_rows)
        if table.n_rows > SAMPLE_ROWS:
            drawn = draw_rows(table.n_rows, SAMPLE_ROWS, np.random.RandomState(seed))
            numbers = np.sort(drawn)
        sample = scores.sample(numbers)
        n_outputs, n_members = scores.shape
        one_copy = sample.rows.left_out
        loss = "squared_hinge" if self.combine == "linear_svm" else "squared"
        if self.combine == "nnls":
            alpha = self.alpha
            if alpha == "auto":
                alpha = np.sqrt(scores.parts.total(summed_weights))
            W = solve_non_negative(scores.parts, n_outputs, n_members, alpha)
        else:
            alphas = None if self.alpha == "auto" else [self.alpha]
            alpha, fit = choose_alpha(
                sample, n_outputs, n_members, loss=loss, alphas=alphas, left_out=one_copy
            )
            if len(numbers) < table.n_rows:
                fit = solve_linear(scores.parts, alpha, fit.coefs, loss=loss)
            if not fit.converged:
                warn_user("The kernel weights did not converge.", ConvergenceWarning)
            W = fit.coefs
        used = np.flatnonzero(W[:, :-1].any(axis=0))
        left_out = leave_one_out(sample, alpha, W, loss=loss, kept=used, left_out=one_copy)
        return W, float(alpha), HonestScores.of(left_out.T, sample.rows, numbers)

    def _found(self, members, W, alpha, honest):
        """Return the members with their weights, and as one machine on all their support rows."""
        weights = W[:, :-1]
        shares = np.abs(weights).mean(axis=0)
        used = np.flatnonzero(shares) if shares.any() else np.array([0])
        bank = MemberBank([members[m] for m in used])
        machine = CollapsedMachine.of(bank, weights[:, used], W[:, -1])
        attributes = {
            "weights_": weights[0] if len(weights) == 1 else weights.T,
            "ranking_": np.argsort(-shares, kind="stable"),
            "alpha_": alpha,
            "machine_": machine,
            "n_support_": machine.n_support,
        }
        return Found(members, attributes, honest, ClassWeighted(weights, W[:, -1]))

    def _block_scores(self, X):
        return self.machine_.scores(X)


def _weighted_hits(part):
    """Return the summed weight of the rows that each member gets right."""
    hits = 0.0
    for Z, t, s in part.blocks():
        if len(Z) == 1:
            right = (Z[0] > 0) == (t[0] > 0)
        else:
            right = Z.argmax(axis=0) == t.argmax(axis=0)
        hits = hits + right @ s
    return hits


def _resolve_range(given, name, named):
    """Return (low, high) of a pair or of a name in `named`."""
    if isinstance(given, str):
        return named[check_choice(given, name, tuple(named))]
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        listed = " or ".join(repr(choice) for choice in named)
        raise TypeError(f"{name} must be a pair of numbers or {listed}, got {given!r}.")
    low = check_real(given[0], name, low=0.0, open_low=True)
    return low, check_real(given[1], name, low=low)
