"""Compute everything that the report shows, as plain values; `figures` draws them."""

import json
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from kernsemble.benchmark import statistics
from kernsemble.benchmark.bayesian import bayesian_signed_rank, probability_better
from kernsemble.benchmark.measure_list import Measure, find_measure
from kernsemble.benchmark.ratings import elo_intervals, improvability, normalised_score
from kernsemble.benchmark.results import compare, mean_table, tested_rows

# More methods than this make figures that nobody can read; tables show all of them.
MAX_DRAWN = 30
# Enough to know a probability to within about 0.01.
DRAWS = 2000
ALPHA = 0.05


@dataclass
class ReportData:
    """What `collect` found; statistics are None where there is too little to compare."""

    protocol: dict
    measure: Measure
    n_unmeasured: int
    n_cells: int
    n_failed: int
    methods: list
    ours: set
    means: pd.DataFrame
    deviations: pd.DataFrame
    scores: pd.DataFrame
    left_out_methods: list
    left_out_datasets: list
    changed_datasets: list
    times: pd.DataFrame
    shares: pd.DataFrame
    failures: list
    details: dict
    sizes: dict
    commands: list
    codes: list
    ranks: pd.DataFrame | None = None
    average_ranks: pd.Series | None = None
    friedman: statistics.Friedman | None = None
    critical_difference: float | None = None
    groups: list = field(default_factory=list)
    against_best: list = field(default_factory=list)
    better: pd.DataFrame | None = None
    ratings: pd.DataFrame | None = None


def collect(ledger, protocol=None, measure="accuracy"):
    """Return the report's content from a ledger.

    Parameters
    ----------
    ledger : Ledger
    protocol : str, default=None
        Protocol whose results are shown; None means the only one in the ledger.
    measure : str, default="accuracy"
        The measure that ranks; see `kernsemble.benchmark.measure_list`.
    """
    rows = tested_rows(ledger.results(), protocol)
    protocol = rows["protocol"].iloc[0]
    makers = [maker for _, name, maker in ledger.makers() if name == protocol]
    chosen_measure = find_measure(measure, rows.columns)
    means = mean_table(rows, measure)
    grouped = rows.groupby(["dataset", "method"])[measure]
    chosen = compare(chosen_measure.scores(means))
    done = rows["failure"].isna()
    data = ReportData(
        protocol=makers[-1]["protocol"],
        measure=chosen_measure,
        n_unmeasured=int(rows.loc[done, measure].isna().sum()),
        n_cells=len(rows),
        n_failed=int(rows["failure"].notna().sum()),
        methods=list(_best_first(chosen_measure.scores(means))),
        ours={
            maker["method"]["name"]
            for maker in makers
            if maker["method"]["estimator"].startswith("kernsemble.")
        },
        means=means,
        deviations=grouped.std().unstack("method").reindex_like(means),
        scores=chosen.scores,
        left_out_methods=chosen.left_out_methods,
        left_out_datasets=chosen.left_out_datasets,
        changed_datasets=_changed(rows),
        times=_times(rows),
        shares=pd.DataFrame(),
        failures=_failures(rows),
        details=_details(rows, means, measure),
        sizes=_sizes(rows),
        commands=ledger.commands(),
        codes=sorted(rows["code"].dropna().unique()),
    )
    # A share of the best makes sense for scores of which more is better.
    if chosen_measure.higher and data.scores.shape[0] >= 1 and data.scores.shape[1] >= 1:
        data.shares = statistics.share_of_best(data.scores)
    if data.scores.shape[0] >= 2 and data.scores.shape[1] >= 2:
        _add_statistics(data)
    return data


def _best_first(scores):
    return scores.mean().sort_values(ascending=False, kind="stable").index


def _add_statistics(data):
    scores = data.scores
    n_datasets, n_methods = scores.shape
    data.ranks = statistics.rank_methods(scores)
    data.average_ranks = statistics.average_ranks(scores)
    data.friedman = statistics.friedman(scores)
    data.critical_difference = statistics.critical_difference(n_methods, n_datasets, ALPHA)
    data.groups = statistics.indistinguishable_groups(data.average_ranks, data.critical_difference)
    data.methods = [*data.average_ranks.index, *data.left_out_methods]
    data.against_best = _against_best(scores, data.average_ranks, data.measure.rope)
    data.better = probability_better(
        scores[data.average_ranks.index[:MAX_DRAWN]], data.measure.rope, n_samples=DRAWS
    )
    data.ratings = _ratings(scores, data.measure)


def _ratings(scores, measure):
    """Return Elo, improvability and normalised score of every method, best Elo first."""
    errors = 1.0 - scores if measure.higher else -scores
    table = elo_intervals(scores).rename(columns={"low": "elo_low", "high": "elo_high"})
    worse = improvability(errors.clip(lower=0.0))
    worse = worse.rename(columns={"low": "improvability_low", "high": "improvability_high"})
    return table.join(worse).join(normalised_score(scores).rename("normalised"))


def _against_best(scores, ranks, rope):
    best = ranks.index[0]
    by_rank = statistics.holm_against(scores, best)["p_holm"]
    others = list(ranks.index[1:])
    wilcoxon = statistics.holm(
        [statistics.wilcoxon_holm(scores[[best, other]]).iloc[0, 1] for other in others]
    )
    wins, ties, losses = statistics.win_tie_loss(scores)
    rows = []
    for other, p_wilcoxon in zip(others, wilcoxon):
        bayes = bayesian_signed_rank(scores[best], scores[other], rope, n_samples=DRAWS)
        rows.append(
            {
                "method": other,
                "wins": int(wins.loc[best, other]),
                "ties": int(ties.loc[best, other]),
                "losses": int(losses.loc[best, other]),
                "difference": float((scores[best] - scores[other]).mean()),
                "p_rank": float(by_rank[other]),
                "p_wilcoxon": float(p_wilcoxon),
                "better": bayes.first,
                "alike": bayes.alike,
                "worse": bayes.second,
            }
        )
    return rows


def _times(rows):
    """Return seconds per cell, as geometric means, which large data sets do not dominate."""
    columns = ["tune_seconds", "fit_seconds", "predict_seconds"]
    done = rows[rows["failure"].isna()]
    cells = done.groupby(["method", "dataset"])[columns].mean()
    cells["total"] = cells["fit_seconds"] + cells["predict_seconds"]
    return np.exp(np.log(cells.clip(lower=1e-9)).groupby("method").mean()).where(
        lambda seconds: seconds > 1e-8, 0.0
    )


def _changed(rows):
    """Return the data sets whose rows were not the same in all cells."""
    digests = rows.dropna(subset=["data_digest"]).groupby("dataset")["data_digest"].nunique()
    return list(digests.index[digests > 1])


def _failures(rows):
    failed = rows[rows["failure"].notna()]
    counted = failed.groupby(["method", "dataset", "failure"]).size()
    return [(*key, int(count)) for key, count in counted.items()]


def _details(rows, means, measure):
    """Return data set → method → what the window of a data set shows."""
    gathered: dict = {}
    # A study has thousands of groups, and a data frame for each of them would take seconds.
    for row in rows.itertuples():
        gathered.setdefault(row.dataset, {}).setdefault(row.method, []).append(row)
    return {
        dataset: {
            method: {"mean": _rounded(means.at[dataset, method]), **_detail(cells, measure)}
            for method, cells in methods.items()
        }
        for dataset, methods in gathered.items()
    }


def _detail(cells, measure):
    done = [cell for cell in cells if pd.isna(cell.failure)]
    failures = [cell.failure for cell in cells if not pd.isna(cell.failure)]
    return {
        "scores": [
            round(getattr(cell, measure), 5) for cell in done if not pd.isna(getattr(cell, measure))
        ],
        "fit": _mean([cell.fit_seconds for cell in done]),
        "predict": _mean([cell.predict_seconds for cell in done]),
        "params": _most_common([cell.params for cell in done]),
        "failure": failures[0] if failures else None,
    }


def _rounded(mean):
    return None if pd.isna(mean) else round(mean, 6)


def _sizes(rows):
    sizes = rows.dropna(subset=["n_train"]).groupby("dataset")[["n_train", "n_test"]].mean()
    return {name: [round(size.n_train), round(size.n_test)] for name, size in sizes.iterrows()}


def _mean(seconds):
    return float(f"{sum(seconds) / len(seconds):.3g}") if seconds else None


def _most_common(params):
    if not params:
        return ""
    values = json.loads(Counter(params).most_common(1)[0][0])
    return ", ".join(f"{name} = {value}" for name, value in values.items())
