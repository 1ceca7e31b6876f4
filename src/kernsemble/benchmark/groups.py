"""How methods rank on data sets that are alike."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from .statistics import rank_methods


class Fact(NamedTuple):
    """A number that describes a data set, with the edges between groups of data sets.

    Attributes
    ----------
    name : str
        Name of the column.
    title : str
        How it is written on a page.
    edges : tuple of float
        Where one group ends and the next begins.
    labels : tuple of str
        Names of the groups, one more than edges.
    """

    name: str
    title: str
    edges: tuple
    labels: tuple


FACTS = (
    Fact("n_rows", "rows", (500, 5000), ("< 500", "500 – 4,999", "≥ 5,000")),
    Fact("n_columns", "columns", (10, 50), ("< 10", "10 – 49", "≥ 50")),
    Fact("n_classes", "classes", (3, 10), ("2", "3 – 9", "≥ 10")),
    Fact("imbalance", "imbalance", (1.5, 5.0), ("< 1.5", "1.5 – 5", "≥ 5")),
    Fact("categorical_share", "categorical", (1e-9, 0.5), ("none", "< half", "≥ half")),
)


class Group(NamedTuple):
    """Data sets that are alike in one fact, with the average ranks of the methods on them."""

    fact: Fact
    label: str
    n_datasets: int
    ranks: pd.Series


def group_ranks(scores, facts):
    """Return the average ranks of methods on each group of data sets.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
        Larger is better; no cell may be empty.
    facts : DataFrame
        Data sets × facts, as `Ledger.datasets` returns them.

    Returns
    -------
    list of Group
        Those of facts by which the data sets can be told apart: one group would be all of them.
    """
    ranks = rank_methods(scores)
    facts = facts.assign(imbalance=facts["majority_share"] / facts["minority_share"])
    found: list[Group] = []
    for fact in FACTS:
        values = facts[fact.name].reindex(scores.index)
        places = np.digitize(values, fact.edges)
        groups = [
            Group(fact, label, int(inside.sum()), ranks[inside].mean())
            for place, label in enumerate(fact.labels)
            if (inside := (places == place) & values.notna().to_numpy()).any()
        ]
        if len(groups) > 1:
            found.extend(groups)
    return found
