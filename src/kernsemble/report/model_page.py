"""Write the page of one fitted model: how good, why, which rows, which columns."""

from pathlib import Path

import numpy as np
from markupsafe import Markup

from ..errors import UserError
from . import model_figures
from .model_data import N_COLUMNS, collect_model
from .templating import embedded, open_templates, template_text
from .words import listed

# Measures that are shares, and written in per cent.
SHARES = ("accuracy", "balanced accuracy")


def write_model_page(clf, X, y, path, *, by=(), title=None, random_state=0, command=None):
    """Write a page about a fitted classifier that needs nothing but a browser; return its path.

    Parameters
    ----------
    clf : classifier with honest scores, or Pipeline that ends in one
        The fitted classifier.
    X, y : array-like or data frame
        The rows and labels that it was fitted to.
    path : path-like
        File to write.
    by : str or list of str, default=()
        Columns by whose values the measures are shown: where the classifier is worse.
    title : str, default=None
        None means the name of the class.
    random_state : int, default=0
        Seed of the samples that are drawn for the page.
    command : str, default=None
        The command that made the model, shown at the end.

    Returns
    -------
    path : Path
        The file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import KernelRidgeClassifier
    >>> from kernsemble.report import write_model_page
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = KernelRidgeClassifier(random_state=0).fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     write_model_page(clf, X, y, f"{folder}/page.html").name
    'page.html'
    """
    path = Path(path)
    names = [by] if isinstance(by, str) else list(by)
    data = collect_model(clf, X, y, by=names, random_state=random_state, command=command)
    page = render_model(data, title or data.name)
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise UserError(f"The page cannot be written: {error}") from None
    return path


def render_model(data, title):
    """Return the page."""
    environment = open_templates()
    environment.filters["measured"] = _measured
    details = {
        "classes": data.classes,
        "listed": data.listed,
        "thresholds": data.thresholds,
    }
    return environment.get_template("model.html").render(
        title=title,
        data=data,
        summary=summarise_model(data),
        figures=_draw(data),
        style=Markup(template_text("page.css") + template_text("model.css")),
        theme=Markup(template_text("theme.js")),
        script=Markup("".join(map(template_text, ("sort.js", "tools.js", "model.js")))),
        details=embedded(details),
    )


def summarise_model(data):
    """Return sentences, the most important first."""
    accuracy, loss = data.measures["accuracy"], data.measures["log-loss"]
    largest = max(row["rows"] for row in data.by_class) / data.n_rows
    yield (
        f"About {_measured(accuracy.value, 'accuracy')} of new rows will be predicted rightly "
        f"(95 % interval {_measured(accuracy.low, 'accuracy')} to "
        f"{_measured(accuracy.high, 'accuracy')}); always naming the most frequent class would be "
        f"right for {_measured(largest, 'accuracy')}. The log-loss is {loss.value:.3f}."
    )
    weakest = min(data.by_class, key=lambda row: 1.0 if row["recall"] is None else row["recall"])
    if weakest["recall"] is not None and weakest["recall"] < accuracy.low:
        yield (
            f"It is weakest on class {weakest['name']}, of whose rows it finds "
            f"{_measured(weakest['recall'], 'accuracy')}."
        )
    worse = [
        f"{name} = {group['name']}"
        for name, groups in data.by_group.items()
        for group in groups
        if group["worse"]
    ]
    if worse:
        yield f"It is surely worse for rows with {listed(worse)}."
    if data.importances is not None:
        found = data.importances
        sure = [str(found.names[j]) for j in found.order if found.values[j] > 2 * found.errors[j]]
        if sure:
            yield f"The columns that matter most are {listed(sure[:5])}."
    if data.suspects.n_wrong >= 1:
        yield (
            f"Honest probabilities contradict about {data.suspects.n_wrong:.0f} of {data.n_rows} "
            "labels; where classes overlap, many of these rows are hard rather than wrong."
        )


def _draw(data):
    drawn = {"reliability": model_figures.draw_reliability(*data.reliability), "dependence": []}
    if data.curve.sizes:
        final = data.n_rows, data.measures["accuracy"].value
        drawn["curve"] = model_figures.draw_curve(data.curve, final)
    if data.leaderboard:
        drawn["race"] = model_figures.draw_race([row for row in data.leaderboard if not row.note])
    if len(data.race) > 1:
        drawn["rounds"] = model_figures.draw_rounds(data.race)
    if data.importances is not None:
        found, shown = data.importances, data.importances.order[:N_COLUMNS]
        names = [str(found.names[j]) for j in shown]
        label = "Importances of the columns"
        drawn["importance"] = model_figures.draw_bars(
            names, found.values[shown], found.errors[shown], label
        )
        drawn["dependence"] = [
            model_figures.draw_dependence(one, data.classes) for one in data.dependence
        ]
    return {
        name: [Markup(one) for one in figure] if isinstance(figure, list) else Markup(figure)
        for name, figure in drawn.items()
    }


def _measured(value, name):
    """Return a measure as it is written: shares in per cent, others as numbers."""
    if value is None or not np.isfinite(value):
        return "–"
    return f"{100 * value:.1f}\N{NO-BREAK SPACE}%" if name in SHARES else f"{value:.3f}"
