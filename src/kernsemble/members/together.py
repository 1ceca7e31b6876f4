"""The scores of several members at once: every view and every distance is computed only once."""

from typing import Any, NamedTuple

import numpy as np

from ..kernels.sums import kernel_sums
from ..maps.views import SeenRows


class Term(NamedTuple):
    """A kernel and its coefficients that add to the scores of a member.

    Attributes
    ----------
    member : int
        Number of the member.
    kernel : Kernel
    coefs : ndarray of shape (n_landmarks, n_outputs)
    factor : float
    """

    member: int
    kernel: Any
    coefs: np.ndarray
    factor: float


def class_scores_together(members, X):
    """Return the class scores of rows by every member, as a list of arrays.

    The kernel expansions of all members that compare the same view of the rows with the same
    landmarks share the distances, and all members share the views.
    """
    seen = SeenRows(X)
    scores: list[Any] = [None] * len(members)
    groups: dict[tuple, list] = {}
    for number, member in enumerate(members):
        expansions = member.expansions()
        if expansions is None:
            scores[number] = member.scores_through(seen)
            continue
        scores[number] = sum(factor * found.bias for factor, _, found in expansions)
        scores[number] = np.tile(scores[number], (X.shape[0], 1))
        for factor, look, found in expansions:
            for kernel, rows, coefs in found.parts:
                group = groups.setdefault((id(look), id(rows)), [look, rows, []])
                group[2].append(Term(number, kernel, coefs, factor))
    for look, rows, terms in groups.values():
        _add_terms(scores, seen(look), rows, terms)
    return [member.decode(S) for member, S in zip(members, scores)]


def _add_terms(scores, Z, rows, terms):
    """Add to the scores of members what kernels on the same rows say of the rows `Z`."""
    kernels, coefs = [term.kernel for term in terms], [term.coefs for term in terms]
    for term, found in zip(terms, kernel_sums(kernels, coefs, Z, rows)):
        scores[term.member] += found if term.factor == 1.0 else term.factor * found
