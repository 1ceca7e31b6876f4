"""The examples in CONTRIBUTING.md run; the method shown there is short and keeps the contract."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import check_estimator

PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"


def example(name):
    """Return the code below a marker of the page."""
    found = re.search(rf"<!-- {name} -->\n```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    return found[1]


def defined(name, cls, monkeypatch):
    """Return a class of an example, in a module that pickling finds."""
    import sys
    from types import ModuleType

    module = ModuleType(f"contributing_{cls.lower()}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(example(name), str(PAGE), "exec"), vars(module))
    return getattr(module, cls)


def test_the_kernel_example_runs(monkeypatch):
    kernel = defined("kernel example", "RationalQuadratic", monkeypatch)(2.0, power=3.0)
    X = np.random.RandomState(0).randn(10, 3)
    d2 = ((X[:, None] - X) ** 2).sum(axis=2)
    np.testing.assert_allclose(kernel(X), (1 + d2 / (2 * 3 * 4)) ** -3.0)
    with pytest.raises(ValueError, match="power"):
        clone(kernel).set_params(power=-1.0)(X)


def test_the_method_example_is_a_whole_classifier(monkeypatch):
    cls = defined("method example", "RandomRidgeClassifier", monkeypatch)
    X, y = load_iris(return_X_y=True)
    clf = cls(5, random_state=0).fit(X, y)
    assert clf.score(X, y) > 0.95 and clf.honest_accuracy_ > 0.9
    assert "n_jobs : int, default=None" in cls.__doc__ and "honest_scores_" in cls.__doc__
    weights = "kernel scales and random rows come from the rows, whatever their weights"
    expected = {
        "check_sample_weight_equivalence_on_dense_data": weights,
        "check_sample_weight_equivalence_on_sparse_data": weights,
    }
    check_estimator(cls(3, random_state=0), expected_failed_checks=expected)


def test_a_new_ensemble_takes_at_most_25_lines_of_its_own():
    (cls,) = (node for node in ast.parse(example("method example")).body if hasattr(node, "bases"))
    docstring = cls.body[0]
    lines = example("method example").splitlines()[docstring.end_lineno : cls.end_lineno]
    assert sum(bool(line.strip()) for line in lines) <= 25
