"""Tables that the tests of frames share."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def mixed_table(tmp_path):
    """Return the path of a table with numbers, categories and missing values."""
    rng = np.random.RandomState(0)
    size = rng.randn(90)
    colour = rng.choice(["red", "green", "blue"], 90)
    label = np.where(size + (colour == "red") > 0.3, "yes", "no")
    table = pd.DataFrame({"size": size, "colour": colour, "count": rng.randint(0, 9, 90)})
    table.loc[::7, "size"] = np.nan
    table.loc[::11, "colour"] = None
    table["label"] = label
    path = tmp_path / "mixed.csv"
    table.to_csv(path, index=False)
    return path
