"""Tables in parts number their rows as the rows in memory are numbered."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernsemble import MPRaFClassifier, RVFLClassifier
from kernsemble.tables import Columns, MemoryTable, RowChunks, is_chunked, open_chunks
from kernsemble.tables.class_rows import KnownCodes
from kernsemble.tables.draws import draw_rows


@pytest.fixture
def columns():
    rng = np.random.RandomState(0)
    X, y, weight = rng.randn(50, 3), np.sort(rng.randint(3, size=50)), rng.rand(50)
    weight[[3, 20, 49]] = 0.0
    return X, y, weight


def opened(columns, kind):
    X, y, weight = columns
    if kind == "dask":
        return open_chunks(*(da.from_array(column, chunks=8) for column in columns))
    return open_chunks(RowChunks(X, y, weight, size=7))


@pytest.mark.parametrize("kind", ["dask", "stream"])
def test_rows_come_by_their_number_in_the_order_asked(columns, kind):
    X, y, weight = (column[columns[2] > 0] for column in columns)
    table = opened(columns, kind)
    assert table.shape == X.shape
    numbers = np.array([40, 3, 3, 17])
    rows = table.rows(numbers)
    assert_array_equal(rows.X, X[numbers])
    assert_array_equal(rows.codes, y[numbers])
    assert_array_equal(rows.sample_weight, weight[numbers])
    assert_array_equal(table[np.arange(len(X))], X)


@pytest.mark.parametrize("kind", ["dask", "stream"])
def test_classes_know_where_their_rows_are(columns, kind):
    y = columns[1][columns[2] > 0]
    table, known = opened(columns, kind), KnownCodes(y)
    assert_array_equal(table.class_rows.sizes, known.sizes)
    codes = np.repeat([2, 0, 1], 5)
    ranks = np.tile(np.arange(5), 3)
    assert_array_equal(table.class_rows.locate(codes, ranks), known.locate(codes, ranks))
    assert_array_equal(table.class_rows.codes_of(np.array([1, 30])), y[[1, 30]])


@pytest.mark.parametrize("kind", ["dask", "stream"])
def test_totals_states_and_weights_add_up(columns, kind):
    X, y, weight = (column[columns[2] > 0] for column in columns)
    table = opened(columns, kind)
    total, number = table.total(sums, 2)
    assert_allclose(total, (X**2).sum(axis=0))
    assert number == len(X)
    states = None
    for step in range(3):
        total, states = table.scan(count_up, states, step)
        assert total == len(X) * step
    total, by_class = table.target_sums("one_hot")
    assert_allclose(total, weight.sum())
    assert_allclose(by_class, weight @ np.eye(3)[y])


def sums(rows, power):
    return (rows.X**power).sum(axis=0), rows.n_rows


def count_up(rows, state, step):
    seen = 0 if state is None else state
    assert seen == step
    return rows.n_rows * step, seen + 1


def test_large_draws_need_no_permutation():
    rows = draw_rows(10**12, 1000, np.random.RandomState(0))
    assert len(np.unique(rows)) == 1000 and rows.max() < 10**12


def test_what_counts_as_chunks(columns):
    X, y, _ = columns
    assert is_chunked([(X, y), (X, y)]) and is_chunked(RowChunks(X, y))
    assert is_chunked(da.from_array(X), da.from_array(y))
    assert not is_chunked(X, y) and not is_chunked(X.tolist()) and not is_chunked(X)


def test_what_cannot_be_read_is_named(columns):
    X, y, _ = columns
    clf = RVFLClassifier(random_state=0)
    with pytest.raises(TypeError, match="can be read only once"):
        clf.fit((X[i : i + 9], y[i : i + 9]) for i in range(0, 50, 9))
    with pytest.raises(ValueError, match="Chunk 1 of X has 2 features and the first chunk has 3"):
        clf.fit([(X, y), (X[:, :2], y)])
    with pytest.raises(ValueError, match=r"NaN in 3 of its columns \(0, 1, 2\); fill them in"):
        clf.fit([(X, y), (X * np.nan, y)])
    frame = pd.DataFrame(X.copy(), columns=["size", "weight", "age"])
    frame.loc[40, "weight"] = np.nan
    with pytest.raises(ValueError, match=r"NaN in 1 of its columns \(weight\); fill them in"):
        clf.fit(dd.from_pandas(frame, npartitions=2), da.from_array(y, chunks=25))
    with pytest.raises(ValueError, match="1 class"):
        clf.fit([(X, np.zeros(50)), (X, np.zeros(50))])
    with pytest.raises(ValueError, match="No chunk has a row of positive"):
        clf.fit([(X, y, np.zeros(50))])
    with pytest.raises(TypeError, match="third entry"):
        clf.fit([(X, y)], sample_weight=np.ones(50))
    with pytest.raises(ValueError, match="y must be given"):
        clf.fit(da.from_array(X))
    with pytest.raises(ValueError, match="rows"):
        clf.fit(da.from_array(X), da.from_array(y[:40]))
    with pytest.raises(TypeError, match="MPRaFClassifier needs its training rows in memory"):
        MPRaFClassifier().fit(RowChunks(X, y))


def test_columns_of_a_dask_frame_that_are_no_numbers_are_named():
    frame = pd.DataFrame({"size": np.arange(6.0), "shop": pd.Categorical(list("aabbcc"))})
    rows, labels = dd.from_pandas(frame, npartitions=2), da.from_array(np.arange(6) % 2, chunks=3)
    with pytest.raises(TypeError, match=r"Columns shop of the dask data frame .* X.compute\(\)"):
        open_chunks(rows, labels)


def test_chunks_that_change_between_passes_are_noticed(columns):
    X, y, _ = columns

    class Growing:
        passes = 0

        def __iter__(self):
            self.passes += 1
            yield X[: 20 + self.passes], y[: 20 + self.passes]
            yield X[-20:], y[-20:]

    with pytest.raises(ValueError, match="in the first pass it had 21"):
        RVFLClassifier(random_state=0).fit(Growing())


def test_a_table_says_what_its_columns_hold():
    X = np.array([[0.5, 0.0], [np.nan, 2.0], [1.5, 1.0]])
    columns = Columns(np.array([0, 3]), np.array([True, False]))
    table = MemoryTable(X, np.array([0, 1, 1]), np.arange(2), columns=columns)
    part = table.take(np.array([0, 2]))
    assert part.columns is columns and not columns.is_plain
    assert columns.numbers.tolist() == [0] and columns.categories.tolist() == [1]
    # What a view gives are numbers, whatever it was given.
    assert table.seen_as(np.nan_to_num).columns.is_plain
    assert MemoryTable(X, np.array([0, 1, 1]), np.arange(2)).columns.is_plain
