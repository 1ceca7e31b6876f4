"""Put small faults into the code, one at a time, and count how many the tests notice.

    python benchmarks/faults/mutants.py --per-module 3 --seed 0

Run from the root of the checkout. A fault swaps a comparison or an arithmetic sign, negates a
condition or shifts a number. The faults of each module are a seeded random sample of all that are
possible there, and only the tests named beside the module run, until one fails. A fault with which
they take five times as much processor time as without one, and at least twenty seconds, is stopped:
it would loop for ever. It counts as noticed, because nobody waits for such tests, and its row says
so. The code is copied to a temporary folder first.

Every fault becomes a row of `docs/results/rows/faults.csv`, from which `docs/results/faults.md` is
written. A row that is there is not run again unless its fault survived and the column `reason` does
not say why it may: write a test and start again, or write the reason.
"""

import argparse
import ast
import csv
import importlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path("src/kernsemble")
# Processor seconds that tests may take without a fault; with one, so many times as much as without,
# and no less than so many seconds.
SECONDS, PATIENCE, LEAST_SECONDS = 240, 5, 20
ROWS = ROOT / "docs" / "results" / "rows" / "faults.csv"
#: How the reason of a row begins whose tests did not come to an end.
STOPPED = "stopped after"
KEY = ["module", "line", "column", "fault"]
COLUMNS = [*KEY, "code", "possible", "noticed", "reason", "commit"]

#: What members know of their rows is used by explanations.
EXPLAINED = ["explain/test_explanations.py", "explain/test_novelty.py"]
#: Module or modules → the tests that are about them, the fast ones first.
TESTS = {
    "solvers/ridge.py solvers/ridge_loo.py solvers/ridge_spectrum.py": [
        "solvers/test_ridge.py",
        "machines/test_kernel_ridge.py",
        "tables/test_copies.py",
    ],
    "solvers/lapack.py": ["solvers/test_lapack.py", "members/test_folded_ridge.py"],
    "solvers/co_ridge.py": ["solvers/test_co_ridge.py", "ensembles/test_co_krr.py"],
    "solvers/mhks.py solvers/mhks_path.py solvers/spaces.py": [
        "solvers/test_mhks.py",
        "solvers/test_mhks_path.py",
        "ensembles/test_mekl.py",
    ],
    "solvers/penalties.py": ["solvers/test_penalties.py", "ensembles/test_mekl.py"],
    "solvers/stacking.py": ["solvers/test_stacking.py", "ensembles/test_mrskl.py"],
    "solvers/squared_hinge.py": ["solvers/test_mhks.py"],
    "solvers/small_machines.py solvers/small_svm.py": [
        "solvers/test_small_machines.py",
        "members/test_subset.py",
        "ensembles/test_mrskl.py",
    ],
    "solvers/metric.py": ["solvers/test_metric.py"],
    "solvers/logistic.py": ["solvers/test_logistic.py", "members/test_additive.py"],
    "solvers/mixture.py": ["solvers/test_mixture.py", "test_combine.py"],
    "solvers/alignment.py solvers/easy_mkl.py solvers/group_lasso.py solvers/kfda.py "
    "solvers/mkda.py solvers/silp.py solvers/simple_mkl.py solvers/simplex.py solvers/svm.py "
    "solvers/svm2k.py solvers/tasks.py solvers/ufo_mkl.py": [
        "solvers/test_multiple_kernels.py",
        "mkl/test_kernel_learners.py",
    ],
    "members/ridge_walk.py members/grid_search.py": [
        "members/test_ridge_walk.py",
        "machines/test_kernel_ridge.py",
        "machines/test_rvfl.py",
    ],
    "members/kernel_ridge.py": [
        "machines/test_kernel_ridge.py",
        "tables/test_copies.py",
        "fitting/test_strength_path.py",
    ],
    "members/ridge_refine.py": ["members/test_ridge_refine.py"],
    "members/rvfl.py members/rvfl_parts.py members/networks.py": [
        "machines/test_rvfl.py",
        "members/test_networks.py",
    ],
    "members/deep_rvfl.py": ["ensembles/test_ed_rvfl.py"],
    "members/member.py": ["fitting/test_base.py", "tables/test_copies.py"],
    "members/ridge.py": ["fitting/test_base.py", "tables/test_copies.py", *EXPLAINED],
    "members/co_ridge.py": ["ensembles/test_co_krr.py"],
    "members/subset.py members/training_scores.py": [
        "members/test_subset.py",
        "ensembles/test_mrskl.py",
    ],
    "members/projected.py members/coordinate_ridge.py": [
        "members/test_projected.py",
        "ensembles/test_kernel_pca.py",
    ],
    "members/mhks.py members/mhks_search.py": ["ensembles/test_mekl.py"],
    "members/kernel_expansion.py": ["machines/test_kernel_ridge.py", *EXPLAINED],
    "members/kernel_width.py": ["fitting/test_strength_path.py"],
    "members/boosted.py": ["members/test_boosted.py", "members/test_boosted_plan.py"],
    "members/boosted_plan.py": ["members/test_boosted_plan.py"],
    "trees/boost.py": ["trees/test_boost.py"],
    "trees/bins.py": ["trees/test_boost.py"],
    "trees/joined.py": ["trees/test_joined.py", "members/test_boosted.py"],
    "members/folded_ridge.py": ["members/test_folded_ridge.py"],
    "members/library.py members/metric_ridge.py members/ridge_race.py "
    "members/training_views.py members/viewed.py": [
        "members/test_race_members.py",
        "ensembles/test_kernel_ensemble.py",
    ],
    "members/plans.py": ["members/test_plans.py", "ensembles/test_kernel_ensemble.py"],
    "members/additive.py": ["members/test_additive.py"],
    "members/together.py": ["members/test_together.py"],
    "members/forest.py members/tree.py": [
        "members/test_race_members.py",
        "ensembles/test_forests_mixed.py",
        "ensembles/test_forests.py",
    ],
    "combine.py": ["test_combine.py"],
    "calibration.py": ["test_calibration.py", "explain/test_decisions.py"],
    "benchmark/statistics.py benchmark/bayesian.py": ["benchmark/test_statistics.py"],
}
#: Every module is also tested against the tables of constants.
CONSTANTS = ["test_published_settings.py", "test_measured_settings.py"]

COMPARISONS = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.MatMult: None,
    ast.Pow: ast.Mult,
}


def changes_of(node):
    """Return (what, function that changes the node in place) for every fault of a node."""
    found = []
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        swap = COMPARISONS[type(node.ops[0])]
        found.append((swap.__name__, lambda: node.ops.__setitem__(0, swap())))
    if isinstance(node, (ast.BinOp, ast.AugAssign)) and OPERATORS.get(type(node.op)):
        swap = OPERATORS[type(node.op)]
        found.append((swap.__name__, lambda: setattr(node, "op", swap())))
    if isinstance(node, ast.BoolOp):
        swap = ast.Or if isinstance(node.op, ast.And) else ast.And
        found.append((swap.__name__, lambda: setattr(node, "op", swap())))
    if isinstance(node, (ast.If, ast.IfExp)):
        negated = ast.UnaryOp(ast.Not(), node.test)
        found.append(("not", lambda: setattr(node, "test", negated)))
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        shifted = node.value + 1 if isinstance(node.value, int) else 2.0 * node.value + 0.1
        found.append((f"{node.value} -> {shifted}", lambda: setattr(node, "value", shifted)))
    return found


def faults_of(source):
    """Return (line, column, what) of every possible fault."""
    return [
        (node.lineno, node.col_offset, what)
        for node in ast.walk(ast.parse(source))
        for what, _ in changes_of(node)
    ]


def faulty(source, number):
    """Return the source with one fault."""
    tree, count = ast.parse(source), 0
    for node in ast.walk(tree):
        for _, change in changes_of(node):
            if count == number:
                change()
                return ast.unparse(ast.fix_missing_locations(tree))
            count += 1
    raise IndexError(number)


class Outcome(NamedTuple):
    """Whether tests failed, whether they were stopped, and the processor seconds that they took."""

    failed: bool
    stopped: bool
    seconds: float


def run_tests(folder, tests, limit):
    """Run tests in a process that has the libraries loaded already, and return their `Outcome`."""
    child = os.fork()
    if not child:
        os.chdir(folder)
        sys.path[:0] = [str(folder / "src"), str(folder)]
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        # The timer, of processor time, ends a process with a fault that loops for ever.
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, limit)
        import pytest

        code = pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests])
        os._exit(int(code != 0))
    _, status, used = os.wait4(child, 0)
    stopped = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF
    return Outcome(status != 0, stopped, used.ru_utime + used.ru_stime)


def read_rows(path):
    """Return the rows that are known, by module, line, column and fault."""
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {key_of(row): row for row in csv.DictReader(file)}


def write_rows(path, rows):
    """Write the rows in the order of the code."""
    order = sorted(rows.values(), key=lambda row: (row["module"], int(row["line"]), row["column"]))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(order)


def sample(folder, module, options):
    """Yield number and row of the faults that were drawn in a module."""
    source = (folder / PACKAGE / module).read_text(encoding="utf-8")
    possible, lines = faults_of(source), source.splitlines()
    # Every module has a draw of its own, whatever modules run before it.
    draw = random.Random(f"{options.seed} {module}")
    for number in draw.sample(range(len(possible)), min(options.per_module, len(possible))):
        line, column, what = possible[number]
        row = {"module": module, "line": str(line), "column": str(column), "fault": what}
        row |= {"code": lines[line - 1].strip(), "possible": str(len(possible)), "reason": ""}
        yield number, row


def run(folder, options, rows):
    """Run the tests with every fault that is not settled; add and write the rows."""
    commit = subprocess.check_output(["git", "rev-parse", "--short=9", "HEAD"], text=True).strip()
    for modules, names in TESTS.items():
        tests = [f"tests/{name}" for name in [*names, *CONSTANTS]]
        chosen = [module for module in modules.split() if any(p in module for p in options.only)]
        drawn = [fault for module in chosen for fault in sample(folder, module, options)]
        left = [(number, row) for number, row in drawn if not is_settled(rows.get(key_of(row)))]
        if not left:
            continue
        clean = run_tests(folder, tests, SECONDS)
        if clean.failed:
            sys.exit(f"{' '.join(tests)} fail, or take more than {SECONDS} s, without a fault.")
        limit = max(LEAST_SECONDS, PATIENCE * clean.seconds)
        for number, row in left:
            target = folder / PACKAGE / row["module"]
            source = target.read_text(encoding="utf-8")
            target.write_text(faulty(source, number), encoding="utf-8")
            found = run_tests(folder, tests, limit)
            target.write_text(source, encoding="utf-8")
            reason = f"{STOPPED} {limit:.0f} processor seconds" if found.stopped else ""
            row |= {"noticed": str(found.failed), "reason": reason, "commit": commit}
            rows[key_of(row)] = row
            write_rows(options.rows, rows)
            said = "noticed" if found.failed else f"SURVIVED: {row['code']}"
            print(*key_of(row), said, reason, flush=True)


def key_of(row):
    """Return what names a fault."""
    return tuple(row[name] for name in KEY)


def is_settled(row):
    """Return whether a fault was noticed, or a reason is given why it need not be."""
    return row is not None and (row["noticed"] == "True" or bool(row["reason"]))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--per-module", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", default=[""], help="parts of the names of modules")
    parser.add_argument("--rows", type=Path, default=ROWS, help="where the rows are kept")
    options = parser.parse_args(arguments)
    for name in ("numpy", "scipy.linalg", "scipy.optimize", "pandas", "sklearn.svm", "pytest"):
        importlib.import_module(name)
    rows = read_rows(options.rows)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for part in ("src", "tests", "pyproject.toml"):
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            copy(ROOT / part, folder / part)
        run(folder, options, rows)
    noticed = sum(row["noticed"] == "True" for row in rows.values())
    print(f"{noticed} of {len(rows)} faults noticed, {noticed / max(1, len(rows)):.1%}")


if __name__ == "__main__":
    main()
