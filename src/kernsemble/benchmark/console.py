"""What the terminal shows: progress with the time left, tables, and the state of the machine.

Names of methods, data sets and files are printed as they are. Text with "[red]" in it is markup to
rich, so everything that is not written here goes through `Text`.
"""

import math
import os
import sqlite3
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pandas as pd
from rich.table import Table
from rich.text import Text

from kernsemble import datasets

from ..environment import (
    NEEDED,
    OPTIONAL,
    code_version,
    describe_environment,
    describe_threads,
    installed_versions,
)
from ..errors import UserError
from ..threads import usable_cores
from . import statistics
from .bars import make_bar
from .measure_list import find_measure
from .methods import list_methods
from .protocols import PROTOCOLS
from .published import PAPERS, read_paper
from .reproduce import list_targets
from .reproduction_file import number_rows
from .results import compare, mean_table, tested_rows, typical_values
from .rival_client import find_python, rivals_in
from .rivals import optional_rivals
from .sources import load_source
from .study import label_sources


class ProgressListener:
    """Moves a bar along as cells finish, and prints failures above it."""

    def __init__(self, progress, console):
        self._progress = progress
        self._console = console
        # Without cells there is nothing to draw, so the bar begins with them.
        self._task: Any = None
        self._shown = 0

    def replaced(self, dataset, count):
        """Say that old results of a changed data set were removed."""
        _say(self._console, f"{count} results of the old rows of {dataset} were removed.")

    def start(self, total, found):
        """Set the bar to the cells that the ledger already holds."""
        if found:
            self._console.print(f"{found} of {total} cells are already in the ledger.")
        self._task = self._progress.add_task("cells", total=total, completed=found)

    def finish(self, cell, outcome):
        """Move the bar by one cell."""
        self._progress.update(self._task, advance=1, description=f"{cell.dataset}, {cell.method}")
        failure = outcome.get("failure")
        if failure and self._shown < 10:
            self._shown += 1
            where = f" {cell.dataset}, {cell.method}, split {cell.split}: {failure}"
            _say(self._console, Text.assemble(("failed", "yellow"), where))


@contextmanager
def watching(console):
    """Show a progress bar while the block runs; yields the listener for `run_study`."""
    with make_bar(console) as progress:
        yield ProgressListener(progress, progress.console)


def _say(console, text):
    console.print(Text(text) if isinstance(text, str) else text, soft_wrap=True)


def _table(*titles, **options):
    return Table(*titles, box=None, pad_edge=False, header_style="bold", **options)


def _add_row(table, *cells):
    table.add_row(*map(Text, cells))


def show_ranking(ledger, protocol, console, measure="accuracy"):
    """Print the methods, best average rank first, and last those that cannot be ranked."""
    rows = tested_rows(ledger.results(), protocol)
    chosen = find_measure(measure, rows.columns)
    scores = compare(chosen.scores(mean_table(rows, measure))).scores
    ranks = pd.Series() if scores.empty else statistics.average_ranks(scores)
    best = scores.max(axis=1)
    seconds = typical_values(rows, ["fit_seconds", "predict_seconds"])
    shown = _table("method")
    for title in ("average rank", chosen.label, "best or tied", "fit, s", "predict, s"):
        shown.add_column(title, justify="right")
    for method in [*ranks.index, *seconds.index.difference(ranks.index)]:
        numbers = ["–"] * 3
        if method in ranks:
            wins = int((scores[method] >= best - 1e-10).sum())
            mean = chosen.shown(chosen.scores(scores[method].mean()))
            numbers = [f"{ranks[method]:.2f}", mean, f"{wins} of {len(scores)}"]
        times = ["–" if pd.isna(value) else f"{value:.3g}" for value in seconds.loc[method]]
        _add_row(shown, method, *numbers, *times)
    console.print(shown)


def show_plan(study, estimate, n_jobs, console):
    """Print the cells of a study, those that are left, and what they will cost."""
    shown = _table("method")
    for title in ("cells", "in the ledger", "to run", "about"):
        shown.add_column(title, justify="right")
    for name, row in estimate.table.iterrows():
        counts = [f"{int(row[key])}" for key in ("planned", "found", "left")]
        _add_row(shown, name, *counts, _duration(row["seconds"]) if row["left"] else "–")
    console.print(shown)
    totals = estimate.table[["planned", "found", "left"]].sum()
    jobs = usable_cores() if n_jobs < 1 else n_jobs
    _say(
        console,
        f"{len(study.datasets)} data sets, {totals['planned']} cells: {totals['found']} in the "
        f"ledger, {totals['left']} to run, about {_duration(estimate.seconds)} of work, "
        f"{_duration(estimate.seconds / jobs)} with {jobs} at a time.",
    )
    source = "the ledger's cells" if not estimate.n_pilot else f"{estimate.n_pilot} pilot fits"
    _say(console, f"Guessed from {source}; nothing of the study was run.")
    unknown = estimate.table.index[estimate.table["seconds"].isna()].tolist()
    if unknown:
        _say(
            console, f"Nothing is known of {', '.join(unknown)}: the pilot failed or was too slow."
        )


def _duration(seconds):
    """Return a time as a person would say it."""
    if pd.isna(seconds):
        return "unknown"
    if seconds < 120:
        return f"{max(1, math.ceil(seconds))} s"
    minutes = math.ceil(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02} min"


def show_methods(console):
    """Print the known methods, what they tune, and what to install for those that are missing."""
    shown = _table("method", "class", "grid")
    missing = _missing_rivals()
    for name, method in list_methods(optional=True).items():
        grid = ", ".join(f"{key} ({len(values)})" for key, values in method.grid.items())
        install = f"pip install '{missing[name]}'" if name in missing else ""
        _add_row(shown, name, method.estimator, grid or install)
    console.print(shown)


def _missing_rivals():
    """Return the ready names whose distribution is not installed → what to install."""
    found = installed_versions(set(optional_rivals().values()))
    return {name: needed for name, needed in optional_rivals().items() if found[needed] is None}


def show_datasets(console):
    """Print the known data sets."""
    shown = _table("data set", "source", "note")
    for entry in datasets.list_datasets():
        _add_row(shown, entry.name, entry.source, datasets.FLAWED.get(entry.name, ""))
    console.print(shown)


def show_targets(console, paper=None):
    """Print what can be reproduced, of one paper or table or of all, and what cannot and why."""
    for name in PAPERS:
        shown = Table(box=None, pad_edge=False, show_header=False)
        for target, how in list_targets().items():
            if target.startswith(f"{name}/") and target.startswith(paper or ""):
                _add_row(shown, target, how)
        if shown.row_count:
            about = read_paper(name)
            console.print(f"[bold]{about['cite']}[/], {about['title']}", highlight=False)
            console.print(shown)


def show_reproduction(target, found, console):
    """Print paper, ours and difference."""
    names = [name or "method" for name in found.table.index.names]
    shown = _table(title=Text(target), title_justify="left")
    for name in names:
        shown.add_column(Text(name))
    for name in found.table.columns:
        shown.add_column(Text(name), justify="right")
    for keys, numbers in number_rows(found.table):
        _add_row(shown, *keys, *numbers)
    console.print(shown)
    for note in found.notes:
        console.print(Text(f"· {note}"))


def show_import(source, destination, console):
    """Import the 121-set study, print what became of each set; return how many were left out."""
    try:
        imported = datasets.import_study(source, destination)
    except (ValueError, OSError) as error:
        raise UserError(str(error)) from None
    for entry in imported:
        if entry.problem:
            _say(console, f"left out {entry.name}: {entry.problem}")
    good = [entry for entry in imported if not entry.problem]
    _say(console, f"{len(good)} data sets are in {destination}; set KERNSEMBLE_DATA to it.")
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
            _say(console, f"{label}: {flaw}")
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
    shown = _table("protocol", "settings")
    for name, protocol in PROTOCOLS.items():
        settings = {key: value for key, value in protocol.definition().items() if key != "name"}
        _add_row(shown, name, ", ".join(f"{key} = {value}" for key, value in settings.items()))
    console.print(shown)


def show_doctor(console):
    """Print what the installation can and cannot do; return whether everything needed is there."""
    for key, value in {**describe_environment(), **describe_threads()}.items():
        _say(console, f"{key}: {value}")
    _say(console, f"code: {code_version()}")
    _say(console, f"SQLite: {sqlite3.sqlite_version}")
    folder = os.environ.get("KERNSEMBLE_DATA")
    try:
        count = len(datasets.list_datasets(source="folder"))
    except ValueError as error:
        _complain(console, error)
        return False
    _say(console, f"KERNSEMBLE_DATA: {folder or 'not set'}, {count} data sets")
    missing = [name for name, found in installed_versions(NEEDED).items() if found is None]
    for name in missing:
        _complain(console, f"{name} is not installed")
    for name, use in OPTIONAL.items():
        found = installed_versions([name])[name]
        _say(console, f"{name}: {found or f'not installed, needed for {use}'}")
    for name, distribution in optional_rivals().items():
        found = installed_versions([distribution])[distribution]
        absent = (
            f"not installed: pip install '{distribution}', or run it in an environment of its own, "
            f"-m '{name} @ folder/bin/python'"
        )
        _say(console, f"{name}: {f'{distribution} {found}' if found else absent}")
    if not missing:
        console.print("Everything that is needed is there.")
    return not missing


def show_rivals(console, python):
    """Print which ready names another interpreter has, and what the others need."""
    for name, found in rivals_in(find_python(python)).items():
        _say(console, f"{name}: {found}")


def _complain(console, problem):
    _say(console, Text.assemble(("problem", "red"), f" {problem}"))
