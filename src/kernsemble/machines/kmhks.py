"""KMHKS: Ho-Kashyap learning in the empirical space of one kernel."""

from ..fitting.ho_kashyap import HoKashyapClassifier
from ..kernels import MeanSquaredDistance

__all__ = ["KMHKSClassifier"]


class KMHKSClassifier(HoKashyapClassifier):
    """Ho-Kashyap classifier with squared approximation of the errors, in one kernel space.

    On the empirical kernel map of all training rows, for labels t = ±1, it minimises
    Σ (t f(x) - 1 - b)² + alpha |w|² over f(x) = w·z(x) + w₀ and margins b ≥ 0, which at the best b
    is the squared hinge loss.

    Parameters
    ----------
    kernel : Kernel or sampler, default=None
        The kernel; None means an RBF with sigma² the mean squared distance.
    alpha : float, default=1.0
        Strength of the penalty, which the papers call c.
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
        The kernel, in a list.
    kernel_ : Kernel
    objective_history_ : list of ndarray
        Objective after every iteration, summed over the problems.
    n_iter_ : ndarray of shape (1,)
    {fitted}

    Notes
    -----
    The iteration starts from zero: b never decreases, so a start with large outputs stays. `tol`
    is relative to the objective, so that it means the same for any number of rows. The pairs of
    classes share one kernel and one map.

    References
    ----------
    J. Łęski (2003). Ho-Kashyap classifier with generalization control. Pattern Recognition
    Letters 24(14), 2281-2290.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import KMHKSClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> KMHKSClassifier().fit(X, y).score(X, y) > 0.95
    True
    """

    n_kernels = 1
    _default_kernels = MeanSquaredDistance(multipliers=(1.0,))

    def __init__(
        self,
        kernel=None,
        *,
        alpha=1.0,
        multi_class="ovo",
        algorithm="ho_kashyap",
        rho=0.99,
        tol=1e-3,
        max_iter=100,
        class_weight=None,
        random_state=None,
    ):
        self.kernel = kernel
        self.alpha = alpha
        self.multi_class = multi_class
        self.algorithm = algorithm
        self.rho = rho
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.random_state = random_state

    @property
    def kernels(self):
        return self.kernel

    def _fit_members(self, table, rng):
        found = super()._fit_members(table, rng)
        return found.with_attributes(kernel_=found.attributes["kernels_"][0])
