"""The width at which Gaussian kernels tell the classes apart best."""

import numpy as np

from ..kernels import RBF, MedianGrid
from ..strengths import STRENGTHS
from .kernel_ridge import fit_kernel_ridge_member

# Leave-one-out on this many rows finds the width up to a small factor, in milliseconds.
SAMPLE_ROWS = 300
# Number of widths that are compared, spread over the grid.
N_WIDTHS = 5


def find_gamma(table, rng):
    """Return the gamma of the Gaussian kernel ridge of least leave-one-out error.

    A few widths around the median distance are compared, on a sample of the rows.
    """
    codes = table.all.codes
    step = -(-table.n_rows // SAMPLE_ROWS)
    # Rows at equal steps in the order of the classes have the classes in proportion.
    sample = table if step == 1 else table.take(np.argsort(codes, kind="stable")[::step])
    kernels = MedianGrid().sample(sample, N_WIDTHS, rng)
    return fit_kernel_ridge_member(sample, kernels, STRENGTHS).kernel.gamma


def gaussians_around(gamma, n_kernels):
    """Return Gaussian kernels whose gammas are powers of four times `gamma`, around it."""
    steps = np.arange(n_kernels) - (n_kernels - 1) / 2
    return [RBF(float(gamma * 4.0**step)) for step in steps[::-1]]
