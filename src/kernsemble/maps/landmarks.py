"""Landmarks: the rows that span an empirical kernel map."""

from typing import Any

import numpy as np

from ..kernels import evaluate
from ..tables.class_rows import ClassRows, KnownCodes
from ..tables.draws import draw_by_class, draw_rows, proportional_quotas

LANDMARK_RULES = ("uniform", "stratified", "kmeans", "rpcholesky")

# Pivoted Cholesky stores one number per landmark for every candidate row.
CANDIDATES_PER_LANDMARK = 20
MIN_CANDIDATES = 5000
# With more rows than this, k-means is fitted to a sample.
CLUSTERED_PER_LANDMARK = 100
MIN_CLUSTERED = 50_000


def select_landmarks(X, n_landmarks, rule, rng, *, y=None, kernel=None):
    """Return `n_landmarks` rows that span the data.

    Parameters
    ----------
    X : {ndarray, CSR matrix, Table} of shape (n_rows, n_features)
    n_landmarks : int
        At most `n_rows`.
    rule : {"uniform", "stratified", "kmeans", "rpcholesky"}
        "uniform" draws rows at random. "stratified" draws rows at random within each class, in
        proportion to its size and at least one each if that is possible. "kmeans" takes the
        centres of mini-batch k-means. "rpcholesky" is randomly pivoted Cholesky, which prefers
        rows that the landmarks chosen so far explain badly.
    rng : RandomState
    y : ndarray of shape (n_rows,) or ClassRows, default=None
        Class of each row, needed for "stratified".
    kernel : Kernel, default=None
        The kernel, needed for "rpcholesky".

    Returns
    -------
    landmarks : {ndarray, CSR matrix} of shape (n_landmarks, n_features)
    """
    if rule == "kmeans":
        return _cluster_centres(X, n_landmarks, rng)
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


def _cluster_centres(X, n_landmarks, rng):
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
    return model.fit(X).cluster_centers_.astype(X.dtype, copy=False)


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
