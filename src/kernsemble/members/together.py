"""The scores of several members at once: every view and every distance is computed only once."""

from typing import Any, NamedTuple

import numpy as np

from ..kernels.blocks import equal_slices, rows_per_block
from ..kernels.evaluation import check_finite, evaluate_pairs
from ..kernels.pairs import pair_up
from ..maps.views import MetricView

# Memory for the kernel values of one block of rows, which stay in the cache.
BLOCK_BYTES = 1 << 22


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
    landmarks share the distances. Other members score the rows one by one.
    """
    seen = _SeenRows(X)
    scores: list[Any] = [None] * len(members)
    groups: dict[tuple, list] = {}
    for number, member in enumerate(members):
        expansions = member.expansions()
        if expansions is None:
            scores[number] = member.scores(X)
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
    pairs, n = pair_up(Z.astype(np.float64, copy=False), rows), rows.shape[0]
    # The blocks share these norms, so they are computed before the pairs are sliced.
    _ = pairs.y.squared_norms
    kernels = [term.kernel for term in terms]
    step = max(1, min(rows_per_block(len(terms) * n, 8, BLOCK_BYTES), Z.shape[0]))
    # They use the same memory too, because the system takes its time to give more.
    room = np.empty((len(terms), step, n))
    for block in equal_slices(Z.shape[0], step):
        grams = list(room[:, : block.stop - block.start])
        evaluate_pairs(kernels, pairs.block(block, slice(0, n)), out=grams, check=False)
        for K, term in zip(grams, terms):
            found = K @ term.coefs
            # The few sums are checked, and not the many values.
            check_finite(found, term.kernel)
            scores[term.member][block] += found if term.factor == 1.0 else term.factor * found


class _SeenRows:
    """Rows as views see them, each view computed once."""

    def __init__(self, X):
        self.X = X
        self.known: dict[int, Any] = {}

    def __call__(self, look):
        if look is None:
            return self.X
        if id(look) not in self.known:
            if isinstance(look, MetricView):
                self.known[id(look)] = self(look.view) * look.stretch
            else:
                self.known[id(look)] = look(self.X)
        return self.known[id(look)]
