"""Put small faults into the code, one at a time, and count how many the tests notice.

    python benchmarks/faults/mutants.py --per-module 5 --seed 0

Run from the root of the checkout. A fault swaps a comparison or an arithmetic sign, negates a
condition, shifts a number or drops a term. The faults of each module are a seeded random sample of
all that are possible there, and only the tests named beside the module run, until one fails or
four minutes have passed. The code is copied to a temporary folder first. One line per fault, then
the share that was noticed; `--keep FILE` appends the lines to a file and skips faults that it has.
"""

import argparse
import ast
import importlib
import os
import random
import shutil
import signal
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path("src/kernsemble")
SECONDS = 240

#: Module or modules → the tests that are about them.
TESTS = {
    "solvers/ridge.py solvers/ridge_loo.py solvers/ridge_spectrum.py": ["solvers/test_ridge.py"],
    "solvers/co_ridge.py": ["solvers/test_co_ridge.py"],
    "solvers/mhks.py solvers/spaces.py": ["solvers/test_mhks.py"],
    "solvers/mhks_path.py": ["solvers/test_mhks_path.py"],
    "solvers/penalties.py": ["solvers/test_penalties.py", "ensembles/test_mekl.py"],
    "solvers/stacking.py": ["solvers/test_stacking.py", "ensembles/test_mrskl.py"],
    "solvers/small_machines.py solvers/small_svm.py solvers/squared_hinge.py": [
        "solvers/test_small_machines.py"
    ],
    "solvers/metric.py": ["solvers/test_metric.py"],
    "solvers/mixture.py": ["test_combine.py"],
    "solvers/alignment.py solvers/easy_mkl.py solvers/group_lasso.py solvers/kfda.py": [
        "solvers/test_multiple_kernels.py"
    ],
    "solvers/mkda.py solvers/silp.py solvers/simplex.py solvers/svm2k.py solvers/ufo_mkl.py": [
        "solvers/test_multiple_kernels.py",
        "mkl/test_kernel_learners.py",
    ],
    "members/kernel_ridge.py": ["machines/test_kernel_ridge.py", "tables/test_copies.py"],
    "members/rvfl.py members/rvfl_parts.py members/networks.py": ["machines/test_rvfl.py"],
    "members/ridge.py": ["fitting/test_base.py", "tables/test_copies.py"],
    "members/co_ridge.py": ["ensembles/test_co_krr.py"],
    "members/subset.py members/training_scores.py": [
        "members/test_subset.py",
        "ensembles/test_mrskl.py",
    ],
    "members/projected.py": ["members/test_projected.py", "ensembles/test_kernel_pca.py"],
    "members/mhks.py": ["ensembles/test_mekl.py"],
    "members/library.py members/viewed.py members/training_views.py": [
        "ensembles/test_kernel_ensemble.py"
    ],
    "members/forest.py members/tree.py": ["ensembles/test_forests.py"],
    "combine.py": ["test_combine.py"],
    "calibration.py": ["test_calibration.py", "explain/test_decisions.py"],
    "benchmark/statistics.py benchmark/bayesian.py": ["benchmark/test_statistics.py"],
}

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
    """Return the number of possible faults, and (line, what) of each."""
    return [
        (node.lineno, what)
        for node in ast.walk(ast.parse(source))
        for what, _ in changes_of(node)
        if hasattr(node, "lineno")
    ]


def faulty(source, number):
    """Return the source with one fault."""
    tree, count = ast.parse(source), 0
    for node in ast.walk(tree):
        for _, change in changes_of(node):
            if hasattr(node, "lineno"):
                if count == number:
                    change()
                    return ast.unparse(ast.fix_missing_locations(tree))
                count += 1
    raise IndexError(number)


def is_noticed(folder, tests):
    """Return whether the tests fail, in a process that has the libraries loaded already."""
    child = os.fork()
    if not child:
        os.chdir(folder)
        sys.path[:0] = [str(folder / "src"), str(folder)]
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        # A fault that loops for ever is noticed: the alarm ends the process.
        signal.alarm(SECONDS)
        import pytest

        code = pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests])
        os._exit(int(code != 0))
    return os.waitpid(child, 0)[1] != 0


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--per-module", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="part of the names of the modules to run")
    parser.add_argument("--keep", type=Path, help="file to which lines are appended")
    options = parser.parse_args(arguments)
    for name in ("numpy", "scipy.linalg", "scipy.optimize", "pandas", "sklearn.svm", "pytest"):
        importlib.import_module(name)
    known = options.keep.read_text().splitlines() if options.keep and options.keep.exists() else []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for part in ("src", "tests", "pyproject.toml"):
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            copy(ROOT / part, folder / part)
        lines = list(run(folder, options, known))
    noticed = sum("noticed" in line for line in lines)
    print(f"{noticed} of {len(lines)} faults noticed, {noticed / max(1, len(lines)):.0%}")


def run(folder, options, known):
    """Yield one line per fault."""
    for modules, tests in TESTS.items():
        tests = [f"tests/{test}" for test in tests]
        chosen = [module for module in modules.split() if options.only in module]
        if chosen and is_noticed(folder, tests):
            sys.exit(f"{' '.join(tests)} fail, or take more than {SECONDS} s, without a fault.")
        for module in chosen:
            target = folder / PACKAGE / module
            source = target.read_text(encoding="utf-8")
            possible = faults_of(source)
            # Every module has a draw of its own, whatever modules run before it.
            draw = random.Random(f"{options.seed} {module}")
            for number in draw.sample(range(len(possible)), min(options.per_module, len(possible))):
                line, what = possible[number]
                name = f"{module}:{line} {what}"
                done = next((text for text in known if text.startswith(f"{name}:")), None)
                if done is None:
                    target.write_text(faulty(source, number), encoding="utf-8")
                    done = f"{name}: {'noticed' if is_noticed(folder, tests) else 'SURVIVED'}"
                    target.write_text(source, encoding="utf-8")
                    if options.keep:
                        with options.keep.open("a") as kept:
                            kept.write(f"{done}\n")
                print(done, flush=True)
                yield done


if __name__ == "__main__":
    main()
