"""Blocks of rows that fit into the processor's cache, processed on several threads."""

from concurrent.futures import ThreadPoolExecutor

from ..threads import blas_threads, limited_threads, usable_cores

# A block of this size stays in the second-level cache while all kernels read it.
CACHE_BYTES = 1 << 20


def rows_per_block(n_columns, itemsize, n_bytes=CACHE_BYTES, *, at_least=16):
    """Return how many rows of `n_columns` values fit into `n_bytes`."""
    return max(at_least, n_bytes // max(1, n_columns * itemsize))


def row_blocks(n_rows, n_columns, itemsize):
    """Return slices of rows, each of which fits into the cache."""
    return equal_slices(n_rows, rows_per_block(n_columns, itemsize))


def equal_slices(n, size):
    """Return slices of `size` of n things; the last may be shorter.

    Those of `sklearn.utils.gen_batches` take longer to check than a small block to compute.
    """
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def for_each_block(function, blocks):
    """Call `function` for every block, on as many threads as BLAS may use at the moment.

    NumPy runs its element-wise loops on one thread. An ensemble that fits several members at once
    shares the cores among them by limiting the threads of BLAS, and this function keeps to that
    limit. BLAS itself uses one thread while several blocks run, so the result of a block does not
    depend on the number of threads.
    """
    # Asking for the number of cores takes longer than a small block.
    n_threads = 1 if len(blocks) == 1 else min(blas_threads(), usable_cores(), len(blocks))
    if n_threads <= 1:
        for block in blocks:
            function(block)
        return
    with limited_threads(1), ThreadPoolExecutor(n_threads) as threads:
        # Reading all results raises the first error here.
        list(threads.map(function, blocks))
