"""What aeon 1.6.0 and bencheval 0.1.0 say of one table of scores.

Both libraries bring many others along, so their numbers are kept in `other_libraries.json`, which
was written by

    pip install aeon==1.6.0 bencheval==0.1.0
    python tests/reference/other_libraries.py > tests/reference/other_libraries.json

Scores are multiples of 1/64, so that differences are exact and ties are ties.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

NAMES = list("abcdef")


def table():
    """Return the scores of six methods on forty data sets."""
    rng = np.random.RandomState(0)
    steps = rng.randint(30, 56, size=(40, 1)) + rng.randint(-6, 7, size=(40, 6)) + np.arange(6) // 2
    return pd.DataFrame(steps / 64, columns=NAMES, index=[f"set {n}" for n in range(40)])


def aeon_matrix(scores):
    """Return mean difference, wins, ties, losses and two-sided p of every pair."""
    from aeon.visualisation import create_multi_comparison_matrix

    with tempfile.TemporaryDirectory() as folder:
        create_multi_comparison_matrix(
            scores,
            save_path=f"{folder}/matrix",
            formats="json",
            pvalue_test_params={"zero_method": "wilcox", "alternative": "two-sided"},
            pvalue_correction=None,
        )
        found = json.loads(next(Path(folder).glob("*_analysis.json")).read_text())
    return {
        f"{a} {b}": {
            key: found[f"{a}-vs-{b}"][key] for key in ("mean", "win", "tie", "loss", "pvalue")
        }
        for a in NAMES
        for b in NAMES
        if a != b
    }


def bencheval_elo(scores):
    """Return Elo ratings with "a" at 1000."""
    from bencheval.elo_utils import EloHelper

    rows = (1 - scores).rename_axis("task").reset_index()
    rows = rows.melt("task", var_name="method", value_name="metric_error")
    helper = EloHelper()
    battles = helper.convert_results_to_battles(rows)
    found = helper.compute_mle_elo(battles, calibration_framework="a", calibration_elo=1000)
    return {name: float(found[name]) for name in NAMES}


if __name__ == "__main__":
    scores = table()
    json.dump({"matrix": aeon_matrix(scores), "elo": bencheval_elo(scores)}, sys.stdout, indent=1)
    print()
