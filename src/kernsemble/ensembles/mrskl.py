"""MRSKL: kernel machines on random subsets with random parameters, weighted by a linear SVM."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import gen_batches

from ..fitting.base import KernelEnsemble
from ..fitting.dispatch import count_workers
from ..kernels.samplers import log_uniform
from ..kernels.statistics import distance_statistics
from ..members.subset import MemberBank, fit_subset_members
from ..members.training_scores import TrainingScores
from ..solvers.stacking import (
    choose_alpha,
    leave_one_out,
    solve_linear,
    solve_non_negative,
    summed_weights,
)
from ..tables import Table, draw_rows
from ..tables.draws import SUBSET_RULES, SubsetSampler
from ..targets import target_codes
from ..validation import check_choice, check_count, check_real, resolve_count

__all__ = ["MRSKLClassifier"]

PAPER_C = (2.0**-1, 2.0**10)
PAPER_GAMMA = (2.0**-5, 2.0**2)
#: Of 1 / median squared distance.
SCALE_GAMMA = (2.0**-1, 2.0**4)
DEFAULT_SIZE = 50
# Gram matrices of the members that are solved together.
BATCH_BYTES = 1 << 25
# Rows on which the level-one strength is chosen and the probabilities are calibrated.
SAMPLE_ROWS = 20_000


class MRSKLClassifier(KernelEnsemble):
    """Multiple random subset-kernel learning: many small kernel machines, linearly combined.

    Member m draws a subset of the rows, a cost C and an RBF width γ, and fits a kernel machine f_m
    to its subset. The members' scores of all rows are the inputs of a linear machine that finds
    the kernel weights β in f(x) = Σ_m β_m f_m(x) + b by minimising
    Σ_i max(0, 1 - t_i f(x_i))² + alpha |β|². With more than two classes every class has its own β
    on its own column of the members.

    Parameters
    ----------
    n_estimators : int, default=200
        Number of members.
    subset_size : int, float or None, default=None
        Rows of a member, or their share; None means 50 or half of the rows, whichever is less,
        and one of each class for "pair", which allows nothing else.
    subset : {"pair", "random", "stratified"}, default="stratified"
        One row of each class, rows at random, or classes in proportion to their size. Subsets
        always hold every class where that is possible.
    C_range : (float, float) or "paper", default="paper"
        C is drawn between the two, uniform in its logarithm; "paper" is (2⁻¹, 2¹⁰).
    gamma_range : (float, float), "scale" or "paper", default="scale"
        γ is drawn likewise; "paper" is (2⁻⁵, 2²), which depends on the unit of the data, "scale"
        is (2⁻¹, 2⁴) / median², with the median distance of the rows.
    n_candidates : int, default=1
        Subsets with parameters that are drawn for each member; the one with the best accuracy on
        all training rows is kept.
    member : {"svm", "ridge", "squared_hinge"}, default="ridge"
        Loss of a member. Members of few rows are solved in stacks.
    combiner : {"linear_svm", "ridge", "nnls"}, default="linear_svm"
        Level-one loss: squared hinge, squared, or squared with weights that are not negative and
        the same for all classes, which leaves most members without weight. On 30 development sets
        of up to 5,000 rows "nnls" is more accurate than "linear_svm", 77.5 to 76.7 %.
    level_one : {"out_of_subset", "in_sample"}, default="out_of_subset"
        Whether a member is silent about the rows of its own subset when the weights are fitted,
        or speaks about them too, as in the paper. On the same sets silence gains 1.4 points with
        "linear_svm" (76.7 to 75.3 %) and 1.7 with "nnls" (77.5 to 75.8 %).
    alpha : float or None, default=None
        Level-one strength; None chooses it by leave-one-out loss.
    prune : float or None, default=None
        Members whose |β_m| is below this part of the largest are dropped and the weights fitted
        again.
    class_weight : dict, "balanced" or None, default=None
    n_jobs : int, default=None
        Batches of members fitted at once.
    verbose : int, default=0
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    estimators_ : list of SubsetMember
        With `kernel`, `C`, `support`, `coefs` and `bias`.
    kernel_weights_ : ndarray of shape (n_members,) or (n_members, n_classes)
        β.
    ranking_ : ndarray of int of shape (n_members,)
        Members from the largest |β_m| to the smallest.
    alpha_ : float
        Level-one strength.
    n_support_ : int
        Kernel evaluations that a prediction takes.
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the softmax that turns scores into probabilities.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The weights are those of an unconstrained linear SVM; the paper's β ≥ 0, Σ β = 1 is not what
    its own combiner gives ("nnls" gives β ≥ 0). Members give margins, not probabilities, and carry
    a bias of their own.

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

    _accept_chunks = True

    def __init__(
        self,
        n_estimators=200,
        *,
        subset_size=None,
        subset="stratified",
        C_range="paper",
        gamma_range="scale",
        n_candidates=1,
        member="ridge",
        combiner="linear_svm",
        level_one="out_of_subset",
        alpha=None,
        prune=None,
        class_weight=None,
        n_jobs=None,
        verbose=0,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.subset_size = subset_size
        self.subset = subset
        self.C_range = C_range
        self.gamma_range = gamma_range
        self.n_candidates = n_candidates
        self.member = member
        self.combiner = combiner
        self.level_one = level_one
        self.alpha = alpha
        self.prune = prune
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _check_params(self, X):
        check_choice(self.subset, "subset", SUBSET_RULES)
        check_choice(self.member, "member", ("svm", "ridge", "squared_hinge"))
        check_choice(self.combiner, "combiner", ("linear_svm", "ridge", "nnls"))
        check_choice(self.level_one, "level_one", ("out_of_subset", "in_sample"))
        check_count(self.n_candidates, "n_candidates")
        _resolve_range(self.C_range, "C_range", {"paper": PAPER_C})
        _resolve_range(
            self.gamma_range, "gamma_range", {"paper": PAPER_GAMMA, "scale": SCALE_GAMMA}
        )
        if self.alpha is not None:
            check_real(self.alpha, "alpha", low=0.0, open_low=True)
        if self.prune is not None:
            check_real(self.prune, "prune", low=0.0, high=1.0)
        self._count_rows(X)

    def _count_rows(self, X):
        """Return how many rows a subset has."""
        if self.subset == "pair":
            if self.subset_size is not None:
                raise ValueError(
                    "subset_size must be None with subset='pair', which takes one row of each "
                    f"class, got {self.subset_size!r}."
                )
            return len(self.classes_)
        if self.subset_size is None:
            half = max(len(self.classes_), X.shape[0] // 2)
            return min(DEFAULT_SIZE, half, X.shape[0])
        return resolve_count(self.subset_size, "subset_size", X.shape[0])

    def _draw_members(self, X, T, rng):
        """Return batches of subsets with their C and γ.

        All are drawn here, so that the members do not depend on how many workers share them.
        """
        classes = X.classes if isinstance(X, Table) else target_codes(T)
        n_drawn = self.n_estimators * self.n_candidates
        subsets = SubsetSampler(classes, self.subset, self._count_rows(X)).draw(n_drawn, rng)
        low, high = _resolve_range(self.C_range, "C_range", {"paper": PAPER_C})
        costs = log_uniform(low, high, n_drawn, rng)
        named = {"paper": PAPER_GAMMA, "scale": SCALE_GAMMA}
        low, high = _resolve_range(self.gamma_range, "gamma_range", named)
        unit = distance_statistics(X, rng).median ** -2 if self.gamma_range == "scale" else 1.0
        gammas = log_uniform(low * unit, high * unit, n_drawn, rng)
        n_workers = 1 if isinstance(X, Table) else count_workers(self.n_jobs)
        together = BATCH_BYTES // (8 * subsets.shape[1] ** 2)
        size = max(1, min(together // self.n_candidates, -(-self.n_estimators // n_workers)))
        return [
            {"subsets": subsets[some], "gammas": gammas[some], "costs": costs[some]}
            for some in gen_batches(n_drawn, size * self.n_candidates)
        ]

    def _fit_member(self, X, T, sample_weight, rng, subsets, gammas, costs):
        """Fit a batch of members."""
        fits = fit_subset_members(self.member, X, T, subsets, gammas, costs, sample_weight)
        if self.n_candidates == 1:
            return fits
        accuracies = self._accuracies(fits, X, T, sample_weight).reshape(-1, self.n_candidates)
        best = accuracies.argmax(axis=1) + self.n_candidates * np.arange(len(accuracies))
        return [fits[number] for number in best]

    def _training_scores(self, fits, X, T, sample_weight):
        return TrainingScores(
            fits, X, T, sample_weight, out_of_subset=self.level_one == "out_of_subset"
        )

    def _accuracies(self, fits, X, T, sample_weight):
        return self._training_scores(fits, X, T, sample_weight).total(_weighted_hits)

    def _fit_members(self, X, T, sample_weight, rng):
        fits = [fit for batch in super()._fit_members(X, T, sample_weight, rng) for fit in batch]
        seed = rng.randint(np.iinfo(np.int32).max)
        scores = self._training_scores(fits, X, T, sample_weight)
        W = self._solve_level_one(scores, np.random.RandomState(seed))
        shares = np.abs(W[:, :-1]).mean(axis=0)
        if self.prune is not None and (shares < self.prune * shares.max()).any():
            fits = [fits[m] for m in np.flatnonzero(shares >= self.prune * shares.max())]
            scores = self._training_scores(fits, X, T, sample_weight)
            W = self._solve_level_one(scores, np.random.RandomState(seed))
        members = [fit.member for fit in fits]
        self._set_weights(members, W)
        return members

    def _solve_level_one(self, scores, rng):
        """Return the weights of the members and, in the last column, the bias.

        Leave-one-out scores of a sample of the rows stay behind for the calibration.
        """
        all_rows = scores.n_rows <= SAMPLE_ROWS
        numbers = np.arange(scores.n_rows)
        if not all_rows:
            numbers = np.sort(draw_rows(scores.n_rows, SAMPLE_ROWS, rng))
        rows, sample = scores.sample(numbers)
        n_outputs, n_members = scores.shape
        loss = "squared_hinge" if self.combiner == "linear_svm" else "squared"
        if self.combiner == "nnls":
            alpha = self.alpha
            if alpha is None:
                alpha = np.sqrt(scores.total(summed_weights))
            W = solve_non_negative(scores, n_outputs, n_members, alpha)
        else:
            alphas = None if self.alpha is None else [self.alpha]
            alpha, fit = choose_alpha(sample.blocks, n_outputs, n_members, loss=loss, alphas=alphas)
            if not all_rows:
                fit = solve_linear(scores, alpha, fit.coefs, loss=loss)
            if not fit.converged:
                warnings.warn(
                    "The kernel weights did not converge.", ConvergenceWarning, stacklevel=4
                )
            W = fit.coefs
        self.alpha_ = float(alpha)
        used = np.flatnonzero(W[:, :-1].any(axis=0))
        left_out = leave_one_out(sample.blocks, alpha, W, loss=loss, kept=used)
        self._honest = left_out.T, target_codes(rows.T), rows.sample_weight
        return W

    def _set_weights(self, members, W):
        """Keep β, and the members with a weight as one machine on all their support rows."""
        weights = W[:, :-1]
        self.kernel_weights_ = weights[0] if len(weights) == 1 else weights.T
        shares = np.abs(weights).mean(axis=0)
        self.ranking_ = np.argsort(-shares, kind="stable")
        used = np.flatnonzero(shares) if shares.any() else np.array([0])
        self._bank = MemberBank([members[m] for m in used])
        self._coefs, own_bias = self._bank.collapse(weights[:, used])
        self._bias = W[:, -1] + own_bias
        self.n_support_ = self._coefs.shape[1]

    def _fit_combination(self, codes, sample_weight):
        # The rows on which the strength was chosen, whatever the base would take.
        self._fit_temperature(*self._honest)
        del self._honest

    def _block_scores(self, X):
        return self._bank.collapsed_scores(X, self._coefs) + self._bias


def _weighted_hits(blocks):
    """Return the summed weight of the rows that each member gets right."""
    hits = 0.0
    for Z, t, s in blocks():
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
