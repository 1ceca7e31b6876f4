"""Imports follow the data path: a folder uses only the folders above it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import kernsemble

ROOT = Path(kernsemble.__file__).parent
LAYERS = [
    "errors",
    "validation",
    "environment",
    "targets",
    "tables",
    "frames",
    "kernels",
    "maps",
    "solvers",
    "trees",
    "members",
    "calibration",
    "combine",
    "fitting",
    "machines",
    "ensembles",
    "mkl",
    "datasets",
    "benchmark",
    "report",
    "cli",
]
MODULES = [
    path for path in sorted(ROOT.rglob("*.py")) if path.parent != ROOT or path.stem in LAYERS
]


def layer_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[0]


def imported_layers(path):
    depth = len(path.relative_to(ROOT).parts)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == depth and node.module:
            yield node.module.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.level == depth:
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("kernsemble."):
            yield node.module.split(".")[1]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_from_layers_above_it(path):
    own = LAYERS.index(layer_of(path))
    below = [name for name in imported_layers(path) if name in LAYERS and LAYERS.index(name) > own]
    assert not below, f"{path.relative_to(ROOT)} imports {below}, which lie below it"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_public_scikit_learn_names_are_imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn"):
            names = [*node.module.split("."), *(alias.name for alias in node.names)]
            assert not [name for name in names if name.startswith("_")]


def test_importing_the_package_is_light():
    # scikit-learn imports pandas and rich by itself where they are installed.
    code = (
        "import sys, sklearn.base, sklearn.utils.parallel\n"
        "try: import sklearn.callback\n"
        "except ImportError: pass\n"
        "before = set(sys.modules)\n"
        "from kernsemble import *\n"
        "print(*(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    new = {name.split(".")[0] for name in done.stdout.split()}
    assert not new & {"numba", "pandas", "matplotlib", "dask", "typer", "rich", "jinja2"}
