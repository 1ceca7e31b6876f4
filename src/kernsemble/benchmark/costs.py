"""What cells cost: measured where there are results, and guessed from them elsewhere."""

import math
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..errors import UserError
from .cell import TUNING_SPLIT
from .ledger import Ledger
from .sources import load_source
from .worker import Limits

# Seconds of a fit to about 500 rows, one digit, on one core; other classes are in between.
_TYPICAL = {
    **{"DummyClassifier": 0.001, "LogisticRegression": 0.01, "KNeighborsClassifier": 0.01},
    **{"SVC": 0.03, "ObliqueTreeClassifier": 0.01, "KernelFDAClassifier": 0.03},
    **{"MPRaFClassifier": 0.03, "RVFLClassifier": 0.04, "KernelRidgeClassifier": 0.05},
    **{"RandomForestClassifier": 0.5, "ExtraTreesClassifier": 0.5, "RVFLEnsembleClassifier": 0.5},
    **{"GradientBoostingClassifier": 0.5, "MEKLLPCClassifier": 0.8, "RPEMEKLClassifier": 0.6},
    **{"MEKLDLPClassifier": 1.3, "CatBoostClassifier": 2.0, "KernelEnsembleClassifier": 2.0},
    **{"XRFMClassifier": 0.1, "GridSearchCV": 1.0, "RealMLP_TD_Classifier": 3.0},
    **{"TabPFNClassifier": 10.0},
    **{"TabM_D_Classifier": 8.0, "ExplainableBoostingClassifier": 20.0},
}
_OTHER = 0.2
# A pilot fits to samples of these sizes, and no longer than this.
PILOT_ROWS = (250, 1000)
PILOT_SECONDS = 60.0
# The time of a fit grows at most so steeply with the rows.
_MAX_POWER = 2.5
_TIMES = ["tune_seconds", "fit_seconds", "predict_seconds"]


def typical_seconds(method, protocol):
    """Return a rough guess of the seconds of a cell, by which methods are put in order."""
    seconds = _TYPICAL.get(method.estimator.rpartition(".")[2], _OTHER)
    if protocol.tuning == "inner":
        seconds *= 1 + (len(method.points()) - 1) * protocol.inner_splits
    return seconds


def cell_seconds(results):
    """Return the results that succeeded, with the seconds of their cells."""
    rows = results[results["failure"].isna()]
    return rows.assign(seconds=rows[_TIMES].sum(axis=1))


def measured_seconds(results):
    """Return method → median seconds of its cells."""
    rows = cell_seconds(results)
    rows = rows[rows["split"] != TUNING_SPLIT]
    medians = rows.groupby("method")["seconds"].median()
    return {name: max(seconds, 1e-4) for name, seconds in medians.items()}


class Estimate(NamedTuple):
    """What is left to do.

    Attributes
    ----------
    table : DataFrame
        One row for each method: planned, found, left, and the seconds of what is left, NaN where
        nothing is known.
    n_pilot : int
        Fits of the pilot.
    """

    table: pd.DataFrame
    n_pilot: int

    @property
    def seconds(self):
        """Seconds of all cells that are left, as far as they are known."""
        return float(self.table["seconds"].sum())


def estimate_costs(study, plan, results, run, sizes=None):
    """Return what the cells of a study that are not in a ledger will cost.

    Methods of which the ledger has no results are fitted to samples of the smallest and the
    largest data set: a pilot, whose results are not kept.

    Parameters
    ----------
    study : Study
    plan : Plan
    results : DataFrame
        Results of the ledger.
    run : callable
        (study, ledger) → None: runs the first splits of a study.
    sizes : dict, default=None
        Data set → number of rows, where the ledger knows it.
    """
    done = set(results[list(plan.cells[0]._fields)].itertuples(index=False, name=None))
    left = [cell for cell in plan.cells if tuple(cell) not in done]
    sizes = _row_counts(study, plan, sizes or {})
    rows = cell_seconds(results)
    unknown = {cell.method for cell in left} - set(rows["method"])
    pilot = _pilot(study, unknown, sizes, run) if unknown and sizes else rows[:0]
    known = pd.concat([part for part in (rows, pilot) if len(part)] or [rows])
    seconds = _Guess(known, study, sizes)
    table = pd.DataFrame(
        [
            {
                "method": name,
                "planned": sum(cell.method == name for cell in plan.cells),
                "left": sum(cell.method == name for cell in left),
                # Parameters that are chosen inside a cell are in its time; others cost nothing yet.
                "seconds": sum(seconds(cell) for cell in left if cell.method == name),
            }
            for name in study.methods
        ]
    ).set_index("method")
    table.insert(1, "found", table["planned"] - table["left"])
    return Estimate(table, len(pilot))


def _row_counts(study, plan, sizes):
    found = {}
    for label, source in study.datasets.items():
        if label not in plan.broken:
            try:
                found[label] = sizes.get(label) or len(load_source(source).y)
            except UserError:
                continue
    return found


def _pilot(study, names, sizes, run):
    ordered = sorted(sizes, key=sizes.__getitem__)
    chosen = dict.fromkeys([ordered[0], ordered[-1]])
    limit = min(study.limits.seconds or math.inf, PILOT_SECONDS)
    small = replace(
        study,
        datasets={label: study.datasets[label] for label in chosen},
        methods={name: study.methods[name] for name in study.methods if name in names},
        seeds=study.seeds[:1],
        rows=PILOT_ROWS,
        limits=Limits(limit, study.limits.memory_gb),
    )
    with tempfile.TemporaryDirectory() as folder, Ledger(Path(folder) / "pilot.sqlite") as ledger:
        run(small, ledger)
        return cell_seconds(ledger.results())


class _Guess:
    """Seconds of a cell: those of its like, or a power of the number of training rows."""

    def __init__(self, rows, study, sizes):
        self._sizes, self._limit = sizes, study.limits.seconds or math.inf
        self._share = _training_share(study.protocol)
        same = rows.groupby(["dataset", "method", "train_rows", rows["split"] == TUNING_SPLIT])
        self._same = same["seconds"].mean().to_dict()
        tested = rows[rows["n_train"].notna()]
        self._laws = {name: _law(part) for name, part in tested.groupby("method")}

    def __call__(self, cell):
        key = (cell.dataset, cell.method, cell.train_rows, cell.split == TUNING_SPLIT)
        if key in self._same:
            return self._same[key]
        if cell.dataset not in self._sizes:
            return 0.0
        if cell.method not in self._laws:
            return math.nan
        power, level = self._laws[cell.method]
        n_rows = cell.train_rows or self._share * self._sizes[cell.dataset]
        return min(math.exp(level + power * math.log(n_rows)), self._limit)


def _training_share(protocol):
    if protocol.splitter == "folds":
        return 1 - 1 / protocol.n_splits
    return 1 - protocol.test_size if protocol.splitter == "shuffles" else 0.75


def _law(rows):
    """Return the power of the number of rows and the logarithm of the seconds of one row."""
    x, y = np.log(rows["n_train"].clip(lower=1)), np.log(rows["seconds"].clip(lower=1e-4))
    power = 1.0
    if x.max() - x.min() > math.log(1.5):
        power = float(np.clip(np.polyfit(x, y, 1)[0], 0.0, _MAX_POWER))
    return power, float((y - power * x).mean())
