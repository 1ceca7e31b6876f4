"""SILP-MKL: kernel weights by cutting planes."""

from ..fitting.parameters import with_parameters
from ..solvers.silp import solve_silp
from .simple_mkl import SimpleMKLClassifier


@with_parameters
class SILPMKLClassifier(SimpleMKLClassifier):
    """Support vector machine on the weighted sum of kernels, by a semi-infinite linear programme.

    Maximises theta over weights beta >= 0 of sum 1 subject to Σ beta_k S_k(alpha) >= theta for all
    feasible alpha, S_k(alpha) = 0.5 (alpha y)' K_k (alpha y) - 1'alpha: the problem of SimpleMKL,
    solved by adding one constraint per machine trained.

    Attributes
    ----------
    {learned_kernels}
    {chosen_C}
    objective_ : float
        The objective of SimpleMKL, -theta at the end, summed over the problems.
    {duality}
    {honest}
    {fitted}

    References
    ----------
    Sonnenburg, Rätsch, Schäfer and Schölkopf (2006), Large scale multiple kernel learning, JMLR 7.
    """

    def _learn(self, grams, tasks, rng):
        cost = self.C * tasks.weight
        return solve_silp(grams, tasks.T, cost, tol=self.tol, max_iter=self.max_iter)
