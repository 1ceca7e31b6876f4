"""Compare the result pages with the committed rows, or write them again.

    python -m benchmarks.pages check               # exit code 1 when a number differs
    python -m benchmarks.pages write
    python -m benchmarks.pages add LEDGER STUDY    # rows of a run to docs/results/rows/STUDY.csv

Run from the root of the checkout. Some ranks need KERNSEMBLE_DATA, whose folder holds the published
accuracies of 179 classifiers; without it they are left as they are.
"""

import argparse
import difflib
import sys

from . import (  # noqa: F401
    defaults,
    edges,
    faults,
    kernel_ensemble,
    large_sets,
    many_rows,
    mixed_tables,
    nishida,
    slow_rivals,
    speed,
    thesis,
    understanding,
    wang,
    zhang_suganthan,
)
from .blocks import ROOT, find_differences, find_pages, render
from .rows import add_ledger


def check():
    """Print every block that differs from the rows; return whether there is one."""
    differences, unchecked = find_differences()
    for page, name, written, computed in differences:
        print(f"{page.relative_to(ROOT)}, block {name}:")
        lines = difflib.unified_diff(written.splitlines(), computed.splitlines(), n=0, lineterm="")
        print("\n".join(list(lines)[2:]))
    if unchecked:
        print(f"Not checked without KERNSEMBLE_DATA: {', '.join(unchecked)}.")
    print("The pages differ from the rows." if differences else "The pages agree with the rows.")
    return bool(differences)


def write():
    """Compute every block again."""
    for page in find_pages():
        page.write_text(render(page.read_text(encoding="utf-8")), encoding="utf-8")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check")
    commands.add_parser("write")
    adding = commands.add_parser("add")
    adding.add_argument("ledger")
    adding.add_argument("study")
    adding.add_argument("--commit", default="unknown", help="of rows whose ledger does not tell it")
    options = parser.parse_args(arguments)
    if options.command == "check":
        return int(check())
    if options.command == "write":
        return write()
    return print(f"{add_ledger(options.ledger, options.study, options.commit)} rows")


if __name__ == "__main__":
    sys.exit(main())
