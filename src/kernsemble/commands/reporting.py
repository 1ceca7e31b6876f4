"""`kernsemble report`: the page of a ledger, or of what changed between two."""

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..benchmark.console import show_ranking
from ..benchmark.ledger import Ledger
from ..benchmark.measure_list import find_measure
from ..benchmark.versions import compare_sets, match_versions, summarise_sets
from ..errors import UserError
from ..report import write_report, write_version_report
from .lines import show


@dataclass
class ReportRequest:
    """What the command was asked for.

    Attributes
    ----------
    ledgers : tuple of Path
        One, or the old and the new one.
    output : Path or None
        None means beside the last ledger.
    protocol, title, anchor : str or None
        None means the default of the page.
    measure : str
        The measure that ranks.
    """

    ledgers: tuple
    output: Path | None
    protocol: str | None
    title: str | None
    measure: str
    anchor: str | None


def report_on(request):
    """Print the ranking or the changes, and write the page."""
    # A name with a slip is found before the ledgers are read.
    find_measure(request.measure)
    if len(request.ledgers) == 1:
        page = _report_one(request)
    elif len(request.ledgers) == 2:
        page = _report_two(request)
    else:
        raise UserError(
            f"A report is about one ledger or compares two, got {len(request.ledgers)}."
        )
    show(f"Report: {page}")


def _named(request, **names):
    return {name: value for name, value in names.items() if value is not None}


def _report_one(request):
    (path,) = request.ledgers
    with Ledger(path, must_exist=True) as book:
        options = _named(request, title=request.title, anchor=request.anchor)
        target = request.output or path.with_suffix(".html")
        page = write_report(book, target, request.protocol, measure=request.measure, **options)
        show_ranking(book, request.protocol, Console(), request.measure)
    return page


def _report_two(request):
    if request.anchor is not None:
        raise UserError("--anchor is for the ratings of one ledger; two ledgers have none.")
    first, second = request.ledgers
    with Ledger(first, must_exist=True) as before, Ledger(second, must_exist=True) as after:
        target = request.output or second.with_name(f"{first.stem}-{second.stem}.html")
        options = _named(request, title=request.title)
        page = write_version_report(
            before, after, target, request.protocol, measure=request.measure, **options
        )
        _show_versions(match_versions(before, after, request.protocol), request.measure)
    return page


def _show_versions(versions, name):
    measure = find_measure(name)
    table = Table("method", box=None, pad_edge=False, header_style="bold")
    titles = ("sets", f"before, {measure.unit}".rstrip(", "), "after", "gain")
    for title in (*titles, "won/tied/lost", "p", "fit"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in summarise_sets(compare_sets(versions, measure)).itertuples():
        cells = (
            str(row.Index),
            str(row.n_datasets),
            measure.shown(row.before),
            measure.shown(row.after),
            measure.gain(row.gain),
            f"{row.wins}/{row.ties}/{row.losses}",
            f"{row.p:.4f}",
            f"{row.fit_ratio:.2f} ×",
        )
        # A name with brackets is a name, not markup.
        table.add_row(*map(Text, cells))
    Console().print(table)
