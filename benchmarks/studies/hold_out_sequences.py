"""Write the training rows of cod-rna as a data set of its own, a quarter of the sequences to test.

    python benchmarks/studies/hold_out_sequences.py FOLDER
    KERNSEMBLE_DATA=FOLDER kernsemble bench benchmarks/studies/mrskl-held-out.toml

A sequence has three rows or a multiple, one real and two shuffled ones, which differ in their first
input alone: they are held out together, or left-out rows would have siblings in training.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from kernsemble.datasets import load

NAME, TEST_ROWS = "cod-rna-held-out", 15_000


def main(folder):
    data = load("papers_raw/cod-rna")
    rows = data.splits[0][0]
    X = data.X[rows]
    sequences = np.unique(X[:, 1:].round(6), axis=0, return_inverse=True)[1].ravel()
    order = np.random.RandomState(0).permutation(sequences.max() + 1)
    held_out = np.isin(sequences, order[: len(order) * TEST_ROWS // len(rows)])
    table = pd.DataFrame(X, columns=data.feature_names).assign(target=data.y[rows])
    table.to_csv(Path(folder) / f"{NAME}.csv.gz", index=False)
    parts = pd.DataFrame({"file": held_out.astype(int)})
    parts.to_csv(Path(folder) / f"{NAME}.parts.csv.gz", index=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
