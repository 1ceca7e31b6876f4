"""The empirical kernel map: rows → coordinates whose inner products are the kernel."""

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils.validation import check_is_fitted, validate_data

from ..kernels import Kernel, MedianScale, evaluate, resolve_kernels
from ..kernels.blocks import rows_per_block
from ..kernels.spectrum import leading_spectrum
from ..validation import check_choice, check_count, check_instance, check_real, resolve_count
from .landmarks import LANDMARK_RULES, select_landmarks

__all__ = ["EmpiricalKernelMap", "fit_landmark_map"]

# The kernel of one block of rows with the landmarks takes this much; the product is written
# straight into the output.
BLOCK_BYTES = 1 << 25
MEDIAN_RBF = MedianScale("rbf", spread=0.0)


class EmpiricalKernelMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Explicit coordinates in the feature space of a kernel.

    With the Gram matrix K = Q Λ Qᵀ of the landmarks, z(x) = Λ^(-1/2) Qᵀ [k(x, s)] over the
    landmarks s. Inner products of coordinates are the kernel itself when every row is a landmark
    and its Nyström approximation otherwise. With `center=True` the origin moves to the mean of the
    landmarks, which makes the coordinates those of kernel PCA.

    Parameters
    ----------
    kernel : Kernel or sampler, default=None
        None means an RBF at the median distance of the training rows.
    n_landmarks : int or float, default=None
        Number of landmarks or their share of the training rows; None means every row.
    landmarks : {"uniform", "stratified", "kmeans", "rpcholesky"}, default="uniform"
        How they are chosen; "stratified" needs `y`. See `select_landmarks`.
    n_components : int, default=None
        At most so many coordinates, those of largest eigenvalue; None means all.
    center : bool, default=False
        Whether the coordinates have mean zero over the landmarks (kernel PCA).
    tol : float, default=1e-8
        Directions with an eigenvalue below `tol` times the largest are dropped: they carry
        rounding noise, which the map would amplify.
    negative : {"clip", "raise"}, default="clip"
        What to do with the negative eigenvalues of an indefinite kernel.
    block_size : int, default=None
        Rows mapped at a time; None means as many as make a block of 32 MiB. Beyond its output,
        `transform` needs about twice that.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    kernel_ : Kernel
        The concrete kernel.
    landmarks_ : {ndarray, sparse matrix} of shape (n_landmarks, n_features)
    eigenvalues_ : ndarray of shape (n_components,)
        Those kept, largest first.
    projection_ : ndarray of shape (n_landmarks, n_components)
        Coordinates are `kernel_(X, landmarks_) @ projection_ + offset_`.
    offset_ : ndarray of shape (n_components,)
        Zero unless `center=True`.
    clipped_ : float
        Negative eigenvalues over all eigenvalues, in sums of magnitudes; an estimate when only
        few components were computed.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble.kernels import RBF
    >>> from kernsemble.maps import EmpiricalKernelMap
    >>> X = np.random.RandomState(0).randn(50, 3)
    >>> Z = EmpiricalKernelMap(RBF(0.5)).fit_transform(X)
    >>> bool(np.allclose(Z @ Z.T, RBF(0.5)(X)))
    True
    """

    def __init__(
        self,
        kernel=None,
        *,
        n_landmarks=None,
        landmarks="uniform",
        n_components=None,
        center=False,
        tol=1e-8,
        negative="clip",
        block_size=None,
        random_state=None,
    ):
        self.kernel = kernel
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.n_components = n_components
        self.center = center
        self.tol = tol
        self.negative = negative
        self.block_size = block_size
        self.random_state = random_state

    def fit(self, X, y=None):
        """Choose landmarks and decompose their Gram matrix.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            Classes, used by `landmarks="stratified"` alone.
        """
        X = self._validate(X, reset=True)
        self._fit_validated(X, y)
        return self

    def fit_transform(self, X, y=None):
        """Fit to `X` and return its coordinates."""
        X = self._validate(X, reset=True)
        Z = self._fit_validated(X, y)
        return Z if self.n_landmarks is None else self._map(X, None)

    def fit_gram(self, X, K):
        """Fit to rows whose Gram matrix is known already, every row a landmark.

        Parameters
        ----------
        X : {ndarray, CSR matrix} of shape (n_samples, n_features)
            Is kept, not copied.
        K : ndarray of shape (n_samples, n_samples)
            The kernel of the rows, which `kernel` must be able to compute for others; up to a
            constant if `center=True`.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            The coordinates of the rows.
        """
        X = self._validate(X, reset=True)
        self._check_parameters(X, None)
        self.kernel_ = check_instance(self.kernel, "kernel", Kernel, "a Kernel")
        self.landmarks_ = X
        return self._decompose(K, check_random_state(self.random_state))

    def transform(self, X, out=None):
        """Return the coordinates of the rows of `X`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        out : ndarray of shape (n_samples, n_components), default=None
            Where to write them, for instance a memory map; by default an array is allocated.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = self._validate(X, reset=False)
        shape = (X.shape[0], self._n_features_out)
        if out is not None and np.shape(out) != shape:
            raise ValueError(f"out must have shape {shape}, got {np.shape(out)}.")
        return self._map(X, out)

    def _validate(self, X, reset):
        return validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32]
        )

    def _fit_validated(self, X, y):
        self._check_parameters(X, y)
        rng = check_random_state(self.random_state)
        self.kernel_ = resolve_kernels(self.kernel, X, 1, rng, default=MEDIAN_RBF)[0]
        n_landmarks = resolve_count(self.n_landmarks, "n_landmarks", X.shape[0])
        if self.n_landmarks is None:
            self.landmarks_ = X.copy()
        elif self.landmarks == "kmeans" and not self.kernel_.takes_coordinates:
            raise ValueError(
                f"landmarks='kmeans' needs a kernel of coordinates, got {self.kernel_!r}."
            )
        else:
            self.landmarks_ = select_landmarks(
                X, n_landmarks, self.landmarks, rng, y=y, kernel=self.kernel_
            )
        return self._decompose(evaluate([self._evaluated()], self.landmarks_)[0], rng)

    def _check_parameters(self, X, y):
        check_choice(self.landmarks, "landmarks", LANDMARK_RULES)
        check_choice(self.negative, "negative", ("clip", "raise"))
        check_real(self.tol, "tol", low=0.0, high=1.0, open_high=True)
        resolve_count(self.n_landmarks, "n_landmarks", X.shape[0])
        for name in ("n_components", "block_size"):
            if getattr(self, name) is not None:
                check_count(getattr(self, name), name)
        if self.landmarks == "stratified" and self.n_landmarks is not None and y is None:
            raise ValueError("landmarks='stratified' needs y, got None.")

    def _decompose(self, K, rng):
        """Set the map from the Gram matrix of its landmarks; return their coordinates."""
        spectrum = leading_spectrum(
            K,
            self.n_components,
            center=self.center,
            tol=max(self.tol, 10 * np.finfo(K.dtype).eps),
            rng=rng,
        )
        indefinite = spectrum.negative_share > 0 and not self.kernel_.positive_definite
        if indefinite and self.negative == "raise":
            raise ValueError(
                f"kernel {self.kernel_!r} is indefinite: negative eigenvalues are "
                f"{spectrum.negative_share:.2%} of all. Use negative='clip' to drop them."
            )
        self.clipped_ = spectrum.negative_share if indefinite else 0.0
        self.eigenvalues_, vectors = spectrum.values, spectrum.vectors
        if not self.eigenvalues_.size:
            # All rows are equal: one coordinate that is zero keeps downstream code simple.
            self.eigenvalues_ = np.zeros(1, dtype=K.dtype)
            vectors = np.zeros((K.shape[0], 1), dtype=K.dtype)
        roots = np.sqrt(self.eigenvalues_)
        self.projection_ = vectors / np.where(roots > 0, roots, 1)
        # The eigenvectors of a centred matrix are orthogonal to the constant, so centring a row
        # of kernel values changes its coordinates by the same vector for every row.
        self.offset_ = np.zeros(self.projection_.shape[1], dtype=K.dtype)
        if self.center:
            self.offset_ -= np.full(len(K), 1.0 / len(K), dtype=K.dtype) @ K @ self.projection_
        self._n_features_out = self.projection_.shape[1]
        # K Q Λ^(-1/2) = Q Λ^(1/2) for the rows that were decomposed.
        return vectors * roots

    def _evaluated(self):
        return self.kernel_._up_to_constant() if self.center else self.kernel_

    def _map(self, X, out):
        dtype = np.result_type(X.dtype, self.projection_.dtype)
        if out is None:
            out = np.empty((X.shape[0], self._n_features_out), dtype=dtype)
        n_landmarks = self.landmarks_.shape[0]
        block_size = self.block_size or rows_per_block(n_landmarks, dtype.itemsize, BLOCK_BYTES)
        kernel = self._evaluated()
        for rows in gen_batches(X.shape[0], block_size):
            Z = evaluate([kernel], X[rows], self.landmarks_)[0] @ self.projection_
            Z += self.offset_
            out[rows] = Z
        return out

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def fit_landmark_map(kernel, table, n_landmarks, rule, seed, *, dtype=None, **options):
    """Return the empirical map on landmarks of a table, of which nothing else is read.

    Parameters
    ----------
    kernel : Kernel
    table : Table
    n_landmarks : int
    rule : str
        See `select_landmarks`.
    seed : int
    dtype : dtype, default=None
        Of the landmarks; None means that of the table.
    **options
        Of `EmpiricalKernelMap`, whose `fit` on all rows of the table gives the same map.
    """
    rng = np.random.RandomState(seed)
    classes = table.class_rows if rule == "stratified" else None
    landmarks = select_landmarks(table, n_landmarks, rule, rng, y=classes, kernel=kernel)
    landmarks = landmarks.astype(dtype or table.dtype, copy=False)
    return EmpiricalKernelMap(kernel, random_state=rng, **options).fit(landmarks)
