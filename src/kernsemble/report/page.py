"""Write what a ledger says, by every measure that it has, to one HTML file."""

import base64
import gzip
from pathlib import Path

from markupsafe import Markup

from kernsemble.benchmark.measure_list import QUALITY, find_measure
from kernsemble.errors import UserError, unknown_name

from . import figures, pair_figures, time_figures
from .plot_data import MAX_DRAWN, compare_methods
from .study_data import read_study
from .table_rows import dataset_rows, missing_cells, pair_rows, ranking_rows
from .templating import embedded, open_templates, template_text
from .words import count, explain_failures, listed, rope_of, summarise


def write_report(ledger, path, protocol=None, title="Benchmark", measure="accuracy", anchor=None):
    """Write the report of a ledger's results and return its path.

    The page shows the measure that is asked for. It holds the others too, packed, and a switch.

    Parameters
    ----------
    ledger : Ledger
        The results.
    path : path-like
        File to write.
    protocol : str, default=None
        Protocol whose results are shown; None means the only one in the ledger.
    title : str, default="Benchmark"
        Heading of the page.
    measure : str, default="accuracy"
        The measure that ranks; see `kernsemble.benchmark.measure_list`.
    anchor : str, default=None
        Method whose Elo rating is 1000; None means that the mean is.

    Returns
    -------
    path : Path
        The file.
    """
    study = read_study(ledger, protocol)
    chosen = find_measure(measure, study.rows.columns)
    if anchor is not None and anchor not in set(study.rows["method"]):
        raise unknown_name("method", anchor, sorted(study.rows["method"].unique()))
    measures = study.measures if chosen in study.measures else [chosen, *study.measures]
    environment = open_templates()
    views = {
        each.name: render_view(environment, compare_methods(study, each.name, anchor))
        for each in measures
    }
    page = environment.get_template("page.html").render(
        **shell(title, views, measures, chosen, ["page.js"]),
        study=study,
        n_methods=count(study.rows["method"].nunique(), "method"),
        n_datasets=count(study.rows["dataset"].nunique(), "data set"),
        n_cells=count(study.n_cells, "cell"),
        details=embedded({"details": study.details, "sizes": study.sizes}),
    )
    return save(page, path)


def shell(title, views, measures, chosen, scripts=()):
    """Return what the frame of a page with a measure switch is filled with."""
    scripts = ("sort.js", "tools.js", "switch.js", *scripts)
    return {
        "title": title,
        "view": Markup(views[chosen.name]),
        "packed": {name: pack(view) for name, view in views.items() if name != chosen.name},
        "chosen": chosen,
        "quality": [each for each in measures if each.name in QUALITY],
        "cost": [each for each in measures if each.name not in QUALITY],
        "style": Markup(template_text("page.css")),
        "theme": Markup(template_text("theme.js")),
        "script": Markup("".join(map(template_text, scripts))),
    }


def save(page, path):
    """Write a page and return its path."""
    path = Path(path)
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise UserError(f"The report cannot be written: {error}") from None
    return path


def pack(text):
    """Return text compressed and in letters; browsers unpack it when its measure is chosen."""
    return base64.b64encode(gzip.compress(text.encode(), compresslevel=6, mtime=0)).decode()


def render_view(environment, data):
    """Return the part of the page that depends on the measure."""
    measure = data.measure
    return environment.get_template("view.html").render(
        data=data,
        study=data.study,
        summary=summarise(data),
        treatment=explain_failures(data),
        figures=_draw(data),
        ranking=ranking_rows(data),
        pairs=pair_rows(data),
        datasets=dataset_rows(data),
        measure=measure,
        capital=measure.title[0].upper() + measure.title[1:],
        shown=lambda value: "–" if value is None else measure.shown(value),
        rope=rope_of(measure),
        listed=listed,
        lacking=len(data.scores.index.difference(data.study.facts.index)),
        ratings=[] if data.ratings is None else list(data.ratings.itertuples()),
        max_drawn=MAX_DRAWN,
        max_pairs=pair_figures.MAX_PAIRS,
        splits=embedded(
            {
                "title": measure.title,
                "label": measure.label,
                "factor": measure.factor,
                "sign": 1 if measure.higher else -1,
                "means": _means(data),
                "splits": data.splits,
            }
        ),
    )


def _means(data):
    return {
        dataset: {method: float(f"{mean:.6g}") for method, mean in row.dropna().items()}
        for dataset, row in data.means.iterrows()
    }


def _draw(data):
    drawn, ours = {}, data.study.ours
    if data.average_ranks is not None:
        ranks = data.average_ranks[:MAX_DRAWN]
        names = set(ranks.index)
        groups = [[name for name in group if name in names] for group in data.groups]
        drawn["difference"] = figures.critical_difference_diagram(
            ranks, data.critical_difference, [g for g in groups if len(g) > 1], ours
        )
        drawn["boxes"] = figures.rank_boxes(data.ranks, list(ranks.index), ours)
        drawn["pairs"] = pair_figures.matrix_picture(data.matrix, data.measure)
        drawn["ratings"] = pair_figures.ratings_picture(data.ratings[:MAX_DRAWN], ours)
        if data.better is not None:
            best = ranks.index
            drawn["heat"] = figures.heat_map(data.better.loc[best, best], rope_of(data.measure))
    if not data.scores.empty:
        shown = [name for name in data.methods if name in data.scores.columns][:MAX_DRAWN]
        means, times = data.scores[shown].mean(), data.study.times
        for part in ("fit", "predict"):
            drawn[part] = time_figures.score_against_time(
                means, times[f"{part}_per_1000"], ours, data.measure, f"{part}, seconds"
            )
    if not data.curves.empty:
        drawn["curves"] = time_figures.curves_picture(data.curves, ours, data.measure)
    gaps = missing_cells(data)
    if gaps and len(gaps) <= time_figures.MAX_GAPS:
        drawn["gaps"] = time_figures.gaps_picture(gaps, data.methods)
    return {name: Markup(svg) for name, svg in drawn.items()}
