"""The report works in a real browser: switch, sorting, downloads, themes, windows, keyboard."""

import csv
import os
from pathlib import Path

import pytest

from kernsemble.benchmark.ledger import Ledger
from kernsemble.report import write_report
from tests.report.browser import CHROMIUM, Browser, save_every_part
from tests.report.made_up import NASTY, fill

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

METHODS = ("KernelPCAEnsemble of RBF + Poly", "beta", "gamma", "HistGradientBoosting 500")
ALL = "const all = (selector) => Array.from(document.querySelectorAll(selector));"


def measures(number, place):
    """Return further measures by which the first method is the best."""
    loss = 0.3 + 0.1 * place + 0.01 * number
    return {"log_loss": loss, "auc": 0.9 - 0.02 * place, "model_bytes": 1e5 * (place + 1)}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    with Ledger(folder / "ledger.sqlite") as ledger:
        fill(ledger, 12, METHODS, failures={("beta", 3)}, nasty=True, further=measures)
        return write_report(ledger, folder / "report.html")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(params=[1300, 400])
def opened(request, browser, page):
    """The page at the width of a desktop and of a phone; it must have made no error."""
    browser.problems.clear()
    browser.open(page, request.param)
    yield browser
    assert browser.problems == []


def test_sorting(opened):
    found = opened.run(f"""{ALL}
      const column = () => all("#accuracies tbody tr td:nth-child(2)")
        .map((cell) => Number(cell.dataset.value));
      const heads = document.querySelectorAll("#accuracies thead button");
      heads[1].click(); const descending = column();
      heads[1].click(); const ascending = column();
      heads[0].click();
      const names = all("#accuracies tbody tr").map((row) => row.cells[0].textContent.trim());
      const sorted = document.querySelector("#accuracies thead th").getAttribute("aria-sort");
      return {{ descending, ascending, names, sorted }};""")
    assert found["descending"] == sorted(found["descending"], reverse=True)
    assert found["ascending"] == sorted(found["ascending"])
    assert found["sorted"] == "ascending" and found["names"][-1] == "set 11"


def test_the_window_of_a_data_set(opened):
    found = opened.run("""
      document.querySelector("button[data-dataset]").click();
      const dialog = document.getElementById("drill-down");
      const state = () => [dialog.open, dialog.querySelector("h2").textContent,
        dialog.querySelectorAll("tbody tr").length, dialog.querySelectorAll("circle").length];
      const first = state();
      dialog.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
      const second = state();
      dialog.querySelector(".close").click();
      return { first, second, closed: !dialog.open };""")
    assert found["first"] == [True, NASTY, 4, 12] and found["second"][:3] == [True, "set 1", 4]
    assert found["closed"]


def test_the_measure_switch_draws_everything_again(opened):
    found = opened.run(f"""{ALL}
      const select = document.getElementById("measure"), seen = {{}};
      const cut = () => all("figure[data-name] svg").flatMap((picture) =>
        Array.from(picture.querySelectorAll("text")).filter((text) => {{
          const inner = text.getBoundingClientRect(), outer = picture.getBoundingClientRect();
          return inner.left < outer.left - 1 || inner.right > outer.right + 1;
        }}).map((text) => text.textContent));
      for (const measure of Array.from(select.options, (option) => option.value)) {{
        select.value = measure;
        select.dispatchEvent(new Event("change"));
        for (let k = 0; k < 200 && views.current() !== measure; k += 1)
          await new Promise((done) => setTimeout(done, 20));
        seen[measure] = {{
          hash: location.hash,
          texts: all("main h2, main td, main svg text").map((part) => part.textContent).join(" "),
          heading: document.querySelector("#ranking h2").textContent.trim(),
          first: document.querySelector("#ranking tbody td").textContent.trim(),
          tools: all("main .tool").length, parts: all("main [data-name]").length,
          unsorted: all("main table.sortable th:not(:has(button))").length,
          overflow: document.documentElement.scrollWidth - screen.width,
          cut: cut(),
          smallest: Math.min(...all("p, td, th, figcaption, button, .sd")
            .map((part) => parseFloat(getComputedStyle(part).fontSize))),
        }};
      }}
      return seen;""")
    cost = ["fit_seconds", "predict_seconds", "model_bytes"]
    assert list(found) == ["accuracy", "log_loss", "auc", *cost]
    assert found["accuracy"]["first"] == METHODS[-1] and found["log_loss"]["first"] == METHODS[0]
    assert found["log_loss"]["heading"].startswith("Ranking by log-loss")
    assert found["log_loss"]["hash"] == "#@log_loss" and "@" not in found["accuracy"]["hash"]
    assert len({view["texts"] for view in found.values()}) == len(found)
    for view in found.values():
        assert view["tools"] == view["parts"] >= 10 and view["unsorted"] == 0
        assert view["overflow"] <= 0, "the page itself must not scroll sideways"
        assert view["cut"] == [], "names must not leave their picture"
        assert view["smallest"] >= 12


def test_the_last_measure_is_shown_however_quickly_they_change(opened):
    found = opened.run("""
      const select = document.getElementById("measure"), seen = [];
      const quickly = async (...measures) => {
        for (const measure of measures) {
          select.value = measure;
          select.dispatchEvent(new Event("change"));
        }
        await new Promise((done) => setTimeout(done, 1500));
        const heading = document.querySelector("#ranking h2").textContent;
        seen.push([views.current(), select.value, heading]);
      };
      await quickly("auc", "log_loss", "auc", "accuracy");
      await quickly("log_loss", "auc", "log_loss");
      return seen;""")
    assert [view[:2] for view in found] == [["accuracy"] * 2, ["log_loss"] * 2]
    assert "accuracy" in found[0][2] and "log-loss" in found[1][2]


def test_a_link_names_section_and_measure(opened):
    found = opened.run("""
      location.hash = "#ratings@auc";
      for (let k = 0; k < 200 && views.current() !== "auc"; k += 1)
        await new Promise((done) => setTimeout(done, 20));
      await new Promise((done) => setTimeout(done, 100));
      const link = document.querySelector("#pairs .anchor");
      link.click();
      return [document.getElementById("ranking").textContent.includes("AUC"), location.hash];""")
    assert found == [True, "#pairs@auc"]


def test_every_table_and_picture_can_be_saved(opened, tmp_path):
    opened.save_to(tmp_path)
    window = 'document.querySelector("button[data-dataset]").click();'
    n_parts = opened.run(f'{ALL} {window} return all("[data-name]").length;')
    save_every_part(opened, tmp_path, n_parts, window)
    with open(tmp_path / "accuracy-by-data-set.csv", newline="") as opened_file:
        rows = list(csv.reader(opened_file))
    assert len(rows) == 13 and rows[0][:2] == ["data set", METHODS[-1]]
    assert rows[0][2] == f"{METHODS[-1]}: standard deviation"
    assert {row[0] for row in rows} >= {NASTY, "set 1"} and any("failed" in row for row in rows)
    assert all(len(row) == len(rows[0]) for row in rows)
    assert 60 < float(rows[2][1]) < 100 and 0 < float(rows[2][2]) < 1


def test_colours_follow_the_system_and_the_switch(browser, page):
    paper = "return getComputedStyle(document.body).backgroundColor;"
    click = 'const theme = document.querySelector(".theme"); theme.click();'
    browser.open(page, 400, dark=True)
    dark = browser.run(paper)
    browser.open(page, 400)
    light = browser.run(paper)
    assert dark != light
    assert browser.run(f"{click} return theme.textContent;").endswith("Light")
    assert browser.run(f"{click} {paper}") == dark
    kept = 'return localStorage.getItem("kernsemble-theme");'
    assert browser.run(kept) == "dark"
    # When a browser writes what a page keeps is its own affair, so the next page finds it there.
    known = 'localStorage.setItem("kernsemble-theme", "dark");'
    script = browser.ask("Page.addScriptToEvaluateOnNewDocument", source=known)["identifier"]
    browser.open(page, 400)
    browser.ask("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
    assert browser.run(paper) == dark, "the choice is kept"
    assert browser.run(f"{click} {paper}") == light


@pytest.mark.parametrize("width", [1300, 400])
@pytest.mark.parametrize("dark", [False, True])
def test_pictures_of_the_page(browser, page, tmp_path, width, dark):
    folder = Path(os.environ.get("KERNSEMBLE_ARTIFACTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    picture = folder / f"report-{width}-{'dark' if dark else 'light'}.png"
    browser.open(page, width, 2600, dark)
    browser.picture(picture)
    assert picture.stat().st_size > 20_000


def test_without_scripts_the_chosen_measure_is_shown(browser, page):
    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(page, 1300)
        root = browser.ask("DOM.getDocument", depth=0)["root"]["nodeId"]

        def text_of(selector):
            node = browser.ask("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
            return browser.ask("DOM.getOuterHTML", nodeId=node)["outerHTML"]

        assert "Ranking by accuracy" in text_of("#ranking")
        assert "hidden" in text_of(".switch")[:40]
    finally:
        browser.ask("Emulation.setScriptExecutionDisabled", value=False)
