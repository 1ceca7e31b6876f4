"""Flaws are found where they are, and only there."""

import numpy as np
import pytest

from kernsemble.datasets import FLAWED, Dataset, find_flaws, list_datasets, load

RNG = np.random.RandomState(0)
X = RNG.randn(80, 3)
Y = np.arange(80) % 2
HALVES = ((np.arange(40), np.arange(40, 80)),)


def flaws(X=X, y=Y, splits=()):
    names = tuple(f"f{number}" for number in range(X.shape[1]))
    return find_flaws(Dataset("made/up", "table", X, y, names, splits=splits))


def test_good_data_have_no_flaws():
    assert flaws() == []
    assert flaws(splits=HALVES) == []
    for entry in list_datasets(source="builtin"):
        assert find_flaws(load(entry.name)) == []


def test_targets():
    assert flaws(y=np.zeros(80)) == ["the target is constant, 0.0"]
    one_sided = ((np.flatnonzero(Y), np.flatnonzero(Y == 0)),)
    assert "the training rows of split 0 hold one class" in flaws(splits=one_sided)
    repeated = np.column_stack([X, np.where(Y, -3.5, 1.25)])
    assert flaws(repeated) == ["feature f3 is the target under another name"]


@pytest.mark.parametrize("scale, shift", [(1, 0), (-0.043, 1.7)])
def test_row_numbers_are_found_at_any_scale(scale, shift):
    numbered = np.column_stack([X, scale * np.arange(80) + shift])
    assert flaws(numbered) == ["feature f3 counts the rows"]


def test_scales():
    raw = X * [1, 50, 0.1] + [0, 300, 5]
    train, test = HALVES[0]
    apart = raw.copy()
    for rows in (train, test):
        apart[rows] = (raw[rows] - raw[rows].mean(axis=0)) / raw[rows].std(axis=0)
    assert flaws(apart, splits=HALVES) == ["training and test rows were standardised apart"]
    once = raw.copy()
    once[train] = apart[train]
    assert flaws(once, splits=HALVES) == ["training and test rows are not on the same scale"]
    together = (raw - raw[train].mean(axis=0)) / raw[train].std(axis=0)
    assert flaws(together, splits=HALVES) == []


def test_constant_features_have_no_scale():
    constant = np.column_stack([np.full(80, 3.0), np.where(np.arange(80) < 40, 1.0, 2.0)])
    assert flaws(constant, splits=HALVES) == []


def test_repeated_rows():
    repeated = np.vstack([X[:40], X[:40]])
    repeated[0, 0] = repeated[40, 0] = np.nan
    found = flaws(repeated, splits=HALVES)
    assert found == ["100% of the test rows are training rows too"]


def test_what_is_known_of_the_121_sets(data_folder):
    assert FLAWED["jmlr121/spect"] in find_flaws(load("jmlr121/spect"))
    assert find_flaws(load("jmlr121_fixed/monks-1")) == []
    assert any("scale" in flaw for flaw in find_flaws(load("jmlr121/hayes-roth")))
    assert find_flaws(load("papers_raw/glass")) == ["feature Id counts the rows"]
