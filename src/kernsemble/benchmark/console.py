"""What the terminal shows: progress with the time left, tables, and the state of the machine."""

import os
import sqlite3
from contextlib import contextmanager
from dataclasses import replace

import pandas as pd
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from kernsemble import datasets

from ..environment import NEEDED, OPTIONAL, describe_environment, installed_versions
from ..errors import UserError
from . import statistics
from .methods import list_methods
from .protocols import PROTOCOLS
from .published import PAPERS, read_paper
from .reproduce import list_targets
from .reproduction_file import number_rows
from .results import compare, mean_table, tested_rows
from .sources import load_source
from .study import label_sources

__all__ = [
    "show_datasets",
    "show_doctor",
    "show_flaws",
    "show_import",
    "show_methods",
    "show_protocols",
    "show_ranking",
    "show_reproduction",
    "show_targets",
    "watching",
]


class ProgressListener:
    """Moves a bar along as cells finish; failures are printed above it."""

    def __init__(self, progress, console):
        self._progress = progress
        self._console = console
        self._task = progress.add_task("cells", total=None)
        self._shown = 0

    def start(self, total, found):
        """Set the bar to the cells that the ledger already holds."""
        if found:
            self._console.print(f"{found} of {total} cells are already in the ledger.")
        self._progress.update(self._task, total=total, completed=found)

    def finish(self, cell, outcome):
        """Move the bar by one cell."""
        self._progress.update(self._task, advance=1, description=f"{cell.dataset}, {cell.method}")
        failure = outcome.get("failure")
        if failure and self._shown < 10:
            self._shown += 1
            self._console.print(
                f"[yellow]failed[/] {cell.dataset}, {cell.method}, split {cell.split}: ",
                end="",
            )
            self._console.print(failure, markup=False, highlight=False)


@contextmanager
def watching(console):
    """Show a progress bar while the block runs; yields the listener for `run_study`."""
    columns = (
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=console) as progress:
        yield ProgressListener(progress, progress.console)


def show_ranking(ledger, protocol, console):
    """Print the methods, best average rank first."""
    rows = tested_rows(ledger.results(), protocol)
    table = mean_table(rows)
    scores = compare(table).scores
    shown = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("method", "average rank", "accuracy, %", "best or tied", "fit, s", "predict, s"):
        shown.add_column(title, justify="left" if title == "method" else "right")
    ranked = scores.shape[0] >= 1 and scores.shape[1] >= 1
    ranks = statistics.average_ranks(scores) if ranked else table.mean().sort_values()[::-1]
    best = scores.max(axis=1)
    seconds = rows.groupby("method")[["fit_seconds", "predict_seconds"]].mean()
    for method, rank in ranks.items():
        means = scores[method] if ranked else table[method]
        wins = int((scores[method] >= best - 1e-10).sum()) if ranked else 0
        shown.add_row(
            method,
            f"{rank:.2f}" if ranked else "–",
            f"{100 * means.mean():.2f}",
            f"{wins} of {len(scores)}",
            *(f"{value:.3g}" for value in seconds.loc[method]),
        )
    console.print(shown)


def show_methods(console):
    """Print the known methods and what they tune."""
    shown = Table("method", "class", "grid", box=None, pad_edge=False, header_style="bold")
    for name, method in list_methods().items():
        grid = ", ".join(f"{key} ({len(values)})" for key, values in method.grid.items())
        shown.add_row(name, method.estimator, grid)
    console.print(shown)


def show_datasets(console):
    """Print the known data sets."""
    shown = Table("data set", "source", "note", box=None, pad_edge=False, header_style="bold")
    for entry in datasets.list_datasets():
        shown.add_row(entry.name, entry.source, datasets.FLAWED.get(entry.name, ""))
    console.print(shown)


def show_targets(console, paper=None):
    """Print what can be reproduced, of one paper or table or of all, and what cannot and why."""
    for name in PAPERS:
        shown = Table(box=None, pad_edge=False, show_header=False)
        for target, how in list_targets().items():
            if target.startswith(f"{name}/") and target.startswith(paper or ""):
                shown.add_row(target, how)
        if shown.row_count:
            about = read_paper(name)
            console.print(f"[bold]{about['cite']}[/], {about['title']}", highlight=False)
            console.print(shown)


def show_reproduction(target, found, console):
    """Print paper, ours and difference."""
    names = [name or "method" for name in found.table.index.names]
    shown = Table(title=target, title_justify="left", box=None, pad_edge=False)
    for name in names:
        shown.add_column(name)
    for name in found.table.columns:
        shown.add_column(name, justify="right")
    for keys, numbers in number_rows(found.table):
        shown.add_row(*keys, *numbers)
    console.print(shown)
    for note in found.notes:
        console.print(f"· {note}", markup=False, highlight=False)


def show_import(source, destination, console):
    """Import the 121-set study, print what became of each set; return how many were left out."""
    try:
        imported = datasets.import_study(source, destination)
    except (ValueError, OSError) as error:
        raise UserError(str(error)) from None
    for entry in imported:
        if entry.problem:
            console.print(f"left out {entry.name}: {entry.problem}", markup=False, highlight=False)
    good = [entry for entry in imported if not entry.problem]
    console.print(
        f"{len(good)} data sets are in {destination}; set KERNSEMBLE_DATA to it.",
        highlight=False,
        soft_wrap=True,
    )
    return len(imported) - len(good)


def show_flaws(names, console):
    """Print what is wrong with data sets; return how many are flawed."""
    flawed = 0
    for label, source in label_sources(names).items():
        try:
            flaws = _flaws(load_source(source))
        except UserError as error:
            flaws = [str(error)]
        flawed += bool(flaws)
        for flaw in flaws:
            console.print(f"{label}: {flaw}", markup=False, highlight=False, soft_wrap=True)
    console.print(f"{flawed} data sets are flawed." if flawed else "Nothing was found.")
    return flawed


def _flaws(data):
    if isinstance(data.X, pd.DataFrame):
        # Categories have no scale and count nothing: look at the numbers.
        numbers = data.X.select_dtypes("number")
        data = replace(
            data, X=numbers.to_numpy(dtype=float), feature_names=tuple(map(str, numbers))
        )
    return datasets.find_flaws(data)


def show_protocols(console):
    """Print the known protocols."""
    shown = Table("protocol", "settings", box=None, pad_edge=False, header_style="bold")
    for name, protocol in PROTOCOLS.items():
        settings = {key: value for key, value in protocol.definition().items() if key != "name"}
        shown.add_row(name, ", ".join(f"{key} = {value}" for key, value in settings.items()))
    console.print(shown)


def show_doctor(console):
    """Print what the installation can and cannot do; return whether everything needed is there."""
    for key, value in describe_environment().items():
        console.print(f"{key}: {value}", highlight=False)
    console.print(f"SQLite: {sqlite3.sqlite_version}", highlight=False)
    folder = os.environ.get("KERNSEMBLE_DATA")
    try:
        count = len(datasets.list_datasets(source="folder"))
        console.print(f"KERNSEMBLE_DATA: {folder or 'not set'}, {count} data sets", highlight=False)
    except ValueError as error:
        console.print(f"[red]problem[/] {error}")
        return False
    missing = [name for name, found in installed_versions(NEEDED).items() if found is None]
    for name in missing:
        console.print(f"[red]problem[/] {name} is not installed")
    for name, use in OPTIONAL.items():
        found = installed_versions([name])[name]
        console.print(f"{name}: {found or f'not installed, needed for {use}'}", highlight=False)
    if not missing:
        console.print("Everything that is needed is there.")
    return not missing
