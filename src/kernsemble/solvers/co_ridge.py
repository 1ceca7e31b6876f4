"""Kernel ridge regressions on several views, with a penalty on their disagreement.

The objective over the outputs f_v = K_v A_v of M views is

    sum_v |f_v - T|²_D + alpha_v tr(A_v' K_v A_v) + coupling · sum_v |f_v - fbar|²_G,

where fbar is their mean, D holds the weights of labelled rows (0 for unlabelled ones) and G those
of all rows. With the smoothers S_v = (D + coupling G + alpha_v K_v^-1)^-1 and their mean Sbar,

    fbar = (I - coupling Sbar)^-1 Sbar D T,     f_v = S_v (D T + coupling fbar),

so all views together cost one solve more than separate views. All formulas below are for rows
scaled by the square root of G, where G = I and D is 1 or 0.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

from ..threads import threads_by_rows


class CoRidge(NamedTuple):
    """Dual coefficients, fitted scores and leave-one-out scores, one array per view each."""

    coefs: list
    scores: list
    loo_scores: list | None


@threads_by_rows(1)
def solve_co_ridge(spectra, T, alphas, coupling, labelled=None, *, loo=False, left_out=None):
    """Fit the coupled ridges of all views.

    Parameters
    ----------
    spectra : list of Spectrum
        One per view, with the same weights and with the unlabelled rows.
    T : ndarray of shape (n_samples, n_outputs)
        Targets; those of unlabelled rows are not read.
    alphas : sequence of float
        Ridge strength of each view.
    coupling : float
        Strength of the agreement term, 0 for independent views. The pairwise strength of the paper
        is `coupling / (2 * n_views)`.
    labelled : ndarray of bool of shape (n_samples,), default=None
        Rows that have a target; None means all.
    loo : bool, default=False
        Whether to return exact leave-one-out scores. Row i then has no target but stays in the
        agreement term. Unlabelled rows get their ordinary scores.
    left_out : ndarray of shape (n_labelled,), default=None
        Share of the weight of a labelled row that is left out; None means all of it.

    Returns
    -------
    CoRidge
        The scores of new rows in view v are k_v(rows, samples) @ coefs[v].
    """
    n_views, root = len(spectra), spectra[0].root[:, None]
    mask = np.ones(len(T), bool) if labelled is None else labelled
    goal = np.where(mask[:, None], root * T, 0.0)
    halves = [half_smoother(s, alpha, coupling, mask) for s, alpha in zip(spectra, alphas)]
    agreement = _Agreement(halves, coupling)
    mean = agreement.mean_output(goal)
    pull = goal + coupling * mean
    outputs = [B @ (B.T @ pull) for B in halves]
    # The stationarity condition gives the coefficients without another solve.
    stiffness = (mask + coupling)[:, None]
    coefs = [root * (pull - stiffness * f) / alpha for f, alpha in zip(outputs, alphas)]
    scores = [f / root for f in outputs]
    if not loo:
        return CoRidge(coefs, scores, None)
    # Replacing the target of row i by its left-out score does not change that score, hence
    # (I - H_i) (t - f_loo) = t - f, where H_i is the response of the outputs to their targets.
    response = agreement.response()[mask]
    if left_out is not None:
        response *= left_out[:, None, None]
    residual = np.stack([goal - f for f in outputs], axis=1)[mask]
    residual = np.linalg.solve(np.eye(n_views) - response, residual)
    loo_scores = np.stack(scores)
    loo_scores[:, mask] = T[mask] - residual.transpose(1, 0, 2) / root[mask]
    return CoRidge(coefs, scores, list(loo_scores))


def half_smoother(spectrum, alpha, coupling, labelled):
    """Return B with B B' = (D + coupling I + alpha K^-1)^-1 in scaled rows."""
    U, values, _ = spectrum
    if labelled.all():
        return U * np.sqrt(values / ((1.0 + coupling) * values + alpha))
    Z = U * np.sqrt(values)
    system = Z.T @ ((labelled + coupling)[:, None] * Z)
    system.flat[:: len(system) + 1] += alpha
    return solve_triangular(cholesky(system, lower=True), Z.T, lower=True).T


class _Agreement:
    """Solves systems in I - coupling Sbar, by rows or by features, whichever are fewer."""

    def __init__(self, halves, coupling):
        self.halves, self.coupling, self.n_views = halves, coupling, len(halves)
        self.stacked = np.hstack(halves) / np.sqrt(self.n_views)  # Sbar = stacked stacked'
        n, rank = self.stacked.shape
        self.by_rows = n < rank
        # By rows every S_v is needed for the response, and Sbar is their mean.
        self.smoothers = [B @ B.T for B in halves] if self.by_rows else []
        self.smoother = sum(self.smoothers) / self.n_views
        inner = self.smoother if self.by_rows else self.stacked.T @ self.stacked
        system = -coupling * inner
        system.flat[:: len(system) + 1] += 1.0
        self.factor = cholesky(system, lower=True, overwrite_a=True, check_finite=False)

    def mean_output(self, goal):
        """Return fbar = (I - coupling Sbar)^-1 Sbar goal."""
        if self.by_rows:
            return cho_solve((self.factor, True), self.smoother @ goal, check_finite=False)
        inner = cho_solve((self.factor, True), self.stacked.T @ goal, check_finite=False)
        return self.stacked @ inner

    def response(self):
        """Return d f_u(i) / d t_v(i), an array of shape (n_samples, n_views, n_views).

        H_uv = [u = v] S_u + (coupling / M) S_u (I - coupling Sbar)^-1 S_v.
        """
        if self.by_rows:
            own = [S.diagonal() for S in self.smoothers]
            through = [self._half_solve(S) for S in self.smoothers]
            scale = self.coupling / self.n_views
        else:
            # By features both terms are one: H_uv(i) = M b_u(i)' [(I - coupling C)^-1]_uv b_v(i).
            own = [0.0] * self.n_views
            through, scale = self._feature_solves(), float(self.n_views)
        H = np.empty((len(self.stacked), self.n_views, self.n_views))
        for u in range(self.n_views):
            for v in range(u + 1):
                H[:, u, v] = H[:, v, u] = scale * np.einsum("ki,ki->i", through[u], through[v])
            H[:, u, u] += own[u]
        return H

    def _half_solve(self, right):
        return solve_triangular(self.factor, right, lower=True, check_finite=False)

    def _feature_solves(self):
        solves, start = [], 0
        for B in self.halves:
            stop = start + B.shape[1]
            right = np.zeros((self.stacked.shape[1], len(B)))
            right[start:stop] = self.stacked[:, start:stop].T
            solves.append(self._half_solve(right))
            start = stop
        return solves
