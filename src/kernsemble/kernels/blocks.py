"""Row blocks: small enough for the cache, and on several threads, since NumPy's loops use one."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

from threadpoolctl import ThreadpoolController

__all__ = ["CACHE_BYTES", "for_each_block", "row_blocks", "rows_per_block"]

# A block of this size stays in the second-level cache while all kernels read it.
CACHE_BYTES = 1 << 20


def rows_per_block(n_columns, itemsize, n_bytes=CACHE_BYTES, *, at_least=16):
    """Return how many rows of `n_columns` values fit into `n_bytes`."""
    return max(at_least, n_bytes // max(1, n_columns * itemsize))


def row_blocks(n_rows, n_columns, itemsize):
    """Return slices of rows that stay in cache."""
    step = rows_per_block(n_columns, itemsize)
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def for_each_block(function, blocks):
    """Call `function` for every block, on as many threads as BLAS may use at the moment.

    Whoever shares out the cores, as an ensemble does among its members, does so by limiting the
    threads of BLAS. While blocks run on several threads, BLAS has one, and then what a block
    computes does not depend on how many run beside it.
    """
    blas = _blas()
    n_threads = 1
    if len(blocks) > 1:
        n_threads = min((pool.num_threads for pool in blas.lib_controllers), default=1)
    if n_threads == 1:
        for block in blocks:
            function(block)
        return
    with blas.limit(limits=1), ThreadPoolExecutor(min(n_threads, len(blocks))) as threads:
        # Results are asked for, so that the first error is raised here.
        list(threads.map(function, blocks))


@cache
def _blas():
    # Found once: looking for libraries takes longer than a small Gram matrix.
    return ThreadpoolController().select(user_api="blas")
