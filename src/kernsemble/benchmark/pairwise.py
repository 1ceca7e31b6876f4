"""Every pair of methods compared for itself, so that another method changes no other result.

References
----------
.. [1] A. Ismail-Fawaz et al., "An approach to multiple comparison benchmark evaluations that is
   stable under manipulation of the comparate set", 2023.
"""

import numpy as np
import pandas as pd

from .statistics import check_complete, paired_t, wilcoxon_p, win_tie_loss


def comparison_matrix(scores):
    """Return the mean difference, wins, ties and losses, and Wilcoxon's p for every pair.

    Average ranks, and p-values adjusted for their number, change when a method joins; these do not
    [1]_.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
        Larger is better; no cell may be empty.

    Returns
    -------
    dict of DataFrame
        "difference" (mean of the row's score minus the column's), "wins", "ties", "losses" and
        "p", methods in the order of their mean score.
    """
    check_complete(scores.to_numpy(dtype=float), scores.index)
    order = scores.mean().sort_values(ascending=False, kind="stable").index
    scores = scores[order]
    means = scores.mean().to_numpy()
    wins, ties, losses = win_tie_loss(scores)
    p = np.ones((len(order), len(order)))
    for i, first in enumerate(order):
        for j in range(i):
            p[i, j] = p[j, i] = wilcoxon_p(scores[first] - scores[order[j]])
    names = {"index": order, "columns": order}
    return {
        "difference": pd.DataFrame(means[:, None] - means, **names),
        "wins": wins,
        "ties": ties,
        "losses": losses,
        "p": pd.DataFrame(p, **names),
    }


def resampled_t(rows, first, second, value="accuracy"):
    """Compare two methods on each data set by the corrected resampled t-test.

    Splits of one data set share training rows; the variance is corrected by the ratio of test to
    training rows (Nadeau and Bengio).

    Parameters
    ----------
    rows : DataFrame
        Results of a ledger, one row for each split and seed.
    first, second : str
        Names of the methods.
    value : str, default="accuracy"

    Returns
    -------
    DataFrame
        Columns difference, t, p and splits, one row for each data set with at least two splits
        that both methods have finished.
    """
    pairs = rows[rows["method"].isin([first, second])].pivot_table(
        index=["dataset", "split", "seed"], columns="method", values=value
    )
    sizes = rows.groupby("dataset")[["n_train", "n_test"]].mean()
    found = {}
    for dataset, block in pairs.groupby(level="dataset"):
        both = block.dropna() if {first, second} <= set(block.columns) else block.iloc[:0]
        if len(both) < 2:
            continue
        share = sizes.at[dataset, "n_test"] / sizes.at[dataset, "n_train"]
        t, p = paired_t(both[first], both[second], share)
        difference = float((both[first] - both[second]).mean())
        found[dataset] = {"difference": difference, "t": t, "p": p, "splits": len(both)}
    columns = ["difference", "t", "p", "splits"]
    return pd.DataFrame.from_dict(found, orient="index", columns=columns)
