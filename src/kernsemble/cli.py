"""The command line: arguments in, one call into `benchmark` or `report`, an exit code out.

Exit codes: 0 all is well, 1 some cells failed or a check found something, 2 the request cannot be
carried out, 130 interrupted (start again to go on).
"""

import shlex
import sys
import warnings
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from kernsemble.benchmark import console as terminal
from kernsemble.benchmark.ledger import Ledger
from kernsemble.benchmark.methods import resolve_method
from kernsemble.benchmark.reproduce import match_targets, reproduce
from kernsemble.benchmark.reproduction_file import check_suffix, write_reproductions
from kernsemble.benchmark.runner import run_study
from kernsemble.benchmark.study import choose_study, with_limits
from kernsemble.environment import describe_environment
from kernsemble.errors import UserError, unknown_name
from kernsemble.frames.limits import MAX_BYTES
from kernsemble.frames.model_files import (
    ModelFileWarning,
    check_model_path,
    load_model,
    save_model,
)
from kernsemble.frames.models import fit_table, parse_params, predict_table
from kernsemble.frames.privacy import describe_rows
from kernsemble.frames.writing import printable, write_predictions
from kernsemble.report import write_report

FAILED, IMPOSSIBLE, INTERRUPTED = 1, 2, 130
_DATA = "Name, pattern such as 'jmlr121/*', or path of a table; repeatable."
_ONLY = "Only this data set of the table; repeatable."
_METHOD = "See `kernsemble list methods`; repeatable."


_MAX_SIZE = "Largest size of a packed file, unpacked, in GB."
_CELLS_KEPT = " Finished cells are kept; the same command goes on from here."


def _explained(command=None, *, interrupted=""):
    """Print what a person can put right as one line, without a traceback.

    Parameters
    ----------
    command : function
    interrupted : str
        What Ctrl-C leaves behind.
    """
    if command is None:
        return lambda command: _explained(command, interrupted=interrupted)

    @wraps(command)
    def run(*args, **kwargs):
        try:
            command(*args, **kwargs)
        except UserError as error:
            _say(f"kernsemble: {error}")
            raise typer.Exit(IMPOSSIBLE) from None
        except KeyboardInterrupt:
            _say(f"Interrupted.{interrupted}")
            raise typer.Exit(INTERRUPTED) from None

    return run


def _say(text):
    """Print a line for the user, not among the results; what a file says stays text."""
    lines = "\n".join(map(printable, text.splitlines()))
    Console(stderr=True).print(lines, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def _warnings_as_lines():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelFileWarning)
        yield
    for warning in caught:
        if issubclass(warning.category, ModelFileWarning):
            _say(f"kernsemble: warning: {warning.message}")


app = typer.Typer(
    help="Ensembles of kernel machines: benchmarks, models of tables, the papers' tables.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.command()
@_explained(interrupted=_CELLS_KEPT)
def bench(
    study: Annotated[
        Path | None, typer.Argument(help="TOML file that describes the study.")
    ] = None,
    data: Annotated[list[str] | None, typer.Option("--data", "-d", help=_DATA)] = None,
    method: Annotated[list[str] | None, typer.Option("--method", "-m", help=_METHOD)] = None,
    protocol: Annotated[str, typer.Option(help="See `kernsemble list protocols`.")] = "nested",
    seed: Annotated[list[int] | None, typer.Option(help="Repeatable.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Built-in data, two minutes.")] = False,
    ledger: Annotated[Path, typer.Option(help="Results are kept here.")] = Path("bench.sqlite"),
    report: Annotated[Path | None, typer.Option(help="HTML page; beside the ledger.")] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Cells at a time; -1: all cores.")] = -1,
    backend: Annotated[str, typer.Option(help="threading, loky or dask.")] = "threading",
    dask: Annotated[
        str | None, typer.Option(help="Address of a dask scheduler, or 'local': cells run there.")
    ] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads inside a cell.")] = 1,
    seconds: Annotated[float | None, typer.Option(help="Time limit of a cell.")] = None,
    memory: Annotated[float | None, typer.Option(help="Memory limit of a cell, GB.")] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Run failed cells again.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace results of data that have changed since.")
    ] = False,
):
    """Run data sets × methods, keep every result, rank the methods and draw a report."""
    console = Console()
    chosen = with_limits(choose_study(study, data, method, protocol, seed, quick), seconds, memory)
    with Ledger(ledger) as book:
        book.note_command(shlex.join(["kernsemble", *sys.argv[1:]]), describe_environment())
        with terminal.watching(console) as listener:
            summary = run_study(
                chosen,
                book,
                n_jobs=jobs,
                backend=backend,
                threads=threads,
                retry_failed=retry_failed,
                replace=replace,
                listener=listener,
                dask=dask,
            )
        name = chosen.protocol.name
        terminal.show_ranking(book, name, console)
        page = write_report(book, report or ledger.with_suffix(".html"), name)
    console.print(Text(f"Results: {ledger}\nReport:  {page}"), soft_wrap=True)
    if summary.failed:
        console.print(f"{summary.failed} of {summary.planned} cells failed; the report says why.")
        raise typer.Exit(FAILED)


@app.command("report")
@_explained
def report_command(
    ledger: Annotated[Path, typer.Argument(help="Ledger of `kernsemble bench`.")],
    output: Annotated[Path | None, typer.Option("--output", "-o")] = None,
    protocol: Annotated[str | None, typer.Option(help="Where the ledger has several.")] = None,
    title: Annotated[str, typer.Option()] = "Benchmark",
):
    """Draw the report of a ledger again."""
    with Ledger(ledger, must_exist=True) as book:
        page = write_report(book, output or ledger.with_suffix(".html"), protocol, title)
    Console().print(Text(f"Report: {page}"), soft_wrap=True)


@app.command("list")
@_explained
def list_command(
    what: Annotated[str, typer.Argument(help="methods, datasets or protocols")] = "methods",
):
    """List methods, data sets or protocols."""
    shows = {
        "methods": terminal.show_methods,
        "datasets": terminal.show_datasets,
        "protocols": terminal.show_protocols,
    }
    if what not in shows:
        raise unknown_name("list of", what, shows)
    shows[what](Console())


@app.command()
def doctor():
    """Say what this installation can do."""
    if not terminal.show_doctor(Console()):
        raise typer.Exit(FAILED)


@app.command()
@_explained(interrupted=" No model was written.")
def fit(
    table: Annotated[Path, typer.Argument(help="CSV, TSV or Parquet file.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file, .skops.")],
    target: Annotated[str | None, typer.Option(help="Column to predict.")] = None,
    method: Annotated[str, typer.Option("--method", "-m")] = "KernelEnsemble",
    param: Annotated[list[str] | None, typer.Option(help="name=value, repeatable.")] = None,
    seed: Annotated[int, typer.Option()] = 0,
    max_size: Annotated[float, typer.Option(min=0, help=_MAX_SIZE)] = MAX_BYTES / 1e9,
):
    """Fit a method to a table and keep the model in a file."""
    check_model_path(output)
    variant = {"base": method, "params": parse_params(param or [])}
    classifier = resolve_method("model", {"model": variant}).check().build(seed)
    fitted = fit_table(table, classifier, target, int(max_size * 1e9))
    with _warnings_as_lines():
        path = save_model(fitted, output)
    Console().print(
        f"{fitted['made']['rows']} rows, target {fitted['target']}. Model: {path}\n"
        f"{describe_rows(classifier)}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )


@app.command()
@_explained(interrupted=" No file of predictions was written.")
def predict(
    model: Annotated[Path, typer.Argument(help="File of `kernsemble fit`.")],
    table: Annotated[Path, typer.Argument(help="CSV, TSV or Parquet file.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="CSV file.")] = None,
    probabilities: Annotated[bool, typer.Option("--probabilities")] = False,
    trust: Annotated[list[str] | None, typer.Option(help="Full name of a type to load.")] = None,
    max_size: Annotated[float, typer.Option(min=0, help=_MAX_SIZE)] = MAX_BYTES / 1e9,
    safe_csv: Annotated[
        bool, typer.Option("--safe-csv", help="Put ' before texts that start like a formula.")
    ] = False,
):
    """Predict the rows of a table; the predictions go to standard output or a CSV file.

    Classes are written as they are in the training table. A spreadsheet takes a text that starts
    with =, +, - or @ for a formula: open the predictions of somebody else's model with --safe-csv.
    """
    max_bytes = int(max_size * 1e9)
    with _warnings_as_lines():
        fitted = load_model(model, trust or (), max_bytes)
    predicted = predict_table(fitted, table, probabilities, max_bytes)
    try:
        write_predictions(predicted, output, safe_csv)
    except OSError as error:
        raise UserError(f"The predictions cannot be written: {error}") from None


@app.command("reproduce")
@_explained(interrupted=_CELLS_KEPT)
def reproduce_command(
    target: Annotated[str | None, typer.Argument(help="Paper or table: wang-2013/table-2.")] = None,
    data: Annotated[list[str] | None, typer.Option("--data", "-d", help=_ONLY)] = None,
    ledger: Annotated[Path, typer.Option(help="Cells are kept here.")] = Path("reproduce.sqlite"),
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Cells at a time; -1: all cores.")] = -1,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Keep the tables: .md or .csv file.")
    ] = None,
    show_list: Annotated[bool, typer.Option("--list", help="Every table and figure.")] = False,
):
    """Make a paper's table again: its value, ours, the difference. Without a name: list them."""
    console = Console()
    if target is None or show_list:
        terminal.show_targets(console, target)
        return
    if output is not None:
        check_suffix(output)
    made = {}
    for name in match_targets(target):
        with Ledger(ledger) as book, terminal.watching(console) as listener:
            made[name] = reproduce(name, book, only=data, n_jobs=jobs, listener=listener)
        if output is not None:
            write_reproductions(output, made)
        terminal.show_reproduction(name, made[name], console)


data_app = typer.Typer(help="Import and check data sets.", no_args_is_help=True)
app.add_typer(data_app, name="data")


@data_app.command("import")
@_explained
def import_command(
    folder: Annotated[Path, typer.Argument(help="The 121-set study as its authors give it.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for our files.")],
):
    """Turn the 121-set study into files that KERNSEMBLE_DATA can name."""
    if terminal.show_import(folder, output, Console()):
        raise typer.Exit(FAILED)


@data_app.command("check")
@_explained
def check_command(
    names: Annotated[list[str], typer.Argument(help="Names, patterns or paths of tables.")],
):
    """Name data sets on which a comparison would mean nothing."""
    if terminal.show_flaws(names, Console()):
        raise typer.Exit(FAILED)
