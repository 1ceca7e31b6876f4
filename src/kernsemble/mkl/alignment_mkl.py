"""Kernel weights by centred alignment with the classes."""

from dataclasses import KW_ONLY
from typing import Any

from ..fitting.kernel_learner import SVMKernelLearner
from ..fitting.parameters import with_parameters
from ..solvers.alignment import solve_alignment
from ..solvers.tasks import combine_grams
from ..targets import encode_targets
from ..validation import check_choice


@with_parameters
class AlignmentMKLClassifier(SVMKernelLearner):
    """Support vector machine on the kernels weighed by their centred alignment with the classes.

    With centred Gram matrices K_m, the centred one-hot classes Y, a_m = <K_m, YY'> and
    M_lm = <K_l, K_m>: "align" weighs kernel m by a_m / |K_m|, "alignf" minimises v'Mv - 2 v'a over
    v >= 0, which gives the weighted sum the best alignment.

    Parameters
    ----------
    method : {"alignf", "align"}
        Whether the kernels are weighed together, or each for itself.

    Attributes
    ----------
    {learned_kernels}
    {chosen_C}
    objective_ : float
        Centred alignment of the weighted kernel with the classes, summed over weight vectors.
    n_iter_ : int
        Number of LIBSVM's steps.
    {honest}
    {fitted}

    Notes
    -----
    The weights are scaled to sum 1 rather than to length 1, so that C means the same as for the
    other learners.

    References
    ----------
    Cortes, Mohri and Rostamizadeh (2012), Algorithms for learning kernels based on centered
    alignment, JMLR 13.
    """

    kernels: Any = None
    _: KW_ONLY
    n_kernels: int | None = None
    method: str = "alignf"
    multi_class: str = "auto"
    shared_weights: bool = True

    def _check_params(self, table):
        super()._check_params(table)
        check_choice(self.method, "method", ("alignf", "align"))

    def _learn(self, grams, tasks, rng):
        Y = encode_targets(tasks.codes, tasks.n_classes, "one_hot")
        weights, alignment = solve_alignment(grams, Y, tasks.weight, method=self.method)
        machine = self._machine(combine_grams(grams, weights), tasks)
        return machine.weighted(weights, objective=alignment, gap=None)
