"""The report says what the results say, escapes names, and works in a real browser."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from kernsemble.benchmark.ledger import Cell, Ledger
from kernsemble.benchmark.measure_list import MEASURES
from kernsemble.benchmark.methods import Method
from kernsemble.benchmark.protocols import PROTOCOLS
from kernsemble.environment import code_version
from kernsemble.errors import UserError
from kernsemble.report import figures, write_report
from kernsemble.report.plot_data import collect
from kernsemble.report.words import describe_p, listed, summarise

NASTY = '<script>alert("x")</script> & "set"'
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def fill(
    ledger,
    n_datasets=6,
    methods=("alpha", "beta", "gamma"),
    *,
    failures=(),
    nasty=False,
    step=0.015,
):
    """Write made-up results: each method is better than the one before it by `step`."""
    rng = np.random.RandomState(0)
    protocol = PROTOCOLS["kfold"].definition()
    for number in range(n_datasets):
        dataset = NASTY if nasty and number == 0 else f"set {number}"
        level = rng.uniform(0.6, 0.9)
        for place, method in enumerate(methods):
            folder = "kernsemble.ensembles" if place == 0 else "sklearn.svm"
            definition = Method(method, f"{folder}.Any").definition()
            maker = {"protocol": protocol, "method": definition, "versions": {}}
            for split in range(3):
                outcome = {
                    "accuracy": level + step * place + 0.002 * rng.randn(),
                    "n_train": 90,
                    "n_test": 10,
                    "fit_seconds": 0.01 * (place + 1),
                    "predict_seconds": 0.001,
                    "tune_seconds": 0.0,
                    "params": {"C": 2.0},
                    "data_digest": "d",
                }
                if (method, number) in failures:
                    outcome = {"failure": "ran <out> of memory"}
                ledger.record(Cell(dataset, method, "kfold", str(split), 0), outcome, maker)
    ledger.note_command("kernsemble bench <study>", {"python": "3.11"})


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as opened:
        yield opened


def test_plot_data_follow_the_results(ledger):
    fill(ledger)
    data = collect(ledger)
    assert list(data.average_ranks.index) == ["gamma", "beta", "alpha"]
    assert data.average_ranks["gamma"] == 1.0 and data.ours == {"alpha"}
    assert data.better.loc["gamma", "alpha"] > 0.95
    assert data.times.loc["beta", "total"] == pytest.approx(0.021)
    first = summarise(data)[0]
    assert first.startswith("gamma has the best average rank, 1.00 of 3, over 6 data sets")


def test_another_measure_ranks(ledger, tmp_path):
    fill(ledger)
    set_loss = "UPDATE results SET measures = json_object('log_loss', ?) WHERE method = ?"
    for method, loss in (("alpha", 0.25), ("beta", 0.5), ("gamma", 0.75)):
        ledger._database.execute(set_loss, [loss, method])
    ledger._database.execute("UPDATE results SET measures = '{}' WHERE dataset = 'set 5'")
    data = collect(ledger, measure="log_loss")
    assert list(data.average_ranks.index) == ["alpha", "beta", "gamma"]
    assert data.ratings.index[0] == "alpha" and data.ratings.at["alpha", "improvability"] == 0
    assert data.ratings.at["beta", "improvability"] == pytest.approx(50)
    text = " ".join(summarise(data))
    assert "its mean log-loss is 0.25." in text and "9 of 54 cells have no log-loss" in text
    page = write_report(ledger, tmp_path / "report.html", measure="log_loss").read_text()
    assert "Log-loss by data set" in page and "Ratings of this pool" in page
    with pytest.raises(UserError, match="before auc was measured; it has accuracy"):
        collect(ledger, measure="auc")


def test_failures_are_left_out_and_said(ledger):
    failures = {("beta", number) for number in range(4)} | {("alpha", 5)}
    fill(ledger, failures=failures)
    data = collect(ledger)
    assert data.left_out_methods == ["beta"] and data.left_out_datasets == ["set 5"]
    assert data.n_failed == 15
    text = " ".join(summarise(data))
    assert "15 of 54 cells failed" in text and "Not ranked" in text and "set 5" in text


def test_a_point_is_the_difference_that_counts(ledger, tmp_path):
    fill(ledger, 12, ("alpha", "beta"), step=0.007)
    data = collect(ledger)
    assert data.against_best[0]["alike"] > 0.95 and data.better.loc["beta", "alpha"] < 0.05
    assert "alike to within a point" in " ".join(summarise(data))
    with Ledger(tmp_path / "other.sqlite") as other:
        fill(other, 12, ("alpha", "beta"), step=0.013)
        data = collect(other)
    assert data.against_best[0]["better"] > 0.95 and data.better.loc["beta", "alpha"] > 0.95
    assert "by more than a point" in " ".join(summarise(data))


def test_missing_splits_have_no_mean_anywhere_on_the_page(ledger, tmp_path):
    fill(ledger, 6)
    delete = "DELETE FROM results WHERE dataset = 'set 2' AND method = 'gamma' AND split <> '0'"
    ledger._database.execute(delete)
    fail = "UPDATE results SET accuracy = NULL, failure = 'why' WHERE dataset = ? AND method = ?"
    ledger._database.execute(f"{fail} AND split = '0'", ["set 4", "beta"])
    data = collect(ledger)
    assert data.left_out_datasets == ["set 2", "set 4"]
    assert data.details["set 2"]["gamma"]["mean"] is None
    assert data.details["set 4"]["beta"]["mean"] is None
    assert data.details["set 4"]["gamma"]["mean"] == pytest.approx(data.means.at["set 4", "gamma"])
    page = write_report(ledger, tmp_path / "report.html").read_text()
    assert 'title="some splits have no result yet">incomplete</td>' in page
    assert 'title="why">failed</td>' in page


def test_a_method_that_is_not_ranked_shows_no_mean_of_other_data_sets(ledger, tmp_path):
    fill(ledger, 6, failures={("gamma", number) for number in range(3)})
    page = write_report(ledger, tmp_path / "report.html").read_text()
    row = re.search(r"<td><span>gamma</span></td>(.*?)</tr>", page, re.S).group(1)
    assert re.findall(r">([^<]*)</td>", row)[:2] == ["–", "–"]


@pytest.mark.parametrize("n_datasets, methods", [(1, ["one"]), (1, ["a", "b"]), (4, ["one"])])
def test_little_to_compare_still_makes_a_page(ledger, tmp_path, n_datasets, methods):
    fill(ledger, n_datasets, methods)
    page = write_report(ledger, tmp_path / "report.html").read_text()
    assert "A test needs at least two methods on two data sets" in page


def test_only_failures_still_make_a_page(ledger, tmp_path):
    fill(ledger, 2, failures={(m, n) for m in ("alpha", "beta", "gamma") for n in range(2)})
    page = write_report(ledger, tmp_path / "report.html").read_text()
    assert "nothing can be ranked" in page and "ran &lt;out&gt; of memory" in page


def test_an_empty_ledger_and_an_unwritable_place(ledger, tmp_path):
    with pytest.raises(UserError, match="no results yet"):
        write_report(ledger, tmp_path / "report.html")
    fill(ledger)
    with pytest.raises(UserError, match="cannot be written"):
        write_report(ledger, tmp_path / "absent" / "report.html")
    with pytest.raises(UserError, match="no results of the protocol nested"):
        write_report(ledger, tmp_path / "report.html", "nested")


def test_names_are_escaped_and_nothing_is_fetched(ledger, tmp_path):
    fill(ledger, methods=("alpha", "<b>beta</b>"), nasty=True)
    page = write_report(ledger, tmp_path / "report.html").read_text()
    assert "<script>alert" not in page and "<b>beta" not in page
    assert "kernsemble bench &lt;study&gt;" in page
    assert not re.findall(r"(?:src|href)=[\"'](?!#)", page)
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    embedded = re.search(r'id="details">(.*?)</script>', page, re.S).group(1)
    assert NASTY in json.loads(embedded)["details"]


def test_results_of_changed_data_are_said(ledger):
    fill(ledger)
    ledger._database.execute("UPDATE results SET data_digest = 'e' WHERE method = 'beta'")
    assert any("changed between cells" in sentence for sentence in summarise(collect(ledger)))


def test_the_code_behind_the_results_is_shown(ledger, tmp_path):
    fill(ledger)
    page = write_report(ledger, tmp_path / "report.html").read_text()
    assert f"<dt>code</dt><dd>{code_version()}</dd>" in page
    assert "versions of the code" not in page
    ledger._database.execute("UPDATE results SET code = '<old>' WHERE method = 'beta'")
    page = write_report(ledger, tmp_path / "report.html").read_text()
    assert "come from 2 versions of the code" in page
    assert "<dt>code</dt><dd>&lt;old&gt;</dd>" in page


def test_figures_of_many_and_of_equal_methods():
    rng = np.random.RandomState(0)
    import pandas as pd

    ranks = pd.Series({f"method {number}": number + 1.0 for number in range(30)})
    drawn = figures.critical_difference_diagram(ranks, 3.0, [list(ranks.index[:4])], set())
    assert drawn.count("<polyline") == 30
    accuracy = pd.Series({"a": 0.5, "b": 0.5})
    seconds = pd.Series({"a": 1, "b": 1})
    assert "nan" not in figures.score_against_time(accuracy, seconds, set(), MEASURES["accuracy"])
    spread = pd.DataFrame(rng.uniform(1, 5, (20, 5)), columns=list("abcde"))
    assert "nan" not in figures.rank_boxes(spread, list("abcde"), {"a"})


def test_words():
    assert listed("abc") == "a, b and c" and listed("a") == "a"
    assert listed("abcdefgh", most=2) == "a, b and 6 more"
    assert describe_p(1e-9) == "p < 0.0001" and describe_p(0.034) == "p = 0.034"


PROBE = """
<script>
window.onerror = (message) => { document.title = "error: " + message; };
window.addEventListener("load", () => {
  const found = {};
  const names = () => Array.from(document.querySelectorAll("#accuracies tbody tr"))
    .map((row) => row.cells[0].textContent.trim());
  const heads = document.querySelectorAll("#accuracies thead button");
  heads[1].click();
  found.descending = Array.from(document.querySelectorAll("#accuracies tbody tr"))
    .map((row) => Number(row.cells[1].dataset.value));
  heads[1].click();
  found.ascending = Array.from(document.querySelectorAll("#accuracies tbody tr"))
    .map((row) => Number(row.cells[1].dataset.value));
  heads[0].click();
  found.names = names();
  found.sorted = document.querySelector("#accuracies thead th").getAttribute("aria-sort");
  document.querySelector("button[data-dataset]").click();
  const dialog = document.getElementById("drill-down");
  found.dialog = dialog.open;
  found.title = dialog.querySelector("h2").textContent;
  found.rows = dialog.querySelectorAll("tbody tr").length;
  found.dots = dialog.querySelectorAll("circle").length;
  dialog.querySelector(".close").click();
  found.closed = !dialog.open;
  found.width = window.innerWidth;
  found.overflow = document.documentElement.scrollWidth - window.innerWidth;
  found.smallest = Math.min(...Array.from(document.querySelectorAll("p, td, th, figcaption"))
    .map((element) => parseFloat(getComputedStyle(element).fontSize)));
  found.cut = Array.from(document.querySelectorAll("figure svg")).flatMap((picture) =>
    Array.from(picture.querySelectorAll("text")).filter((text) => {
      const inner = text.getBoundingClientRect(), outer = picture.getBoundingClientRect();
      return inner.left < outer.left - 1 || inner.right > outer.right + 1;
    }).map((text) => text.textContent));
  found.error = document.title.startsWith("error") ? document.title : null;
  const element = document.createElement("script");
  element.type = "application/json";
  element.id = "probe";
  element.textContent = JSON.stringify(found).replaceAll("<", "\\\\u003c");
  document.body.append(element);
});
</script>
"""


def browse(page, profile, *arguments):
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"]
    command += ["--no-first-run", "--disable-background-networking", "--disable-component-update"]
    command += ["--disable-sync", "--hide-scrollbars", f"--user-data-dir={profile}"]
    done = subprocess.run(
        [*command, *arguments, page.as_uri()], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.parametrize("width", [1200, 500])
def test_in_a_browser(ledger, tmp_path, width):
    methods = ("KernelPCAEnsemble of RBF + Poly", "beta", "gamma", "HistGradientBoosting 500")
    fill(ledger, 12, methods, failures={("beta", 3)}, nasty=True)
    page = write_report(ledger, tmp_path / "report.html")
    probed = tmp_path / "probed.html"
    # The probe stands before the page's own script, so that it sees that script's errors.
    probed.write_text(page.read_text().replace("<main>", PROBE + "<main>"))
    size = f"--window-size={width},1600"
    dumped = browse(probed, tmp_path / "profile", size, "--dump-dom")
    found = json.loads(re.search(r'id="probe">(.*?)</script>', dumped, re.S).group(1))
    assert found["error"] is None
    assert found["descending"] == sorted(found["descending"], reverse=True)
    assert found["ascending"] == sorted(found["ascending"])
    assert found["sorted"] == "ascending" and found["names"][-1] == "set 11"
    assert found["dialog"] and found["closed"] and found["rows"] == 4 and found["dots"] >= 9
    assert found["overflow"] <= 0, "the page itself must not scroll sideways"
    assert found["smallest"] >= 12
    assert found["cut"] == [], "names must not leave their picture"
    folder = Path(os.environ.get("KERNSEMBLE_ARTIFACTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    picture = folder / f"report-{width}.png"
    browse(page, tmp_path / "other", f"--window-size={width},2600", f"--screenshot={picture}")
    assert picture.stat().st_size > 20_000
