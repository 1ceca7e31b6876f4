"""Tables of any library become arrays of floats, and stay what they were in training."""

import datetime
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from kernsemble import MPRaFClassifier
from kernsemble.frames.categories import choose_categories
from kernsemble.frames.cells import has_only_numbers, read_columns
from kernsemble.frames.encoder import fit_encoder

FRAME = pd.DataFrame(
    {
        "size": pd.array([1, None, 3, 4], dtype="Int64"),
        "weight": [0.5, np.nan, 1.5, 2.5],
        "colour": pd.Categorical(["red", None, "blue", "red"]),
        "name": ["b", "a", None, "b"],
        "sold": [True, False, True, True],
        "grade": pd.Categorical([3, 1, 2, 3]),
    }
)
CODES = np.array(
    [
        [1.0, 0.5, 1.0, 1.0, 1.0, 2.0],
        [np.nan, np.nan, np.nan, 0.0, 0.0, 0.0],
        [3.0, 1.5, 0.0, np.nan, 1.0, 1.0],
        [4.0, 2.5, 1.0, 1.0, 1.0, 2.0],
    ]
)


def polars_frame():
    polars = pytest.importorskip("polars")
    frame = FRAME.astype({"grade": int, "colour": object})
    columns = {name: [None if pd.isna(v) else v for v in frame[name]] for name in frame}
    types = {"colour": polars.Categorical, "grade": polars.Int64}
    return polars.DataFrame(columns).with_columns(
        polars.col(name).cast(dtype) for name, dtype in types.items()
    )


def test_every_type_of_pandas_gives_the_same_codes():
    for frame in (
        FRAME,
        FRAME.convert_dtypes(),
        FRAME.convert_dtypes(dtype_backend="pyarrow"),
        FRAME.astype({"colour": object, "name": object, "sold": object}),
    ):
        encoder, Z, columns = fit_encoder(frame)
        assert_array_equal(Z, CODES)
        assert_array_equal(encoder(frame), CODES)
        assert columns.n_levels.tolist() == [0, 0, 2, 2, 2, 3]
        assert columns.has_missing.tolist() == [True, True, True, True, False, False]


def test_polars_and_arrays_of_objects_give_the_same_codes():
    for X in (polars_frame(), FRAME.astype(object).to_numpy()):
        _, Z, _ = fit_encoder(X, categorical_features=[2, 3, 4, 5])
        assert_array_equal(Z, CODES)


def test_new_levels_and_newly_missing_values_are_missing():
    encoder, _, _ = fit_encoder(FRAME)
    new = FRAME.assign(name=["c", None, "a", "b"], weight=np.nan, sold=[None, True, False, True])
    Z = encoder(new)
    assert_array_equal(Z[:, 3], [np.nan, np.nan, 0.0, 1.0])
    assert_array_equal(Z[:, 4], [np.nan, 1.0, 0.0, 1.0])
    assert np.isnan(Z[:, 1]).all()


def test_a_column_of_another_kind_is_named():
    encoder, _, _ = fit_encoder(FRAME)
    with pytest.raises(ValueError, match=r"name \(holds numbers, held categories in training\)"):
        encoder(FRAME.assign(name=1.0))
    with pytest.raises(ValueError, match=r"weight \(holds categories, held numbers"):
        encoder(FRAME.assign(weight="heavy"))
    with pytest.raises(ValueError, match="grade"):
        encoder(FRAME.assign(grade="one"))
    assert_array_equal(encoder(FRAME.assign(grade=[3, 1, 2, 3]))[:, 5], CODES[:, 5])


def test_dates_become_days_and_parts_of_the_calendar():
    dates = pd.to_datetime(["1970-01-01 06:00", "1970-02-02 18:00", None])
    encoder, Z, columns = fit_encoder(pd.DataFrame({"day": dates}))
    assert encoder.names_out == ["day days", "day month", "day weekday", "day hour"]
    assert_array_equal(Z[:2], [[0.0, 0.0, 3.0, 6.0], [32.0, 1.0, 0.0, 18.0]])
    assert np.isnan(Z[2]).all()
    assert columns.n_levels.tolist() == [0, 12, 7, 0]
    berlin = dates.tz_localize("Europe/Berlin")
    assert_array_equal(fit_encoder(pd.DataFrame({"day": berlin}))[1], Z)
    polars = pytest.importorskip("polars")
    moments = [*dates[:2].to_pydatetime(), None]
    same = polars.DataFrame({"day": polars.Series(moments, dtype=polars.Datetime("us"))})
    assert_array_equal(fit_encoder(same)[1], Z)


def test_dates_far_away_are_dates():
    days = [datetime.date(1, 1, 1), None, datetime.date(9999, 12, 31), datetime.date(2024, 2, 29)]
    _, Z, _ = fit_encoder(pd.DataFrame({"day": pd.Series(days, dtype=object)}))
    epoch = datetime.date(1970, 1, 1)
    assert_array_equal(Z[[0, 2, 3], 0], [(day - epoch).days for day in days if day])
    assert_array_equal(Z[[0, 2, 3], 2], [day.weekday() for day in days if day])


def test_dates_out_of_range_are_named():
    far = np.array(["2024-01-01", "400000-01-01", "NaT"], dtype="datetime64[s]")
    message = "Column day, row 1 holds a date beyond the years"
    for dates in (pd.Series(far), pd.Series(list(far), dtype=object)):
        with pytest.raises(ValueError, match=message):
            fit_encoder(pd.DataFrame({"day": dates}))
    with pytest.raises(ValueError, match=message):
        fit_encoder(pd.DataFrame({"day": np.array([0, 2**62], dtype="datetime64[s]")}))
    polars = pytest.importorskip("polars")
    milliseconds = polars.Series([0, 2**62, None]).cast(polars.Datetime("ms"))
    days = polars.Series([0, 2**31 - 1, None], dtype=polars.Int32).cast(polars.Date)
    for dates in (milliseconds, days):
        with pytest.raises(ValueError, match=message):
            fit_encoder(polars.DataFrame({"day": dates}))
    arrow = pytest.importorskip("pyarrow")
    kinds = [arrow.timestamp("s"), arrow.timestamp("ms", tz="Europe/Berlin"), arrow.date32()]
    for kind, number in zip(kinds, (10**15, 10**17, 2**31 - 1)):
        column = arrow.array([0, number, None], type=kind)
        boxed = pd.DataFrame({"day": pd.arrays.ArrowExtensionArray(column)})
        for frame in (arrow.table({"day": column}), boxed):
            with pytest.raises(ValueError, match=message):
                fit_encoder(frame)
    # What pandas cannot read as dates stays text, and is a category.
    texts = pd.DataFrame({"day": ["10000-01-01", "2024-01-01", "2024-01-01"]})
    assert fit_encoder(texts)[2].n_levels.tolist() == [2]
    year = pd.DataFrame({"day": np.array(["9999-12-31", "12000-01-01"], dtype="datetime64[us]")})
    days = year["day"].to_numpy().astype("datetime64[D]").astype(float)
    assert_array_equal(fit_encoder(year)[1][:, 0], days)


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_arrow_dates_of_far_years_are_dates(unit):
    arrow = pytest.importorskip("pyarrow")
    days = np.array(["0001-01-01", "3000-01-01", "9999-12-31"], dtype="datetime64[D]")
    column = arrow.array(days.astype(f"datetime64[{unit}]"))
    _, Z, _ = fit_encoder(arrow.table({"day": column}))
    assert_array_equal(Z[:, 0], days.astype(float))


def test_categories_by_name_position_and_mask():
    cells = read_columns(pd.DataFrame({"a": [1, 2], "b": [1.5, 2.5], "c": ["x", "y"]}))
    for given in (["a", "c"], [0, 2], [True, False, True], np.array([0, 2]), ("a", 2)):
        assert choose_categories(cells, given).tolist() == [True, False, True]
    assert choose_categories(cells, "from_dtype").tolist() == [False, False, True]
    with pytest.raises(ValueError, match="Columns c hold no numbers"):
        choose_categories(cells, None)
    with pytest.raises(ValueError, match="'d', which is no column"):
        choose_categories(cells, ["c", "d"])
    with pytest.raises(ValueError, match="3 columns"):
        choose_categories(cells, [True, False])
    with pytest.raises(ValueError, match="'auto'"):
        choose_categories(cells, "auto")


def test_a_column_without_a_value_is_left_out():
    frame = pd.DataFrame({"a": [1.0, 2.0], "empty": [None, None]})
    with pytest.warns(UserWarning, match="Column empty has no known value"):
        encoder, Z, _ = fit_encoder(frame)
    assert Z.shape == (2, 1)
    assert_array_equal(encoder(frame.assign(empty=["now", "full"])), Z)
    with (
        pytest.raises(ValueError, match="NaN"),
        pytest.warns(UserWarning),
    ):
        fit_encoder(frame[["empty"]])


def test_a_column_with_one_level_is_a_category_of_one_level():
    _, Z, columns = fit_encoder(pd.DataFrame({"a": ["x", "x", None]}))
    assert columns.n_levels.tolist() == [1] and np.isnan(Z[2, 0])


def test_levels_that_differ_in_case_or_spaces_only_are_told():
    frame = pd.DataFrame({"city": ["Paris", "paris ", "Rome"]})
    with pytest.warns(UserWarning, match="Column city has levels that differ in case or spaces"):
        _, _, columns = fit_encoder(frame)
    assert columns.n_levels.tolist() == [3]


def test_mixed_types_in_one_column_are_named():
    with pytest.raises(TypeError, match=r"Column code mixes numbers \(1\), texts \('a'\)"):
        fit_encoder(pd.DataFrame({"code": [1, "a", None]}))
    with pytest.raises(TypeError, match=r"Column 0: the argument must be a string.*dict"):
        fit_encoder(np.array([[{"a": 1}]], dtype=object))
    with pytest.raises(TypeError, match="Column parts holds values of type"):
        fit_encoder(pytest.importorskip("polars").DataFrame({"parts": [[1, 2], [3]]}))


def test_an_identifier_is_left_out_by_name():
    n = 100_000
    frame = pd.DataFrame({"id": [f"row {i}" for i in range(n)], "a": np.arange(n) % 7})
    with pytest.warns(UserWarning, match="Column id has 100000 levels in 100000 rows"):
        _, Z, _ = fit_encoder(frame)
    assert Z.shape == (n, 1)
    said = frame[:200].astype({"id": "category"})
    for options in ({"X": frame[:200], "categorical_features": ["id"]}, {"X": said}):
        _, Z, columns = fit_encoder(**options)
        assert columns.n_levels.tolist() == [200, 0]
    remedy = r'`"its name" = "category"` for --columns'
    with pytest.warns(UserWarning, match=remedy):
        fit_encoder(frame[:200].rename(columns={"id": "its name"}))


def test_infinite_numbers_and_columns_of_one_name_are_named():
    with pytest.raises(ValueError, match="infinity: column b, row 1"):
        fit_encoder(pd.DataFrame({"a": ["x", "y"], "b": [1.0, np.inf]}))
    frame = pd.DataFrame([[1, "x", 2]], columns=["a", "b", "a"])
    with pytest.raises(ValueError, match="several columns of the same name: a"):
        fit_encoder(frame)


@pytest.fixture
def sentences():
    rng = np.random.RandomState(0)
    words = np.array(["the", "a", "red", "blue", "engine", "light", "was", "cold", "and", "on"])
    return pd.DataFrame({"note": [" ".join(rng.choice(words, 6)) for _ in range(80)]})


def test_free_text_becomes_a_few_components(sentences):
    skrub = pytest.importorskip("skrub")
    sentences.loc[3, "note"] = None
    encoder, Z, columns = fit_encoder(sentences)
    assert Z.shape == (80, 20) and not columns.n_levels.any()
    assert np.isnan(Z[3]).all() and np.isfinite(np.delete(Z, 3, axis=0)).all()
    np.testing.assert_allclose(encoder(sentences), Z, atol=1e-6)
    # As skrub has them.
    known = sentences["note"].dropna()
    theirs = skrub.StringEncoder(n_components=20, random_state=0).fit_transform(known)
    np.testing.assert_allclose(np.delete(Z, 3, axis=0), theirs, atol=1e-5)


def test_text_with_odd_characters_is_encoded():
    pytest.importorskip("skrub")
    texts = [f"a{'b' * (n % 7)} \0c \0{n} é🙂\0" for n in range(60)]
    encoder, Z, _ = fit_encoder(pd.DataFrame({"note": texts}))
    assert np.isfinite(Z).all() and len(encoder.n_levels) == Z.shape[1] > 1
    np.testing.assert_allclose(encoder(pd.DataFrame({"note": texts})), Z)


def test_without_skrub_the_text_column_and_the_extra_are_named(sentences, monkeypatch):
    monkeypatch.setitem(sys.modules, "skrub", None)
    with pytest.raises(ImportError, match=r"Column note holds free text.*kernsemble\[text\]"):
        fit_encoder(sentences)


def test_frames_of_plain_numbers_need_no_encoder():
    assert has_only_numbers(pd.DataFrame({"a": [1, 2], "b": [1.0, np.nan]}))
    assert not has_only_numbers(pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}))
    assert not has_only_numbers(pd.DataFrame({"a": [True, False]}))


def test_arrow_tables_are_frames_whose_columns_have_names():
    arrow = pytest.importorskip("pyarrow")
    rng = np.random.RandomState(0)
    table = arrow.table({"a": rng.randn(40), "b": rng.choice(["x", "y"], 40)})
    y = (table["a"].to_numpy() > 0).astype(int)
    model = MPRaFClassifier(5, random_state=0).fit(table, y)
    assert_array_equal(model.feature_names_in_, ["a", "b"])
    P = model.predict_proba(table)
    assert_array_equal(model.predict_proba(table.select(["b", "a"])), P)
    assert_array_equal(model.predict_proba(table.to_pandas()), P)
    with pytest.raises(ValueError, match="now missing:\n- b"):
        model.predict(table.select(["a"]))
