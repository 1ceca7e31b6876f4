"""Methods in one text: literals and paths, and nothing is run."""

import pytest

from kernsemble.benchmark.method_text import parse_method
from kernsemble.benchmark.methods import resolve_method
from kernsemble.errors import UserError


@pytest.mark.parametrize(
    "text, found",
    [
        ("SVM", ("SVM", "SVM", False, {}, None)),
        ("SVM(C=1)", ("SVM(C=1)", "SVM", False, {"C": 1}, None)),
        ("wide = SVM(C=1e3)", ("wide", "SVM", False, {"C": 1000.0}, None)),
        ("LightGBM @ a b/bin/python", ("LightGBM", "LightGBM", False, {}, "a b/bin/python")),
        ("a.b:C", ("C", "a.b.C", True, {}, None)),
        ("a.b.C()", ("C", "a.b.C", True, {}, None)),
        (
            "my rival=a.b:C(x=None, y=[1, (2, -3)], z={'k': True})@env",
            ("my rival", "a.b.C", True, {"x": None, "y": [1, [2, -3]], "z": {"k": True}}, "env"),
        ),
        (
            "a:C(inner=b.c.D(e='f(g)=h@i'))",
            (
                "C(inner=b.c.D(e='f(g)=h@i'))",
                "a.C",
                True,
                {"inner": {"class": "b.c.D", "e": "f(g)=h@i"}},
                None,
            ),
        ),
    ],
)
def test_texts(text, found):
    assert tuple(parse_method(text)) == found


@pytest.mark.parametrize(
    "text, message",
    [
        ("a:C(1)", "Name every parameter"),
        ("a:C(**{'x': 1})", "Name every parameter"),
        ("a:C(x=__import__('os').system('true'))", "no full path|Name every parameter"),
        ("a:C(x=open)", "neither a literal nor an object"),
        ("a:C(x=1 + len('a'))", "neither a literal nor an object"),
        ("a:C(x={1, 2})", "not JSON"),
        ("a:C(x=1j)", "not JSON"),
        ("a:C(x=[y for y in z])", "neither a literal"),
        ("a:C(x=1)(y=2)", "no list of parameters"),
        ("a:C(x=", "cannot be read"),
        ("a:C(x=1e999)", "not JSON"),
        ("1a:C()", "no package.module:Class"),
        ("a:b:C()", "no package.module:Class"),
        ("a:C(x=(lambda: 1)())", "no full path"),
        ("(x=1)", "cannot be read"),
        ("", "cannot be read"),
    ],
)
def test_what_is_no_text_of_a_method(text, message):
    with pytest.raises(UserError, match=message):
        parse_method(text)


def test_known_names_keep_their_spelling_and_grid():
    assert resolve_method("svm(C=2)").estimator == "sklearn.svm.SVC"
    method = resolve_method("small = randomforest(n_estimators=3)")
    assert method.name == "small" and method.params == {"n_estimators": 3}
    assert list(method.grid) == ["max_features"]
    assert resolve_method("SVM(C=2)").grid.keys() == {"gamma"}
