"""The empirical kernel map, which gives rows coordinates whose inner products are the kernel."""

from contextlib import contextmanager

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils.validation import check_is_fitted, validate_data

from ..documentation import Documented
from ..kernels import Kernel, MedianScale, evaluate, resolve_kernels
from ..kernels.blocks import rows_per_block
from ..kernels.gram import center_gram
from ..kernels.spectrum import leading_spectrum
from ..threads import limited_blas, threads_for_pairs
from ..validation import check_choice, check_count, check_instance, check_real, resolve_count
from .landmarks import AVERAGING_RULES, LANDMARK_RULES, select_landmarks

# Size of the kernel matrix between one block of rows and the landmarks.
BLOCK_BYTES = 1 << 25
MEDIAN_RBF = MedianScale("rbf", spread=0.0)


class EmpiricalKernelMap(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, Documented, BaseEstimator
):
    """Explicit coordinates in the feature space of a kernel.

    Let K = Q Λ Qᵀ be the Gram matrix of the landmarks. The coordinates of a row x are
    z(x) = Λ^(-1/2) Qᵀ k(x), where k(x) holds the kernel of x with each landmark. If every training
    row is a landmark, the inner products of the coordinates are the kernel itself; otherwise they
    are its Nyström approximation. With `center=True` the origin is the mean of the landmarks, and
    the coordinates are those of kernel PCA.

    Parameters
    ----------
    kernel : Kernel or sampler, default=None
        None means an RBF kernel whose width is the median distance of the training rows.
    n_landmarks : int or float, default=None
        Number of landmarks, or their share of the training rows; None means every row.
    landmarks : {"uniform", "stratified", "kmeans", "group_means", "rpcholesky"}, default="uniform"
        How the landmarks are chosen: drawn evenly; drawn within each class of `y`; centres of
        k-means; means of at least five rows each, so that none is a training row (at most a tenth
        of the rows); or pivots of a random Cholesky decomposition of the Gram matrix.
    n_components : int, default=None
        Largest number of coordinates; those with the largest eigenvalues are kept. None means all.
    center : bool, default=False
        Whether the coordinates have mean zero over the landmarks, as in kernel PCA.
    tol : float, default=1e-8
        Directions with an eigenvalue below `tol` times the largest are dropped, because they carry
        rounding noise and the map would amplify it.
    negative : {"clip", "raise"}, default="clip"
        Whether to drop the negative eigenvalues of an indefinite kernel or to raise an error.
    block_size : int or "auto", default="auto"
        Number of rows mapped at a time. "auto" means as many as fill a block of 32 MiB; `transform`
        needs about twice this memory in addition to its output.
    random_state : int, RandomState or None, default=None
        Seed of the sampler, the landmarks and the eigensolver.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel itself, or the one that the sampler drew.
    landmarks_ : {ndarray, sparse matrix} of shape (n_landmarks, n_features)
    eigenvalues_ : ndarray of shape (n_components,)
        The eigenvalues that are kept, largest first.
    projection_ : ndarray of shape (n_landmarks, n_components)
        The coordinates are `kernel_(X, landmarks_) @ projection_ + offset_`.
    offset_ : ndarray of shape (n_components,)
        Zero unless `center=True`.
    clipped_ : float
        Sum of the magnitudes of the negative eigenvalues, divided by the sum of all magnitudes. It
        is an estimate if only few components were computed.
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
        block_size="auto",
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
        """Choose the landmarks and decompose their Gram matrix.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows of which the landmarks are drawn.
        y : array-like of shape (n_samples,), default=None
            Classes, which only `landmarks="stratified"` uses.

        Returns
        -------
        self : object
            The fitted map.
        """
        with unchanged_on_failure(self):
            X = self._validate(X, reset=True)
            self._fit_validated(X, y)
        return self

    def fit_transform(self, X, y=None):
        """Fit the map to the rows of `X` and return their coordinates.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows of which the landmarks are drawn.
        y : array-like of shape (n_samples,), default=None
            Classes, which only `landmarks="stratified"` uses.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            The coordinates of the rows.
        """
        with unchanged_on_failure(self):
            X = self._validate(X, reset=True)
            Z = self._fit_validated(X, y)
        return Z if self.n_landmarks is None else self._map(X, None)

    def fit_gram(self, X, K, sample_weight=None):
        """Fit the map to rows whose Gram matrix is known, with every row as a landmark.

        Parameters
        ----------
        X : {ndarray, CSR matrix} of shape (n_samples, n_features)
            Stored without a copy.
        K : ndarray of shape (n_samples, n_samples)
            The Gram matrix of `kernel` on the rows of `X`. With `center=True` it may differ from it
            by a constant.
        sample_weight : ndarray of shape (n_samples,), default=None
            Positive weights. A row of weight 2 gives the directions that two such rows would.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            The coordinates of the rows.
        """
        with unchanged_on_failure(self):
            X = self._validate(X, reset=True)
            self._check_parameters(X, None)
            kernel = check_instance(self.kernel, "kernel", Kernel, "a Kernel")
            rng = check_random_state(self.random_state)
            return self._decompose(kernel, X, K, rng, sample_weight)

    def transform(self, X, out=None):
        """Return the coordinates of the rows of `X`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        out : ndarray of shape (n_samples, n_components), default=None
            Array to write the coordinates into, for instance a memory map; None means a new array.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Their coordinates.
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
        kernel = resolve_kernels(self.kernel, X, 1, rng, default=MEDIAN_RBF)[0]
        n_landmarks = resolve_count(self.n_landmarks, "n_landmarks", X.shape[0])
        if self.n_landmarks is None and self.landmarks != "group_means":
            landmarks = X.copy()
        elif self.landmarks in AVERAGING_RULES and not kernel.takes_coordinates:
            raise ValueError(
                f"landmarks={self.landmarks!r} averages rows and therefore needs a kernel of "
                f"coordinates, got {kernel!r}. Use landmarks='uniform' instead."
            )
        else:
            landmarks = select_landmarks(X, n_landmarks, self.landmarks, rng, y=y, kernel=kernel)
        K = evaluate([self._evaluated(kernel)], landmarks)[0]
        return self._decompose(kernel, landmarks, K, rng)

    def _check_parameters(self, X, y):
        check_choice(self.landmarks, "landmarks", LANDMARK_RULES)
        check_choice(self.negative, "negative", ("clip", "raise"))
        check_real(self.tol, "tol", low=0.0, high=1.0, open_high=True)
        resolve_count(self.n_landmarks, "n_landmarks", X.shape[0])
        if self.n_components is not None:
            check_count(self.n_components, "n_components")
        if self.block_size != "auto":
            check_count(self.block_size, "block_size")
        if self.landmarks == "stratified" and self.n_landmarks is not None and y is None:
            raise ValueError("landmarks='stratified' needs y, the class of each row, got None.")

    def _decompose(self, kernel, landmarks, K, rng, sample_weight=None):
        """Set the fitted attributes; return the coordinates of the landmarks.

        `K` is the Gram matrix of the landmarks.
        """
        shares, root, matrix = None, np.ones((len(K), 1), dtype=K.dtype), K
        if sample_weight is not None:
            shares = (sample_weight / sample_weight.sum()).astype(K.dtype)
            root = np.sqrt(sample_weight)[:, None].astype(K.dtype)
            matrix = root * (center_gram(K, shares) if self.center else K) * root.T
        spectrum = leading_spectrum(
            matrix,
            self.n_components,
            center=self.center and shares is None,
            tol=max(self.tol, 10 * np.finfo(K.dtype).eps),
            rng=rng,
        )
        indefinite = spectrum.negative_share > 0 and not kernel.positive_definite
        if indefinite and self.negative == "raise":
            raise ValueError(
                f"kernel {kernel!r} is indefinite: negative eigenvalues are "
                f"{spectrum.negative_share:.2%} of all. Use negative='clip' to drop them."
            )
        values, vectors = spectrum.values, spectrum.vectors
        if not values.size:
            # If all rows are equal, one coordinate that is zero keeps the calling code simple.
            values, vectors = np.zeros(1, dtype=K.dtype), np.zeros((len(K), 1), dtype=K.dtype)
        roots = np.sqrt(values)
        projection = root * vectors / np.where(roots > 0, roots, 1)
        # The eigenvectors of a centred matrix are orthogonal to the constant vector, so centring
        # the kernel values of a row adds the same offset to the coordinates of every row.
        offset = np.zeros(projection.shape[1], dtype=K.dtype)
        if self.center:
            equal = np.full(len(K), 1.0 / len(K), dtype=K.dtype)
            offset -= (equal if shares is None else shares) @ K @ projection
        self.kernel_, self.landmarks_ = kernel, landmarks
        self.eigenvalues_, self.projection_, self.offset_ = values, projection, offset
        self.clipped_ = spectrum.negative_share if indefinite else 0.0
        self._n_features_out = projection.shape[1]
        # K Q Λ^(-1/2) = Q Λ^(1/2) for the landmarks themselves.
        return vectors * roots / root

    def _evaluated(self, kernel):
        """Return the kernel to evaluate; centring removes the constant that it may differ by."""
        return kernel._up_to_constant() if self.center else kernel

    def _map(self, X, out):
        dtype = np.result_type(X.dtype, self.projection_.dtype)
        if out is None:
            out = np.empty((X.shape[0], self._n_features_out), dtype=dtype)
        block_size, n_landmarks = self.block_size, self.landmarks_.shape[0]
        if block_size == "auto":
            block_size = rows_per_block(n_landmarks, dtype.itemsize, BLOCK_BYTES)
        kernel = self._evaluated(self.kernel_)
        with limited_blas(threads_for_pairs(X.shape[0], n_landmarks)):
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


@contextmanager
def unchanged_on_failure(estimator):
    """Give an estimator back what it held before, when fitting it fails."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        raise


def fit_landmark_map(kernel, table, n_landmarks, rule, seed, *, dtype=None, **options):
    """Return the empirical map on landmarks of a table; only these rows of the table are read.

    Parameters
    ----------
    kernel : Kernel
    table : Table
    n_landmarks : int
    rule : str
        See `select_landmarks`.
    seed : int
    dtype : dtype, default=None
        dtype of the landmarks; None means the dtype of the table.
    **options
        Further parameters of `EmpiricalKernelMap`, whose `fit` on all rows of the table would give
        the same map.
    """
    rng = np.random.RandomState(seed)
    classes = table.class_rows if rule == "stratified" else None
    landmarks = select_landmarks(table, n_landmarks, rule, rng, y=classes, kernel=kernel)
    landmarks = landmarks.astype(dtype or table.dtype, copy=False)
    return EmpiricalKernelMap(kernel, random_state=rng, **options).fit(landmarks)
