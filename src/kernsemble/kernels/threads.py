"""Row blocks on several threads: NumPy's loops release the lock, but run on one core each."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

from threadpoolctl import ThreadpoolController

__all__ = ["for_each_block"]


def for_each_block(function, blocks):
    """Call `function` for every block, on as many threads as BLAS may use at the moment.

    Whoever shares out the cores, as an ensemble does among its members, does so by limiting the
    threads of BLAS. While blocks run on several threads, BLAS has one, and then what a block
    computes does not depend on how many run beside it.
    """
    blas = _blas()
    n_threads = min((pool.num_threads for pool in blas.lib_controllers), default=1)
    if n_threads == 1 or len(blocks) == 1:
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
