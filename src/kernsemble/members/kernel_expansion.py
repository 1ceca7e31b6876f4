"""A member whose scores are weighted sums of kernel values with training rows."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..kernels.sums import kernel_sums
from ..maps.views import UnchangedView
from .member import HeldRows, KernelTerm, Member


class KernelPart(NamedTuple):
    """One kernel, the training rows it is compared with, and their coefficients.

    Attributes
    ----------
    kernel : Kernel
    rows : {ndarray, CSR matrix} of shape (n_support, n_features)
    coefs : ndarray of shape (n_support, n_outputs)
    """

    kernel: Any
    rows: Any
    coefs: np.ndarray

    @classmethod
    def of_support(cls, kernel, X, coefs):
        """Keep the rows of `X` that have a coefficient, or one row if none has."""
        support = np.flatnonzero(np.any(coefs != 0, axis=1))
        support = support if support.size else np.array([0])
        return cls(kernel, X[support], coefs[support])


@dataclass(frozen=True, eq=False)
class KernelExpansion(Member):
    """scores(x) = sum over the parts of kernel(x, rows) @ coefs, plus the bias.

    Attributes
    ----------
    parts : list of KernelPart
    bias : ndarray of shape (n_outputs,)
    honest_scores : ndarray of shape (n_samples, n_outputs) or None
        Scores of the training rows by machines that were fitted without them.
    coding : str
    holds_all : bool
        Whether the rows of the parts are all training rows, rather than those that matter.
    """

    parts: list
    bias: np.ndarray
    honest_scores: np.ndarray | None = None
    coding: str = "signed"
    holds_all: bool = False

    def scores(self, X):
        S = np.tile(self.bias, (X.shape[0], 1))
        for kernel, rows, coefs in self.parts:
            S += kernel_sums([kernel], [coefs], X, rows, for_few=False)[0]
        return S

    def on_lines(self, factors, bias):
        """Return the member whose scores, honest ones included, are those times factors plus bias.

        Parameters
        ----------
        factors, bias : ndarray of shape (n_outputs,)
        """
        parts = [part._replace(coefs=part.coefs * factors) for part in self.parts]
        honest = None if self.honest_scores is None else self.honest_scores * factors + bias
        return replace(self, parts=parts, bias=self.bias * factors + bias, honest_scores=honest)

    def compact(self):
        # Compiled code reads them column by column, and would copy them for every call.
        parts = [part._replace(coefs=np.asfortranarray(part.coefs)) for part in self.parts]
        return replace(self, parts=parts)

    def held_rows(self):
        rows = self.parts[0].rows
        return None if sparse.issparse(rows) else HeldRows(UnchangedView(), rows, self.holds_all)

    def expansions(self):
        return [(1.0, None, self)]

    def kernel_terms(self):
        return [KernelTerm(UnchangedView(), *part) for part in self.parts]
