"""Evaluate many Gaussian kernels of one distance matrix in little more time than one.

For any weights, sum_m w_m exp(-gamma_m s) is a function of one number s = |x - y|². This function
is tabulated: on each interval of s it is a short Taylor series. The same series turns the quadratic
forms of all kernels into sums over the intervals. The numbers of an interval share their leading
bits, so a shift of the bits gives the interval of a number.
"""

import numpy as np

# An octave has 2^OCTAVE_BITS intervals, and a series has N_TERMS terms. An interval extends
# h = s / 512 to either side of its centre, so the first neglected term,
# (gamma h)^5 / 5! exp(-gamma s), is below 5e-15 for any s.
OCTAVE_BITS = 8
N_TERMS = 5
# exp(-750) is zero in double precision.
FARTHEST = 750.0
# Temporary arrays of this size stay in the cache of one core.
CHUNK_SIZE = 1 << 14

# Reading a value from the table takes as long as three exponentials.
FEW_GAMMAS = 4
# The table grows by one octave for every octave between the smallest and the largest gamma.
MOST_OCTAVES = 64

_SHIFT = 52 - OCTAVE_BITS


def worth_a_table(gammas):
    """Return whether a table of these gammas is faster than their exponentials and small enough."""
    return len(gammas) >= FEW_GAMMAS and max(gammas) < 2.0**MOST_OCTAVES * min(gammas)


class _Intervals:
    """Intervals of s, in units of the largest gamma, up to where every exponential is zero."""

    def __init__(self, gammas):
        self.unit = gammas.max()
        self.rates = gammas / self.unit
        self.last = FARTHEST / self.rates.min()
        # All smaller numbers form one interval, and its series is expanded around zero.
        ends = np.array([2.0**-OCTAVE_BITS, self.last]).view(np.int64) >> _SHIFT
        self._zero = ends[0] - 1
        edges = (np.arange(ends[0], ends[1] + 2) << _SHIFT).view(np.float64)
        self.centres = np.concatenate([[0.0], 0.5 * (edges[:-1] + edges[1:])])

    def locate(self, d2):
        """Return the interval of each number, and the number minus the centre of the interval."""
        offsets = d2 * self.unit
        np.minimum(offsets, self.last, out=offsets)
        numbers = offsets.view(np.int64) >> _SHIFT
        numbers -= self._zero
        np.clip(numbers, 0, len(self.centres) - 1, out=numbers)
        offsets -= self.centres[numbers]
        return numbers, offsets

    def derivatives(self):
        """Yield (-gamma)^p / p! exp(-gamma centre) for p = 0, 1, …

        Each array has shape (n_gammas, n_intervals) and is overwritten by the next one.
        """
        terms = np.exp(-np.outer(self.rates, self.centres))
        yield terms
        for p in range(1, N_TERMS):
            terms *= (-self.rates / p)[:, None]
            yield terms


class GaussianSum:
    """The function sum_m weights_m exp(-gammas_m s), evaluated from a table."""

    def __init__(self, gammas, weights):
        self._intervals = _Intervals(np.asarray(gammas, dtype=np.float64))
        self._table = [weights @ terms for terms in self._intervals.derivatives()]

    def __call__(self, d2):
        """Return the function at squared distances `d2` as a new array of the same dtype."""
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
        Squared distances s and weights w, two arrays of the same shape.

    Returns
    -------
    forms : ndarray of shape (n_gammas,)
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
