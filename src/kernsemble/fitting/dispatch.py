"""Where members are fitted: threads, processes or the workers of a dask cluster."""

from contextlib import contextmanager, nullcontext
from functools import partial

from joblib import effective_n_jobs, parallel_config
from joblib.parallel import (
    LokyBackend,
    MultiprocessingBackend,
    SequentialBackend,
    ThreadingBackend,
    get_active_backend,
)
from sklearn import config_context, get_config
from sklearn.utils.parallel import Parallel, delayed

from ..tables.cluster import check_cluster, run_on_cluster
from ..threads import limited_threads, usable_cores
from ..workers import Team
from .progress import is_watched, take_reporter, watched

#: Backends of joblib whose workers share the cores of this machine.
LOCAL_BACKENDS = SequentialBackend, ThreadingBackend, LokyBackend, MultiprocessingBackend


def count_workers(n_jobs):
    """Return how many tasks run at once; on this machine, never more than there are cores."""
    client = _cluster()
    if client is not None:
        # joblib would send the cluster a task to find out, and wait for it.
        return max(1, sum(client.nthreads().values()))
    n_workers = effective_n_jobs(n_jobs)
    return min(n_workers, usable_cores()) if isinstance(_backend(), LOCAL_BACKENDS) else n_workers


def _backend():
    """Return joblib's active backend: threads, unless somebody has chosen another."""
    # Members spend their time in code that releases the lock, and threads share X.
    return get_active_backend(prefer="threads")[0]


def _cluster():
    """Return the client of joblib's dask backend where that is active, else None."""
    return getattr(_backend(), "client", None)


def run_tasks(
    function, shared, tasks, *, n_jobs=None, verbose=0, one_by_one=False, as_they_come=False
):
    """Return an iterator over the results of `function(*shared, *task)`, in the order of the tasks.

    A single task runs here; several at once share the threads of the linear algebra.
    Under `joblib.parallel_config(backend="dask")` the cluster is checked first and the shared
    arguments are sent once to every worker; any other backend of joblib does what it does. The
    first tasks of a fit tell its callbacks of their results.

    Parameters
    ----------
    function : callable
    shared : tuple
        Arguments that all tasks have.
    tasks : sequence of tuple
        The arguments that each task has for itself.
    n_jobs, verbose : int
    one_by_one : bool, default=False
        Whether the tasks run one after the other in this process.
    as_they_come : bool, default=False
        Whether an interrupt leaves the results that have arrived before it.
    """
    reporter = take_reporter()
    if one_by_one or len(tasks) == 1:
        results = (function(*shared, *task) for task in tasks)
    else:
        as_they_come = as_they_come or reporter is not None or is_watched()
        results = _run_parallel(function, shared, tasks, n_jobs, verbose, as_they_come)
    results = results if reporter is None else reporter.watch(results)
    return watched(results, len(tasks))


def _run_parallel(function, shared, tasks, n_jobs, verbose, as_they_come):
    n_workers = count_workers(n_jobs)
    client = _cluster()
    with _threads_of_worker(n_workers):
        limited = (function, n_workers, *shared)
        if client is not None:
            check_cluster(client)
            yield from run_on_cluster(client, _run_limited, limited, tasks)
            return
        if n_workers > 1 and not verbose and isinstance(_backend(), ThreadingBackend):
            yield from _run_in_threads(function, shared, tasks, n_workers)
            return
        parallel = Parallel(
            n_jobs=n_workers,
            verbose=verbose,
            prefer="threads",
            # Tasks are cut to size already; joblib would join them, and workers idle at the end.
            batch_size=1,
            return_as="generator" if as_they_come else "list",
        )
        yield from parallel(delayed(_run_limited)(*limited, *task) for task in tasks)


def map_in_threads(function, items, n_workers):
    """Return `[function(item) for item in items]`, computed by threads whatever the backend."""
    if min(n_workers, len(items)) < 2:
        return [function(item) for item in items]
    return list(_run_in_threads(function, (), [(item,) for item in items], n_workers))


def _run_in_threads(function, shared, tasks, n_workers):
    """Do as joblib's threads, which look for results no more often than every ten milliseconds."""
    config, (nested, n_nested) = get_config(), _backend().get_nested_backend()

    @contextmanager
    def settings():
        # OpenMP has settings for every thread, so each worker limits its own.
        with (
            config_context(**config),
            parallel_config(nested, n_jobs=n_nested),
            limited_threads(1),
        ):
            yield

    team, wait = Team(n_workers, settings), True
    try:
        yield from team.map(partial(function, *shared), tasks)
    except KeyboardInterrupt:
        # Members that are being fitted cannot be ended, and nobody waits for them any more.
        wait = False
        raise
    finally:
        team.close(wait)


def _run_limited(function, n_workers, *args):
    with _threads_of_worker(n_workers):
        return function(*args)


def _threads_of_worker(n_workers):
    """Return a context for work beside others, which uses one thread; alone it may use more."""
    return limited_threads(1) if n_workers > 1 else nullcontext()
