"""Frames of every mix of types through fit, predict and predict_proba of every classifier."""

import inspect
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st
from properties import LENGTHS, check, explained

import kernsemble

CLASSIFIERS = [
    getattr(kernsemble, name) for name in kernsemble.__all__ if name.endswith("Classifier")
]
# The ensemble of ensembles takes as long as ten others.
EXAMPLES = {"KernelEnsembleClassifier": 4}

numbers = st.one_of(
    st.floats(-1e3, 1e3),
    st.sampled_from([0.0, -0.0, 1e-320, 1e-160, 1e16, 1e155, -1e300]),
    st.sampled_from([np.nan, np.inf]),
)
tame = st.floats(-9, 9).map(lambda value: round(value, 2))
words = st.text("ab1é 🙂", max_size=3)
TYPES = {
    "float64": lambda n: st.lists(tame, min_size=n, max_size=n),
    "wild": lambda n: st.lists(numbers, min_size=n, max_size=n),
    "float32": lambda n: st.lists(tame, min_size=n, max_size=n).map(
        lambda values: pd.array(values, dtype="float32")
    ),
    "int64": lambda n: st.lists(st.integers(-(2**53), 2**53), min_size=n, max_size=n),
    "uint8": lambda n: st.lists(st.integers(0, 255), min_size=n, max_size=n).map(
        lambda values: pd.array(values, dtype="uint8")
    ),
    "bool": lambda n: st.lists(st.booleans(), min_size=n, max_size=n),
    "nullable": lambda n: st.lists(
        st.one_of(st.none(), st.integers(0, 5)), min_size=n, max_size=n
    ).map(lambda values: pd.array(values, dtype="Int64")),
    "truth": lambda n: st.lists(st.one_of(st.none(), st.booleans()), min_size=n, max_size=n).map(
        lambda values: pd.array(values, dtype="boolean")
    ),
    "text": lambda n: st.lists(st.one_of(st.none(), words), min_size=n, max_size=n),
    "category": lambda n: st.lists(st.sampled_from("xyz"), min_size=n, max_size=n).map(
        pd.Categorical
    ),
    "objects": lambda n: st.lists(
        st.one_of(st.none(), words, st.integers(0, 3)), min_size=n, max_size=n
    ).map(lambda values: pd.array(values, dtype=object)),
    "date": lambda n: st.lists(
        st.integers(0, 20_000).map(lambda day: pd.Timestamp("1970-01-01") + pd.Timedelta(day, "D")),
        min_size=n,
        max_size=n,
    ),
    "constant": lambda n: tame.map(lambda value: [value] * n),
    "empty": lambda n: st.just([None] * n),
}


@st.composite
def labelled_frames(draw):
    n_rows = draw(st.integers(4, 16))
    # Half of the frames hold numbers alone, which every classifier takes.
    kinds = ["float64", "int64", "uint8", "float32", "constant"]
    if draw(st.booleans()):
        kinds = list(TYPES)
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    frame = pd.DataFrame({f"c{j}": draw(TYPES[kind](n_rows)) for j, kind in enumerate(chosen)})
    labels = draw(st.sampled_from([["no", "yes"], [1, 2, 3], [False, True], ["é", "", "x"]]))
    y = draw(st.lists(st.sampled_from(labels), min_size=n_rows, max_size=n_rows))
    return frame, np.array(y)


def instance(cls):
    known = inspect.signature(cls).parameters
    settings = {"n_estimators": 2, "max_iter": 20, "random_state": 0}
    return cls(**{name: value for name, value in settings.items() if name in known})


def fits_or_explains(cls, frame, y):
    clf = instance(cls)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            clf.fit(frame, y)
        except (ValueError, TypeError, ImportError) as error:
            assert explained(error), f"{type(error).__name__}: {error}"
            assert not isinstance(error, np.linalg.LinAlgError), error
            assert not hasattr(clf, "classes_")
            return
        P, predicted = clf.predict_proba(frame), clf.predict(frame)
    assert P.shape == (len(frame), len(clf.classes_))
    assert np.isfinite(P).all() and np.allclose(P.sum(axis=1), 1.0)
    own = P[np.arange(len(P)), np.searchsorted(clf.classes_, predicted)]
    # Scores that differ in the last digit may have the same probability.
    np.testing.assert_allclose(own, P.max(axis=1), atol=1e-9)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_a_frame_is_fitted_or_refused_with_a_reason(cls, length):
    check(
        lambda labelled: fits_or_explains(cls, *labelled),
        labelled_frames(),
        examples=EXAMPLES.get(cls.__name__, 12),
        length=length,
    )
