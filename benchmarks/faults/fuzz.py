"""Run the long fuzz tests one by one, and keep how many examples each has tried.

    python benchmarks/faults/fuzz.py [--only model_files] [--again]

Run from the root of the checkout. Every test becomes a row of `docs/results/rows/fuzz.csv`.
A row that passed is not run again,
unless `--again` is given. Examples are new in every run; one that fails is printed, and belongs
into the test as a fixed example. The exit code is 0 if all rows passed.
"""

import argparse
import csv
import re
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = ROOT / "docs" / "results" / "rows" / "fuzz.csv"
COLUMNS = ["test", "outcome", "examples", "seconds", "commit"]
PYTEST = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-m", "fuzz"]


def long_tests():
    """Return the names of the long tests."""
    command = [*PYTEST, "--collect-only", "tests/fuzz"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if "::" in line]


def run(test, commit):
    """Run a test and return its row."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([*PYTEST, "-s", test], cwd=ROOT, capture_output=True, text=True)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    tried = sum(map(int, re.findall(r"(\d+) examples", done.stdout)))
    if done.returncode:
        print(done.stdout[-4000:], flush=True)
    outcome = "failed" if done.returncode else "passed"
    row = {"test": test, "outcome": outcome, "examples": tried}
    return row | {"seconds": f"{seconds:.0f}", "commit": commit}


def read_rows():
    """Return the rows that are known, by test."""
    if not ROWS.exists():
        return {}
    with ROWS.open(newline="", encoding="utf-8") as file:
        return {row["test"]: row for row in csv.DictReader(file)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="part of the names of the tests to run")
    parser.add_argument("--again", action="store_true", help="run rows that are there, too")
    asked = parser.parse_args()
    commit = subprocess.check_output(["git", "rev-parse", "--short=9", "HEAD"], text=True).strip()
    for test in (name for name in long_tests() if asked.only in name):
        rows = read_rows()
        if not asked.again and rows.get(test, {}).get("outcome") == "passed":
            continue
        rows[test] = run(test, commit)
        print(rows[test], flush=True)
        with ROWS.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows[name] for name in sorted(rows))
    return 0 if all(row["outcome"] == "passed" for row in read_rows().values()) else 1


if __name__ == "__main__":
    sys.exit(main())
