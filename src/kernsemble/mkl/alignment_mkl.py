"""Kernel weights by centred alignment with the classes."""

from ..fitting.kernel_learner import SVMKernelLearner
from ..solvers.alignment import solve_alignment
from ..solvers.simple_mkl import MKLSolution
from ..solvers.tasks import combine_grams
from ..targets import encode_targets
from ..validation import check_choice

__all__ = ["AlignmentMKLClassifier"]


class AlignmentMKLClassifier(SVMKernelLearner):
    """Support vector machine on the kernels weighed by their centred alignment with the classes.

    With centred Gram matrices K_m, the centred one-hot classes Y, a_m = <K_m, YY'> and
    M_lm = <K_l, K_m>: "align" weighs kernel m by a_m / |K_m|, "alignf" minimises v'Mv - 2 v'a over
    v >= 0, which gives the weighted sum the best alignment.

    Parameters
    ----------
    {kernels_weighed}
    {n_kernels}
    {normalize}
    {C}
    method : {"alignf", "align"}, default="alignf"
        Whether the kernels are weighed together, or each for itself.
    {multi_class}
    {shared_weights}
    {calibration_folds}
    {class_weight}
    {random_state}

    Attributes
    ----------
    {learned_kernel}
    {task_kernels}
    objective_ : float
        Centred alignment of the weighted kernel with the classes, summed over weight vectors.
    n_iter_ : int
        Number of LIBSVM's steps.
    {honest}
    {fitted}

    References
    ----------
    Cortes, Mohri and Rostamizadeh (2012), Algorithms for learning kernels based on centered
    alignment, JMLR 13.

    Notes
    -----
    The weights are scaled to sum 1 rather than to length 1, so that C means the same as for the
    other learners.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import AlignmentMKLClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = AlignmentMKLClassifier().fit(X, y)
    >>> clf.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        kernels=None,
        *,
        n_kernels=None,
        normalize="trace",
        C=1.0,
        method="alignf",
        multi_class="ovo",
        shared_weights=True,
        calibration_folds=5,
        class_weight=None,
        random_state=None,
    ):
        self.kernels = kernels
        self.n_kernels = n_kernels
        self.normalize = normalize
        self.C = C
        self.method = method
        self.multi_class = multi_class
        self.shared_weights = shared_weights
        self.calibration_folds = calibration_folds
        self.class_weight = class_weight
        self.random_state = random_state

    def _check_params(self, table):
        super()._check_params(table)
        check_choice(self.method, "method", ("alignf", "align"))

    def _learn(self, grams, tasks, rng):
        Y = encode_targets(tasks.codes, tasks.n_classes, "one_hot")
        weights, alignment = solve_alignment(grams, Y, tasks.weight, method=self.method)
        machine = self._machine(combine_grams(grams, weights), tasks)
        return MKLSolution(
            weights, machine.coefs, machine.bias, alignment, None, machine.n_iter, machine.converged
        )
