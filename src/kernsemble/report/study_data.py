"""Read from a ledger what the report shows whatever the measure, as plain values."""

import json
from collections import Counter
from dataclasses import dataclass

import pandas as pd

from kernsemble.benchmark.measure_list import MEASURES, Measure
from kernsemble.benchmark.methods import is_own
from kernsemble.benchmark.results import learning_rows, tested_rows, typical_values


@dataclass
class StudyData:
    """The results of one protocol, and what is known of how they were made.

    Attributes
    ----------
    protocol : dict
        Definition of the protocol.
    rows : DataFrame
        Results of the largest training size of each data set, one row for each split and seed.
    all_rows : DataFrame
        Results of all training sizes.
    measures : list of Measure
        Those of which the rows have at least one value.
    ours : set of str
        Names of kernsemble's own methods.
    times : DataFrame
        Methods × seconds: geometric means, which large data sets do not dominate.
    failures : list of (method, data set, reason, number of cells)
    facts : DataFrame
        Data sets × what they are like.
    details : dict
        Data set → method → times, parameters and failure, for the window of a data set.
    """

    protocol: dict
    rows: pd.DataFrame
    all_rows: pd.DataFrame
    measures: list[Measure]
    ours: set
    times: pd.DataFrame
    failures: list
    facts: pd.DataFrame
    details: dict
    sizes: dict
    changed_datasets: list
    commands: list
    codes: list

    @property
    def n_cells(self):
        """Number of cells that ended, well or not."""
        return len(self.rows)

    @property
    def n_failed(self):
        """Number of cells that failed."""
        return int(self.rows["failure"].notna().sum())


def read_study(ledger, protocol=None):
    """Return the results of one protocol.

    Parameters
    ----------
    ledger : Ledger
    protocol : str, default=None
        None means the only one in the ledger.
    """
    results = ledger.results()
    rows = tested_rows(results, protocol)
    protocol = rows["protocol"].iloc[0]
    makers = [maker for _, name, maker in ledger.makers() if name == protocol]
    return StudyData(
        protocol=makers[-1]["protocol"],
        rows=rows,
        all_rows=learning_rows(results, protocol),
        measures=[m for m in MEASURES.values() if m.name in rows and rows[m.name].notna().any()],
        ours={maker["method"]["name"] for maker in makers if is_own(maker["method"]["estimator"])},
        times=_times(rows),
        failures=_failures(rows),
        facts=ledger.datasets(),
        details=_details(rows),
        sizes=_sizes(rows),
        changed_datasets=_changed(rows),
        commands=ledger.commands(),
        codes=sorted(rows["code"].dropna().unique()),
    )


def _times(rows):
    """Return seconds per cell, and per 1,000 rows of training or test part."""
    done = rows[rows["failure"].isna()]
    done = done.assign(
        fit_per_1000=1000 * done["fit_seconds"] / done["n_train"],
        predict_per_1000=1000 * done["predict_seconds"] / done["n_test"],
    )
    columns = ["tune_seconds", "fit_seconds", "predict_seconds", "fit_per_1000", "predict_per_1000"]
    return typical_values(done, columns).fillna(0.0)


def _changed(rows):
    """Return the data sets whose rows were not the same in all cells."""
    digests = rows.dropna(subset=["data_digest"]).groupby("dataset")["data_digest"].nunique()
    return list(digests.index[digests > 1])


def _failures(rows):
    failed = rows[rows["failure"].notna()]
    counted = failed.groupby(["method", "dataset", "failure"]).size()
    return [(*key, int(count)) for key, count in counted.items()]


def _details(rows):
    gathered: dict = {}
    # A study has thousands of groups, and a data frame for each of them would take seconds.
    for row in rows.itertuples():
        gathered.setdefault(row.dataset, {}).setdefault(row.method, []).append(row)
    return {
        dataset: {method: _detail(cells) for method, cells in methods.items()}
        for dataset, methods in gathered.items()
    }


def _detail(cells):
    done = [cell for cell in cells if pd.isna(cell.failure)]
    failures = [cell.failure for cell in cells if not pd.isna(cell.failure)]
    return {
        "fit": _mean([cell.fit_seconds for cell in done]),
        "predict": _mean([cell.predict_seconds for cell in done]),
        "params": _most_common([cell.params for cell in done]),
        "failure": failures[0] if failures else None,
    }


def _sizes(rows):
    known = rows.dropna(subset=["n_train", "n_test"])
    sizes = known.groupby("dataset")[["n_train", "n_test"]].mean()
    return {name: [round(size.n_train), round(size.n_test)] for name, size in sizes.iterrows()}


def _mean(seconds):
    known = [value for value in seconds if not pd.isna(value)]
    return float(f"{sum(known) / len(known):.3g}") if known else None


def _most_common(params):
    if not params:
        return ""
    values = json.loads(Counter(params).most_common(1)[0][0])
    return ", ".join(f"{name} = {value}" for name, value in values.items())
