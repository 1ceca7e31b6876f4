"""Every pair of methods compared for itself, so that another method changes no other result.

References
----------
.. [1] A. Ismail-Fawaz et al., "An approach to multiple comparison benchmark evaluations that is
   stable under manipulation of the comparate set", 2023.
"""

import numpy as np
import pandas as pd
from scipy import stats

from .statistics import check_complete, wilcoxon_p, win_tie_loss


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
    means, values = scores.mean().to_numpy(), scores.to_numpy(dtype=float)
    wins, ties, losses = win_tie_loss(scores)
    p = np.ones((len(order), len(order)))
    for i, j in zip(*np.tril_indices(len(order), -1)):
        p[i, j] = p[j, i] = wilcoxon_p(values[:, i] - values[:, j])
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
        Columns difference (the first minus the second), t, p and splits, one row for each data set
        with at least two splits that both methods have finished.
    """
    found = resampled_t_against(rows[rows["method"].isin([first, second])], second, value)
    table = pd.DataFrame({name: part.get(first) for name, part in found.items()})
    return table[table["splits"] >= 2].astype({"splits": int}).rename_axis(None)


def resampled_t_against(rows, control, value="accuracy"):
    """Compare every method with one of them on each data set by the corrected resampled t-test.

    Splits of one data set share training rows; the variance is corrected by the ratio of test to
    training rows (Nadeau and Bengio).

    Parameters
    ----------
    rows : DataFrame
        Results of a ledger, one row for each split and seed.
    control : str
        Name of the method that the others are compared with.
    value : str, default="accuracy"

    Returns
    -------
    dict of DataFrame
        "difference" (the method minus the control), "t", "p" and "splits", data sets × methods;
        t and p are empty where fewer than two splits are finished by both.
    """
    pairs = rows.pivot_table(index=["dataset", "split", "seed"], columns="method", values=value)
    if control not in pairs:
        pairs = pairs.assign(**{control: np.nan})
    differences = pairs.drop(columns=control).sub(pairs[control], axis=0)
    grouped = differences.groupby(level="dataset")
    splits, mean, variance = grouped.count(), grouped.mean(), grouped.var()
    sizes = rows.groupby("dataset")[["n_train", "n_test"]].mean()
    share = (sizes["n_test"] / sizes["n_train"]).reindex(mean.index).to_numpy()[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / np.sqrt((1 / splits + share) * variance)
    # Without any spread a difference is certain, and no difference is none.
    t = t.where((variance != 0) | (mean != 0), 0.0)
    p = pd.DataFrame(2 * stats.t.sf(t.abs(), splits - 1), index=t.index, columns=t.columns)
    return {"difference": mean, "t": t, "p": p.where(splits >= 2), "splits": splits}
