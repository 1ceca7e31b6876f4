"""MEKL-LPC: empirical kernel learning that keeps each class together."""

from dataclasses import KW_ONLY
from functools import partial
from typing import Any, ClassVar, cast

import numpy as np

from ..calibration import fit_temperature, probabilities
from ..fitting.kernel_method import is_auto
from ..fitting.parameters import with_parameters
from ..kernels import MeanSquaredDistance
from ..members.mhks import held_out_mhks, map_into_spaces
from ..members.mhks_search import typical_part
from ..solvers.penalties import Locality, LocalityPenalty, Share
from ..tables.draws import copies_in_folds
from ..targets import decode_scores
from ..validation import check_choice, check_real
from .multik_mhks import MultiKMHKSClassifier

#: Number of rows on which localities are compared.
LOCALITY_ROWS = 200
LOCALITY_FOLDS = 3
#: Shares of the size of the squared outputs, and of the largest weight of the class means.
BETAS = (0.0, 0.01, 0.1, 1.0)
GAMMAS = (0.0, 0.5, 0.9)


@with_parameters
class MEKLLPCClassifier(MultiKMHKSClassifier):
    """Coupled Ho-Kashyap classifiers whose outputs vary little within a class.

    MultiK-MHKS with beta Σ_l w_lᵀ Z_lᵀ L_l Z_l w_l added to its objective, where L_l is the
    Laplacian of the graph that joins all rows of a class with the heat weights
    exp(-|z_i - z_j|² / 2s), s the mean squared distance in that space.

    Parameters
    ----------
    kernels : "auto", sampler, Kernel or list of Kernel
        Kernels, one for each space. "auto" means one each of the kinds Gaussian, Laplacian and
        Cauchy, with the width of least leave-one-out error; None the published ones,
        `MeanSquaredDistance()`: Gaussians with sigma² a quarter of, one and four times the mean
        squared distance.
    beta : float or "auto"
        Strength of the locality penalty; "auto" compares the log-losses of held-out rows without
        the penalty and with one of a hundredth, a tenth and all of the size of the squared outputs.
        Published: 0.1.

    Attributes
    ----------
    coupling_, beta_ : float
        The coupling and the strength of the locality penalty used.
    {honest}
    {ho_kashyap}

    References
    ----------
    Q. Fan, D. Gao and Z. Wang (2016). Multiple empirical kernel learning with locality preserving
    constraint. Knowledge-Based Systems 105, 107-118.
    """

    kernels: Any = "auto"
    _: KW_ONLY
    beta: Any = "auto"

    #: Weight of the class means and neighbours of a row: no means, and all rows of the class.
    gamma = cast(Any, 0.0)
    n_neighbors = cast(Any, None)
    _published_kernels = MeanSquaredDistance()
    _paper: ClassVar[dict[str, Any]] = {
        **MultiKMHKSClassifier._paper,
        "kernels": _published_kernels,
        "beta": 0.1,
    }

    def _check_params(self, table):
        super()._check_params(table)
        for name in self._locality_names:
            value = getattr(self, name)
            if isinstance(value, str):
                check_choice(value, name, ("auto",))
            else:
                check_real(value, name, low=0.0)

    #: Parameters of the penalty that may be "auto".
    _locality_names: ClassVar[tuple[str, ...]] = ("beta",)

    def _fit_alike(self, table, rng, settings):
        locality = Locality(self.beta, self.gamma, self.n_neighbors)
        if is_auto(self.beta) or is_auto(self.gamma):
            locality = self._choose_locality(table, rng, settings, locality)
        found = super()._fit_alike(table, rng, {**settings, "locality": locality})
        (member,) = found.members
        return found.with_attributes(beta_=member.beta)

    def _choose_locality(self, table, rng, settings, locality):
        """Return the locality of least log-loss on held-out rows."""
        part = typical_part(table, LOCALITY_ROWS, rng)
        _, _, problem = map_into_spaces(part, settings["kernels"], None, self._coding, rng)
        folds = copies_in_folds(part.all, LOCALITY_FOLDS, rng)

        def loss(candidate):
            penalize = partial(self._penalties, alphas=settings["alphas"], locality=candidate)
            solver = self._solver(settings["coupling"])
            arrays = problem.held.spaces.arrays
            S = held_out_mhks(arrays, part.all, self._coding, folds, penalize, solver)
            return _calibrated_loss(decode_scores(S, part.n_classes, self._coding), part.all)

        for name, shares in (("beta", BETAS), ("gamma", GAMMAS)):
            if is_auto(getattr(locality, name)):
                # While beta is chosen, the class means do not count.
                fixed = locality._replace(gamma=0.0) if is_auto(locality.gamma) else locality
                tried = [fixed._replace(**{name: Share(share)}) for share in shares]
                if name == "gamma" and fixed.beta == 0.0:
                    tried = tried[:1]
                losses = [loss(candidate) for candidate in tried] if len(tried) > 1 else [0.0]
                best = tried[int(np.argmin(losses))]
                locality = locality._replace(**{name: getattr(best, name)})
        return locality

    def _penalties(self, problem, table, alphas, locality):
        rows, mapped = table.all, problem.held
        return [
            LocalityPenalty(Z, mapped.T, rows.codes, alpha, locality, rows.sample_weight)
            for Z, alpha in zip(mapped.spaces.arrays, alphas)
        ]


def _calibrated_loss(scores, rows):
    """Return the log-loss of honest scores as calibrated probabilities."""
    temperature = fit_temperature(scores, rows.codes, rows.sample_weight)
    own = probabilities(scores, temperature)[np.arange(rows.n_rows), rows.codes]
    return -np.average(np.log(np.maximum(own, 1e-15)), weights=rows.sample_weight)
