"""The oldest versions that are tested are the lower bounds that pyproject.toml states."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OLDEST = ROOT / "requirements" / "oldest.txt"
if not OLDEST.exists():
    pytest.skip("the requirements are not beside the tests", allow_module_level=True)

#: Extras whose packages take part in the tests, and packages of theirs that only look at the code.
EXTRAS = ("bench", "parquet", "text", "dask", "test")
STYLE = {"ruff", "mypy"}
BOUND = re.compile(r"([\w-]+)(?:\[[\w,]+\])?>=([\d.]+)")


def bounds():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    stated = [*project["dependencies"], *(line for name in EXTRAS for line in extras[name])]
    found = [BOUND.fullmatch(line).groups() for line in stated]
    assert len(dict(found)) == len(set(found)), "a package has two bounds"
    return {name: version for name, version in found if name not in STYLE}


def numbers(version):
    """Return a version as numbers without zeros at the end."""
    return [int(part) for part in re.sub(r"(\.0)+$", "", version).split(".")]


def test_the_oldest_versions_are_the_lower_bounds():
    lines = OLDEST.read_text("utf-8").splitlines()
    tested = dict(line.split("==") for line in lines if not line.startswith("#"))
    # The scheduler of dask has the versions of dask, which brings it along.
    assert tested.pop("distributed") == tested["dask"]
    assert {name: numbers(version) for name, version in tested.items()} == {
        name: numbers(version) for name, version in bounds().items()
    }
