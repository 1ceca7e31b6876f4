"""`kernsemble fit`: a table in, a model file out, and in between what was understood of it."""

from dataclasses import dataclass, field
from pathlib import Path

from ..benchmark.methods import list_methods, resolve_method
from ..errors import UserError, unknown_name
from ..frames.model_files import check_model_path, save_model
from ..frames.models import fit_training, parse_params
from ..frames.privacy import describe_rows, leave_rows_out
from ..frames.rules import read_rules
from ..frames.tables import TableFile
from .lines import ask, progress_of_fits, say, show, warnings_as_lines
from .understood import describe_training

#: Names of columns that are the target when no other column has such a name.
_OBVIOUS = ("target", "class", "label", "y")


@dataclass(frozen=True)
class FitRequest:
    """What `kernsemble fit` was asked for; the attributes are its options."""

    table: Path
    output: Path
    target: str | None = None
    method: str = "KernelEnsemble"
    params: list = field(default_factory=list)
    seed: int = 0
    jobs: int | None = None
    seconds: float | None = None
    id_column: str | None = None
    columns: Path | None = None
    drop_missing_labels: bool = False
    no_training_rows: bool = False
    max_bytes: int = 2 * 10**9
    report: bool = False
    by: tuple = ()
    command: str | None = None


def fit_command(request):
    """Fit a method to a table, write the model, and say what it is worth."""
    check_model_path(request.output)
    classifier = _build(request)
    rules = None if request.columns is None else read_rules(request.columns)
    file = TableFile(request.table, request.max_bytes, rules)
    _check_report(request, classifier, file)
    left_out = () if request.id_column is None else (request.id_column,)
    training = file.training(
        choose_target(file, request.target, left_out),
        left_out=left_out,
        drop_missing_labels=request.drop_missing_labels,
    )
    say(describe_training(training, file.path))
    with warnings_as_lines(), progress_of_fits(f"fitting {request.method}"):
        fitted = fit_training(training, classifier, file.path, request.id_column)
    with warnings_as_lines():
        path = save_model(fitted, request.output)
    lines = [describe_worth(classifier, len(training.X)), f"Model: {path}"]
    if request.report:
        lines.append(f"Page:  {_write_page(request, fitted, training, file.path)}")
    show("\n".join([*lines, describe_rows(classifier)]))


def _check_report(request, classifier, file):
    """Raise before a long fit when no page could be written after it."""
    for name in request.by:
        if name not in file.names:
            raise unknown_name("column", name, file.names, f"in {file.path}")
    if request.by and not request.report:
        raise UserError("--by says how the page is divided; ask for the page with --report.")
    if request.report and not hasattr(type(classifier), "honest_accuracy_"):
        raise UserError(
            f"{request.method} does not score its training rows by models that did not see them, "
            "so it has no page; leave --report out."
        )


def _write_page(request, fitted, training, path):
    from ..report import write_model_page

    with warnings_as_lines():
        return write_model_page(
            fitted["model"],
            training.X,
            training.y,
            request.output.with_suffix(".html"),
            by=list(request.by),
            title=f"{training.target} of {Path(path).name}",
            command=request.command,
        )


def choose_target(file, target, left_out=()):
    """Return the column to predict: the one that was named, or is obvious, or the user's answer."""
    if target is not None:
        return target
    names = [name for name in file.names if name not in left_out]
    obvious = [name for name in names if name.casefold() in _OBVIOUS]
    if len(obvious) == 1:
        say(f"The target is the column {obvious[0]}; --target names another one.")
        return obvious[0]
    return ask(f"Which column of {file.path} shall be predicted?", names)


def _build(request):
    """Return the classifier that was asked for."""
    params = parse_params(request.params)
    variant = {"base": request.method, "params": params}
    method = resolve_method(request.method, {request.method: variant})
    if method.estimator not in {known.estimator for known in list_methods().values()}:
        raise UserError(
            f"A model file cannot hold {request.method}; choose a method of kernsemble or "
            "scikit-learn, see `kernsemble list methods`."
        )
    classifier = method.check().build(request.seed)
    known = classifier.get_params(deep=False)
    further = {"n_jobs": request.jobs, "time_budget": request.seconds}
    for name, option in (("n_jobs", "--jobs"), ("time_budget", "--time")):
        if further[name] is None:
            del further[name]
        elif name not in known:
            raise UserError(
                f"{request.method} has no {name}, which {option} sets; leave the option out."
            )
    if request.no_training_rows:
        leave_rows_out(classifier, _classes_of_methods(), given=params)
    return classifier.set_params(**further)


def _classes_of_methods():
    """Return the name of each method → the name of its class."""
    return {name: method.estimator.rpartition(".")[2] for name, method in list_methods().items()}


def describe_worth(classifier, n_rows):
    """Return a line with the accuracy and the log-loss that a model has on rows it did not see."""
    if not hasattr(classifier, "honest_accuracy_"):
        name = type(classifier).__name__.removesuffix("Classifier")
        return (
            f"{n_rows} rows. {name} does not say how good it is on new rows; "
            "`kernsemble bench` measures that."
        )
    honest = classifier.honest_
    weighted = ""
    if honest.sample_weight is not None:
        weighted = f" (weighted {classifier.honest_weighted_accuracy_:.4f})"
    return (
        f"{n_rows} rows. On rows that the model did not see: accuracy "
        f"{classifier.honest_accuracy_:.4f}{weighted}, log-loss {classifier.honest_log_loss_:.4f}."
    )
