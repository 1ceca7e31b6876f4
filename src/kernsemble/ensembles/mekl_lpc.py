"""MEKL-LPC: empirical kernel learning that keeps each class together."""

from dataclasses import KW_ONLY
from typing import Any, cast

from ..fitting.ho_kashyap import HoKashyapLearner
from ..fitting.parameters import with_parameters
from ..kernels import MeanSquaredDistance
from ..solvers.penalties import LocalityPenalty
from ..validation import check_real


@with_parameters
class MEKLLPCClassifier(HoKashyapLearner):
    """Coupled Ho-Kashyap classifiers whose outputs vary little within a class.

    MultiK-MHKS with beta Σ_l w_lᵀ Z_lᵀ L_l Z_l w_l added to its objective, where L_l is the
    Laplacian of the graph that joins all rows of a class with the heat weights
    exp(-|z_i - z_j|² / 2s), s the mean squared distance in that space.

    Parameters
    ----------
    kernels : sampler, Kernel or list of Kernel
        Kernels, one for each space. None means `MeanSquaredDistance()`: RBF kernels with sigma² a
        quarter of, one and four times the mean squared distance.
    beta : float
        Strength of the locality penalty.

    Attributes
    ----------
    {ho_kashyap}

    References
    ----------
    Q. Fan, D. Gao and Z. Wang (2016). Multiple empirical kernel learning with locality preserving
    constraint. Knowledge-Based Systems 105, 107-118.
    """

    kernels: Any = None
    _: KW_ONLY
    n_kernels: int | None = None
    beta: float = 0.1
    coupling: Any = 1.0

    #: Weight of the class means and neighbours of a row: no means, and all rows of the class.
    gamma = 0.0
    n_neighbors = cast(Any, None)
    _default_kernels = MeanSquaredDistance()

    def _check_params(self, table):
        super()._check_params(table)
        check_real(self.beta, "beta", low=0.0)

    def _penalties(self, problem, table, alpha):
        rows, mapped = table.all, problem.held
        return [
            LocalityPenalty(
                Z,
                mapped.T,
                rows.codes,
                alpha=alpha,
                beta=self.beta,
                gamma=self.gamma,
                n_neighbors=self.n_neighbors,
                sample_weight=rows.sample_weight,
            )
            for Z in mapped.spaces.arrays
        ]
