"""Compute what the report shows of one measure, as plain values; `figures` draws them."""

from dataclasses import dataclass, field

import pandas as pd

from kernsemble.benchmark import statistics
from kernsemble.benchmark.bayesian import probability_better
from kernsemble.benchmark.groups import group_ranks
from kernsemble.benchmark.measure_list import Measure, find_measure
from kernsemble.benchmark.pairwise import comparison_matrix, resampled_t_against
from kernsemble.benchmark.ratings import elo_intervals, improvability, normalised_score
from kernsemble.benchmark.results import compare, learning_curves, mean_table

from .study_data import StudyData, read_study

# More methods than this make figures that nobody can read; tables show all of them.
MAX_DRAWN = 30
# Enough to know a probability to within about 0.016, for every measure within seconds.
DRAWS = 1000
ALPHA = 0.05


@dataclass
class ReportData:
    """What `compare_methods` found; statistics are None where there is too little to compare."""

    study: StudyData
    measure: Measure
    n_unmeasured: int
    unmeasured: list
    methods: list
    means: pd.DataFrame
    deviations: pd.DataFrame
    scores: pd.DataFrame
    left_out_methods: list
    left_out_datasets: list
    shares: pd.DataFrame
    splits: dict
    curves: pd.DataFrame
    failed: list = field(default_factory=list)
    ranks: pd.DataFrame | None = None
    average_ranks: pd.Series | None = None
    friedman: statistics.Friedman | None = None
    critical_difference: float | None = None
    groups: list = field(default_factory=list)
    against_best: list = field(default_factory=list)
    better: pd.DataFrame | None = None
    ratings: pd.DataFrame | None = None
    anchor: str | None = None
    matrix: dict | None = None
    t_tests: dict | None = None
    alike: list = field(default_factory=list)


def collect(ledger, protocol=None, measure="accuracy", anchor=None):
    """Return the report's content of one measure from a ledger.

    Parameters
    ----------
    ledger : Ledger
    protocol : str, default=None
        Protocol whose results are shown; None means the only one in the ledger.
    measure : str, default="accuracy"
        The measure that ranks; see `kernsemble.benchmark.measure_list`.
    anchor : str, default=None
        Method whose Elo rating is 1000; None means that the mean is.
    """
    return compare_methods(read_study(ledger, protocol), measure, anchor)


def compare_methods(study, measure="accuracy", anchor=None):
    """Return what a study says by one measure; see `collect`."""
    rows, chosen_measure = study.rows, find_measure(measure, study.rows.columns)
    means = mean_table(rows, measure)
    grouped = rows.groupby(["dataset", "method"])[measure]
    chosen = compare(chosen_measure.scores(means))
    done = rows[rows["failure"].isna()]
    values = done.groupby("method")[measure].count()
    data = ReportData(
        study=study,
        measure=chosen_measure,
        n_unmeasured=int(done[measure].isna().sum()),
        unmeasured=list(values.index[values == 0]),
        methods=list(_best_first(chosen_measure.scores(means))),
        means=means,
        deviations=grouped.std().unstack("method").reindex_like(means),
        scores=chosen.scores,
        left_out_methods=chosen.left_out_methods,
        left_out_datasets=chosen.left_out_datasets,
        shares=pd.DataFrame(),
        splits=_splits(done, measure),
        curves=learning_curves(study.all_rows, measure, list(chosen.scores.columns)),
    )
    # A share of the best makes sense for scores of which more is better.
    if chosen_measure.higher and data.scores.shape[0] >= 1 and data.scores.shape[1] >= 1:
        data.shares = statistics.share_of_best(data.scores)
    if data.scores.shape[0] >= 2 and data.scores.shape[1] >= 2:
        _add_statistics(data, anchor)
    data.failed = _failed_cells(data)
    return data


def _best_first(scores):
    return scores.mean().sort_values(ascending=False, kind="stable").index


def _add_statistics(data, anchor):
    scores, measure = data.scores, data.measure
    n_datasets, n_methods = scores.shape
    data.ranks = statistics.rank_methods(scores)
    data.average_ranks = statistics.average_ranks(scores)
    data.friedman = statistics.friedman(scores)
    data.critical_difference = statistics.critical_difference(n_methods, n_datasets, ALPHA)
    data.groups = statistics.indistinguishable_groups(data.average_ranks, data.critical_difference)
    data.methods = [*data.average_ranks.index, *data.left_out_methods]
    data.matrix = comparison_matrix(scores)
    # A difference of times or sizes that counts as none cannot be said once for all data sets.
    if measure.rope:
        data.better = probability_better(
            scores[data.average_ranks.index], measure.rope, n_samples=DRAWS
        )
    data.against_best = _against_best(data)
    # A method that this measure lacks cannot anchor its ratings.
    data.anchor = anchor if anchor in scores.columns else None
    data.ratings = _ratings(scores, measure, data.anchor)
    data.t_tests = resampled_t_against(data.study.rows, data.average_ranks.index[0], measure.name)
    data.alike = group_ranks(scores, data.study.facts)


def _ratings(scores, measure, anchor):
    """Return Elo, improvability and normalised score of every method, best Elo first."""
    errors = 1.0 - scores if measure.higher else -scores
    table = elo_intervals(scores, anchor).rename(columns={"low": "elo_low", "high": "elo_high"})
    worse = improvability(errors.clip(lower=0.0))
    worse = worse.rename(columns={"low": "improvability_low", "high": "improvability_high"})
    return table.join(worse).join(normalised_score(scores).rename("normalised"))


def _against_best(data):
    scores, matrix, better = data.scores, data.matrix, data.better
    best, *others = data.average_ranks.index
    by_rank = statistics.holm_against(scores, best)["p_holm"]
    wilcoxon = statistics.holm([matrix["p"].loc[best, other] for other in others])
    rows = []
    for other, p_wilcoxon in zip(others, wilcoxon):
        chances = dict.fromkeys(("better", "alike", "worse"))
        if better is not None:
            first, second = float(better.loc[best, other]), float(better.loc[other, best])
            chances = {"better": first, "alike": 1.0 - first - second, "worse": second}
        rows.append(
            {
                "method": other,
                "wins": int(matrix["wins"].loc[best, other]),
                "ties": int(matrix["ties"].loc[best, other]),
                "losses": int(matrix["losses"].loc[best, other]),
                "difference": float(matrix["difference"].loc[best, other]),
                "p_rank": float(by_rank[other]),
                "p_wilcoxon": float(p_wilcoxon),
                **chances,
            }
        )
    return rows


def _splits(done, measure):
    """Return data set → method → the values of its splits."""
    found: dict = {}
    known = done.dropna(subset=[measure])
    for dataset, method, value in zip(known["dataset"], known["method"], known[measure]):
        found.setdefault(dataset, {}).setdefault(method, []).append(float(f"{value:.5g}"))
    return found


def _failed_cells(data):
    """Return each method with failures: their share, and its rank if they counted as last."""
    rows = data.study.rows
    failed = rows["failure"].notna().groupby(rows["method"]).agg(["sum", "size"])
    failed = failed[failed["sum"] > 0]
    if failed.empty:
        return []
    filled = statistics.complete(data.measure.scores(data.means), "worst")
    last = statistics.average_ranks(filled) if len(filled) else pd.Series(dtype=float)
    ranks = pd.Series(dtype=float) if data.average_ranks is None else data.average_ranks
    return [
        {
            "method": method,
            "failed": int(count),
            "cells": int(size),
            "rank": ranks.get(method),
            "rank_last": last.get(method),
            "n_methods": filled.shape[1],
        }
        for method, (count, size) in failed.sort_values("sum", ascending=False).iterrows()
    ]
