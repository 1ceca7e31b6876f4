"""Run the cells of a study that have no result yet, and keep each result at once."""

import threading
import time
import uuid
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

from joblib import Parallel, delayed, parallel_config

from ..environment import describe_environment
from ..errors import UserError
from ..tables.cluster import ClusterError, check_cluster, first_finished
from .cell import TUNING_SPLIT
from .changed_data import check_data
from .costs import measured_seconds
from .plan import plan_cells
from .worker import Worker

BACKENDS = ("threading", "loky", "dask")

# How long to wait for cells that another runner is working on, before looking again.
_WAIT_SECONDS = 0.5
CONNECT_SECONDS = 30


class RunSummary(NamedTuple):
    """Number of cells of a study, of those found in the ledger, and of those that failed."""

    planned: int
    found: int
    failed: int


class Silent:
    """A listener that ignores what it is told; it shows what `run_study` expects of one."""

    def replaced(self, dataset, count):
        """Take note that `count` results of the old rows of a data set were removed."""

    def start(self, total, found):
        """Take note that `found` of `total` cells are already in the ledger."""

    def finish(self, cell, outcome):
        """Take note that a cell has a result now."""


def run_study(
    study,
    ledger,
    *,
    n_jobs=1,
    backend="threading",
    threads=1,
    retry_failed=False,
    replace=False,
    listener=None,
    dask=None,
    first_only=False,
):
    """Run every cell of `study` that has no result in `ledger` yet.

    Cells run in worker processes, whatever the backend; the backend says where these are started.
    Only the calling process writes to the ledger. Results of data that have changed since are an
    error, unless `replace` is true.

    Parameters
    ----------
    study : Study
    ledger : Ledger
    n_jobs : int, default=1
        Cells at a time; -1 means one for each core.
    backend : {"threading", "loky", "dask"}, default="threading"
        "dask" uses the cluster that `dask` names, else the active `distributed.Client`, else the
        scheduler that Dask's configuration names (``DASK_SCHEDULER_ADDRESS``), else workers on
        this machine.
    threads : int, default=1
        Threads of the numerical libraries in each cell.
    retry_failed : bool, default=False
        Run failed cells again.
    replace : bool, default=False
        Remove the results of data sets whose rows have changed since, and run these cells again.
    listener : object with the methods of `Silent`, default=None
    dask : str, default=None
        Address of a scheduler, or "local" for workers on this machine; implies the backend
        "dask".
    first_only : bool, default=False
        Run the first split of every data set alone.

    Returns
    -------
    RunSummary
    """
    backend = backend if dask is None else "dask"
    if backend not in BACKENDS:
        raise UserError(f"The backend must be one of {', '.join(BACKENDS)}, got {backend!r}.")
    if n_jobs == 0:
        raise UserError(
            "The number of jobs (--jobs) must be a number of cells at a time, or -1 for one on "
            "each core, got 0."
        )
    listener = listener or Silent()
    plan = plan_cells(study, measured_seconds(ledger.results()))
    plan = plan._replace(later=[]) if first_only else plan
    cells = plan.cells
    _check_same_definitions(study, ledger)
    digests = check_data(study, ledger, replace=replace, listener=listener)
    if retry_failed:
        ledger.forget_failures(cells)
    finished = ledger.finished()
    found = sum(cell in finished for cell in cells)
    listener.start(len(cells), found)
    run = _Run(study, ledger, plan.broken, digests, listener, n_jobs, backend, threads)
    try:
        with _dask_client(n_jobs, dask) if backend == "dask" else nullcontext() as run.client:
            for phase in (plan.tuning, plan.testing):
                run.complete(phase)
    except ClusterError as error:
        raise UserError(f"{error} Finished cells are kept.") from error
    finished = ledger.finished()
    # Another runner may have removed results of changed data in the meantime.
    failed = sum(finished.get(cell, (None, None))[1] is not None for cell in cells)
    return RunSummary(len(cells), found, failed)


@contextmanager
def _dask_client(n_jobs, address):
    """Connect to a cluster, or start one on this machine, and check that it can run cells."""
    try:
        from distributed import Client, get_client
    except ModuleNotFoundError:
        raise UserError(
            'The backend dask needs more packages: pip install "kernsemble[dask]"'
        ) from None
    n_workers = None if n_jobs is None or n_jobs < 1 else n_jobs
    own: Any = None
    try:
        if address in (None, "local"):
            client = None if address == "local" else _known_client(get_client)
            if client is None:
                client = own = Client(
                    n_workers=n_workers, threads_per_worker=1, dashboard_address=None
                )
        else:
            client = own = Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise UserError(f"There is no dask scheduler at {address}: {error}") from error
    try:
        check_cluster(client)
        yield client
    finally:
        if own is not None:
            own.close()


def _known_client(get_client):
    try:
        return get_client()
    except ValueError:
        return None


def _check_same_definitions(study, ledger):
    """Refuse to mix results of methods or protocols that share a name but not their settings."""
    for method, protocol, maker in ledger.makers():
        if protocol != study.protocol.name or method not in study.methods:
            continue
        wanted = {
            "protocol": study.protocol.definition(),
            "method": study.methods[method].definition(),
        }
        for part, definition in wanted.items():
            if maker[part] != definition:
                raise UserError(
                    f"The ledger {ledger.path} holds results of {method} under {protocol} that "
                    f"were made with another {part} ({maker[part]} instead of {definition}). "
                    "Name another ledger, or give the variant another name."
                )


class _Run:
    """Runs phases; a phase ends when every cell of it has a result, whichever runner wrote it."""

    def __init__(self, study, ledger, broken, digests, listener, n_jobs, backend, threads):
        self.study = study
        self.ledger = ledger
        self.broken = broken
        self.digests = digests
        self.listener = listener
        self.n_jobs = n_jobs
        self.backend = backend
        self.threads = threads
        self.client: Any = None
        self.id = uuid.uuid4().hex
        self.environment = describe_environment()

    def complete(self, phase):
        while True:
            finished = self.ledger.finished()
            missing = [cell for cell in phase if cell not in finished]
            if not missing:
                return
            if not self._work(missing, finished):
                # Another runner has claimed all of them; if it dies, its claims become free.
                time.sleep(_WAIT_SECONDS)

    def _work(self, cells, finished):
        done = 0
        try:
            for cell, outcome in self._outcomes(self._tasks(cells, finished)):
                self._record(cell, outcome)
                done += 1
        finally:
            stop_workers()
        return done

    def _outcomes(self, tasks):
        # A cell is claimed when it can start: one in a queue would be kept from other runners.
        if self.client is not None:
            n_workers = sum(self.client.nthreads().values())
            at_once = n_workers if self.n_jobs is None or self.n_jobs < 1 else self.n_jobs
            yield from first_finished(self.client, _answer, tasks, max(1, at_once))
            return
        with parallel_config(self.backend, n_jobs=self.n_jobs):
            parallel = Parallel(
                return_as="generator_unordered", pre_dispatch="n_jobs", batch_size=1
            )
            yield from parallel(delayed(_answer)(*task) for task in tasks)

    def _tasks(self, cells, finished):
        for cell in cells:
            if not self.ledger.claim(cell):
                continue
            job, failure = self._job(cell, finished)
            yield cell, job, failure, self.study.limits, self.threads, self.id

    def _job(self, cell, finished):
        """Return the job for a worker, or the reason why there is none."""
        if cell.dataset in self.broken:
            return None, self.broken[cell.dataset]
        choice, failure = finished.get(cell._replace(split=TUNING_SPLIT), (None, None))
        if failure is not None:
            return None, f"its tuning failed: {failure}"
        job = {
            "dataset": self.study.datasets[cell.dataset],
            "method": self.study.methods[cell.method].definition(),
            "protocol": self.study.protocol.definition(),
            "split": cell.split,
            "seed": cell.seed,
            "train_rows": cell.train_rows,
            "choice": choice,
        }
        return job, None

    def _record(self, cell, outcome):
        maker = {
            "protocol": self.study.protocol.definition(),
            "method": self.study.methods[cell.method].definition(),
            "versions": self.environment,
        }
        if outcome.get("elsewhere"):
            maker["elsewhere"] = outcome["elsewhere"]
        # A process that was ended cannot tell what its data were; other cells of them can.
        digest = outcome.get("data_digest") or self.digests.get(cell.dataset)
        if digest:
            self.digests[cell.dataset] = digest
        self.ledger.record(cell, {**outcome, "data_digest": digest}, maker)
        self.listener.finish(cell, outcome)


_local = threading.local()
_started: list[Worker] = []


def _answer(cell, job, failure, limits, threads, run):
    """Run one job in the worker process of this thread."""
    if failure is not None:
        return cell, {"failure": failure}
    if getattr(_local, "run", None) != run or _local.worker not in _started:
        # The worker of an earlier run may remember data that have changed since.
        _stop_worker()
        _local.run, _local.worker = run, Worker(threads)
        _started.append(_local.worker)
    return cell, _local.worker.run(job, limits)


def _stop_worker():
    """End the worker process of this thread."""
    worker = getattr(_local, "worker", None)
    if worker in _started:
        _started.remove(worker)
        worker.close()


def stop_workers():
    """End the worker processes of all threads of this process."""
    while _started:
        _started.pop().close()
