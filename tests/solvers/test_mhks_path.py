"""The grid with held-out rows against one fit per fold and grid point."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernsemble.solvers.mhks import solve_mhks
from kernsemble.solvers.mhks_path import held_out_scores


# With b held still the two must agree closely; with the papers' step they take different ways,
# and b keeps a trace of the way.
@pytest.mark.parametrize(("rho", "atol"), [(1e-12, 1e-3), (0.99, 0.05)])
@pytest.mark.parametrize("ranks", [(4, 3), (40, 5)])
def test_grid_equals_separate_fits(ranks, rho, atol):
    rng = np.random.RandomState(0)
    n, alphas, couplings = 36, [4.0, 16.0], [0.25, 1.0]
    spaces = [rng.randn(n, r) for r in ranks]
    codes = np.arange(n) % 3
    T = np.column_stack([1.0 * (codes == p) - (codes == q) for p, q in ((0, 1), (0, 2), (1, 2))])
    folds, weight = rng.randint(3, size=n), rng.rand(n) + 0.5
    weight[4] = 0.0
    options = {"rho": rho, "tol": 1e-13, "max_iter": 400}
    S = held_out_scores(spaces, T, folds, alphas, couplings, sample_weight=weight, **options)
    for i, alpha in enumerate(alphas):
        for j, coupling in enumerate(couplings):
            for k in range(3):
                rows = folds != k
                result = solve_mhks(
                    [Z[rows] for Z in spaces],
                    T[rows],
                    [alpha] * 2,
                    coupling=coupling,
                    sample_weight=weight[rows],
                    **options,
                )
                scores = sum(Z[~rows] @ W[:-1] + W[-1] for Z, W in zip(spaces, result.coefs)) / len(
                    spaces
                )
                assert_allclose(S[~rows, :, i, j], scores, atol=atol)
