"""The papers' tables again: what they print, what we find, and the difference.

A target is a paper and a table, ``zvi-thesis/table-5.10``. Some tables follow from others in the
same paper and are computed again from what is printed (`recompute`); tables of accuracies are run
again (`experiments`), cell by cell into a ledger, so that a run can be stopped and continued.
"""

import re

import pandas as pd

from ..errors import UserError, unknown_name
from . import statistics
from .experiments import list_experiments
from .published import PAPERS, published_scores, read_paper
from .recompute import RECOMPUTED, Reproduction, compared, printed_ranks, scores_of_179
from .results import mean_table, tested_rows
from .runner import run_study


def reproduce(target, ledger, *, only=None, **options):
    """Return what a target prints and what we find.

    Parameters
    ----------
    target : str
        A name of `list_targets`.
    ledger : Ledger
        Where cells of experiments are kept.
    only : list of str, default=None
        Data sets of an experiment to run; None means all.
    **options
        Of `run_study`.
    """
    impossible = list_impossible()
    if target in impossible:
        raise UserError(f"{target} cannot be reproduced: {impossible[target]}.")
    if target in RECOMPUTED:
        return RECOMPUTED[target]()
    experiment = list_experiments()[target]
    study = experiment.study(only)
    summary = run_study(study, ledger, **options)
    rows = tested_rows(ledger.results(), study.protocol.name)
    found = compare_with_paper(experiment, rows[rows["dataset"].isin(study.datasets)])
    if summary.failed:
        failed = f"{summary.failed} of {summary.planned} cells failed."
        found = found._replace(notes=(*found.notes, failed))
    return found


def compare_with_paper(experiment, rows):
    """Return what a table prints beside what rows say.

    Parameters
    ----------
    experiment : Experiment
    rows : DataFrame
        Results with the columns dataset, method and accuracy, of one protocol; methods and data
        sets that the table does not have are left out.
    """
    rows = rows[rows["method"].isin(experiment.methods)]
    # Rows in a file have six digits, and their means must tie where the exact ones do.
    ours = (100.0 * mean_table(rows[rows["dataset"].isin(experiment.datasets)])).round(3)
    ours = ours.rename(index=experiment.datasets)
    kept = [name for name in experiment.methods if name in ours]
    order = [name for name in experiment.datasets.values() if name in ours.index]
    compare = _COMPARISONS[experiment.compare]
    found = compare(experiment, ours.loc[order, kept])
    return found._replace(notes=(*found.notes, *experiment.notes))


def _accuracies(experiment, ours):
    printed = experiment.scale * published_scores(experiment.paper, experiment.table)
    printed = printed.loc[ours.index, ours.columns]
    means = pd.DataFrame({"paper": printed.where(ours.notna()).mean(), "ours": ours.mean()})
    means.index = pd.MultiIndex.from_product([["mean"], means.index])
    table = pd.concat([compared(printed.stack(), ours.stack()).dropna(), compared(**means)])
    table.index.names = ["data set", "method"]
    return Reproduction(table, ())


def _ranks(experiment, ours):
    """Rank the methods among themselves."""
    ours = statistics.complete(ours)
    ranks = statistics.rank_methods(ours).mean()
    printed = printed_ranks(experiment.table)
    note = f"Average ranks of {ours.shape[1]} methods over {len(ours)} sets; the paper has 121."
    return Reproduction(compared(printed[list(ours)], ranks), (note,))


def _ranks_among_179(experiment, ours):
    """Rank each method among the 179 published classifiers and the others."""
    published = scores_of_179()
    # The published accuracies have one decimal; with more, ours would never tie.
    scores = statistics.complete(published.loc[ours.index].join(ours.round(1)), "mean")
    ranks = statistics.rank_methods(scores).mean()
    printed = printed_ranks(experiment.table)
    note = (
        f"Average ranks among 179 published classifiers and these {ours.shape[1]} over "
        f"{len(ours)} sets without known flaws; the paper's are among 183 over 121."
    )
    return Reproduction(compared(printed[list(ours)], ranks[list(ours)]), (note,))


_COMPARISONS = {
    "accuracy": _accuracies,
    "ranks": _ranks,
    "ranks among 179": _ranks_among_179,
}


def list_impossible():
    """Return what no run can bring back, and why."""
    return {
        f"{paper}/{table}": reason
        for paper in PAPERS
        for table, reason in read_paper(paper)["impossible"].items()
    }


def list_targets():
    """Return every target with how it is reproduced, or why it cannot be."""
    targets = dict.fromkeys(RECOMPUTED, "computed again from what is printed")
    for name, experiment in list_experiments().items():
        n_sets, n_methods = len(experiment.datasets), len(experiment.methods)
        targets[name] = f"run again: {n_methods} methods on {n_sets} data sets"
    targets |= {name: f"cannot be reproduced: {why}" for name, why in list_impossible().items()}
    return dict(sorted(targets.items(), key=lambda item: _order(item[0])))


def _order(target):
    """Sort tables before figures before the rest, and by their numbers."""
    paper, _, table = target.partition("/")
    kinds = ["table", "figure", table.partition("-")[0]]
    return paper, kinds.index(kinds[-1]), [int(part) for part in re.findall(r"\d+", table)], table


def match_targets(text):
    """Return the targets that ``PAPER`` or ``PAPER/TABLE`` means."""
    targets, impossible = list_targets(), list_impossible()
    if text in targets:
        return [text]
    if text in PAPERS:
        own = [name for name in targets if name.startswith(f"{text}/")]
        return [name for name in own if name not in impossible]
    raise unknown_name("paper or table", text, [*PAPERS, *targets])
