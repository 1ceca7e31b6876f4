"""`kernsemble bench`: a study in, a ledger, a ranking and a page out."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from ..benchmark import console as terminal
from ..benchmark.costs import estimate_costs
from ..benchmark.ledger import Ledger
from ..benchmark.measure_list import find_measure
from ..benchmark.plan import plan_cells
from ..benchmark.runner import run_study
from ..benchmark.study import choose_study, with_limits
from ..environment import describe_environment
from ..report import write_report
from .lines import say, show


@dataclass(frozen=True)
class BenchRequest:
    """What `kernsemble bench` was asked for; the attributes are its options."""

    study: Path | None
    datasets: list | None
    methods: list | None
    protocol: str
    seeds: list | None
    quick: bool
    rows: list | None
    ledger: Path
    report: Path | None
    measure: str
    seconds: float | None
    memory: float | None
    run: dict
    command: str
    plan: bool = False


def bench_command(request):
    """Run a study; return whether every cell has a result that is no failure."""
    # A name with a slip is found before hours of work, not after them.
    find_measure(request.measure)
    study = with_limits(
        choose_study(
            request.study,
            request.datasets,
            request.methods,
            request.protocol,
            request.seeds,
            request.quick,
            request.rows,
        ),
        request.seconds,
        request.memory,
    )
    if request.plan:
        _show_plan(study, request)
        return True
    with Ledger(request.ledger) as book:
        book.note_command(request.command, describe_environment())
        with terminal.watching(Console(stderr=True)) as listener:
            summary = run_study(study, book, listener=listener, **request.run)
        name = study.protocol.name
        terminal.show_ranking(book, name, Console())
        target = request.report or request.ledger.with_suffix(".html")
        page = write_report(book, target, name, measure=request.measure)
    show(f"Results: {request.ledger}\nReport:  {page}")
    if summary.failed:
        say(f"{summary.failed} of {summary.planned} cells failed; the report says why.")
    return not summary.failed


def _show_plan(study, request):
    """Print what a study will cost; the ledger stays as it is, or missing."""
    with tempfile.TemporaryDirectory() as folder:
        path = request.ledger if request.ledger.exists() else Path(folder) / "none.sqlite"
        with Ledger(path) as book:
            results, sizes = book.results(), book.datasets()["n_rows"].to_dict()
    plan = plan_cells(study)
    keys = ("n_jobs", "backend", "dask", "threads")
    options = {key: request.run[key] for key in keys}
    say("A pilot fits methods of which nothing is known to small samples.")
    estimate = estimate_costs(
        study,
        plan,
        results[results["protocol"] == study.protocol.name],
        lambda small, ledger: run_study(small, ledger, first_only=True, **options),
        sizes,
    )
    terminal.show_plan(study, estimate, request.run["n_jobs"], Console())
