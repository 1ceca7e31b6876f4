"""The page of a model works in a real browser: threshold, sorting, rows, downloads, themes."""

import csv

import numpy as np
import pandas as pd
import pytest

from kernsemble import KernelEnsembleClassifier
from kernsemble.frames.features import make_model
from kernsemble.report import write_model_page
from tests.report.browser import CHROMIUM, Browser, save_every_part
from tests.report.made_up import NASTY

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

ALL = "const all = (selector) => Array.from(document.querySelectorAll(selector));"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page with a category of strange names, missing values and a group."""
    rng = np.random.RandomState(0)
    x, colour = rng.randn(160), rng.choice(["red", "<b>blue</b>", "green"], 160)
    X = pd.DataFrame({"size": x, NASTY: colour, "noise": rng.randn(160)})
    X.loc[::9, "size"] = np.nan
    y = np.where(x + (colour == "red") + 0.5 * rng.randn(160) > 0.4, NASTY, "no")
    clf = make_model(X, KernelEnsembleClassifier(["gaussian", "ranks"], random_state=0)).fit(X, y)
    return write_model_page(clf, X, y, tmp_path_factory.mktemp("page") / "page.html", by=NASTY)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(params=[1300, 768, 400])
def opened(request, browser, page):
    """The page at the widths of a desktop, a tablet and a phone; it must have made no error."""
    browser.problems.clear()
    browser.open(page, request.param)
    yield browser
    assert browser.problems == []


def test_threshold_sorting_and_rows_of_a_cell(opened):
    found = opened.run(f"""{ALL}
      const text = (id) => document.getElementById(id).textContent, found = {{}};
      const slider = document.getElementById("threshold");
      const move = (value) => {{
        slider.value = value;
        slider.dispatchEvent(new Event("input"));
        return ["found", "false", "recall"].map((name) => text("out-" + name));
      }};
      found.low = move(0.1);
      found.high = move(0.9);
      document.getElementById("cost-missed").value = 50;
      document.getElementById("threshold-best").click();
      found.best = Number(text("out-threshold"));
      document.querySelectorAll("#by-class thead button")[1].click();
      found.sorted = all("#by-class tbody tr").map((row) => Number(row.cells[1].textContent));
      document.querySelector("button[data-cell]").click();
      const dialog = document.getElementById("drill-down");
      found.dialog = dialog.open;
      found.rows = dialog.querySelectorAll("tbody tr").length;
      dialog.querySelector(".close").click();
      found.closed = !dialog.open;
      return found;""")
    assert found["low"] != found["high"] and found["best"] < 0.5
    assert found["sorted"] == sorted(found["sorted"], reverse=True)
    assert found["dialog"] and found["closed"] and found["rows"] >= 1


def test_nothing_leaves_its_place(opened):
    found = opened.run(f"""{ALL}
      const box = (part) => part.getBoundingClientRect();
      const texts = all("p, figcaption, h2, h3").map((part) => {{
        const range = document.createRange();
        range.selectNodeContents(part);
        return [part.textContent, range.getBoundingClientRect()];
      }});
      const overlaps = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
        && a.top < b.bottom - 1 && b.top < a.bottom - 1;
      return {{
        overflow: document.documentElement.scrollWidth - screen.width,
        cut: all("figure svg").flatMap((picture) =>
          Array.from(picture.querySelectorAll("text")).filter((one) => {{
            const [inner, outer] = [box(one), box(picture)];
            return inner.left < outer.left - 2 || inner.right > outer.right + 2;
          }}).map((one) => one.textContent)),
        covered: all(".tool").flatMap((tool) =>
          texts.filter(([, own]) => overlaps(own, box(tool))).map(([text]) => text)),
        smallest: Math.min(...all("p, td, th, figcaption, button, .sd")
          .map((part) => parseFloat(getComputedStyle(part).fontSize))),
      }};""")
    assert found["overflow"] <= 0, "the page itself must not scroll sideways"
    assert found["cut"] == [], "names must not leave their picture"
    assert found["covered"] == [], "a button must not stand on a text"
    assert found["smallest"] >= 12


def test_every_table_and_picture_can_be_saved(browser, page, tmp_path):
    browser.open(page, 1300)
    browser.save_to(tmp_path)
    n_parts = browser.run(f'{ALL} return all("[data-name]").length;')
    n_tools = browser.run(f'{ALL} return all(".tool:not(.theme)").length;')
    n_open = browser.run(f'{ALL} return all("main table, main figure").length;')
    assert n_parts == n_tools == n_open >= 12, "every table and picture has a button"
    save_every_part(browser, tmp_path, n_parts)
    with open(tmp_path / "Confusion-matrix.csv", newline="") as saved:
        rows = list(csv.reader(saved))
    assert [row[0] for row in rows] == ["label", NASTY, "no"]
    assert sum(int(cell) for row in rows[1:] for cell in row[1:]) == 160


def test_colours_follow_the_system_and_the_switch(browser, page):
    paper = "return getComputedStyle(document.body).backgroundColor;"
    click = 'document.querySelector(".theme").click();'
    browser.run('localStorage.removeItem("kernsemble-theme");')
    browser.open(page, 400, dark=True)
    dark = browser.run(paper)
    browser.open(page, 400)
    light = browser.run(paper)
    assert dark != light
    assert browser.run(f"{click} {click} {paper}") == dark
    assert browser.run(f"{click} {paper}") == light
