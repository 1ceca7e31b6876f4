"""The same methods on the same cells in two ledgers: what changed between two versions of them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..errors import UserError
from .pairwise import resampled_t
from .results import tested_rows
from .statistics import wilcoxon_p

#: Names of the two versions in tables.
BEFORE, AFTER = "before", "after"
_ALPHA = 0.05
_KEY = ["dataset", "method", "split", "seed", "train_rows"]
_TIMES = ("fit_seconds", "predict_seconds")


@dataclass
class Versions:
    """What two ledgers have in common; see `match_versions`.

    Attributes
    ----------
    before, after : DataFrame
        Results of the cells that both have, in the same order.
    methods : list of str
        Methods in both.
    only_before, only_after : list of str
        Methods in one of them.
    changed_datasets : list of str
        Data sets whose rows differ; their results cannot be compared.
    n_unmatched : int
        Cells of common methods and unchanged data sets that only one ledger has.
    """

    before: pd.DataFrame
    after: pd.DataFrame
    methods: list
    only_before: list
    only_after: list
    changed_datasets: list
    n_unmatched: int


def match_versions(before, after, protocol=None):
    """Return the cells that two ledgers have in common.

    Parameters
    ----------
    before, after : Ledger
    protocol : str, default=None
        None means the only one that both have.
    """
    protocol = _common_protocol(before, after, protocol)
    first, second = (tested_rows(book.results(), protocol) for book in (before, after))
    methods = sorted(set(first["method"]) & set(second["method"]))
    if not methods:
        raise UserError(
            f"The ledgers {before.path} and {after.path} have no method in common: versions are "
            "compared by the name of a method, which must be the same in both."
        )
    digests = [rows.groupby("dataset")["data_digest"].agg(_texts) for rows in (first, second)]
    both = digests[0].index.intersection(digests[1].index)
    changed = [name for name in both if not digests[0][name] & digests[1][name]]
    usable = both.difference(changed)
    if not len(usable):
        raise UserError(
            f"The ledgers {before.path} and {after.path} have no data set with the same rows in "
            "common."
        )
    kept = [
        rows[rows["method"].isin(methods) & rows["dataset"].isin(usable)].set_index(_KEY)
        for rows in (first, second)
    ]
    common = kept[0].index.intersection(kept[1].index).sort_values()
    return Versions(
        before=kept[0].loc[common].reset_index(),
        after=kept[1].loc[common].reset_index(),
        methods=methods,
        only_before=sorted(set(first["method"]) - set(methods)),
        only_after=sorted(set(second["method"]) - set(methods)),
        changed_datasets=changed,
        n_unmatched=len(kept[0]) + len(kept[1]) - 2 * len(common),
    )


def _common_protocol(before, after, protocol):
    definitions: list[dict] = [
        {name: maker["protocol"] for _, name, maker in book.makers()} for book in (before, after)
    ]
    if protocol is None:
        shared = sorted(set(definitions[0]) & set(definitions[1]))
        if len(shared) != 1:
            raise UserError(
                f"The ledgers have {', '.join(shared) or 'no protocol'} in common; name one with "
                "--protocol."
                if shared
                else "The ledgers have no protocol in common, so no cell can be compared."
            )
        protocol = shared[0]
    for book, known in zip((before, after), definitions):
        if protocol not in known:
            raise UserError(f"The ledger {book.path} holds no results of the protocol {protocol}.")
    if definitions[0][protocol] != definitions[1][protocol]:
        raise UserError(
            f"The protocol {protocol} is not the same in the two ledgers, so their splits cannot "
            "be compared."
        )
    return protocol


def _texts(values):
    return frozenset(values.dropna())


def compare_sets(versions, measure):
    """Compare the two versions of every method on every data set.

    Parameters
    ----------
    versions : Versions
    measure : Measure

    Returns
    -------
    DataFrame
        Columns method, dataset, before, after, gain (positive where the new version is better), t,
        p (corrected resampled t-test, empty for fewer than two splits), splits, and fit_ratio and
        predict_ratio (new seconds for each old one); one row for each method and data set with at
        least one cell that both versions have finished and measured.
    """
    tables = []
    for method in versions.methods:
        old, new = (rows[rows["method"] == method] for rows in (versions.before, versions.after))
        if measure.name not in old or measure.name not in new:
            continue
        done = (old[measure.name].notna() & new[measure.name].notna().to_numpy()).to_numpy()
        old, new = old[done], new[done]
        if not len(old):
            continue
        table = pd.DataFrame(
            {
                BEFORE: old.groupby("dataset")[measure.name].mean(),
                AFTER: new.groupby("dataset")[measure.name].mean(),
                "splits": old.groupby("dataset").size(),
            }
        )
        table["gain"] = measure.scores(table[AFTER]) - measure.scores(table[BEFORE])
        rows = pd.concat([old.assign(method=BEFORE), new.assign(method=AFTER)])
        tests = resampled_t(rows, AFTER, BEFORE, measure.name).reindex(table.index)
        table["t"], table["p"] = measure.scores(tests["t"]), tests["p"]
        for name in _TIMES:
            ratio = new.groupby("dataset")[name].mean() / old.groupby("dataset")[name].mean()
            table[name.replace("seconds", "ratio")] = ratio
        tables.append(table.rename_axis("dataset").reset_index().assign(method=method))
    columns = ["method", "dataset", BEFORE, AFTER, "gain", "t", "p", "splits"]
    columns += ["fit_ratio", "predict_ratio"]
    return pd.concat(tables)[columns] if tables else pd.DataFrame(columns=columns)


def summarise_sets(sets):
    """Sum up the comparison of each method over its data sets.

    Parameters
    ----------
    sets : DataFrame
        What `compare_sets` returns.

    Returns
    -------
    DataFrame
        By method: n_datasets, before, after and gain (means over data sets), wins, ties, losses,
        p (Wilcoxon's signed-rank test), surely_better and surely_worse (data sets with p of the
        t-test below 0.05), fit_ratio and predict_ratio (geometric means).
    """
    found = {}
    for method, table in sets.groupby("method"):
        gains, sure = table["gain"].round(10), table["p"] < _ALPHA
        found[method] = {
            "n_datasets": len(table),
            BEFORE: table[BEFORE].mean(),
            AFTER: table[AFTER].mean(),
            "gain": table["gain"].mean(),
            "wins": int((gains > 0).sum()),
            "ties": int((gains == 0).sum()),
            "losses": int((gains < 0).sum()),
            "p": wilcoxon_p(table["gain"]),
            "surely_better": int((sure & (gains > 0)).sum()),
            "surely_worse": int((sure & (gains < 0)).sum()),
            "fit_ratio": _geometric_mean(table["fit_ratio"]),
            "predict_ratio": _geometric_mean(table["predict_ratio"]),
        }
    return pd.DataFrame.from_dict(found, orient="index")


def _geometric_mean(ratios):
    known = ratios.astype(float).replace([np.inf, 0.0], np.nan).dropna()
    return float(np.exp(np.log(known).mean())) if len(known) else np.nan
