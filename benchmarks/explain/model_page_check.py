"""Build the pages of three models, time them, and open them in a real browser.

    npm pack axe-core && tar xf axe-core-*.tgz
    KERNSEMBLE_DATA=folder python benchmarks/explain/model_page_check.py package/axe.min.js

Chromium opens every page at three widths, light and dark. The script moves the threshold, sorts a
table, opens a cell of the confusion matrix, and runs axe-core on the page. Targets: each page below
60 s and 3 MB, no script error, no serious violation.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

from kernsemble import KernelEnsembleClassifier
from kernsemble.frames.features import make_model
from kernsemble.report import write_model_page

WIDTHS = (1280, 768, 500)
PROBE = """
<script>
const errors = [];
window.addEventListener("error", (event) => errors.push(event.message));
window.addEventListener("load", async () => {
  const text = (id) => document.getElementById(id).textContent;
  const slider = document.getElementById("threshold");
  const move = (value) => {
    slider.value = value;
    slider.dispatchEvent(new Event("input"));
    return ["found", "false", "precision", "recall", "cost"].map((name) => text("out-" + name));
  };
  const found = { low: move(0.05), high: move(0.95) };
  document.querySelectorAll("#by-class thead button")[1].click();
  found.sorted = Array.from(document.querySelectorAll("#by-class tbody tr"))
    .map((row) => Number(row.cells[1].textContent));
  document.querySelector("button[data-cell]").click();
  found.rows = document.querySelectorAll("#drill-down tbody tr").length;
  document.querySelector("#drill-down .close").click();
  found.overflow = document.documentElement.scrollWidth - window.innerWidth;
  found.dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const result = await axe.run(document);
  found.violations = result.violations.map((one) => [one.impact, one.id, one.nodes.length]);
  found.passes = result.passes.length;
  found.errors = errors;
  const element = document.createElement("script");
  element.type = "application/json";
  element.id = "probe";
  element.textContent = JSON.stringify(found).replaceAll("<", "\\\\u003c");
  document.body.append(element);
});
</script>
"""


def load(name):
    if name == "iris":
        X, y = load_iris(return_X_y=True, as_frame=True)
        return X, np.array(["setosa", "versicolor", "virginica"])[y]
    table = pd.read_csv(Path(os.environ["KERNSEMBLE_DATA"]) / "mixed" / f"{name}.csv.gz")
    return table.drop(columns="target"), table["target"].to_numpy()


def browse(page, axe, width, dark):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as folder:
        probed = Path(folder) / "probed.html"
        inserted = f"<script>{axe}</script>{PROBE}"
        probed.write_text(
            page.read_text().replace('<main id="main">', inserted + '<main id="main">')
        )
        command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
        command += ["--disable-background-networking", f"--user-data-dir={folder}/profile"]
        command += [f"--window-size={width},1600", "--virtual-time-budget=60000", "--dump-dom"]
        command += [f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
        done = subprocess.run(
            [*command, probed.as_uri()], capture_output=True, text=True, timeout=180, check=True
        )
    found = re.search(
        r'<script type="application/json" id="probe">(.*?)</script>', done.stdout, re.S
    )
    return json.loads(found.group(1))


def check(name, axe, folder):
    X, y = load(name)
    clf = make_model(X, KernelEnsembleClassifier(random_state=0, n_jobs=2))
    clf.fit(X, y)
    start, used = time.perf_counter(), time.process_time()
    page = write_model_page(clf, X, y, folder / f"{name}.html", by=str(X.columns[0]))
    seconds, used = time.perf_counter() - start, time.process_time() - used
    views = [browse(page, axe, width, dark) for width in WIDTHS for dark in (False, True)]
    serious = {
        tuple(one[:2])
        for view in views
        for one in view["violations"]
        if one[0] in ("serious", "critical")
    }
    return {
        "seconds": round(seconds, 1),
        "processor_seconds": round(used, 1),
        "megabytes": round(page.stat().st_size / 1e6, 3),
        "views": len(views),
        "dark": sum(view["dark"] for view in views),
        "errors": [message for view in views for message in view["errors"]],
        "slider_moves": all(view["low"] != view["high"] for view in views),
        "sorts": all(view["sorted"] == sorted(view["sorted"], reverse=True) for view in views),
        "drills": all(view["rows"] > 0 for view in views),
        "overflow": max(view["overflow"] for view in views),
        "rules_passed": min(view["passes"] for view in views),
        "serious": sorted(serious),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("axe", type=Path)
    parser.add_argument("--folder", type=Path, default=None, help="where the pages stay")
    parser.add_argument("--sets", nargs="+", default=["iris", "titanic", "telco-churn"])
    options = parser.parse_args()
    axe = options.axe.read_text(encoding="utf-8").replace("</script", "<\\/script")
    with tempfile.TemporaryDirectory() as folder:
        kept = options.folder or Path(folder)
        for name in options.sets:
            line = {"benchmark": "model_page_check", "set": name, **check(name, axe, kept)}
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
