"""The page of a model says what the model says, and escapes names."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, log_loss, roc_auc_score
from sklearn.pipeline import make_pipeline

from kernsemble import KernelEnsembleClassifier, KernelRidgeClassifier
from kernsemble.ensembles.race import Round
from kernsemble.errors import UserError
from kernsemble.frames.features import make_model
from kernsemble.report import write_model_page
from kernsemble.report.model_data import collect_model
from kernsemble.report.model_measures import by_group, measure, sets_by_confidence
from kernsemble.report.model_page import render_model, summarise_model

NASTY = '<script>alert("x")</script> & "set"'
RNG = np.random.RandomState(0)


def mixed_table(n_rows=160):
    """Return a table with a number, a category with a strange name, and gaps."""
    x, colour = RNG.randn(n_rows), RNG.choice(["red", "<b>blue</b>", "green"], n_rows)
    y = np.where(x + (colour == "red") + 0.5 * RNG.randn(n_rows) > 0.4, NASTY, "no")
    table = pd.DataFrame({"size": x, NASTY: colour, "noise": RNG.randn(n_rows)})
    table.loc[::9, "size"] = np.nan
    return table, y


@pytest.fixture(scope="module")
def fitted():
    X, y = mixed_table()
    members = KernelEnsembleClassifier(["gaussian", "ranks"], random_state=0)
    features = make_model(X, LogisticRegression())[0]
    return make_pipeline(features, members).fit(X, y), X, y


@pytest.fixture(scope="module")
def data(fitted):
    return collect_model(*fitted, by=[NASTY], command="kernsemble fit <table>")


def test_measures_agree_with_scikit_learn():
    P = RNG.dirichlet(np.ones(3), 80)
    codes = np.array([RNG.choice(3, p=p) for p in P])
    found = measure(P, codes)
    assert found["accuracy"].value == pytest.approx(np.mean(P.argmax(axis=1) == codes))
    assert found["log-loss"].value == pytest.approx(log_loss(codes, P))
    expected = balanced_accuracy_score(codes, P.argmax(axis=1))
    assert found["balanced accuracy"].value == pytest.approx(expected)
    area = roc_auc_score(codes, P, multi_class="ovr")
    assert found["area under ROC"].value == pytest.approx(area)
    squares = np.sum((P - np.eye(3)[codes]) ** 2, axis=1)
    assert found["Brier score"].value == pytest.approx(squares.mean())
    for one in found.values():
        assert one.low < one.value < one.high
    two = np.column_stack([1 - P[:, 0], P[:, 0]]).round(1)
    area = roc_auc_score(codes == 0, two[:, 1])
    assert measure(two, (codes == 0).astype(int))["area under ROC"].value == pytest.approx(area)


def test_groups_that_are_worse_are_said():
    codes = np.zeros(300, dtype=int)
    P = np.tile([0.9, 0.1], (300, 1))
    P[:100] = [0.2, 0.8]
    found = by_group(P, codes, np.repeat(["bad", "good", "fine"], 100))
    assert found[0]["name"] == "bad" and found[0]["worse"]
    assert sum(group["worse"] for group in found) == 1
    quarters = by_group(P, codes, np.arange(300.0))
    assert len(quarters) == 4 and sum(group["rows"] for group in quarters) == 300


def test_sets_count_coverage_and_size():
    P, codes = np.array([[0.9, 0.1], [0.5, 0.5], [0.3, 0.7]]), np.array([0, 1, 0])
    (found,) = sets_by_confidence(P, codes, lambda confidence: 0.4, [0.9])
    assert found["coverage"] == pytest.approx(2 / 3) and found["size"] == pytest.approx(4 / 3)
    assert found["worst"] == pytest.approx(0.5) and found["single"] == pytest.approx(2 / 3)


def test_what_is_collected_follows_from_the_model(fitted, data):
    clf, X, y = fitted
    assert data.measures["accuracy"].value == pytest.approx(clf[-1].honest_accuracy_)
    assert data.confusion.sum() == len(y) and data.confusion.trace() / len(y) == pytest.approx(
        clf[-1].honest_accuracy_
    )
    assert [column["kind"] for column in data.columns] == ["number", "category", "number"]
    assert data.columns[0]["missing"] == pytest.approx(X["size"].isna().mean())
    assert data.importances.names[data.importances.order[-1]] == "noise"
    assert_allclose(data.thresholds[1]["inside"][0], np.sum(y == clf.classes_[1]))
    cells = {key: len(rows) for key, rows in data.listed.items()}
    assert all(cells[f"{i} {j}"] <= data.confusion[i, j] for i, j in np.argwhere(data.confusion))
    assert next(iter(summarise_model(data))).startswith("About")


def test_a_race_of_several_rounds_is_drawn(data):
    assert "The race over time" not in render_model(data, "page")
    rounds = [Round(50, 3, 0.6, 1.0), Round(100, 2, 0.5, 2.5)]
    page = render_model(replace(data, race=rounds), "page")
    assert "The race over time" in page and "100 rows" in page


def test_names_are_escaped_and_nothing_is_fetched(fitted, tmp_path):
    page = write_model_page(*fitted, tmp_path / "page.html", by=NASTY, title=NASTY).read_text()
    assert "<script>alert" not in page and "<b>blue" not in page
    assert not re.findall(r"(?:src|href)=[\"'](?!#)", page)
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    embedded = json.loads(re.search(r'id="details">(.*?)</script>', page, re.S).group(1))
    assert NASTY in embedded["classes"]


def test_arrays_and_a_machine_alone(tmp_path):
    X, y = RNG.randn(60, 2), np.arange(60) % 3
    X[:, 0] += 2 * y
    clf = KernelRidgeClassifier(random_state=0).fit(X, y)
    page = write_model_page(clf, X, y, tmp_path / "page.html").read_text()
    assert "KernelRidgeClassifier" in page and 'id="members"' not in page and ">x0<" in page


def test_what_is_wrong_is_said(fitted, tmp_path):
    clf, X, y = fitted
    with pytest.raises(UserError, match="rows and labels that the model was fitted to"):
        write_model_page(clf, X, y[::-1], tmp_path / "page.html")
    with pytest.raises(UserError, match="no column 'absent'"):
        write_model_page(clf, X, y, tmp_path / "page.html", by="absent")
    with pytest.raises(UserError, match="needs a kernsemble classifier"):
        write_model_page(LogisticRegression(), X, y, tmp_path / "page.html")
    with pytest.raises(UserError, match="cannot be written"):
        write_model_page(clf, X, y, tmp_path / "absent" / "page.html")


def test_numbers_of_few_values_come_in_their_order():
    X = pd.DataFrame({"count": [3, 1, 2, 1, 3, 2] * 10})
    y = (X["count"] > 1).to_numpy().astype(int)
    data = collect_model(KernelRidgeClassifier(random_state=0).fit(X, y), X, y)
    assert data.dependence[0]["values"] == [1, 2, 3]
