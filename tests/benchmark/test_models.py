"""Models of tables: mixed columns in, safe files between, predictions out."""

import numpy as np
import pandas as pd
import pytest
import skops.io

from kernsemble.benchmark.methods import is_own, list_methods
from kernsemble.errors import UserError
from kernsemble.frames.models import fit_table, load_model, predict_table, save_model
from kernsemble.frames.tables import make_features, read_frame, split_target


def test_numbers_categories_and_holes_become_features(mixed_table):
    X, y = split_target(read_frame(mixed_table), "label")
    Z = make_features(X).fit_transform(X)
    # Two numbers, one column of holes, three colours and the colour that is missing.
    assert Z.shape == (90, 7)
    assert np.isfinite(Z).all() and set(y) == {"yes", "no"}
    new = X.iloc[:2].copy()
    new["colour"] = "violet"
    assert np.isfinite(make_features(X).fit(X).transform(new)).all()


def test_a_column_of_names_does_not_become_a_column_per_row():
    X = pd.DataFrame({"name": [f"row {number}" for number in range(500)]})
    assert make_features(X).fit_transform(X).shape[1] <= 50


def test_fit_save_load_predict(mixed_table, tmp_path):
    fitted = fit_table(mixed_table, "label", "LandmarkRidge", {"n_estimators": 3})
    path = save_model(fitted, tmp_path / "model.skops")
    loaded = load_model(path)
    assert loaded["target"] == "label" and loaded["made"]["rows"] == 90
    first = predict_table(fitted, mixed_table, probabilities=True)
    again = predict_table(loaded, mixed_table, probabilities=True)
    pd.testing.assert_frame_equal(first, again)
    assert list(first) == ["label", "probability of no", "probability of yes"]
    truth = pd.read_csv(mixed_table)["label"]
    assert (first["label"] == truth).mean() > 0.7


OWN = [name for name, method in list_methods().items() if is_own(method)]


@pytest.mark.parametrize("method", OWN)
def test_every_method_goes_through_a_file(method, mixed_table, tmp_path):
    fitted = fit_table(mixed_table, "label", method)
    loaded = load_model(save_model(fitted, tmp_path / "model.skops"))
    pd.testing.assert_frame_equal(
        predict_table(fitted, mixed_table), predict_table(loaded, mixed_table)
    )


def test_a_file_cannot_bring_its_own_types(tmp_path):
    skops.io.dump({"model": pd.DataFrame.sum}, tmp_path / "model.skops")
    with pytest.raises(UserError, match="not trusted: pandas"):
        load_model(tmp_path / "model.skops")


def test_files_that_are_no_models(tmp_path):
    with pytest.raises(UserError, match="There is no model"):
        load_model(tmp_path / "absent.skops")
    (tmp_path / "text.skops").write_text("no zip file")
    with pytest.raises(UserError, match="is not a model file"):
        load_model(tmp_path / "text.skops")
    skops.io.dump([1, 2], tmp_path / "list.skops")
    with pytest.raises(UserError, match="holds no model"):
        load_model(tmp_path / "list.skops")


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
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        fit_table(path)


def test_unknown_columns_are_named(mixed_table, tmp_path):
    with pytest.raises(UserError, match=r"no column in .* 'lable'; did you mean label"):
        fit_table(mixed_table, "lable")
    fitted = fit_table(mixed_table, "label", "NearestNeighbours")
    (tmp_path / "short.csv").write_text("size\n1\n")
    with pytest.raises(UserError, match="lacks columns of the model: colour, count"):
        predict_table(fitted, tmp_path / "short.csv")
    with pytest.raises(UserError, match="SVC gives no probabilities"):
        predict_table(fit_table(mixed_table, "label", "SVM"), mixed_table, probabilities=True)


def test_parquet_is_read_like_csv(mixed_table, tmp_path):
    pytest.importorskip("pyarrow")
    frame = read_frame(mixed_table)
    frame.to_parquet(tmp_path / "mixed.parquet")
    assert read_frame(tmp_path / "mixed.parquet").shape == frame.shape
    predicted = predict_table(fit_table(tmp_path / "mixed.parquet", "label"), mixed_table)
    assert len(predicted) == 90
