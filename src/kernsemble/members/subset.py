"""Members fitted to a few rows each, and a bank that scores thousands of them at once."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.svm import SVC
from sklearn.utils import gen_batches
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from ..kernels import RBF
from ..kernels.blocks import CACHE_BYTES, rows_per_block
from ..solvers.small_machines import solve_machines
from .kernel_expansion import KernelPart
from .member import Member

BLOCK_ROWS = 512
# For larger subsets LIBSVM is faster, because it does not compute the whole Gram matrix.
LARGEST_STACKED_SVM = 64


@dataclass(frozen=True, eq=False)
class SubsetMember(Member):
    """A kernel machine and its support rows.

    Attributes
    ----------
    kernel : RBF
    C : float
        Cost of an error in the fit of this machine.
    support : {ndarray, CSR matrix} of shape (n_support, n_features)
    coefs : ndarray of shape (n_support, n_outputs)
    bias : ndarray of shape (n_outputs,)
    """

    kernel: Any
    C: float
    support: Any
    coefs: np.ndarray
    bias: np.ndarray
    coding = "signed"

    def scores(self, X):
        return self.kernel(X, self.support) @ self.coefs + self.bias


class SubsetFit(NamedTuple):
    """A member, and the numbers of the training rows that it was fitted to."""

    member: SubsetMember
    rows: np.ndarray


def fit_subset_members(table, kind, subsets, gammas, costs):
    """Fit one RBF machine to each subset of the rows.

    Parameters
    ----------
    table : Table
        Its sample weights multiply the costs of the rows.
    kind : {"svm", "ridge", "squared_hinge"}
    subsets : ndarray of int of shape (n_members, n_rows)
        Numbers of rows.
    gammas, costs : ndarray of shape (n_members,)

    Returns
    -------
    list of SubsetFit
    """
    needed, places = np.unique(subsets, return_inverse=True)
    found = table.rows(needed)
    X, T, weights = found.X, found.targets(SubsetMember.coding), found.weights
    places = places.reshape(subsets.shape)
    row_costs = costs[:, None] * weights[places]
    if kind == "svm" and subsets.shape[1] > LARGEST_STACKED_SVM:
        solutions = [
            _solve_by_libsvm(X[rows], T[rows], gamma, cost, weights[rows])
            for rows, gamma, cost in zip(places, gammas, costs)
        ]
    else:
        grams = np.stack([RBF(float(g))(X[rows]) for rows, g in zip(places, gammas)])
        stacked = solve_machines(kind, grams.astype(np.float64), T[places], row_costs)
        solutions = list(zip(*stacked))
    fits = []
    for subset, rows, gamma, cost, (coefs, bias) in zip(subsets, places, gammas, costs, solutions):
        kernel, support, coefs = KernelPart.of_support(RBF(float(gamma)), X[rows], coefs)
        fits.append(SubsetFit(SubsetMember(kernel, float(cost), support, coefs, bias), subset))
    return fits


def _solve_by_libsvm(X, T, gamma, cost, weights):
    """Return (coefs, bias) of one SVM per target column."""
    coefs, bias = np.zeros(T.shape), np.zeros(T.shape[1])
    for c, t in enumerate(T.T):
        if (t == t[0]).all():
            bias[c] = t[0]
            continue
        machine = SVC(C=cost, gamma=gamma).fit(X, t, sample_weight=weights)
        # The coefficients are sparse if the rows are.
        dual = machine.dual_coef_
        coefs[machine.support_, c] = (dual.toarray() if sparse.issparse(dual) else dual)[0]
        bias[c] = machine.intercept_[0]
    return coefs, bias


class MemberBank:
    """Scores of many RBF members for the same rows, in one product per block of support rows.

    The exponent -γ|x - s|² = 2γ s·x - γ|x|² - γ|s|² is linear in (x, |x|², 1), so members with
    different γ share one matrix product. What remains is one exponential per support row.
    """

    def __init__(self, members):
        self.ends = np.cumsum([len(member.coefs) for member in members])
        self.coefs = np.concatenate([member.coefs for member in members])
        self.bias = np.stack([member.bias for member in members])
        gammas = np.concatenate([np.full(len(m.coefs), m.kernel.gamma) for m in members])
        supports = [member.support for member in members]
        self.is_sparse = sparse.issparse(supports[0])
        S = sparse.vstack(supports, format="csr") if self.is_sparse else np.concatenate(supports)
        self.dtype = S.dtype
        # Moving all rows does not change distances, and near the origin they are most accurate.
        self.centre = None if self.is_sparse else S.mean(axis=0)
        S = S if self.is_sparse else S - self.centre
        self.offsets = np.column_stack([gammas, gammas * row_norms(S, squared=True)])
        self.slopes = (
            sparse.diags_array(2.0 * gammas, format="csr") @ S
            if self.is_sparse
            else (2.0 * gammas[:, None] * S)
        )
        if not self.is_sparse:
            self.slopes = np.hstack([self.slopes, -self.offsets]).astype(self.dtype)

    @property
    def n_members(self):
        return len(self.ends)

    @property
    def n_outputs(self):
        return self.coefs.shape[1]

    def scores(self, X):
        """Return the scores of the members, of shape (n_outputs, n_members, n_rows)."""
        S = np.empty((self.coefs.shape[1], self.n_members, X.shape[0]), dtype=self.dtype)
        coefs = self.coefs.astype(self.dtype)
        for rows in gen_batches(X.shape[0], BLOCK_ROWS):
            lifted = self._lift(X[rows])
            for first, last in self._groups():
                K = self._kernel(lifted, self._span(first, last))
                start = self._span(first, last).start
                for m in range(first, last):
                    span = self._span(m, m + 1)
                    S[:, m, rows] = coefs[span].T @ K[span.start - start : span.stop - start]
        S += self.bias.T[:, :, None].astype(self.dtype)
        return S

    def collapsed_scores(self, X, coefs):
        """Return Σ_j coefs_j k_j(x, s_j), of shape (n_rows, n_outputs)."""
        coefs = coefs.astype(self.dtype)
        scores = np.zeros((X.shape[0], len(coefs)))
        for rows in gen_batches(X.shape[0], BLOCK_ROWS):
            lifted = self._lift(X[rows])
            for span in gen_batches(self.coefs.shape[0], self._columns()):
                scores[rows] += (coefs[:, span] @ self._kernel(lifted, span)).T
        return scores

    def _columns(self):
        return rows_per_block(BLOCK_ROWS, self.dtype.itemsize, CACHE_BYTES)

    def _span(self, first, last):
        return slice(self.ends[first - 1] if first else 0, self.ends[last - 1])

    def _groups(self):
        """Yield runs of members whose support rows fit into one block, or a single large member."""
        first = 0
        while first < self.n_members:
            begin = self.ends[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(self.ends, begin + self._columns(), "right")))
            yield first, last
            first = last

    def _lift(self, X):
        """Return columns (x, |x|², 1) of dense rows, and sparse rows unchanged."""
        if self.is_sparse:
            return X
        X = (X.toarray() if sparse.issparse(X) else X) - self.centre
        lifted = np.empty((X.shape[1] + 2, X.shape[0]), dtype=self.dtype)
        lifted[:-2], lifted[-2], lifted[-1] = X.T, row_norms(X, squared=True), 1.0
        return lifted

    def _kernel(self, lifted, span):
        if self.is_sparse:
            K = safe_sparse_dot(self.slopes[span], lifted.T, dense_output=True)
            K -= self.offsets[span, :1] * row_norms(lifted, squared=True)
            K -= self.offsets[span, 1:]
        else:
            K = self.slopes[span] @ lifted
        np.minimum(K, 0.0, out=K)
        return np.exp(K, out=K)


class CollapsedMachine(NamedTuple):
    """A weighted sum of the members of a bank as one machine on all their support rows.

    `coefs` has shape (n_outputs, n_support), and `bias` has shape (n_outputs,).
    """

    bank: MemberBank
    coefs: np.ndarray
    bias: np.ndarray

    @classmethod
    def of(cls, bank, weights, bias):
        """Return the machine Σ_m weights[:, m] f_m + bias."""
        sizes = np.diff(bank.ends, prepend=0)
        coefs = np.repeat(weights, sizes, axis=1) * bank.coefs.T
        return cls(bank, coefs, bias + np.einsum("cm,mc->c", weights, bank.bias))

    @property
    def n_support(self):
        """The number of support rows."""
        return self.coefs.shape[1]

    def scores(self, X):
        """Return the scores of rows, of shape (n_rows, n_outputs)."""
        return self.bank.collapsed_scores(X, self.coefs) + self.bias
