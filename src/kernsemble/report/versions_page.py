"""Two ledgers with results of the same methods → one HTML file that says what changed."""

import pandas as pd
from markupsafe import Markup

from kernsemble.benchmark.measure_list import MEASURES, find_measure
from kernsemble.benchmark.versions import compare_sets, match_versions, summarise_sets

from .page import save, shell
from .templating import open_templates
from .version_figures import MAX_BARS, gains_picture
from .words import describe_versions


def write_version_report(
    before, after, path, protocol=None, title="Two versions", measure="accuracy"
):
    """Write what changed between two ledgers and return the path of the page.

    Cells are compared where both ledgers have the same method, data set with the same rows, split
    and seed.

    Parameters
    ----------
    before, after : Ledger
        Results of the old and of the new version.
    path : path-like
        Where the page is written.
    protocol : str, default=None
        Protocol whose results are compared; None means the only one that both have.
    title : str, default="Two versions"
        Heading of the page.
    measure : str, default="accuracy"
        The measure that is shown first; see `kernsemble.benchmark.measure_list`.

    Returns
    -------
    path : Path
        The file.
    """
    versions = match_versions(before, after, protocol)
    chosen = find_measure(measure, versions.before.columns.intersection(versions.after.columns))
    sets = {each: compare_sets(versions, each) for each in MEASURES.values()}
    sets = {each: table for each, table in sets.items() if each == chosen or len(table)}
    environment = open_templates()
    views = {
        each.name: _render_view(environment, versions, each, table) for each, table in sets.items()
    }
    page = environment.get_template("versions.html").render(
        **shell(title, views, list(sets), chosen),
        versions=versions,
        books=[_describe(before, versions.before), _describe(after, versions.after)],
        differing=_differing(before, after, versions.methods),
    )
    return save(page, path)


def _render_view(environment, versions, measure, sets):
    summary = summarise_sets(sets)
    return environment.get_template("versions_view.html").render(
        measure=measure,
        capital=measure.title[0].upper() + measure.title[1:],
        versions=versions,
        sentences=describe_versions(versions, summary, measure),
        summary=list(summary.itertuples()),
        sets=list(sets.itertuples()),
        picture=Markup(gains_picture(sets, measure)) if len(sets) else "",
        max_bars=MAX_BARS,
        failures=_failures(versions),
    )


def _failures(versions):
    """Return the cells that fail in one version alone: method, data set, split, which, reason."""
    old, new = versions.before["failure"], versions.after["failure"]
    only = (old.notna() != new.notna()).to_numpy()
    return [
        (row.method, row.dataset, row.split, "before" if pd.isna(later) else "after", reason)
        for row, reason, later in zip(
            versions.before[only].itertuples(), old[only].fillna(new[only]), new[only]
        )
    ]


def _describe(book, rows):
    commands = book.commands()
    return {
        "path": book.path.name,
        "codes": sorted(rows["code"].dropna().unique()),
        "command": commands[-1][1] if commands else "not known",
        "environment": commands[-1][2] if commands else {},
    }


def _differing(before, after, methods):
    """Return (method, setting, before, after) of every definition that is not the same."""
    old, new = (
        {method: maker["method"] for method, _, maker in book.makers()} for book in (before, after)
    )
    return [
        (method, key, old[method].get(key), new[method].get(key))
        for method in methods
        for key in sorted({*old[method], *new[method]})
        if old[method].get(key) != new[method].get(key)
    ]
