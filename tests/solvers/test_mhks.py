"""The Ho-Kashyap solver against the papers' loops, and against its own optimality conditions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernsemble.solvers.mhks import solve_mhks
from kernsemble.solvers.spaces import HeldSpaces, MappedRows, partial_moments, row_atoms
from tests.reference import mhks as reference


def make_problem(n=24, ranks=(5, 3, 4), n_columns=1, seed=0):
    rng = np.random.RandomState(seed)
    spaces = [rng.randn(n, r) for r in ranks]
    signal = spaces[0][:, :1] + 0.5 * spaces[-1][:, :1]
    T = np.where(signal + rng.randn(n, n_columns) > 0, 1.0, -1.0)
    return spaces, T


def pair_targets(codes, n_classes):
    columns = []
    for p in range(n_classes):
        for q in range(p + 1, n_classes):
            columns.append((codes == p).astype(float) - (codes == q))
    return np.column_stack(columns)


class HalfBlocks:
    """The same spaces in two row blocks, seen through a projection."""

    def __init__(self, spaces):
        rng = np.random.RandomState(5)
        self.mixes = [rng.randn(Z.shape[1], Z.shape[1]) for Z in spaces]
        self.spaces = [Z @ np.linalg.inv(P) for Z, P in zip(spaces, self.mixes)]
        self.projections = self.mixes
        self.n_rows = len(spaces[0])
        self.ranks = [Z.shape[1] for Z in spaces]

    def blocks(self):
        half = self.n_rows // 2
        for rows in (slice(0, half), slice(half, self.n_rows)):
            yield rows, [Z[rows] for Z in self.spaces]


def penalty_matrices(spaces, seed=1):
    rng = np.random.RandomState(seed)
    roots = [rng.randn(Z.shape[1], Z.shape[1]) for Z in spaces]
    return [0.3 * np.eye(len(A)) + 0.1 * A @ A.T for A in roots]


@pytest.mark.parametrize("coupling", [0.0, 0.7, 16.0])
def test_matches_the_papers_loop_round_by_round(coupling):
    spaces, T = make_problem()
    penalties = penalty_matrices(spaces)
    start = reference.paper_start(spaces, T[:, 0], penalties, coupling)
    ws, history = reference.mhks(spaces, T[:, 0], penalties, coupling, start, n_iter=12)
    result = solve_mhks(
        spaces,
        T,
        penalties,
        coupling=coupling,
        tol=-1.0,
        max_iter=12,
        start=[w[:, None] for w in start],
    )
    assert_allclose(result.objective[:, 0], history, rtol=1e-9)
    for w, ours in zip(ws, result.coefs):
        assert_allclose(ours[:, 0], w, rtol=1e-7, atol=1e-9)


def test_zero_start_avoids_what_a_unit_start_cannot_undo():
    # b never decreases, so outputs that are large at the start are kept for good.
    spaces, T = make_problem(n=40)
    start = reference.paper_start(spaces, T[:, 0], [np.eye(Z.shape[1]) for Z in spaces], 1.0)
    options = {"tol": 1e-10, "max_iter": 2000}
    zero = solve_mhks(spaces, T, [1.0] * 3, **options)
    unit = solve_mhks(spaces, T, [1.0] * 3, start=[w[:, None] for w in start], **options)
    exact = solve_mhks(spaces, T, [1.0] * 3, algorithm="newton")
    assert_allclose(zero.objective[-1], exact.objective[-1], rtol=1e-3)
    assert unit.objective[-1] > 1.1 * exact.objective[-1]


@pytest.mark.parametrize("algorithm", ["ho_kashyap", "newton"])
def test_objective_never_rises(algorithm):
    spaces, T = make_problem(n_columns=4)
    result = solve_mhks(spaces, T, [0.1] * 3, coupling=4.0, algorithm=algorithm)
    assert np.all(np.diff(result.objective, axis=0) <= 1e-9 * result.objective[:-1])
    assert np.all(result.converged)


@pytest.mark.parametrize("rho", [0.0, 1.0, 1.5, -0.2])
def test_rho_outside_the_descent_range_is_refused(rho):
    spaces, T = make_problem()
    with pytest.raises(ValueError, match="rho"):
        solve_mhks(spaces, T, [1.0] * 3, rho=rho)


def full_objective(spaces, T, coefs, penalties, coupling, weight):
    return sum(
        reference.squared_hinge_objective(
            spaces, T[:, c], [w[:, c] for w in coefs], penalties, coupling, weight
        )
        for c in range(T.shape[1])
    )


def test_newton_is_stationary_by_finite_differences():
    rng = np.random.RandomState(3)
    spaces, _ = make_problem(n=30)
    T = pair_targets(rng.randint(3, size=30), 3)
    weight = rng.rand(30) + 0.2
    penalties = penalty_matrices(spaces)
    options = {"coupling": 2.0, "sample_weight": weight, "algorithm": "newton"}
    result = solve_mhks(spaces, T, penalties, **options)
    value = full_objective(spaces, T, result.coefs, penalties, 2.0, weight)
    assert_allclose(result.objective[-1].sum(), value, rtol=1e-9)
    step = 1e-5
    for W in result.coefs:
        for index in np.ndindex(W.shape):
            kept = W[index]
            W[index] = kept + step
            above = full_objective(spaces, T, result.coefs, penalties, 2.0, weight)
            W[index] = kept - step
            below = full_objective(spaces, T, result.coefs, penalties, 2.0, weight)
            W[index] = kept
            assert abs(above - below) / (2 * step) < 1e-5 * max(1.0, value)


def test_ho_kashyap_approaches_the_newton_optimum():
    spaces, T = make_problem(n=60, n_columns=3)
    exact = solve_mhks(spaces, T, [0.5] * 3, coupling=1.0, algorithm="newton")
    slow = solve_mhks(spaces, T, [0.5] * 3, coupling=1.0, tol=1e-9, max_iter=3000)
    assert np.all(slow.objective[-1] >= exact.objective[-1] * (1 - 1e-9))
    assert_allclose(slow.objective[-1], exact.objective[-1], rtol=2e-3)


@pytest.mark.parametrize("algorithm", ["ho_kashyap", "newton"])
def test_every_column_is_its_own_problem(algorithm):
    rng = np.random.RandomState(2)
    spaces, _ = make_problem(n=30)
    codes = rng.randint(4, size=30)
    T = pair_targets(codes, 4)
    weight = rng.rand(30)
    together = solve_mhks(
        spaces, T, [0.2, 0.4, 0.8], sample_weight=weight, algorithm=algorithm, coupling=0.5
    )
    for c in range(T.shape[1]):
        rows = T[:, c] != 0
        alone = solve_mhks(
            [Z[rows] for Z in spaces],
            T[rows][:, [c]],
            [0.2, 0.4, 0.8],
            sample_weight=weight[rows],
            algorithm=algorithm,
            coupling=0.5,
        )
        for a, b in zip(together.coefs, alone.coefs):
            assert_allclose(a[:, [c]], b, rtol=1e-8, atol=1e-10)
        assert together.n_iter[c] == alone.n_iter[0]


@pytest.mark.parametrize("algorithm", ["ho_kashyap", "newton"])
def test_row_blocks_and_projections_change_nothing(algorithm):
    rng = np.random.RandomState(2)
    spaces, _ = make_problem(n=31)
    T = pair_targets(rng.randint(3, size=31), 3)
    whole = solve_mhks(spaces, T, penalty_matrices(spaces), algorithm=algorithm)
    split = solve_mhks(HalfBlocks(spaces), T, penalty_matrices(spaces), algorithm=algorithm)
    for a, b in zip(whole.coefs, split.coefs):
        assert_allclose(a, b, rtol=1e-6, atol=1e-9)


def test_memory_batches_change_nothing(monkeypatch):
    import sklearn

    rng = np.random.RandomState(2)
    spaces, _ = make_problem(n=31)
    T = pair_targets(rng.randint(4, size=31), 4)
    whole = solve_mhks(spaces, T, [1.0] * 3)
    with sklearn.config_context(working_memory=0):
        pieces = solve_mhks(spaces, T, [1.0] * 3)
    for a, b in zip(whole.coefs, pieces.coefs):
        assert_allclose(a, b, rtol=1e-10)
    assert_allclose(whole.objective, pieces.objective, rtol=1e-10)


@pytest.mark.parametrize("algorithm", ["ho_kashyap", "newton"])
def test_weights_are_repetitions(algorithm):
    spaces, T = make_problem(n=20)
    times = np.random.RandomState(4).randint(0, 4, size=20)
    repeated = np.repeat(np.arange(20), times)
    weighted = solve_mhks(
        spaces, T, [1.0] * 3, sample_weight=times.astype(float), algorithm=algorithm
    )
    copies = solve_mhks([Z[repeated] for Z in spaces], T[repeated], [1.0] * 3, algorithm=algorithm)
    for a, b in zip(weighted.coefs, copies.coefs):
        assert_allclose(a, b, rtol=1e-7, atol=1e-10)


def test_moments_of_chunks_add_up():
    rng = np.random.RandomState(0)
    spaces, T = make_problem(n=30)
    atom, weight = rng.randint(3, size=30), rng.rand(30)

    def moments(rows):
        part = HeldSpaces([Z[rows] for Z in spaces])
        return partial_moments(MappedRows(part, T[rows], weight[rows], atom[rows]), 3)

    whole = moments(slice(None))
    chunks = [moments(slice(0, 11)), moments(slice(11, 30))]
    for total, *parts in zip(whole, *chunks):
        assert_allclose(sum(parts), total, rtol=1e-12)
    direct = np.column_stack([spaces[1], np.ones(30)])[atom == 2]
    assert_allclose(whole[1][2], direct.T @ (weight[atom == 2, None] * direct))


def test_rows_are_grouped_by_the_columns_they_serve():
    codes = np.array([2, 0, 1, 2, 0])
    atom, members = row_atoms(pair_targets(codes, 3))
    assert len(members) == 3
    assert len({(a, c) for a, c in zip(atom.tolist(), codes.tolist())}) == 3
    assert_allclose(members[atom], pair_targets(codes, 3) != 0)
