"""MultiK-MHKS: Ho-Kashyap learning in several kernel spaces that agree."""

from ..fitting.ho_kashyap import HoKashyapClassifier

__all__ = ["MultiKMHKSClassifier"]


class MultiKMHKSClassifier(HoKashyapClassifier):
    """Ho-Kashyap classifiers in several kernel spaces, fitted together so that they agree.

    On the empirical maps of all training rows, for labels t = ±1, it minimises::

        Σ_l [ Σ (t f_l - 1 - b_l)² + alpha |w_l|² ] + coupling Σ_l Σ (f_l - mean f)²

    over f_l(x) = w_l·z_l(x) + w_l₀ and margins b_l ≥ 0. The score is the mean of the f_l.

    Parameters
    ----------
    kernels : sampler, Kernel or list of Kernel, default=None
        Kernels, one for each space. None means `MeanDistance()`: the normalised linear kernel and
        RBF kernels with sigma the mean distance and a tenth of it.
    {n_kernels}
    alpha : float, default=1.0
        Strength of the penalty, which the papers call c.
    coupling : float, default=1.0
        Strength of the agreement between the spaces, which the papers call λ.
    {multi_class}
    {algorithm}
    {rho}
    {tol_objective}
    {max_iter}
    {class_weight}
    {random_state}

    Attributes
    ----------
    estimators_ : list of MHKSMember
    kernels_ : list of Kernel
    objective_history_ : list of ndarray
        Objective after every iteration, summed over the problems.
    n_iter_ : ndarray of shape (1,)
    {fitted}

    Notes
    -----
    The iteration starts from zero rather than from unit vectors: b never decreases, so a start
    with large outputs stays. `tol` is relative to the objective, so that it means the same for
    any number of rows. The pairs of classes share their kernels and maps.

    References
    ----------
    Z. Wang, S. Chen and T. Sun (2008). MultiK-MHKS: a novel multiple kernel learning algorithm.
    IEEE Transactions on Pattern Analysis and Machine Intelligence 30, 348-353.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import MultiKMHKSClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> MultiKMHKSClassifier().fit(X, y).score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        kernels=None,
        *,
        n_kernels=None,
        alpha=1.0,
        coupling=1.0,
        multi_class="ovo",
        algorithm="ho_kashyap",
        rho=0.99,
        tol=1e-3,
        max_iter=100,
        class_weight=None,
        random_state=None,
    ):
        self.kernels = kernels
        self.n_kernels = n_kernels
        self.alpha = alpha
        self.coupling = coupling
        self.multi_class = multi_class
        self.algorithm = algorithm
        self.rho = rho
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.random_state = random_state
