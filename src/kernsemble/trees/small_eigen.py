"""Factorisations of the small symmetric matrices of a node, without LAPACK or new arrays."""

import numpy as np

from ..compiled import compiled

_MAX_SWEEPS = 50


@compiled
def cholesky(A, size, reference, tol, L):
    """Write the lower Cholesky factor of A into L; return whether A has full rank.

    A pivot, the part of a column that the columns before it do not explain, counts as zero if it is
    at most `tol` times the `reference` of the column.
    """
    for j in range(size):
        pivot = A[j, j]
        for k in range(j):
            pivot -= L[j, k] * L[j, k]
        if not pivot > tol * reference[j]:
            return False
        root = np.sqrt(pivot)
        L[j, j] = root
        for i in range(j + 1, size):
            rest = A[i, j]
            for k in range(j):
                rest -= L[i, k] * L[j, k]
            L[i, j] = rest / root
    return True


@compiled
def solve_lower(L, size, x):
    """Solve L y = x in place."""
    for i in range(size):
        rest = x[i]
        for k in range(i):
            rest -= L[i, k] * x[k]
        x[i] = rest / L[i, i]


@compiled
def solve_upper(L, size, x):
    """Solve L' y = x in place."""
    for i in range(size - 1, -1, -1):
        rest = x[i]
        for k in range(i + 1, size):
            rest -= L[k, i] * x[k]
        x[i] = rest / L[i, i]


@compiled
def whiten(A, L, size, C):
    """Write L^-1 A L^-T into C."""
    for i in range(size):
        for j in range(size):
            C[i, j] = A[i, j]
        solve_lower(L, size, C[i])
    # C is A L^-T now, and L^-1 is applied to its columns next.
    for j in range(size):
        for i in range(size):
            rest = C[i, j]
            for k in range(i):
                rest -= L[i, k] * C[k, j]
            C[i, j] = rest / L[i, i]


@compiled
def symmetric_eigen(A, size, values, vectors, work):
    """Write the eigenvalues of A, in no order, and the eigenvectors, as rows; A is overwritten.

    Householder reflections make A tridiagonal, and implicit QL steps make it diagonal.
    """
    for i in range(size):
        for j in range(size):
            vectors[i, j] = 0.0
        vectors[i, i] = 1.0
    for k in range(size - 2):
        _reflect(A, size, k, vectors, work)
    for i in range(size):
        values[i] = A[i, i]
        work[0, i] = A[i + 1, i] if i + 1 < size else 0.0
    _diagonalise(size, values, work[0], vectors)


@compiled
def _reflect(A, size, k, vectors, work):
    """Make column k of A zero below the subdiagonal, by a reflection from both sides."""
    norm = 0.0
    below = 0.0
    for i in range(k + 1, size):
        norm += A[i, k] * A[i, k]
        if i > k + 1:
            below += abs(A[i, k])
    if below == 0.0:
        return
    v, p = work[0], work[1]
    head = A[k + 1, k]
    target = -np.sqrt(norm) if head > 0.0 else np.sqrt(norm)
    scale = 1.0 / np.sqrt(2.0 * (norm - head * target))
    for i in range(k + 1, size):
        v[i] = A[i, k] * scale
    v[k + 1] = (head - target) * scale
    A[k + 1, k] = target
    along = 0.0
    for i in range(k + 1, size):
        total = 0.0
        for j in range(k + 1, size):
            total += A[i, j] * v[j]
        p[i] = total
        along += total * v[i]
    for i in range(k + 1, size):
        p[i] -= along * v[i]
    for i in range(k + 1, size):
        for j in range(k + 1, size):
            A[i, j] -= 2.0 * (v[i] * p[j] + p[i] * v[j])
    for j in range(size):
        total = 0.0
        for i in range(k + 1, size):
            total += v[i] * vectors[i, j]
        for i in range(k + 1, size):
            vectors[i, j] -= 2.0 * total * v[i]


@compiled
def _diagonalise(size, d, e, vectors):
    """Make the tridiagonal matrix (d, e) diagonal by implicit QL steps, and update `vectors`."""
    for first in range(size):
        for _ in range(_MAX_SWEEPS):
            last = first
            while last < size - 1:
                if abs(e[last]) <= 2.3e-16 * (abs(d[last]) + abs(d[last + 1])):
                    break
                last += 1
            if last == first:
                break
            g = (d[first + 1] - d[first]) / (2.0 * e[first])
            r = np.sqrt(g * g + 1.0)
            g = d[last] - d[first] + e[first] / (g + (r if g >= 0.0 else -r))
            s, c, shift = 1.0, 1.0, 0.0
            split = False
            for i in range(last - 1, first - 1, -1):
                f, b = s * e[i], c * e[i]
                r = np.sqrt(f * f + g * g)
                e[i + 1] = r
                if r == 0.0:
                    d[i + 1] -= shift
                    e[last] = 0.0
                    split = True
                    break
                s, c = f / r, g / r
                g = d[i + 1] - shift
                r = (d[i] - g) * s + 2.0 * c * b
                shift = s * r
                d[i + 1] = g + shift
                g = c * r - b
                for j in range(size):
                    upper, lower = vectors[i, j], vectors[i + 1, j]
                    vectors[i + 1, j] = s * upper + c * lower
                    vectors[i, j] = c * upper - s * lower
            if not split:
                d[first] -= shift
                e[first] = g
                e[last] = 0.0
