"""Write the plot data and the figures to one HTML file."""

from pathlib import Path

import numpy as np
import pandas as pd
from markupsafe import Markup

from kernsemble.errors import UserError

from . import figures
from .plot_data import MAX_DRAWN, ROPE, collect
from .templating import embedded, open_templates, template_text
from .words import summarise


def write_report(ledger, path, protocol=None, title="Benchmark"):
    """Write the report of a ledger's results and return its path.

    Parameters
    ----------
    ledger : Ledger
    path : path-like
    protocol : str, default=None
        Protocol whose results are shown; None means the only one in the ledger.
    title : str, default="Benchmark"
    """
    path = Path(path)
    page = render(collect(ledger, protocol), title)
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise UserError(f"The report cannot be written: {error}") from None
    return path


def render(data, title):
    """Return the page."""
    environment = open_templates()
    return environment.get_template("page.html").render(
        title=title,
        data=data,
        summary=summarise(data),
        figures=_draw(data),
        ranking=_ranking(data),
        accuracies=_cells(data),
        rope=100 * ROPE,
        max_drawn=MAX_DRAWN,
        style=Markup(template_text("page.css")),
        script=Markup(template_text("sort.js") + template_text("page.js")),
        details=embedded({"details": data.details, "sizes": data.sizes}),
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
        drawn["heat"] = figures.heat_map(data.better, ROPE)
    if not data.scores.empty:
        shown = [name for name in data.methods if name in data.scores.columns][:MAX_DRAWN]
        accuracy = data.scores[shown].mean()
        drawn["time"] = figures.accuracy_against_time(accuracy, data.times["total"], data.ours)
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
        scores = data.scores[method] if compared else pd.Series(dtype=float)
        timed = method in data.times.index
        rows.append(
            {
                "method": method,
                "rank": data.average_ranks[method] if ranked else None,
                "rank_sd": data.ranks[method].std() if ranked else None,
                "accuracy": _or_none(scores.mean()),
                "accuracy_sd": _or_none(scores.std()),
                "shares": data.shares.loc[method].to_dict() if compared else None,
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
        best = np.nanmax(means[number], initial=-np.inf)
        cells = [
            {
                "mean": _or_none(mean),
                "sd": _or_none(deviation),
                "best": mean >= best - 1e-10,
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
