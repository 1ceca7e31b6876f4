"""Imports follow the data path: a folder uses only the folders above it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import kernsemble

ROOT = Path(kernsemble.__file__).parent
LAYERS = [
    "lazy",
    "errors",
    "seeds",
    "strengths",
    "threads",
    "workers",
    "code_cache",
    "compiled",
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
    "explain",
    "fitting",
    "machines",
    "ensembles",
    "mkl",
    "datasets",
    "benchmark",
    "report",
    "commands",
    "cli",
]
MODULES = [
    path for path in sorted(ROOT.rglob("*.py")) if path.parent != ROOT or path.stem in LAYERS
]


def layer_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[0]


def imported_modules(path):
    """Yield the modules of this package that a module imports, as dotted names without it."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(["kernsemble", *parts][: -node.level]) if node.level else ""
            module = ".".join(filter(None, [base, node.module]))
            # An imported name may itself be a module, as in `from kernsemble import datasets`.
            names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            if name.startswith("kernsemble."):
                yield name.removeprefix("kernsemble.")


def imported_layers(path):
    """Yield the layers that a module imports; what the package exports comes from its layers."""
    for name in imported_modules(path):
        first = name.split(".")[0]
        if first in LAYERS:
            yield first
        elif first in kernsemble.__all__:
            yield getattr(kernsemble, first).__module__.split(".")[1]


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


def module_file(name):
    """Return the file of a dotted module name, None for a name inside a module."""
    path = ROOT.joinpath(*name.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if file.is_file():
            return file
    return None


def test_no_module_imports_itself_by_a_detour():
    graph = {}
    for path in ROOT.rglob("*.py"):
        # A package loads the names it exports lazily, and only for type checkers at once.
        if path.name != "__init__.py":
            graph[path] = {module_file(name) for name in imported_modules(path)} - {None}
    state = {}

    def visit(path, trail):
        if state.get(path) == "done" or path not in graph:
            return
        assert state.get(path) != "open", f"import cycle: {[*trail, path]}"
        state[path] = "open"
        for other in graph[path]:
            visit(other, [*trail, path])
        state[path] = "done"

    for path in graph:
        visit(path, [])


SOURCES = sorted(ROOT.rglob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_are_of_a_size_that_can_be_read(path):
    source = path.read_text()
    lines = source.splitlines()
    assert len(lines) <= 400
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and not any(
            "compiled" in ast.unparse(decorator) for decorator in node.decorator_list
        ):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            code = [
                line
                for line in (lines[body[0].lineno - 1 : node.end_lineno] if body else [])
                if line.strip() and not line.strip().startswith("#")
            ]
            assert len(code) <= 50, f"{node.name} has {len(code)} lines of code"


#: Classes that are not estimators, and may keep what they compute.
ESTIMATOR_FOLDERS = ("fitting", "machines", "ensembles", "mkl")


@pytest.mark.parametrize(
    "path",
    [path for path in SOURCES if layer_of(path) in ESTIMATOR_FOLDERS],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_no_estimator_stores_anything_before_the_end_of_fit(path):
    for cls in ast.walk(ast.parse(path.read_text())):
        if not isinstance(cls, ast.ClassDef):
            continue
        for function in cls.body:
            if not isinstance(function, ast.FunctionDef) or function.name == "__init__":
                continue
            stored = [
                target.attr
                for node in ast.walk(function)
                if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign))
                for target in ast.walk(node)
                if isinstance(target, ast.Attribute)
                and isinstance(target.ctx, ast.Store)
                and ast.unparse(target.value) == "self"
            ]
            # All fitted attributes are set at once, by replacing the dictionary of the estimator.
            allowed = ["__dict__"] if function.name == "_set_fitted" else []
            assert stored == allowed, f"{cls.name}.{function.name} stores {stored}"
