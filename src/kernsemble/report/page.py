"""Write the plot data and the figures to one HTML file."""

from pathlib import Path

import numpy as np
import pandas as pd
from markupsafe import Markup

from kernsemble.errors import UserError

from . import figures
from .plot_data import MAX_DRAWN, collect
from .templating import embedded, open_templates, template_text
from .words import rope_of, summarise


def write_report(ledger, path, protocol=None, title="Benchmark", measure="accuracy"):
    """Write the report of a ledger's results and return its path.

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

    Returns
    -------
    path : Path
        The file.
    """
    path = Path(path)
    page = render(collect(ledger, protocol, measure), title)
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise UserError(f"The report cannot be written: {error}") from None
    return path


def render(data, title):
    """Return the page."""
    environment = open_templates()
    environment.filters["shown"] = lambda value: "–" if value is None else data.measure.shown(value)
    return environment.get_template("page.html").render(
        title=title,
        data=data,
        summary=summarise(data),
        figures=_draw(data),
        ranking=_ranking(data),
        accuracies=_cells(data),
        measure=data.measure,
        rope=rope_of(data.measure),
        ratings=[] if data.ratings is None else list(data.ratings.itertuples()),
        max_drawn=MAX_DRAWN,
        style=Markup(template_text("page.css")),
        script=Markup(template_text("sort.js") + template_text("page.js")),
        details=embedded(
            {
                "details": data.details,
                "sizes": data.sizes,
                "factor": data.measure.factor,
                "unit": data.measure.unit,
                "sign": 1 if data.measure.higher else -1,
            }
        ),
    )


def _draw(data):
    drawn = {}
    if data.average_ranks is not None:
        ranks = data.average_ranks[:MAX_DRAWN]
        names = set(ranks.index)
        groups = [[name for name in group if name in names] for group in data.groups]
        drawn["difference"] = figures.critical_difference_diagram(
            ranks, data.critical_difference, [g for g in groups if len(g) > 1], data.ours
        )
        drawn["boxes"] = figures.rank_boxes(data.ranks, list(ranks.index), data.ours)
        drawn["heat"] = figures.heat_map(data.better, rope_of(data.measure))
    if not data.scores.empty:
        shown = [name for name in data.methods if name in data.scores.columns][:MAX_DRAWN]
        drawn["time"] = figures.score_against_time(
            data.scores[shown].mean(), data.times["total"], data.ours, data.measure
        )
    return {name: Markup(svg) for name, svg in drawn.items()}


def _ranking(data):
    """Return one row per method: rank, accuracy, shares of the best, seconds, failures."""
    failed = pd.Series(
        [count for *_, count in data.failures], index=[method for method, *_ in data.failures]
    )
    rows = []
    for method in data.methods:
        ranked = data.average_ranks is not None and method in data.average_ranks.index
        compared = method in data.scores.columns and not data.scores.empty
        # Means over other data sets than those of the ranked methods could not be compared.
        scores = data.measure.scores(data.scores[method]) if compared else pd.Series(dtype=float)
        timed = method in data.times.index
        rows.append(
            {
                "method": method,
                "rank": data.average_ranks[method] if ranked else None,
                "rank_sd": data.ranks[method].std() if ranked else None,
                "value": _or_none(scores.mean()),
                "value_sd": _or_none(scores.std()),
                "shares": data.shares.loc[method].to_dict()
                if method in data.shares.index
                else None,
                "times": data.times.loc[method].to_dict() if timed else None,
                "failed": int(failed[failed.index == method].sum()),
            }
        )
    return rows


def _cells(data):
    """Return one row per data set for the accuracy and the rank table."""
    means = data.means[data.methods].to_numpy()
    deviations = data.deviations[data.methods].to_numpy()
    ranks = np.full(means.shape, np.nan)
    if data.ranks is not None:
        ranks = data.ranks.reindex(index=data.means.index, columns=data.methods).to_numpy()
    rows = []
    for number, dataset in enumerate(data.means.index):
        best = np.nanmax(data.measure.scores(means[number]), initial=-np.inf)
        cells = [
            {
                "mean": _or_none(mean),
                "sd": _or_none(deviation),
                "best": data.measure.scores(mean) >= best - 1e-10,
                "rank": _or_none(rank),
                "gap": _describe_gap(data.details[dataset].get(method)),
            }
            for method, mean, deviation, rank in zip(
                data.methods, means[number], deviations[number], ranks[number]
            )
        ]
        rows.append({"dataset": dataset, "cells": cells})
    return rows


def _describe_gap(detail):
    """Return the word and the reason for a cell of the table that has no mean."""
    if detail is None:
        return "not run", "no split has a result"
    if detail["failure"]:
        return "failed", detail["failure"]
    return "incomplete", "some splits have no result yet"


def _or_none(value):
    return None if pd.isna(value) else float(value)
