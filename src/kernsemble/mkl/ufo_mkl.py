"""UFO-MKL: kernel weights and machine together by stochastic gradient steps."""

from dataclasses import KW_ONLY
from typing import Any, ClassVar

from ..fitting.kernel_learner import KernelLearner
from ..fitting.parameters import with_parameters
from ..solvers.ufo_mkl import solve_ufo_mkl
from ..validation import check_choice, check_count, check_real


@with_parameters
class UFOMKLClassifier(KernelLearner):
    """Sparse sum of kernels by stochastic gradient steps whose number does not grow with kernels.

    Minimises alpha / 2 |w|²_{2,p} + sparsity |w|_{2,1} + mean hinge loss, p = q / (q - 1) and
    q = 2 ln n_kernels, over one vector w_j per kernel, a row at a time; more than two classes by
    the multi-class hinge, the true class against the best other one. There is no bias.

    Parameters
    ----------
    alpha : float or "auto"
        Strength of the squared norm; "auto" means that of least honest log-loss among 10, 3, …,
        0.03 divided by n_samples, and with `preset="paper"` 1 / n_samples.
    sparsity : float
        Strength of the plain norm, which switches kernels off.
    n_epochs : int
        Number of passes over the rows.

    Attributes
    ----------
    estimators_ : list of one KernelExpansion
    kernel_weights_ : ndarray of shape (n_kernels,)
        What the share of each kernel in the common expansion is multiplied by; not on the simplex.
    kernel_ : Kernel
        The weighted sum of the normalised kernels, an ordinary kernel.
    kernels_ : list of Kernel
        The normalised kernels.
    {chosen_alpha}
    objective_ : float
        The objective at the end, which need not be the lowest one seen.
    n_iter_ : int
        Number of rows visited.
    {honest}
    {fitted}

    Notes
    -----
    The norm q is at least 2: with one or two kernels the formula would give less.

    References
    ----------
    Orabona and Jie (2011), Ultra-fast optimization algorithm for sparse multi kernel learning,
    ICML.
    """

    kernels: Any = None
    _: KW_ONLY
    n_kernels: int | None = None
    alpha: Any = "auto"
    sparsity: float = 0.01
    n_epochs: int = 5

    # One problem for all classes, whatever the preset.
    multi_class = "ovr"
    _paper: ClassVar[dict[str, Any]] = {
        name: value for name, value in KernelLearner._paper.items() if name != "multi_class"
    }

    _strength = "alpha"
    _strengths = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03)

    def _strengths_for(self, n_rows):
        strengths = (1.0,) if self.preset == "paper" else self._strengths
        return [strength / n_rows for strength in strengths]

    def _check_params(self, table):
        super()._check_params(table)
        if isinstance(self.alpha, str):
            check_choice(self.alpha, "alpha", ("auto",))
        else:
            check_real(self.alpha, "alpha", low=0.0, open_low=True)
        check_real(self.sparsity, "sparsity", low=0.0)
        check_count(self.n_epochs, "n_epochs")

    def _learn(self, grams, tasks, rng):
        return solve_ufo_mkl(
            grams,
            tasks.codes,
            tasks.n_classes,
            tasks.weight,
            self.alpha,
            self.sparsity,
            n_epochs=self.n_epochs,
            rng=rng,
        )

    def _fit_shared(self, kernels, X, tasks, rng):
        # Weights and coefs belong together: without a fold both are learned anew.
        return super()._fit_shared(kernels, X, tasks, rng)._replace(scored=[kernels])

    def _fit_fixed(self, grams, tasks, rng):
        found = self._learn(grams, tasks, rng)
        return [d * found.coefs for d in found.weights], found.bias
