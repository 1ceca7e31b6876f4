"""What is known of a data set beside its rows, so that results can be grouped by kind of data."""

import numpy as np
import pandas as pd

from ..frames.columns import CATEGORY, TRUTH, kind_of

#: Columns of the table of data sets in a ledger; `results` explains them.
FACTS = (
    *("n_rows", "n_columns", "n_classes"),
    *("majority_share", "minority_share", "categorical_share", "missing_share"),
)


def describe_data(data):
    """Return the facts about a `Dataset`.

    Examples
    --------
    >>> from kernsemble.datasets import load
    >>> facts = describe_data(load("iris"))
    >>> facts["n_rows"], facts["n_classes"], round(facts["majority_share"], 2)
    (150, 3, 0.33)
    """
    shares = np.unique(data.y, return_counts=True)[1] / len(data.y)
    kinds = []
    if isinstance(data.X, pd.DataFrame):
        kinds = [kind_of(dtype) in (CATEGORY, TRUTH) for dtype in data.X.dtypes]
    return {
        "n_rows": int(data.X.shape[0]),
        "n_columns": int(data.X.shape[1]),
        "n_classes": len(shares),
        "majority_share": float(shares.max()),
        "minority_share": float(shares.min()),
        "categorical_share": float(np.mean(kinds)) if kinds else 0.0,
        "missing_share": float(np.mean(pd.isna(data.X).to_numpy() if kinds else np.isnan(data.X))),
    }


def write_facts(database, dataset, digest, facts):
    """Put the facts about a data set into a ledger; the caller holds the transaction."""
    marks = ", ".join("?" * (2 + len(FACTS)))
    database.execute(
        f"INSERT OR REPLACE INTO datasets (dataset, data_digest, {', '.join(FACTS)}) "
        f"VALUES ({marks})",
        [dataset, digest, *(facts[name] for name in FACTS)],
    )


def facts_table(rows):
    """Return facts by data set; `rows` holds the name of each and then its facts."""
    return pd.DataFrame(rows, columns=["dataset", *FACTS]).set_index("dataset")
