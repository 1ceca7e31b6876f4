"""The same role has the same name, order and spelling in every constructor and fitted attribute."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import betabinom
from sklearn.base import is_classifier
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score, balanced_accuracy_score

import kernsemble
from kernsemble.fitting.texts import ORDER, TEXTS
from kernsemble.kernels import RBF

GLOSSARY = Path(__file__).parents[1] / "docs" / "glossary.md"
CLASSIFIERS = [
    getattr(kernsemble, name) for name in kernsemble.__all__ if name.endswith("Classifier")
]
X, Y = load_iris(return_X_y=True)


def terms(section):
    """Return the names that a section of the glossary defines, in order."""
    text = GLOSSARY.read_text().split(f"\n## {section}\n")[1].split("\n## ")[0]
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])]


def small(cls):
    known = inspect.signature(cls).parameters
    settings = {"n_estimators": 2, "random_state": 0, "oob_score": True, "bootstrap": True}
    return cls(**{name: value for name, value in settings.items() if name in known})


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_parameters_are_in_the_glossary_and_in_its_order(cls):
    order = terms("Parameters")
    names = list(inspect.signature(cls).parameters)
    unknown = [name for name in names if name not in order]
    assert not unknown, f"{cls.__name__} has parameters that docs/glossary.md does not define"
    assert names == sorted(names, key=order.index)


def test_every_term_of_the_glossary_is_used():
    parameters = {name for cls in CLASSIFIERS for name in inspect.signature(cls).parameters}
    assert set(terms("Parameters")) == parameters
    assert terms("Parameters") == ORDER


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_fitted_attributes_are_in_the_glossary_and_documented(cls):
    clf = small(cls).fit(X, Y)
    fitted = {name for name in vars(clf) if name.endswith("_")}
    fitted |= (
        {"honest_scores_", "honest_accuracy_", "honest_weighted_accuracy_", "honest_rows_"}
        | {"honest_log_loss_"}
        if "honest_" in fitted
        else set()
    )
    assert fitted <= set(terms("Fitted attributes"))
    internal = {"honest_", "combination_", "partial_", "temperature_"}
    missing = [name for name in fitted - internal if not re.search(rf"\b{name}", cls.__doc__)]
    assert not missing, f"the docstring of {cls.__name__} does not mention {missing}"


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_parameters_are_documented_in_the_order_of_the_constructor(cls):
    section = cls.__doc__.split("Parameters\n    ----------\n")[1].split("\n\n")[0]
    documented = re.findall(r"^    (\w+) : ", section, flags=re.MULTILINE)
    assert documented == list(inspect.signature(cls).parameters)
    assert not [name for name in TEXTS if f"{{{name}}}" in cls.__doc__]


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_choices_are_spelled_alike(cls):
    for name, parameter in inspect.signature(cls).parameters.items():
        if isinstance(parameter.default, str):
            assert re.fullmatch(r"[a-z0-9_+*]+", parameter.default), (name, parameter.default)
            assert parameter.default not in ("loo", "none", "avg", "default")


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_honest_scores_come_with_accuracy_sets_and_rows(cls):
    clf = small(cls).fit(X, Y)
    if "honest_" not in vars(clf):
        with pytest.raises(AttributeError, match="has no honest scores"):
            _ = clf.honest_accuracy_
        assert not hasattr(clf, "predict_set") and not hasattr(clf, "honest_scores_")
        return
    assert clf.honest_scores_.shape == (150, 3)
    np.testing.assert_array_equal(clf.honest_rows_, np.arange(150))
    hits = clf.classes_[clf.honest_scores_.argmax(axis=1)] == Y
    assert clf.honest_accuracy_ == pytest.approx(hits.mean())
    assert clf.honest_weighted_accuracy_ == clf.honest_accuracy_
    sets = clf.predict_set(X, confidence=0.8)
    assert sets.shape == (150, 3) and sets.dtype == bool
    assert (clf.predict_set(X, confidence=0.95) >= sets).all()


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_label_sets_hold_the_class_of_as_many_new_rows_as_asked_for(cls):
    """Coverage is that of exact conformal sets, whose law is known, within one in a thousand."""
    n, n_new, confidence, rng = 400, 4000, 0.8, np.random.RandomState(0)
    codes = rng.randint(3, size=n + n_new)
    rows = rng.randn(n + n_new, 2) + 1.5 * np.array([[0, 0], [1, 0], [0, 1]])[codes]
    clf = small(cls)
    if "n_estimators" in clf.get_params():
        # Two trees have too few out-of-bag scores to stand for the forest.
        clf.set_params(n_estimators=20)
    clf.fit(rows[:n], codes[:n])
    if "honest_" not in vars(clf):
        return
    sets = clf.predict_set(rows[n:], confidence=confidence)
    # With n exchangeable scores, l of n + 1 may be cut off; the share of covered rows is then beta
    # distributed over draws of the training rows, and their number among new rows beta-binomial.
    n_cut = int((n + 1) * (1 - confidence))
    law = betabinom(n_new, n + 1 - n_cut, n_cut)
    assert law.ppf(1e-3) <= sets[np.arange(n_new), codes[n:]].sum() <= law.ppf(1 - 1e-3)


def test_honest_accuracy_is_that_of_score_whatever_the_weights():
    """Balanced weights change which rows count; plain and balanced accuracy are both reported."""
    rng = np.random.RandomState(0)
    y = (rng.rand(300) < 0.1).astype(int)
    X = rng.randn(300, 2) + 1.2 * y[:, None]
    clf = kernsemble.KernelRidgeClassifier(RBF(0.1), alpha=0.1, class_weight="balanced").fit(X, y)
    predicted = (clf.honest_scores_ > 0).astype(int)
    assert clf.honest_accuracy_ == pytest.approx(accuracy_score(y, predicted))
    assert clf.honest_weighted_accuracy_ == pytest.approx(balanced_accuracy_score(y, predicted))
    assert abs(clf.honest_accuracy_ - clf.honest_weighted_accuracy_) > 0.005


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_members_predict(cls):
    clf = small(cls).fit(X, Y)
    rows = clf.view_(X) if hasattr(clf, "view_") else X
    codes = clf.estimators_[0].predict(rows)
    assert codes.shape == (150,) and set(np.unique(codes)) <= {0, 1, 2}
    assert np.mean(codes == Y) > 0.5


def test_every_method_of_kernels_has_a_preset_and_a_scale():
    # Forests standardise columns themselves, and so do the views of the kernel ensemble.
    without = {"KernelEnsembleClassifier", "MPRaFClassifier", "MPRRoFClassifier"}
    without |= {"ObliqueTreeClassifier", "RotationForestClassifier"}
    for cls in CLASSIFIERS:
        known = inspect.signature(cls).parameters
        shared = [name for name in ("preset", "scale") if name in known]
        assert shared == ([] if cls.__name__ in without else ["preset", "scale"]), cls
        assert all(known[name].default == "auto" for name in shared)


def test_the_readme_says_what_is_true():
    # "Everything takes sample_weight and class_weight, and gives probabilities."
    for cls in CLASSIFIERS:
        assert is_classifier(cls())
        assert "class_weight" in inspect.signature(cls).parameters
        assert "sample_weight" in inspect.signature(cls.fit).parameters
        assert hasattr(cls, "predict_proba") and hasattr(cls, "decision_function")
