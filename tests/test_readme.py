"""The README keeps its word."""

import re
from pathlib import Path

import pytest
from sklearn.base import is_classifier

import kernsemble

README = Path(__file__).parents[1] / "README.md"


@pytest.fixture
def text():
    if not README.exists():
        pytest.skip("the README is not beside the tests")
    return README.read_text(encoding="utf-8")


def test_every_classifier_has_its_line_in_the_table(text):
    names = [name for name in kernsemble.__all__ if name.endswith("Classifier")]
    assert all(is_classifier(getattr(kernsemble, name)()) for name in names)
    assert not [name for name in names if f"`{name}`" not in text]


def test_the_ten_lines_run(text, capsys):
    (example,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(example.splitlines()) <= 12
    exec(compile(example, "README.md", "exec"), {})
    assert min(map(float, capsys.readouterr().out.splitlines()[0].split())) > 0.9
