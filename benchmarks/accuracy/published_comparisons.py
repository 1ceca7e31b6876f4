"""Three published comparisons computed again, beside reference implementations.

    KERNSEMBLE_DATA=folder python benchmarks/accuracy/published_comparisons.py

The 179 classifiers on 121 data sets: mean accuracies as Zhang and Suganthan (2017) print them, and
average ranks and Friedman's statistic beside SciPy's. The kernel-PCA thesis: the ranks of its Table
5.10 as it prints them, and beside SciPy's; of its Tables 5.8 and 5.11, whose accuracies tie after
rounding, how many ranks agree to the printed digits and how far the others are outside what the
ties allow. Elo in the way of TabArena on our own rows of large data
sets: the maximum likelihood of Bradley and Terry by a logistic regression of scikit-learn over all
battles. Prints one JSON line; every difference is the largest absolute one, and the exit code is 0
if all are below half of the last printed digit.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, rankdata
from sklearn.linear_model import LogisticRegression

from kernsemble.benchmark import statistics
from kernsemble.benchmark.published import published_scores
from kernsemble.benchmark.ratings import ANCHOR, POINTS_PER_TENFOLD, elo
from kernsemble.benchmark.recompute import RECOMPUTED, agreement, scores_of_179, thesis_ranks
from kernsemble.benchmark.results import mean_table

ROWS = Path(__file__).resolve().parents[2] / "docs" / "results" / "rows"
# Half of the last digit that a comparison prints: percent, ranks, Friedman's statistic, Elo.
LIMITS = {"accuracy": 0.051, "rank": 0.0051, "chi2": 0.005, "elo": 0.05}


def reference_ranks(scores):
    """Return the average rank of each method and Friedman's statistic, by SciPy."""
    ranks = rankdata(-scores.to_numpy(), axis=1).mean(axis=0)
    chi2 = friedmanchisquare(*scores.to_numpy().T).statistic
    return pd.Series(ranks, index=scores.columns), chi2


def compare_ranks(scores):
    """Return the largest differences of ranks and of Friedman's statistic."""
    ranks, chi2 = reference_ranks(scores)
    ours = statistics.average_ranks(scores)
    return {
        "rank": float((ours - ranks[ours.index]).abs().max()),
        "chi2": float(abs(statistics.friedman(scores).chi2 - chi2)),
    }


def reference_elo(scores, anchor):
    """Return Elo ratings by a logistic regression over battles; a tie is half a win of each."""
    n_methods, values = scores.shape[1], scores.to_numpy()
    rows, wins, weights = [], [], []
    for i in range(n_methods):
        for j in range(i + 1, n_methods):
            battle = np.zeros(n_methods)
            battle[i], battle[j] = 1.0, -1.0
            for difference in values[:, i] - values[:, j]:
                for won in (0, 1):
                    weight = 0.5 if difference == 0 else float((difference > 0) == bool(won))
                    if weight:
                        rows.append(battle)
                        wins.append(won)
                        weights.append(weight)
    model = LogisticRegression(C=1e8, fit_intercept=False, tol=1e-10, max_iter=10_000)
    model.fit(np.array(rows), wins, sample_weight=weights)
    ratings = POINTS_PER_TENFOLD / np.log(10) * model.coef_[0]
    found = pd.Series(ratings, index=scores.columns)
    return found - found[anchor] + ANCHOR


def compare_elo():
    """Return the largest difference of Elo ratings by log-loss on our rows of large sets."""
    rows = pd.read_csv(ROWS / "large-sets.csv", dtype={"split": str})
    scores = -mean_table(rows, "log_loss").dropna()
    ours, theirs = elo(scores, "RandomForest"), reference_elo(scores, "RandomForest")
    return {"elo": float((ours - theirs[ours.index]).abs().max()), "methods": scores.shape[1]}


def compare_tied_ranks(table):
    """Return what agrees of a table of the thesis whose scores tie after rounding."""
    printed, scores = thesis_ranks(table)
    same, allowed = agreement(printed, scores)
    lowest, highest = (bound[printed.index] for bound in statistics.rank_bounds(scores))
    outside = np.maximum(lowest - printed, printed - highest).clip(lower=0.0)
    return {
        "ranks": len(printed),
        "as printed": int(same.sum()),
        "within ties": int(allowed.sum()),
        "rank outside ties": float(outside.max()),
        **compare_ranks(scores),
    }


def compare_all():
    """Return comparison → quantity → largest difference."""
    of_179 = statistics.complete(scores_of_179(), "mean")
    means = RECOMPUTED["zhang-suganthan-2017/table-2"]().table["difference"].abs().max()
    thesis = RECOMPUTED["zvi-thesis/table-5.10"]().table["difference"].abs().max()
    printed_ranks = published_scores("zvi-thesis", "table-5.9")
    return {
        "179 classifiers": {"accuracy": float(means), **compare_ranks(of_179)},
        "kernel-PCA thesis": {"rank as printed": float(thesis), **compare_ranks(printed_ranks)},
        "thesis, Table 5.8": compare_tied_ranks("table-5.8"),
        "thesis, Table 5.11": compare_tied_ranks("table-5.11"),
        "Elo on our rows": compare_elo(),
    }


def agrees(found):
    """Return whether every difference is below half of the last printed digit."""
    return all(
        value <= LIMITS[quantity.split()[0]]
        for differences in found.values()
        for quantity, value in differences.items()
        if quantity.split()[0] in LIMITS
    )


if __name__ == "__main__":
    found = compare_all()
    print(json.dumps({**found, "agree": agrees(found)}, ensure_ascii=False))
    sys.exit(0 if agrees(found) else 1)
