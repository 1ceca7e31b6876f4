"""Plot data → the rows of the report's tables."""

import numpy as np
import pandas as pd

from .plot_data import ALPHA


def ranking_rows(data):
    """Return one row per method: rank, measure, shares of the best, seconds, failures."""
    failed = {row["method"]: row["failed"] for row in data.failed}
    rows = []
    for method in data.methods:
        ranked = data.average_ranks is not None and method in data.average_ranks.index
        compared = method in data.scores.columns and not data.scores.empty
        # Means over other data sets than those of the ranked methods could not be compared.
        scores = data.measure.scores(data.scores[method]) if compared else pd.Series(dtype=float)
        shares, times = data.shares, data.study.times
        rows.append(
            {
                "method": method,
                "rank": data.average_ranks[method] if ranked else None,
                "rank_sd": data.ranks[method].std() if ranked else None,
                "value": or_none(scores.mean()),
                "value_sd": or_none(scores.std()),
                "shares": shares.loc[method].to_dict() if method in shares.index else None,
                "times": times.loc[method].to_dict() if method in times.index else None,
                "failed": failed.get(method, 0),
            }
        )
    return rows


def pair_rows(data):
    """Return one row per pair of ranked methods, the better mean first."""
    if data.matrix is None:
        return []
    parts = {name: table.to_numpy() for name, table in data.matrix.items()}
    names = list(data.matrix["p"].index)
    return [
        {
            "first": names[i],
            "second": names[j],
            **{name: values[i, j] for name, values in parts.items()},
        }
        for i in range(len(names))
        for j in range(i + 1, len(names))
    ]


def dataset_rows(data):
    """Return one row per data set for the tables of values and of ranks."""
    means = data.means[data.methods].to_numpy()
    deviations = data.deviations[data.methods].to_numpy()
    ranks = np.full(means.shape, np.nan)
    if data.ranks is not None:
        ranks = data.ranks.reindex(index=data.means.index, columns=data.methods).to_numpy()
    signs = difference_signs(data)
    rows = []
    for number, dataset in enumerate(data.means.index):
        best = np.nanmax(data.measure.scores(means[number]), initial=-np.inf)
        cells = [
            {
                "mean": or_none(mean),
                "sd": or_none(deviation),
                "best": data.measure.scores(mean) >= best - 1e-10,
                "rank": or_none(rank),
                "sign": sign,
                "gap": describe_gap(data, dataset, method) if pd.isna(mean) else None,
            }
            for method, mean, deviation, rank, sign in zip(
                data.methods, means[number], deviations[number], ranks[number], signs[number]
            )
        ]
        rows.append({"dataset": dataset, "cells": cells})
    return rows


def difference_signs(data):
    """Return 1 where a method is significantly better than the best-ranked one, -1 where worse.

    Returns
    -------
    ndarray of int of shape (n_datasets, n_methods)
        Data sets in the order of the means, methods in that of the ranking.
    """
    shape = (len(data.means), len(data.methods))
    if data.t_tests is None:
        return np.zeros(shape, dtype=int)
    where = {"index": data.means.index, "columns": data.methods}
    p = data.t_tests["p"].reindex(**where).to_numpy()
    gain = data.measure.scores(data.t_tests["difference"].reindex(**where).to_numpy())
    return np.where(p < ALPHA, np.sign(np.nan_to_num(gain)), 0).astype(int)


def describe_gap(data, dataset, method):
    """Return the word and the reason for a cell of the table that has no mean."""
    detail = data.study.details[dataset].get(method)
    if detail is None:
        return "not run", "no split has a result"
    if detail["failure"]:
        return "failed", detail["failure"]
    if method not in data.splits.get(dataset, {}):
        return "none", f"no split has a value of {data.measure.title}"
    return "incomplete", "some splits have no result yet"


def missing_cells(data):
    """Return data set → method → (word, reason) of every cell of the table without a mean."""
    lacking = data.means[data.methods].isna()
    return {
        dataset: {
            method: describe_gap(data, dataset, method) for method in row.index[row.to_numpy()]
        }
        for dataset, row in lacking[lacking.any(axis=1)].iterrows()
    }


def or_none(value):
    """Return a number, or None where it is missing."""
    return None if pd.isna(value) else float(value)
