"""Many Gaussian kernels of one distance matrix, for little more than the price of one.

For any weights, sum_m w_m exp(-gamma_m s) is a function of one number s = |x - y|². Between two
neighbouring numbers of a table it is a short Taylor series, and the same series turns quadratic
forms of all kernels at once into sums over the intervals of the table. An interval is the set of
numbers that share their leading bits, so finding it is a shift.
"""

import numpy as np

__all__ = ["GaussianSum", "gaussian_forms", "worth_a_table"]

# Intervals in an octave, and terms of the series. An interval reaches h = s / 512 to either side
# of its centre, so that what is cut off, (gamma h)^5 / 5! exp(-gamma s), is below 5e-15 for any s.
OCTAVE_BITS = 8
N_TERMS = 5
# exp(-750) is zero.
FARTHEST = 750.0
# Temporary arrays of this size stay in the cache of one core.
CHUNK_SIZE = 1 << 14

# A value from the table takes as long as three exponentials.
FEW_GAMMAS = 4
# Every octave between the smallest and the largest gamma is one more in the table.
MOST_OCTAVES = 64

_SHIFT = 52 - OCTAVE_BITS


def worth_a_table(gammas):
    """Whether the table of these gammas is faster than their exponentials, and of decent size."""
    return len(gammas) >= FEW_GAMMAS and max(gammas) < 2.0**MOST_OCTAVES * min(gammas)


class _Intervals:
    """The intervals of s in units of the largest gamma, from 0 to where the smallest is zero."""

    def __init__(self, gammas):
        self.unit = gammas.max()
        self.rates = gammas / self.unit
        self.last = FARTHEST / self.rates.min()
        # All that lies below is one interval, expanded around zero.
        ends = np.array([2.0**-OCTAVE_BITS, self.last]).view(np.int64) >> _SHIFT
        self._zero = ends[0] - 1
        edges = (np.arange(ends[0], ends[1] + 2) << _SHIFT).view(np.float64)
        self.centres = np.concatenate([[0.0], 0.5 * (edges[:-1] + edges[1:])])

    def locate(self, d2):
        """Return the interval of each number and its offset from the interval's centre."""
        offsets = d2 * self.unit
        np.minimum(offsets, self.last, out=offsets)
        numbers = offsets.view(np.int64) >> _SHIFT
        numbers -= self._zero
        np.clip(numbers, 0, len(self.centres) - 1, out=numbers)
        offsets -= self.centres[numbers]
        return numbers, offsets

    def derivatives(self):
        """Yield (-gamma)^p / p! exp(-gamma centre) for p = 0, 1, …: (n_gammas, n_intervals)."""
        terms = np.exp(-np.outer(self.rates, self.centres))
        yield terms
        for p in range(1, N_TERMS):
            terms *= (-self.rates / p)[:, None]
            yield terms


class GaussianSum:
    """The function sum_m weights_m exp(-gammas_m s), from a table."""

    def __init__(self, gammas, weights):
        self._intervals = _Intervals(np.asarray(gammas, dtype=np.float64))
        self._table = [weights @ terms for terms in self._intervals.derivatives()]

    def __call__(self, d2):
        """Return the function at squared distances, as a new array of their shape and type."""
        out = np.empty(d2.shape, dtype=d2.dtype)
        for rows in _chunks(d2):
            numbers, offsets = self._intervals.locate(d2[rows].astype(np.float64, copy=False))
            series = self._table[-1][numbers]
            term = np.empty_like(series)
            for coefficients in self._table[-2::-1]:
                series *= offsets
                series += np.take(coefficients, numbers, out=term, mode="clip")
            out[rows] = series
        return out


def gaussian_forms(gammas, blocks):
    """Return sum_ij w_ij exp(-gamma_m s_ij) for every gamma.

    Parameters
    ----------
    gammas : ndarray of shape (n_gammas,)
    blocks : iterable of pairs of ndarray
        Squared distances s and weights w, of one shape.
    """
    intervals = _Intervals(np.asarray(gammas, dtype=np.float64))
    n_intervals = len(intervals.centres)
    moments = np.zeros((N_TERMS, n_intervals))
    for d2, weights in blocks:
        for rows in _chunks(d2):
            numbers, offsets = intervals.locate(d2[rows].astype(np.float64, copy=False))
            numbers, offsets, moment = numbers.ravel(), offsets.ravel(), weights[rows].ravel()
            for p in range(N_TERMS):
                moments[p] += np.bincount(numbers, moment, minlength=n_intervals)
                moment = moment * offsets
    return sum(terms @ moment for terms, moment in zip(intervals.derivatives(), moments))


def _chunks(d2):
    n_rows = max(1, CHUNK_SIZE // max(1, d2.shape[1]))
    return [slice(start, start + n_rows) for start in range(0, d2.shape[0], n_rows)]
