"""The command line: arguments in, one call into `benchmark` or `report`, an exit code out.

Exit codes: 0 all is well, 1 some cells failed or a check found something, 2 the request cannot be
carried out, 130 interrupted (start again to go on).
"""

import shlex
import sys
from functools import wraps
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from kernsemble.commands.arguments import CommandWithNumbers
from kernsemble.errors import UserError, check_files, unknown_name
from kernsemble.frames.limits import MAX_BYTES

# Every command imports what it runs when it runs: `--help` and `--version` answer at once.

FAILED, IMPOSSIBLE, INTERRUPTED = 1, 2, 130
_DATA = "Name, pattern such as 'jmlr121/*', or path of a table; repeatable."
_ONLY = "Only this data set of the table; repeatable."
_MEASURE = "What ranks the methods: accuracy, log_loss, brier, auc, fit_seconds, …"
_ROWS = "Training rows, several for learning curves: --rows 500 2000 8000."
_METHOD = "See `kernsemble list methods`."
_ANY_METHOD = "Name, or 'package.module:Class(arg=1)', '@ folder/bin/python' after it; repeatable."
_METHODS = f"{_METHOD} Repeatable."

_TABLE = "CSV, TSV or Parquet file; - reads CSV or TSV from standard input."
_COLUMNS = "TOML file that overrules what is understood of the table."
_WRITTEN = "TOML file that says how the table is written: separator, decimal, encoding."
_ID = "Column that names the rows, kept in the predictions and no feature."
_SET = "The classes that cannot be ruled out at this confidence, such as 0.9."
_NOVELTY = "A p-value, small for rows unlike those of training."
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
            message, code = f"kernsemble: {error}", IMPOSSIBLE
        except KeyboardInterrupt:
            message, code = f"Interrupted.{interrupted}", INTERRUPTED
        else:
            return
        from kernsemble.commands.lines import say

        say(message)
        raise typer.Exit(code)

    return run


app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Otherwise lines keep the length they have in the code, and [brackets] vanish.
    rich_markup_mode="markdown",
)


def _print_version(asked):
    if asked:
        from kernsemble import __version__

        typer.echo(f"kernsemble {__version__}")
        raise typer.Exit


@app.callback()
def kernsemble(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
):
    """Ensembles of kernel machines: benchmarks, models of tables, the papers' tables."""


@app.command(cls=CommandWithNumbers)
@_explained(interrupted=_CELLS_KEPT)
def bench(
    study: Annotated[
        Path | None, typer.Argument(help="TOML file that describes the study.")
    ] = None,
    data: Annotated[list[str] | None, typer.Option("--data", "-d", help=_DATA)] = None,
    method: Annotated[list[str] | None, typer.Option("--method", "-m", help=_ANY_METHOD)] = None,
    protocol: Annotated[str, typer.Option(help="See `kernsemble list protocols`.")] = "nested",
    seed: Annotated[list[int] | None, typer.Option(help="Repeatable.")] = None,
    rows: Annotated[list[int] | None, typer.Option(min=2, help=_ROWS)] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Built-in data, two minutes.")] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Say what it will cost; do not run.")
    ] = False,
    ledger: Annotated[Path, typer.Option(help="Results are kept here.")] = Path("bench.sqlite"),
    report: Annotated[Path | None, typer.Option(help="HTML page; beside the ledger.")] = None,
    measure: Annotated[str, typer.Option(help=_MEASURE)] = "accuracy",
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
    from kernsemble.commands.benching import BenchRequest, bench_command

    request = BenchRequest(
        study=study,
        datasets=data,
        methods=method,
        protocol=protocol,
        seeds=seed,
        quick=quick,
        rows=rows,
        ledger=ledger,
        report=report,
        measure=measure,
        seconds=seconds,
        memory=memory,
        run={
            "n_jobs": jobs,
            "backend": backend,
            "dask": dask,
            "threads": threads,
            "retry_failed": retry_failed,
            "replace": replace,
        },
        command=shlex.join(["kernsemble", *sys.argv[1:]]),
        plan=plan,
    )
    if not bench_command(request):
        raise typer.Exit(FAILED)


@app.command("report")
@_explained
def report_command(
    ledgers: Annotated[list[Path], typer.Argument(help="Ledger of `kernsemble bench`, or two.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="HTML page.")] = None,
    protocol: Annotated[str | None, typer.Option(help="Where the ledger has several.")] = None,
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    measure: Annotated[str, typer.Option(help=_MEASURE)] = "accuracy",
    anchor: Annotated[
        str | None, typer.Option(help="Method whose Elo rating is 1000; else their mean is.")
    ] = None,
):
    """Draw the report of a ledger again, or what changed between two.

    Two ledgers hold results of two versions of the same methods, the old ones first: page and
    terminal say where the new version is better, by how much, and how sure that is. A ledger may
    still be growing.
    """
    from kernsemble.commands.reporting import ReportRequest, report_on

    report_on(ReportRequest(tuple(ledgers), output, protocol, title, measure, anchor))


@app.command("list")
@_explained
def list_command(
    what: Annotated[str, typer.Argument(help="methods, datasets or protocols")] = "methods",
):
    """List methods, data sets or protocols."""
    from kernsemble.benchmark import console as terminal

    shows = {
        "methods": terminal.show_methods,
        "datasets": terminal.show_datasets,
        "protocols": terminal.show_protocols,
    }
    if what not in shows:
        raise unknown_name("list of", what, shows)
    shows[what](Console())


@app.command()
@_explained()
def doctor(
    python: Annotated[
        str | None, typer.Option(help="Say which rivals another interpreter has instead.")
    ] = None,
):
    """Say what this installation can do."""
    from kernsemble.benchmark import console as terminal

    if python is not None:
        terminal.show_rivals(Console(), python)
    elif not terminal.show_doctor(Console()):
        raise typer.Exit(FAILED)


@app.command()
@_explained(interrupted=" No model was written.")
def fit(
    table: Annotated[Path, typer.Argument(help=_TABLE)],
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file, .skops.")],
    target: Annotated[str | None, typer.Option(help="Column to predict.")] = None,
    method: Annotated[str, typer.Option("--method", "-m", help=_METHOD)] = "KernelEnsemble",
    param: Annotated[list[str] | None, typer.Option(help="name=value, repeatable.")] = None,
    columns: Annotated[Path | None, typer.Option(help=_COLUMNS)] = None,
    row_id: Annotated[str | None, typer.Option("--id", help=_ID)] = None,
    drop_missing_labels: Annotated[
        bool, typer.Option("--drop-missing-labels", help="Leave out rows without a class.")
    ] = False,
    time: Annotated[
        float | None, typer.Option(min=0, help="Seconds that the fit may take, about.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", help="Members at a time; -1: all cores.")
    ] = None,
    report: Annotated[
        bool, typer.Option("--report", help="Write a page about the model beside it.")
    ] = False,
    by: Annotated[
        list[str] | None, typer.Option(help="Column by which the page is divided; repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option()] = 0,
    no_training_rows: Annotated[
        bool, typer.Option("--no-training-rows", help="Keep no row of the table in the file.")
    ] = False,
    max_size: Annotated[float, typer.Option(min=0, help=_MAX_SIZE)] = MAX_BYTES / 1e9,
):
    """Fit a method to a table and keep the model in a file.

    What was understood of the table is printed first: every column with its kind, the number of its
    levels and of its missing values. A file of rules overrules it:

        [columns]
        postcode = "category"

    Kinds are number, category, truth value, date, "date, day first", "date, month first" and
    "leave out"; separator, decimal and encoding may stand above [columns].
    """
    check_files(table, columns)
    from kernsemble.commands.fitting import FitRequest, fit_command

    fit_command(
        FitRequest(
            table=table,
            output=output,
            target=target,
            method=method,
            params=param or [],
            seed=seed,
            jobs=jobs,
            seconds=time,
            id_column=row_id,
            columns=columns,
            drop_missing_labels=drop_missing_labels,
            no_training_rows=no_training_rows,
            max_bytes=int(max_size * 1e9),
            report=report,
            by=tuple(by or ()),
            command=shlex.join(["kernsemble", *sys.argv[1:]]),
        )
    )


@app.command()
@_explained(interrupted=" No file of predictions was written.")
def predict(
    model: Annotated[Path, typer.Argument(help="File of `kernsemble fit`.")],
    table: Annotated[Path, typer.Argument(help=_TABLE)],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="CSV file.")] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="A column for every class.")
    ] = False,
    label_set: Annotated[float | None, typer.Option("--set", min=0, max=1, help=_SET)] = None,
    novelty: Annotated[bool, typer.Option("--novelty", help=_NOVELTY)] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="What speaks for the class; slow for many rows.")
    ] = False,
    row_id: Annotated[str | None, typer.Option("--id", help=_ID)] = None,
    columns: Annotated[Path | None, typer.Option(help=_WRITTEN)] = None,
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
    check_files(model, kind="model")
    check_files(table, columns)
    from kernsemble.commands.predicting import PredictRequest, predict_command

    predict_command(
        PredictRequest(
            model=model,
            table=table,
            output=output,
            probabilities=probabilities,
            confidence=label_set,
            novelty=novelty,
            explain=explain,
            trust=tuple(trust or ()),
            id_column=row_id,
            columns=columns,
            max_bytes=int(max_size * 1e9),
            safe_csv=safe_csv,
        )
    )


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
    from kernsemble.benchmark import console as terminal
    from kernsemble.benchmark.ledger import Ledger
    from kernsemble.benchmark.reproduce import match_targets, reproduce
    from kernsemble.benchmark.reproduction_file import check_suffix, write_reproductions

    console = Console()
    if target is None or show_list:
        terminal.show_targets(console, target)
        return
    if output is not None:
        check_suffix(output)
    made = {}
    for name in match_targets(target):
        with Ledger(ledger) as book, terminal.watching(Console(stderr=True)) as listener:
            made[name] = reproduce(name, book, only=data, n_jobs=jobs, listener=listener)
        if output is not None:
            write_reproductions(output, made)
        terminal.show_reproduction(name, made[name], console)


data_app = typer.Typer(
    help="Import and check data sets.", no_args_is_help=True, rich_markup_mode="markdown"
)
app.add_typer(data_app, name="data")


@data_app.command("import")
@_explained
def import_command(
    folder: Annotated[Path, typer.Argument(help="The 121-set study as its authors give it.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for our files.")],
):
    """Turn the 121-set study into files that KERNSEMBLE_DATA can name."""
    from kernsemble.benchmark import console as terminal

    if terminal.show_import(folder, output, Console()):
        raise typer.Exit(FAILED)


@data_app.command("check")
@_explained
def check_command(
    names: Annotated[list[str], typer.Argument(help="Names, patterns or paths of tables.")],
):
    """Name data sets on which a comparison would mean nothing."""
    from kernsemble.benchmark import console as terminal

    if terminal.show_flaws(names, Console()):
        raise typer.Exit(FAILED)
