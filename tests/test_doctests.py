"""The examples in docstrings run, in the package that is installed."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import kernsemble

MODULES = [
    module.name
    for module in pkgutil.walk_packages(kernsemble.__path__, "kernsemble.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    assert doctest.testmod(import_module(name)).failed == 0
