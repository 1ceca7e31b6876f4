"""One node of the oblique tree of Zhang and Suganthan, literally, for a handful of rows.

The features drawn at the node are given. Rows may carry weights: a row of weight two counts as
two rows in every mean, covariance and Gini impurity. Features may be categories, and values may be
missing.
"""

from itertools import pairwise

import numpy as np
from scipy.linalg import eigh, null_space

RANK_TOL = 1e-10
COVARIANCE_RIDGE = 0.01


def gini(y, w):
    shares = np.array([w[y == c].sum() for c in np.unique(y)]) / w.sum()
    return 1.0 - np.sum(shares**2)


def split_gini(y, w, left):
    """Eqn. (4) of the paper, of the original classes."""
    total = w.sum()
    return w[left].sum() / total * gini(y[left], w[left]) + w[~left].sum() / total * gini(
        y[~left], w[~left]
    )


def mean_and_covariance(X, w):
    mean = np.zeros(X.shape[1])
    for x, weight in zip(X, w):
        mean += weight * x / w.sum()
    covariance = np.zeros((X.shape[1], X.shape[1]))
    for x, weight in zip(X, w):
        covariance += weight * np.outer(x - mean, x - mean) / w.sum()
    return mean, covariance


def reference_variance(X, w):
    """Variance, and a trace of the squared mean for what rounding leaves of a constant column."""
    mean, covariance = mean_and_covariance(X, w)
    return np.diag(covariance) + 1e-10 * mean**2


def full_rank(M, reference):
    """Whether every column, given those before it, keeps more than a trace of its reference."""
    for j in range(len(M)):
        rest = M[j, j]
        if j:
            rest -= M[j, :j] @ np.linalg.lstsq(M[:j, :j], M[:j, j], rcond=None)[0]
        if not rest > RANK_TOL * reference[j]:
            return False
    return True


def two_groups(X, y, w):
    """The classes of each group, by Eqn. (25)."""
    classes = np.unique(y)
    if len(classes) == 2:
        return [classes[0]], [classes[1]]
    n_features = X.shape[1]
    spread = reference_variance(X, w)
    moments = [mean_and_covariance(X[y == c], w[y == c]) for c in classes]
    ridge = sum(w[y == c].sum() * np.diag(m[1]) for c, m in zip(classes, moments)) / w.sum()
    ridge = COVARIANCE_RIDGE * np.diag(ridge)
    distance = np.zeros((len(classes), len(classes)))
    for i, (mean_i, cov_i) in enumerate(moments):
        for j, (mean_j, cov_j) in enumerate(moments):
            if i == j:
                continue
            gap = mean_i - mean_j
            if n_features == 1 or not full_rank((cov_i + cov_j) / 2, spread):
                distance[i, j] = np.sqrt(gap @ gap)
                continue
            pooled = (cov_i + cov_j) / 2 + ridge
            log_det = np.linalg.slogdet(pooled)[1]
            log_det_i = np.linalg.slogdet(cov_i + ridge)[1]
            log_det_j = np.linalg.slogdet(cov_j + ridge)[1]
            distance[i, j] = gap @ np.linalg.solve(pooled, gap) / 8
            distance[i, j] += (log_det - (log_det_i + log_det_j) / 2) / 2
    seeds = np.unravel_index(np.argmax(np.triu(distance, 1)), distance.shape)
    first, second = [classes[seeds[0]]], [classes[seeds[1]]]
    for k, c in enumerate(classes):
        if k in seeds:
            continue
        (first if distance[k, seeds[0]] < distance[k, seeds[1]] else second).append(c)
    return first, second


def two_planes(X, w, in_first, regularization, alpha):
    """Planes (w, b) of unit normal by Eqns. (21)-(24), or None."""
    augmented = np.column_stack([X, -np.ones(len(X))])

    def second_moments(rows, about=0.0):
        M = np.zeros((augmented.shape[1], augmented.shape[1]))
        for x, weight in zip(augmented[rows] - about, w[rows]):
            M += weight * np.outer(x, x) / w[rows].sum()
        return M

    G, J = second_moments(in_first), second_moments(~in_first)
    reference = np.append(reference_variance(X, w), 1.0)
    about = np.append(mean_and_covariance(X, w)[0], 0.0)
    regular = all(
        rows.sum() >= len(G) and full_rank(second_moments(rows, about), reference)
        for rows in (in_first, ~in_first)
    )
    if regular:
        planes = [eigh(G, J)[1][:, 0], eigh(J, G)[1][:, 0]]
    elif regularization == "axis":
        return None
    elif regularization == "tikhonov":
        ridge = alpha * np.eye(len(G))
        planes = [eigh(J, G + ridge)[1][:, -1], eigh(G, J + ridge)[1][:, -1]]
    else:
        planes = [null_plane(G, J), null_plane(J, G)]
    if any(z is None or np.linalg.norm(z[:-1]) < 1e-10 * abs(z[-1]) for z in planes):
        return None
    return [z / np.linalg.norm(z[:-1]) * np.sign(z[np.argmax(np.abs(z[:-1]))]) for z in planes]


def null_plane(own, other):
    N = null_space(own, rcond=RANK_TOL)
    if N.shape[1] == 0:
        return eigh(other, own)[1][:, -1]
    values, vectors = np.linalg.eigh(N.T @ other @ N)
    if values[-1] <= RANK_TOL * np.linalg.eigvalsh(own)[-1]:
        return None
    return N @ vectors[:, -1]


def bisectors(X, y, w, regularization, alpha):
    """Both candidates (w, b), or none."""
    first, _ = two_groups(X, y, w)
    planes = two_planes(X, w, np.isin(y, first), regularization, alpha)
    if planes is None:
        return []
    return [planes[0] + planes[1], planes[0] - planes[1]]


def thresholds(x):
    values = np.unique(x)
    return [(low + high) / 2 for low, high in pairwise(values)]


def level_orders(codes, n_levels, y, w, copies):
    """The groups of levels, in the order of the class share that varies most between them."""
    seen = [int(c) for c in np.unique(codes)]
    rare = [c for c in seen if n_levels > 10 and copies[codes == c].sum() < 5]
    groups = [[c] for c in seen if c not in rare] + ([rare] if rare else [])
    best, most = None, -np.inf
    for k in np.unique(y):
        overall = w[y == k].sum() / w.sum()
        variance, shares = 0.0, []
        for group in groups:
            inside = np.isin(codes, group)
            shares.append(w[inside & (y == k)].sum() / w[inside].sum())
            variance += w[inside].sum() * (shares[-1] - overall) ** 2
        if variance > most + 1e-12:
            best, most = shares, variance
    return [groups[g] for g in np.argsort(best, kind="stable")]


def split_node(
    X,
    y,
    w,
    copies,
    features,
    *,
    missing=None,
    n_levels=None,
    regularization="axis",
    alpha=0.01,
    min_samples_leaf=1,
    min_decrease=1e-5,
):
    """Return the split and the Gini decrease.

    A split is ("plane", w, b, features), ("axis", feature, threshold), ("missing", feature,
    threshold, side), ("levels", feature, codes on the left) or ("leaf",). Left is w'x <= b, or
    x[feature] <= threshold. X has expectations where `missing` is set.
    """
    before = gini(y, w)
    missing = np.zeros(X.shape, dtype=bool) if missing is None else missing
    n_levels = np.zeros(X.shape[1], dtype=int) if n_levels is None else n_levels
    numeric = [f for f in features if n_levels[f] == 0]

    def decrease(left):
        if min(copies[left].sum(), copies[~left].sum()) < max(1, min_samples_leaf):
            return -np.inf
        return before - split_gini(y, w, left)

    best, where = min_decrease, ("leaf",)
    Z = X[:, numeric]
    if regularization is not None and numeric:
        for z in bisectors(Z, y, w, regularization, alpha):
            gain = decrease(Z @ z[:-1] <= z[-1])
            if gain > best:
                best, where = gain, ("plane", z[:-1], z[-1], numeric)
    is_plane = where[0] == "plane"
    candidates = []
    for f in numeric:
        candidates += [] if is_plane else [("axis", f, t) for t in thresholds(X[:, f])]
    for f in numeric:
        if missing[:, f].any() and not missing[:, f].all():
            limits = [] if is_plane else thresholds(X[~missing[:, f], f])
            candidates += [("missing", f, t, side) for t in limits for side in ("left", "right")]
            candidates.append(("missing", f, np.inf, "right"))
    for f in features:
        if n_levels[f] > 0:
            groups = level_orders(X[:, f], n_levels[f], y, w, copies)
            for k in range(1, len(groups)):
                candidates.append(("levels", f, np.concatenate(groups[:k])))
    for candidate in candidates:
        gain = decrease(left_of(candidate, X, missing))
        if gain > best + 1e-12:
            best, where = gain, candidate
    return where, best if where[0] != "leaf" else 0.0


def left_of(split, X, missing):
    """Which rows go left."""
    kind, f, at = split[:3]
    if kind == "levels":
        return np.isin(X[:, f], at)
    left = X[:, f] <= at
    if kind == "missing":
        left[missing[:, f]] = split[3] == "left"
    return left
