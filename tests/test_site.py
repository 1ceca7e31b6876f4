"""The documentation: its examples run, its abilities are true, nothing public is missing."""

import doctest
import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.datasets import make_blobs

from kernsemble.documentation import ADDRESS

DOCS = Path(__file__).parents[1] / "docs"
if not (DOCS / "conf.py").exists():
    pytest.skip("the documentation is not beside the tests", allow_module_level=True)
sys.path.append(str(DOCS / "_ext"))

PAGES = sorted(
    page
    for page in DOCS.rglob("*.md")
    if not {"_build", "auto_examples", "api"}.intersection(page.relative_to(DOCS).parts)
)
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize(
    "page", [p for p in PAGES if ">>>" in p.read_text("utf-8")], ids=lambda page: page.name
)
def test_the_examples_of_a_page_run(page):
    found = doctest.testfile(
        str(page), module_relative=False, optionflags=LENIENT, encoding="utf-8"
    )
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_picture_has_words_that_replace_it(page):
    text = page.read_text("utf-8")
    pictures = re.findall(r"```\{(?:image|figure)\}[^`]*```", text)
    assert not [picture for picture in pictures if ":alt:" not in picture]
    assert not re.findall(r"!\[\]\(", text)


@pytest.fixture(scope="module")
def abilities():
    pytest.importorskip("docutils")
    from capabilities import capabilities

    return capabilities()


def fit(name, X, y):
    import kernsemble

    cls = getattr(kernsemble, name)
    settings = {"n_estimators": 3, "random_state": 0}
    known = cls().get_params()
    return cls(**{key: value for key, value in settings.items() if key in known}).fit(X, y)


X, Y = make_blobs(60, n_features=3, centers=3, random_state=0)
HOLES = np.where(np.random.RandomState(0).rand(*X.shape) < 0.1, np.nan, X)
GIVEN = {
    "sparse rows": sparse.csr_array(np.abs(X)),
    "missing values": HOLES,
    "categories": np.column_stack([X.astype(object), np.array(["red", "blue"])[Y % 2]]),
}


def names():
    import kernsemble

    return [name for name in kernsemble.__all__ if name.endswith("Classifier")]


@pytest.mark.parametrize("ability", GIVEN)
@pytest.mark.parametrize("name", names())
def test_the_table_of_abilities_is_true(name, ability, abilities):
    if abilities[name][ability]:
        clf = fit(name, GIVEN[ability], Y)
        assert clf.predict(GIVEN[ability]).shape == (60,)
    else:
        with pytest.raises((ValueError, TypeError)):
            fit(name, GIVEN[ability], Y)


@pytest.mark.parametrize("name", names())
def test_the_table_of_abilities_is_true_of_classes_and_chunks(name, abilities):
    assert abilities[name]["several classes"]
    fitted = fit(name, X, Y)
    assert_array_equal(fitted.classes_, [0, 1, 2])
    assert_array_equal(fitted.predict_proba(X).shape, (60, 3))
    chunks = [(X[:30], Y[:30]), (X[30:], Y[30:])]
    if abilities[name]["chunks and dask"]:
        assert fit(name, chunks, None).predict(X).shape == (60,)
    else:
        with pytest.raises(TypeError, match="in memory"):
            fit(name, chunks, None)


@pytest.mark.parametrize("name", names())
def test_the_table_of_abilities_is_true_of_rows_that_arrive_and_of_jobs(name, abilities):
    import kernsemble

    clf = getattr(kernsemble, name)()
    assert abilities[name]["n_jobs"] == ("n_jobs" in clf.get_params())
    assert abilities[name]["partial_fit"] == hasattr(clf, "partial_fit")
    if abilities[name]["partial_fit"]:
        clf.partial_fit(X[:30], Y[:30], classes=[0, 1, 2]).partial_fit(X[30:], Y[30:])
        assert_array_equal(clf.predict_proba(X).shape, (60, 3))


def test_the_table_of_costs_has_every_classifier():
    pytest.importorskip("docutils")
    from capabilities import SIZES, cost_cells, costs

    measured = costs()
    assert sorted(measured) == sorted(names())
    assert all(set(times) == set(SIZES) for times in measured.values())
    assert cost_cells(dict(zip(SIZES, (0.25, 4.0, 0.5)))) == ["0.25 s", "× 16", "× 2"]


@pytest.mark.parametrize("name", [*names(), "EmpiricalKernelMap"])
def test_the_picture_of_an_estimator_links_to_its_page(name):
    import kernsemble

    page = f"{ADDRESS}/api/generated/kernsemble.{name}.html"
    assert page in getattr(kernsemble, name)()._repr_html_()


def test_the_address_of_the_site_is_the_same_everywhere():
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["urls"]["Documentation"] == ADDRESS
