"""Made-up results of studies."""

import numpy as np

from kernsemble.benchmark.ledger import Cell
from kernsemble.benchmark.methods import Method
from kernsemble.benchmark.protocols import PROTOCOLS

NASTY = '<script>alert("x")</script> & "set"'


def fill(
    ledger,
    n_datasets=6,
    methods=("alpha", "beta", "gamma"),
    *,
    failures=(),
    nasty=False,
    step=0.015,
    further=None,
    train_rows=0,
    gain=0.0,
    names="set {}",
):
    """Write made-up results: each method is better than the one before it by `step`.

    Parameters
    ----------
    failures : set of (method, number of the data set)
    further : function, default=None
        (number of the data set, place of the method) → further measures.
    train_rows : int, default=0
        Size of the sample of the training part; 0 means all of it.
    gain : float, default=0.0
        Added to every accuracy.
    names : str
        How the data sets are called.
    """
    rng = np.random.RandomState(0)
    protocol = PROTOCOLS["kfold"].definition()
    for number in range(n_datasets):
        dataset = NASTY if nasty and number == 0 else names.format(number)
        level = rng.uniform(0.6, 0.9)
        for place, method in enumerate(methods):
            folder = "kernsemble.ensembles" if place == 0 else "sklearn.svm"
            definition = Method(method, f"{folder}.Any").definition()
            maker = {"protocol": protocol, "method": definition, "versions": {}}
            for split in range(3):
                outcome = {
                    "accuracy": level + step * place + 0.002 * rng.randn() + gain,
                    "n_train": train_rows or 90,
                    "n_test": 10,
                    "fit_seconds": 0.01 * (place + 1),
                    "predict_seconds": 0.001,
                    "tune_seconds": 0.0,
                    "params": {"C": 2.0},
                    "data_digest": "d",
                    "facts": {
                        "n_rows": 100 * (number + 1),
                        "n_columns": 5 + 10 * (number % 3),
                        "n_classes": 2,
                        "majority_share": 0.6,
                        "minority_share": 0.4,
                        "categorical_share": 0.5 * (number % 2),
                        "missing_share": 0.0,
                    },
                }
                if further is not None:
                    outcome["measures"] = further(number, place)
                if (method, number) in failures:
                    outcome = {"failure": "ran <out> of memory"}
                cell = Cell(dataset, method, "kfold", str(split), 0, train_rows)
                ledger.record(cell, outcome, maker)
    ledger.note_command("kernsemble bench <study>", {"python": "3.11"})
