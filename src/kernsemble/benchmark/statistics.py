"""Compare classifiers over many data sets by functions of one table of scores.

The table is a DataFrame with one row per data set and one column per method. Larger scores are
better, and no cell may be empty (`complete` fills or drops them). No function changes the table.

References
----------
.. [1] J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.
.. [2] M. Fernández-Delgado et al., "Do we need hundreds of classifiers to solve real world
   classification problems?", JMLR 15, 2014.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from kernsemble.validation import check_choice, check_real

# Up to this many differences the distribution of their signed ranks is exact, as in SciPy.
_EXACT, _EXACT_TIED = 50, 13


def complete(scores, missing="drop"):
    """Return the table without empty cells.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
    missing : {"drop", "mean", "worst"}, default="drop"
        "drop" leaves out data sets on which a method failed; "mean" gives the failed method the
        mean of the others there (Table VI of the 121-set study with oblique forests); "worst" gives
        it a score below all others, so that a failure counts as the last rank.
    """
    check_choice(missing, "missing", ("drop", "mean", "worst"))
    if missing == "drop":
        return scores.dropna()
    scores = scores.dropna(how="all")
    if missing == "mean":
        return scores.apply(lambda row: row.fillna(row.mean()), axis=1)
    return scores.apply(lambda row: row.fillna(row.min() - 1.0), axis=1)


def _checked(scores, low_methods=2):
    values = scores.to_numpy(dtype=float)
    n_datasets, n_methods = values.shape
    if n_methods < low_methods or n_datasets < 1:
        raise ValueError(
            f"A comparison needs at least {low_methods} methods and one data set, "
            f"got {n_methods} methods on {n_datasets} data sets."
        )
    check_complete(values, scores.index)
    return values


def check_complete(values, names=None):
    """Raise a ValueError that names the rows of `values` where a score is missing.

    A comparison that skips missing scores would favour the method that failed on hard data.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_methods)
    names : sequence of length n_rows, default=None
        Names of the data sets or splits; None means their numbers.
    """
    missing = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(missing):
        shown = ", ".join(str(row if names is None else names[row]) for row in missing[:10])
        more = ", …" if len(missing) > 10 else ""
        raise ValueError(
            f"The table has empty cells in {len(missing)} of {len(values)} rows ({shown}{more}); "
            "drop these rows, or fill a table by complete(scores), before methods are compared."
        )


def rank_methods(scores, ties="average"):
    """Return the rank of each method on each data set: 1 is best, ties share the mean rank.

    Instead of the mean, ties may all have the lowest rank, "min", or the highest, "max".
    """
    # Scores that print alike count as equal: 0.1 + 0.2 and 0.3 differ in their last bit only.
    values = np.round(_checked(scores, low_methods=1), 10)
    ranks = stats.rankdata(-values, axis=1, method=ties)
    return pd.DataFrame(ranks, index=scores.index, columns=scores.columns)


def average_ranks(scores):
    """Return the mean rank of each method over the data sets, best first."""
    return rank_methods(scores).mean().sort_values(kind="stable")


def rank_bounds(scores):
    """Return the mean rank of each method if it won all of its ties, and if it lost them.

    Ranks that were made of exact scores lie between the two of the rounded ones, unless rounding
    changed more than ties.

    Examples
    --------
    >>> import pandas as pd
    >>> lowest, highest = rank_bounds(pd.DataFrame({"a": [0.9, 0.7], "b": [0.9, 0.8]}))
    >>> lowest.tolist(), highest.tolist()
    ([1.5, 1.0], [2.0, 1.5])
    """
    return rank_methods(scores, "min").mean(), rank_methods(scores, "max").mean()


class Friedman(NamedTuple):
    """Friedman's statistic, corrected for ties, and Iman and Davenport's F made from it."""

    chi2: float
    chi2_p: float
    f: float
    f_p: float
    n_datasets: int
    n_methods: int


def friedman(scores):
    """Test whether all methods are alike: Friedman's chi-squared and Iman–Davenport's F.

    F is less conservative than chi-squared, and is the one to read.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"a": [.9, .8, .7, .9], "b": [.8, .7, .6, .8], "c": [.1, .2, .3, .7]})
    >>> round(friedman(table).chi2, 3)
    8.0
    """
    ranks = rank_methods(scores).to_numpy()
    n, k = ranks.shape
    if k < 2:
        raise ValueError("Friedman's test compares at least 2 methods.")
    spread = np.sum((ranks - (k + 1) / 2) ** 2)
    if spread == 0.0:
        return Friedman(0.0, 1.0, 0.0, 1.0, n, k)
    chi2 = (k - 1) * n**2 * np.sum((ranks.mean(axis=0) - (k + 1) / 2) ** 2) / spread
    rest = n * (k - 1) - chi2
    # If all data sets rank the methods alike, F is infinite and its p-value is 0.
    f = (n - 1) * chi2 / rest if rest > 1e-12 * chi2 else np.inf
    f_p = stats.f.sf(f, k - 1, (k - 1) * (n - 1)) if n > 1 else 1.0
    return Friedman(float(chi2), float(stats.chi2.sf(chi2, k - 1)), float(f), float(f_p), n, k)


def critical_difference(n_methods, n_datasets, alpha=0.05):
    """Return Nemenyi's critical difference of average ranks.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)  # Demšar 2006, section 3.2.2, at 0.05
    1.25
    """
    check_real(alpha, "alpha", low=0.0, high=1.0, open_low=True, open_high=True)
    q = stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def nemenyi(scores):
    """Return Nemenyi's p-value of every pair of methods."""
    ranks = rank_methods(scores).mean().to_numpy()
    n, k = scores.shape
    z = np.abs(ranks[:, None] - ranks) / np.sqrt(k * (k + 1) / (6 * n))
    p = stats.studentized_range.sf(z * np.sqrt(2), k, np.inf)
    np.fill_diagonal(p, 1.0)
    return pd.DataFrame(np.clip(p, 0.0, 1.0), index=scores.columns, columns=scores.columns)


def indistinguishable_groups(ranks, difference):
    """Return the maximal runs of methods whose average ranks differ by less than `difference`.

    These are the bars of the critical-difference diagram; runs of one method are left out.
    """
    ordered = ranks.sort_values(kind="stable")
    values, names = ordered.to_numpy(), list(ordered.index)
    groups, reached = [], 0
    for start in range(len(values)):
        stop = int(np.searchsorted(values, values[start] + difference, side="left"))
        if stop > reached and stop - start > 1:
            groups.append(names[start:stop])
        reached = max(reached, stop)
    return groups


def holm(p_values):
    """Return p-values adjusted by Holm's step-down method, in the order given.

    Examples
    --------
    >>> [round(float(p), 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def holm_against(scores, control=None):
    """Compare every method with `control` by average rank, adjusted by Holm's method.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
    control : str, default=None
        None means the method with the best average rank.

    Returns
    -------
    DataFrame with one row per other method and columns rank, z, p, p_holm, best first.
    """
    ranks = average_ranks(scores)
    control = ranks.index[0] if control is None else control
    n, k = scores.shape
    others = ranks.drop(control)
    z = (others - ranks[control]) / np.sqrt(k * (k + 1) / (6 * n))
    p = 2 * stats.norm.sf(np.abs(z))
    return pd.DataFrame({"rank": others, "z": z, "p": p, "p_holm": holm(p)})


def wilcoxon_holm(scores):
    """Return Wilcoxon signed-rank p-values of every pair, adjusted by Holm's method.

    The exact distribution is used up to 50 untied data sets, the normal approximation above.
    """
    values = _checked(scores)
    k = values.shape[1]
    first, second = np.triu_indices(k, 1)
    raw = [wilcoxon_p(values[:, i] - values[:, j]) for i, j in zip(first, second)]
    p = np.ones((k, k))
    p[first, second] = p[second, first] = holm(raw)
    return pd.DataFrame(p, index=scores.columns, columns=scores.columns)


def wilcoxon_p(differences):
    """Return the two-sided p-value of Wilcoxon's signed-rank test; equal scores are left out.

    As in newer versions of SciPy it is exact up to 50 untied differences, or 13 with ties: every
    sign is as likely as the other, so the chance of a sum of ranks is found rank by rank. Above,
    it is the normal approximation.

    Examples
    --------
    >>> wilcoxon_p([0.1, 0.2, 0.2, 0.3, 0.4, 0.0])
    0.0625
    """
    differences = np.round(np.asarray(differences, dtype=float), 10)
    differences = differences[differences != 0.0]
    if not len(differences):
        return 1.0
    # Tied ranks end in a half, so that twice the ranks are whole numbers.
    doubled = np.rint(2 * stats.rankdata(abs(differences))).astype(int)
    tied = len(np.unique(doubled)) < len(doubled)
    if len(differences) > (_EXACT_TIED if tied else _EXACT):
        return float(stats.wilcoxon(differences, method="approx").pvalue)
    chance = np.zeros(doubled.sum() + 1)
    chance[0] = 1.0
    for rank in doubled:
        chance[rank:] += chance[:-rank].copy()
        chance *= 0.5
    smaller = min(doubled[differences > 0].sum(), doubled[differences < 0].sum())
    return min(1.0, 2.0 * float(chance[: smaller + 1].sum()))


def win_tie_loss(scores):
    """Return for every pair how often the row's method wins, ties and loses: three tables.

    A method with an empty cell neither wins nor ties nor loses on that data set.
    """
    values = np.round(scores.to_numpy(dtype=float), 10)
    above = (values[:, :, None] > values[:, None, :]).sum(axis=0)
    equal = (values[:, :, None] == values[:, None, :]).sum(axis=0)
    names = {"index": scores.columns, "columns": scores.columns}
    return (
        pd.DataFrame(above, **names),
        pd.DataFrame(equal, **names),
        pd.DataFrame(above.T, **names),
    )


def sign_test(scores, alpha=0.05):
    """Compare every pair by the number of data sets won (normal approximation, ties halved).

    Empty cells are allowed, as in `win_tie_loss`.

    Returns
    -------
    signs : DataFrame of "+", "-" and ""
        "+" where the row's method wins significantly often, "-" where it loses.
    threshold : float
        The number of wins that is significant: n/2 + z √n / 2.
    """
    wins, ties, _ = win_tie_loss(scores)
    n = len(scores)
    threshold = n / 2 + stats.norm.isf(alpha / 2) * np.sqrt(n) / 2
    counts = (wins + ties / 2).to_numpy()
    won = counts >= threshold
    signs = np.where(won, "+", np.where(won.T, "-", ""))
    return pd.DataFrame(signs, index=scores.columns, columns=scores.columns), float(threshold)


def paired_t(first, second, test_share=None):
    """Return t and the two-sided p-value of the mean difference of paired split scores.

    Splits of one data set share training rows, so the plain test finds too many differences.
    `test_share` (test rows / training rows) corrects the variance as Nadeau and Bengio (2003) do;
    None is the plain paired t-test of the papers.
    """
    differences = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    check_complete(differences[:, None])
    n = len(differences)
    if n < 2:
        raise ValueError(f"A paired t-test needs at least 2 pairs, got {n}.")
    scale = 1 / n + (0.0 if test_share is None else test_share)
    deviation = np.sqrt(scale * differences.var(ddof=1))
    mean = differences.mean()
    if deviation == 0.0:
        return (0.0, 1.0) if mean == 0.0 else (float(np.sign(mean) * np.inf), 0.0)
    t = mean / deviation
    return float(t), float(2 * stats.t.sf(abs(t), n - 1))


def share_of_best(scores):
    """Return P90, P95 and PMA of each method, in percent, best PMA first.

    P90 (P95) is the share of data sets on which the method reaches 90 % (95 %) of the best score
    there; PMA is its mean share of the best score [2]_.
    """
    values = _checked(scores, low_methods=1)
    best = values.max(axis=1, keepdims=True)
    # Where the best score is 0, all methods have it.
    share = np.divide(values, best, out=np.ones_like(values, dtype=float), where=best != 0)
    # A score of exactly 90 % of the best counts, though the division may be off in its last bit.
    table = pd.DataFrame(
        {
            "P90": 100 * np.mean(share >= 0.90 - 1e-12, axis=0),
            "P95": 100 * np.mean(share >= 0.95 - 1e-12, axis=0),
            "PMA": 100 * share.mean(axis=0),
        },
        index=scores.columns,
    )
    return table.sort_values("PMA", ascending=False, kind="stable")
