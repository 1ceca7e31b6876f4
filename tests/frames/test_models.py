"""Models of tables: mixed columns in, predictions out, and every cell what it was in training."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from kernsemble import LandmarkRidgeClassifier
from kernsemble.errors import UserError
from kernsemble.frames.features import make_model
from kernsemble.frames.model_files import load_model, save_model
from kernsemble.frames.models import fit_table, predict_table
from kernsemble.frames.tables import read_frame, read_labelled


def write(folder, text, name="table.csv"):
    path = folder / name
    path.write_text(text)
    return path


def test_numbers_categories_and_missing_values_become_features(mixed_table):
    X, y, target, *_ = read_labelled(mixed_table, "label")
    Z = make_model(X, DummyClassifier())[0].fit_transform(X)
    # Two numbers, where one of them is missing, three colours and the colour that is missing.
    assert Z.shape == (90, 7)
    assert np.isfinite(Z).all() and set(y) == {"yes", "no"} and target == "label"
    new = X.iloc[:2].copy()
    new["colour"] = "violet"
    assert np.isfinite(make_model(X, DummyClassifier())[0].fit(X).transform(new)).all()


def test_a_column_of_names_does_not_become_a_column_per_row():
    X = pd.DataFrame({"name": [f"row {number}" for number in range(500)]})
    assert make_model(X, DummyClassifier())[0].fit_transform(X).shape[1] <= 50


def test_fit_save_load_predict(mixed_table, tmp_path):
    fitted = fit_table(mixed_table, LandmarkRidgeClassifier(3, random_state=0), "label")
    path = save_model(fitted, tmp_path / "model.skops")
    loaded = load_model(path)
    assert loaded["target"] == "label" and loaded["made"]["rows"] == 90
    assert loaded["columns"] == {"size": "number", "colour": "category", "count": "number"}
    first = predict_table(fitted, mixed_table, probabilities=True)
    again = predict_table(loaded, mixed_table, probabilities=True)
    pd.testing.assert_frame_equal(first, again)
    assert list(first) == ["label", "probability of no", "probability of yes"]
    truth = pd.read_csv(mixed_table)["label"]
    assert (first["label"] == truth).mean() > 0.7


@pytest.mark.parametrize(
    "text, message",
    [
        ("a,b\n1,\n2,x\n", "1 rows of .* have no value of b"),
        ("a,b\n1,x\n2,x\n", "only one class"),
        ("b\nx\ny\n", "no column beside the target"),
        ("a,b\n", "has no rows"),
        ("", "cannot be read as a table"),
        ("a,b\n1,0.5\n2,0.7\n", "holds fractions"),
    ],
)
def test_tables_that_cannot_be_fitted(tmp_path, text, message):
    with pytest.raises(UserError, match=message):
        fit_table(write(tmp_path, text), DummyClassifier())


def test_unknown_columns_are_named(mixed_table, tmp_path):
    with pytest.raises(UserError, match=r"no column 'lable' in .*; did you mean label"):
        fit_table(mixed_table, DummyClassifier(), "lable")
    fitted = fit_table(mixed_table, KNeighborsClassifier(), "label")
    with pytest.raises(UserError, match="lacks columns of the model: colour, count"):
        predict_table(fitted, write(tmp_path, "size\n1\n"))
    with pytest.raises(UserError, match="SVC gives no probabilities"):
        predict_table(fit_table(mixed_table, SVC(), "label"), mixed_table, probabilities=True)


def nearest(folder, text, **options):
    """Return a model that repeats the training rows."""
    return fit_table(write(folder, text, "train.csv"), KNeighborsClassifier(1), **options)


def test_labels_come_back_as_they_are_written(tmp_path):
    labels = ["NA", "01", "1", "1.0", "null", "True", "-0", " x", "1e3"]
    rows = "".join(f"{number},{label}\n" for number, label in enumerate(labels))
    fitted = nearest(tmp_path, "a,target\n" + rows)
    predicted = predict_table(fitted, tmp_path / "train.csv")
    assert list(predicted["target"]) == labels
    loaded = load_model(save_model(fitted, tmp_path / "m.skops"))
    assert list(predict_table(loaded, tmp_path / "train.csv")["target"]) == labels


def test_categories_are_texts_as_they_are_written(tmp_path):
    codes = ["NA", "01", "1", "x"]
    rows = "".join(f"{code},{number}\n" for number, code in enumerate(codes))
    fitted = nearest(tmp_path, "code,target\n" + rows)
    assert fitted["columns"] == {"code": "category"}
    # Alone, each of these would be read as a number or as a missing value.
    for number, code in enumerate(codes):
        predicted = predict_table(fitted, write(tmp_path, f"code\n{code}\n"))
        assert list(predicted["target"]) == [str(number)]


def test_a_category_that_is_empty_in_the_new_table_is_missing(tmp_path):
    fitted = nearest(tmp_path, "code,size,target\nx,1,a\n,1,b\ny,1,c\n")
    predicted = predict_table(fitted, write(tmp_path, "code,size\n,1\n,1\n"))
    assert list(predicted["target"]) == ["b", "b"]


def test_words_for_missing_values_in_columns_of_numbers(tmp_path):
    cells = ["NA", "n/a", "?", "", "NaN", "null", "None", "#N/A", " NA "]
    rows = "".join(f"{cell},no\n" for cell in cells)
    path = write(tmp_path, "size,target\n1,yes\n2.5,no\n" + rows)
    X = read_labelled(path).X
    assert X["size"].dtype == float and X["size"].isna().sum() == len(cells)
    fitted = fit_table(path, DummyClassifier())
    assert fitted["columns"] == {"size": "number"}
    new = write(tmp_path, "size\n" + "\n".join(f'"{cell}"' for cell in cells) + "\n", "new.csv")
    assert len(predict_table(fitted, new)) == len(cells)


def test_a_column_of_nothing_but_a_word_for_missing_is_a_category(tmp_path):
    X = read_labelled(write(tmp_path, "a,target\nNA,1\nNA,2\n")).X
    assert list(X["a"]) == ["NA", "NA"]


def test_what_is_no_number_where_numbers_were_is_named(tmp_path):
    fitted = nearest(tmp_path, "size,target\n1,a\n2,b\n")
    with pytest.raises(UserError, match=r"new.csv, column size, row 2 .*: 'tall' is no number"):
        predict_table(fitted, write(tmp_path, "size\n1\ntall\n", "new.csv"))
    with pytest.raises(UserError, match=r"column size, row 1 .*: .*True.* is no number"):
        predict_table(fitted, write(tmp_path, "size\nTrue\nFalse\n", "new.csv"))
    with pytest.raises(UserError, match=r"column size, row 2 .* inf is no finite number"):
        predict_table(fitted, write(tmp_path, "size\n1\ninf\n", "new.csv"))


def test_truth_values_are_numbers_with_two_names(tmp_path):
    fitted = nearest(tmp_path, "old,target\nTrue,a\nFalse,b\n")
    assert fitted["columns"] == {"old": "truth value"}
    for text, expected in (("TRUE\nfalse\n", "ab"), ("true\n", "a"), ("1\n0\n", "ab")):
        predicted = predict_table(fitted, write(tmp_path, "old\n" + text))
        assert "".join(predicted["target"]) == expected
    # Missing ones are the mean, as for other numbers.
    assert len(predict_table(fitted, write(tmp_path, "old,x\n,1\nNA,2\nTrue,3\n"))) == 3
    with pytest.raises(UserError, match="'maybe' is no truth value"):
        predict_table(fitted, write(tmp_path, "old\nmaybe\n"))


def test_a_column_that_was_empty_is_not_asked_for(tmp_path):
    fitted = nearest(tmp_path, "a,b,target\n1,,x\n2,,y\n")
    assert fitted["columns"] == {"a": "number"}
    for new in ("a\n1\n2\n", "a,b\n1,now\n2,it is\n"):
        assert list(predict_table(fitted, write(tmp_path, new))["target"]) == ["x", "y"]
    with pytest.raises(UserError, match=r"Every column .* is empty"):
        nearest(tmp_path, "a,b,target\n,,x\n,,y\n")


def test_very_long_numbers_are_numbers(tmp_path):
    path = write(tmp_path, f"a,b,target\n{10**30},{2**63},x\n2,,y\n")
    X = read_labelled(path).X
    assert list(X.dtypes) == [float, float] and X["b"].isna().tolist() == [False, True]


def test_columns_that_the_model_does_not_know_are_not_read(tmp_path):
    fitted = nearest(tmp_path, "a,target\n1,x\n2,y\n")
    new = write(tmp_path, "note,a,target,far\nhello,2,?,inf\n")
    assert list(predict_table(fitted, new)["target"]) == ["y"]


class TestParquet:
    """Columns of a Parquet file have types, and a model keeps to those it was fitted to."""

    @pytest.fixture(autouse=True)
    def _pyarrow(self):
        pytest.importorskip("pyarrow")

    def test_it_is_read_like_csv(self, mixed_table, tmp_path):
        frame = read_frame(mixed_table)
        frame.to_parquet(tmp_path / "mixed.parquet", index=False)
        pd.testing.assert_frame_equal(
            read_frame(tmp_path / "mixed.parquet"), frame, check_dtype=False
        )
        fitted = fit_table(tmp_path / "mixed.parquet", KNeighborsClassifier(), "label")
        assert len(predict_table(fitted, mixed_table)) == 90

    def test_numbers_are_texts_where_categories_were(self, tmp_path):
        fitted = nearest(tmp_path, "code,target\n1,a\n2,b\nx,c\n")
        for codes in ([1, 2], [1.0, 2.0], pd.Categorical([1, 2])):
            pd.DataFrame({"code": codes}).to_parquet(tmp_path / "new.parquet")
            predicted = predict_table(fitted, tmp_path / "new.parquet")
            assert list(predicted["target"]) == ["a", "b"]

    def test_an_index_is_no_column(self, tmp_path):
        frame = pd.DataFrame({"a": [1, 2], "target": ["x", "y"]}, index=["first", "second"])
        frame.to_parquet(tmp_path / "t.parquet")
        assert list(read_frame(tmp_path / "t.parquet")) == ["a", "target"]

    @pytest.mark.parametrize(
        "values, message",
        [
            ([b"1", b"2"], "kind 'bytes'"),
            ([[1], [2]], "kind 'mixed'"),
        ],
    )
    def test_values_that_are_no_numbers_and_no_categories(self, values, message, tmp_path):
        frame = pd.DataFrame({"when": values, "target": [0, 1]})
        frame.to_parquet(tmp_path / "t.parquet")
        with pytest.raises(UserError, match=f"Column when of .* {message}"):
            fit_table(tmp_path / "t.parquet", DummyClassifier())

    def test_labels_keep_their_type(self, tmp_path):
        pd.DataFrame({"a": [1, 2], "target": [10, 20]}).to_parquet(tmp_path / "t.parquet")
        fitted = fit_table(tmp_path / "t.parquet", KNeighborsClassifier(1))
        assert predict_table(fitted, tmp_path / "t.parquet")["target"].tolist() == [10, 20]

    def test_a_damaged_file_and_one_too_large(self, tmp_path):
        (tmp_path / "t.parquet").write_bytes(b"PAR1 no PAR1")
        with pytest.raises(UserError, match="cannot be read as a table"):
            read_frame(tmp_path / "t.parquet")
        pd.DataFrame({"a": np.zeros(10_000)}).to_parquet(tmp_path / "t.parquet")
        with pytest.raises(UserError, match="--max-size"):
            read_frame(tmp_path / "t.parquet", max_bytes=1000)
