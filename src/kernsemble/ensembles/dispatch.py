"""Where members are fitted: threads, processes or the workers of a dask cluster."""

from joblib import effective_n_jobs
from joblib.parallel import get_active_backend
from sklearn.utils.parallel import Parallel, delayed

from ..tables.cluster import check_cluster, run_on_cluster
from .progress import without_callbacks

__all__ = ["count_workers", "run_tasks"]


def count_workers(n_jobs):
    """Return how many tasks run at once."""
    client = _cluster()
    # joblib would send the cluster a task to find out, and wait for it.
    return effective_n_jobs(n_jobs) if client is None else max(1, sum(client.nthreads().values()))


def _cluster():
    """Return the client of joblib's dask backend where that is active, else None."""
    backend, _ = get_active_backend(prefer="threads")
    return getattr(backend, "client", None)


def run_tasks(function, shared, tasks, *, n_jobs=None, verbose=0, as_they_come=False):
    """Return the results of `function(*shared, *task)` in the order of the tasks.

    A single task runs here. Under `joblib.parallel_config(backend="dask")` the cluster is checked
    first and the shared arguments are sent once to every worker; any other backend of joblib does
    what it does.

    Parameters
    ----------
    function : callable
    shared : tuple
        Arguments that all tasks have.
    tasks : sequence of tuple
        The others.
    n_jobs, verbose : int
    as_they_come : bool, default=False
        Whether results are handed out while others are still computed.

    Returns
    -------
    iterable of results
    """
    if len(tasks) == 1:
        return [function(*shared, *tasks[0])]
    client = _cluster()
    if client is not None:
        check_cluster(client)
        # Callbacks stay here, and with them the data that they hold.
        shared = [without_callbacks(v) if hasattr(v, "_progress") else v for v in shared]
        return run_on_cluster(client, function, tuple(shared), tasks)
    parallel = Parallel(
        n_jobs=n_jobs,
        verbose=verbose,
        # Members spend their time in code that releases the lock, and threads share X.
        prefer="threads",
        return_as="generator" if as_they_come else "list",
    )
    return parallel(delayed(function)(*shared, *task) for task in tasks)
