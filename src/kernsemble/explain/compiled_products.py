"""The inner loops of `product_games`, compiled."""

import numpy as np

from ..compiled import compiled


@compiled(fastmath=True)
def _factors(x, r, shape, place, out):
    gamma, power = shape
    out[:] = 0.0
    for d in range(x.shape[0]):
        gap = abs(x[d] - r[d])
        if power == 2.0:
            gap = gap * gap
        elif power != 1.0:
            gap = gap**power
        out[place[d]] -= gamma * gap
    for g in range(out.shape[0]):
        out[g] = np.exp(out[g])


@compiled(fastmath=True, entry=True)
def add_products(x, background, rows, coefs, shape, place, nodes, weights, values):
    n, d = values.shape
    m, n_nodes = background.shape[0], nodes.shape[0]
    p, terms = np.empty(d), np.empty(d)
    q, total = np.empty((m, d)), np.empty(d)
    for j in range(rows.shape[0]):
        for b in range(m):
            _factors(background[b], rows[j], shape, place, q[b])
        for i in range(n):
            _factors(x[i], rows[j], shape, place, p)
            for b in range(m):
                total[:] = 0.0
                for t in range(n_nodes):
                    product = weights[t]
                    for k in range(d):
                        # Factors of far away rows are rounded to zero; so is their product.
                        terms[k] = max(q[b, k] + nodes[t] * (p[k] - q[b, k]), 1e-300)
                        product *= terms[k]
                    if product != 0.0:
                        for k in range(d):
                            total[k] += product / terms[k]
                for k in range(d):
                    values[i, k] += coefs[j, i] * (p[k] - q[b, k]) * total[k]
