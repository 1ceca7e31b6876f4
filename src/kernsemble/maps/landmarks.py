"""Landmarks: the rows that span an empirical kernel map."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import gen_batches

from ..kernels import evaluate
from ..tables.class_rows import ClassRows, KnownCodes
from ..tables.draws import draw_by_class, draw_rows, proportional_quotas

LANDMARK_RULES = ("uniform", "stratified", "kmeans", "group_means", "rpcholesky")
#: Rules whose landmarks are means of rows.
AVERAGING_RULES = ("kmeans", "group_means")

# Pivoted Cholesky stores one number per landmark for every candidate row.
CANDIDATES_PER_LANDMARK = 20
MIN_CANDIDATES = 5000
# With more rows than this, k-means is fitted to a sample.
CLUSTERED_PER_LANDMARK = 100
MIN_CLUSTERED = 50_000
# Rows per group of "group_means" on average, and rows without which a group has no landmark.
ROWS_PER_GROUP = 10
MIN_GROUP = 5


def select_landmarks(X, n_landmarks, rule, rng, *, y=None, kernel=None):
    """Return `n_landmarks` rows that span the data.

    Parameters
    ----------
    X : {ndarray, CSR matrix, Table} of shape (n_rows, n_features)
    n_landmarks : int
        At most `n_rows`.
    rule : {"uniform", "stratified", "kmeans", "group_means", "rpcholesky"}
        "uniform" draws rows at random. "stratified" draws rows at random within each class, in
        proportion to its size and at least one each if that is possible. "kmeans" takes the
        centres of mini-batch k-means. "group_means" takes the means of the groups that k-means
        finds and that have at least five rows, so that no landmark is a row; they are at most a
        tenth of the rows. "rpcholesky" is randomly pivoted Cholesky, which prefers rows that the
        landmarks chosen so far explain badly.
    rng : RandomState
    y : ndarray of shape (n_rows,) or ClassRows, default=None
        Class of each row, needed for "stratified".
    kernel : Kernel, default=None
        The kernel, needed for "rpcholesky".

    Returns
    -------
    landmarks : {ndarray, CSR matrix} of shape (n_landmarks, n_features)
        With "group_means" there may be fewer.
    """
    if rule == "kmeans":
        X, clusters = _find_clusters(X, n_landmarks, rng)
        return clusters.cluster_centers_.astype(X.dtype, copy=False)
    if rule == "group_means":
        return _group_means(X, n_landmarks, rng)
    if rule == "uniform":
        rows = draw_rows(X.shape[0], n_landmarks, rng)
    elif rule == "stratified":
        rows = _stratified_rows(y, n_landmarks, rng)
    else:
        rows = _pivoted_cholesky_rows(X, n_landmarks, kernel, rng)
    return X[np.sort(rows)]


def _stratified_rows(y, n_landmarks, rng):
    classes = y if isinstance(y, ClassRows) else KnownCodes(np.unique(y, return_inverse=True)[1])
    return draw_by_class(classes, proportional_quotas(classes.sizes, n_landmarks), rng)[0]


def _find_clusters(X, n_landmarks, rng):
    """Return the rows that were clustered, all or some of them, and their fitted k-means."""
    # Imported here because it is slow to import and rarely used.
    from sklearn.cluster import MiniBatchKMeans

    n_rows = min(X.shape[0], max(MIN_CLUSTERED, CLUSTERED_PER_LANDMARK * n_landmarks))
    some: Any = slice(None)
    if n_rows < X.shape[0]:
        some = np.sort(draw_rows(X.shape[0], n_rows, rng))
    X = X[some]
    batch = max(1024, 4 * n_landmarks)
    model = MiniBatchKMeans(
        n_landmarks, batch_size=batch, n_init=1, max_iter=20, random_state=rng, compute_labels=False
    )
    return X, model.fit(X)


def _group_means(X, n_landmarks, rng):
    n_groups = max(1, min(n_landmarks, X.shape[0] // ROWS_PER_GROUP))
    X, clusters = _find_clusters(X, n_groups, rng)
    groups = clusters.predict(X)
    sizes = np.bincount(groups, minlength=n_groups)
    shape = n_groups, X.shape[0]
    average = sparse.csr_array((1.0 / sizes[groups], (groups, np.arange(shape[1]))), shape=shape)
    means = average @ X
    means = means.toarray() if sparse.issparse(means) else means
    nearest = np.full(n_groups, np.inf)
    np.minimum.at(nearest, groups, _gaps(X, means, groups))
    # The mean of equal rows is one of them, but for rounding.
    kept = (sizes >= MIN_GROUP) & (nearest > 1e-24 * np.square(means).sum(axis=1))
    if not kept.any():
        raise ValueError(
            f"landmarks='group_means' needs groups of at least {MIN_GROUP} rows that differ, and "
            f"finds none among {X.shape[0]} rows; use more rows, or landmarks='uniform'."
        )
    return means[kept].astype(X.dtype, copy=False)


def _gaps(X, means, groups):
    """Return the squared distance of every row from the mean of its group."""
    gaps = np.empty(len(groups))
    for part in gen_batches(len(groups), 4096):
        rows = X[part].toarray() if sparse.issparse(X) else X[part]
        gaps[part] = np.square(rows - means[groups[part]]).sum(axis=1)
    return gaps


def _pivoted_cholesky_rows(X, n_landmarks, kernel, rng):
    n_candidates = min(X.shape[0], max(MIN_CANDIDATES, CANDIDATES_PER_LANDMARK * n_landmarks))
    candidates = draw_rows(X.shape[0], n_candidates, rng)
    X = X[candidates]
    unexplained = np.maximum(kernel.diag(X).astype(np.float64), 0.0)
    start = unexplained.sum()
    factor = np.zeros((n_landmarks, n_candidates))
    chosen: list[int] = []
    for step in range(n_landmarks):
        total = unexplained.sum()
        if total <= 1e-12 * start:
            # All rows are explained, so the other landmarks can be any rows.
            rest = np.setdiff1d(np.arange(n_candidates), chosen)
            chosen.extend(rng.choice(rest, n_landmarks - step, replace=False))
            break
        pivot = rng.choice(n_candidates, p=unexplained / total)
        column = evaluate([kernel], X[pivot : pivot + 1], X)[0][0].astype(np.float64)
        column -= factor[:step, pivot] @ factor[:step]
        factor[step] = column / np.sqrt(max(column[pivot], np.finfo(float).tiny))
        unexplained = np.maximum(unexplained - factor[step] ** 2, 0.0)
        unexplained[pivot] = 0.0
        chosen.append(pivot)
    return candidates[chosen]
