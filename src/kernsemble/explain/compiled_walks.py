"""Scores along walks, from one stop to the next: only one group of columns changes between them.

A stop costs one pass over the training rows or hidden units, whatever the number of columns.
"""

import numpy as np

from ..compiled import compiled

# exp(s) is the exponential of s / 2^SQUARINGS, whose series is short, squared so many times. Beyond
# ±FARTHEST a sigmoid is 0 or 1 to sixteen digits.
SQUARINGS, FARTHEST = 8, 38.0


@compiled(fastmath=True, entry=True)
def walk_products(p, q, coefs, starts, orders, out):
    """Add the scores of a machine whose kernel is a product over groups.

    Parameters
    ----------
    p : ndarray of shape (n_rows, n_groups, n_training)
        Factors of the rows.
    q : ndarray of shape (n_background, n_groups, n_training)
    coefs : ndarray of shape (n_outputs, n_training)
    starts : ndarray of int of shape (n_walks,)
    orders : ndarray of int of shape (n_walks, n_groups)
    out : ndarray of shape (n_walks, n_groups - 1, n_rows, n_outputs)
    """
    n_groups, n_training = p.shape[1], p.shape[2]
    rest, inside = np.empty((n_groups, n_training)), np.empty(n_training)
    for w in range(orders.shape[0]):
        order, start = orders[w], q[starts[w]]
        # The factors of the groups that are still those of the background row after k groups.
        rest[n_groups - 1] = start[order[n_groups - 1]]
        for k in range(n_groups - 2, 0, -1):
            factor = start[order[k]]
            for r in range(n_training):
                rest[k, r] = rest[k + 1, r] * factor[r]
        for i in range(p.shape[0]):
            inside[:] = 1.0
            for k in range(1, n_groups):
                _multiply_in(p[i, order[k - 1]], rest[k], coefs, inside, out[w, k - 1, i])


@compiled(fastmath=True)
def _multiply_in(factor, rest, coefs, inside, out):
    first, total = coefs[0], 0.0
    for r in range(inside.shape[0]):
        inside[r] *= factor[r]
        total += first[r] * inside[r] * rest[r]
    out[0] += total
    for o in range(1, coefs.shape[0]):
        own, total = coefs[o], 0.0
        for r in range(inside.shape[0]):
            total += own[r] * inside[r] * rest[r]
        out[o] += total


@compiled(fastmath=True, entry=True)
def walk_sigmoids(x, background, weights, biases, coefs, place, starts, orders, out):
    """Add the scores of networks with one layer of sigmoid units.

    Parameters
    ----------
    x, background : ndarray of shape (n_rows, n_inputs) and (n_background, n_inputs)
    weights : ndarray of shape (n_inputs, n_units)
    biases : ndarray of shape (n_units,)
    coefs : ndarray of shape (n_outputs, n_units)
    place : ndarray of int of shape (n_inputs,)
        The group of each input.
    starts, orders, out
        These are as in `walk_products`.
    """
    n_inputs, n_groups, n_units = place.shape[0], orders.shape[1], biases.shape[0]
    first, sums, units = np.empty(n_units), np.empty(n_units), np.empty(n_units)
    for w in range(orders.shape[0]):
        start = background[starts[w]]
        first[:] = biases
        for j in range(n_inputs):
            _add_scaled(start[j], weights[j], first)
        for i in range(x.shape[0]):
            sums[:] = first
            for k in range(1, n_groups):
                for j in range(n_inputs):
                    if place[j] == orders[w, k - 1]:
                        _add_scaled(x[i, j] - start[j], weights[j], sums)
                _write_sigmoids(sums, units)
                for o in range(coefs.shape[0]):
                    own, total = coefs[o], 0.0
                    for u in range(n_units):
                        total += own[u] * units[u]
                    out[w, k - 1, i, o] += total


@compiled(fastmath=True)
def _add_scaled(factor, values, out):
    for u in range(out.shape[0]):
        out[u] += factor * values[u]


@compiled(fastmath=True)
def _write_sigmoids(sums, units):
    """Write 1 / (1 + exp(-s)), with additions and products alone, which run several at a time."""
    for u in range(sums.shape[0]):
        s = min(max(-sums[u], -FARTHEST), FARTHEST) / 2.0**SQUARINGS
        e = 1.0 + s * (1.0 + s * (0.5 + s * (1 / 6 + s * (1 / 24 + s * (1 / 120)))))
        for _ in range(SQUARINGS):
            e *= e
        units[u] = 1.0 / (1.0 + e)
