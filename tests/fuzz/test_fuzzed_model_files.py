"""Model files with flipped bytes, and with parts that were changed and signed again.

A file may load, and may predict nonsense; it may not end the process or leave a traceback.
"""

import json
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st
from properties import LENGTHS, check
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import kernsemble
from kernsemble.errors import UserError
from kernsemble.frames.model_files import load_model, save_model
from kernsemble.frames.models import fit_table, predict_table
from kernsemble.frames.trusted_types import TRUSTED

MODELS = [
    KNeighborsClassifier(),
    SVC(),
    RandomForestClassifier(2, max_depth=3, random_state=0),
    HistGradientBoostingClassifier(max_iter=2, random_state=0),
    kernsemble.MPRaFClassifier(2, random_state=0),
    kernsemble.KernelRidgeClassifier(random_state=0),
    kernsemble.RVFLClassifier(random_state=0),
]
NAMES = sorted(name for names in TRUSTED.values() for name in names)
OTHER_NAMES = ["builtins.eval", "os.system", "numpy.ndarray", "sklearn.svm._classes.SVC"]


@pytest.fixture(params=MODELS, ids=lambda model: type(model).__name__)
def model(request, tmp_path):
    """Return the path of a model file, and of its table."""
    rng = np.random.RandomState(0)
    table = pd.DataFrame({"size": rng.randn(40), "colour": rng.choice(["red", "blue"], 40)})
    table["target"] = np.where(table["size"] > 0, "yes", "no")
    table.to_csv(tmp_path / "t.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = fit_table(tmp_path / "t.csv", request.param)
    return save_model(fitted, tmp_path / "m.skops"), tmp_path / "t.csv"


def predict_or_explain(path, table):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            predicted = predict_table(load_model(path), table, probabilities=False)
        except UserError as error:
            assert str(error)
        else:
            assert len(predicted) == 40


def flip(path, table, changes):
    content = bytearray(path.read_bytes())
    for place, value in changes:
        content[place % len(content)] ^= value
    damaged = path.with_name("flipped.skops")
    damaged.write_bytes(content)
    predict_or_explain(damaged, table)


@pytest.mark.parametrize("length", LENGTHS)
def test_flipped_bytes(model, length):
    # The directory of a zip file is at its end.
    places = st.one_of(st.integers(-2000, -1), st.integers(0, 10**6))
    changes = st.lists(st.tuples(places, st.integers(1, 255)), min_size=1, max_size=6)
    check(lambda changes: flip(*model, changes), changes, examples=25, length=length)


def places_in(value, trail=()):
    """Yield the way to every entry of a description."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in items:
        yield (*trail, key)
        if isinstance(part, (dict, list)):
            yield from places_in(part, (*trail, key))


def part_at(value, trail):
    for key in trail:
        value = value[key]
    return value


@st.composite
def edits(draw):
    """Draw which entry is changed, and into what: a value, another entry, another type, nothing."""
    return draw(st.integers(0, 10**6)), draw(
        st.one_of(
            st.sampled_from([None, True, -1, 0, 10**9, 1e300, "", "x", [], {}, "[1, 2]", "-5"]),
            st.sampled_from([*NAMES, *OTHER_NAMES]).map(lambda name: ("type", name)),
            st.integers(0, 10**6).map(lambda number: ("copy", number)),
            st.just(("delete", None)),
            st.integers(0, 10**6).map(lambda number: ("array", number)),
        )
    )


def change(schema, entries, place, value):
    """Make an edit of the description or of an array."""
    places = list(places_in(schema))
    *trail, last = places[place % len(places)]
    holder = part_at(schema, trail)
    word, what = value if isinstance(value, tuple) else ("value", value)
    if word == "array":
        arrays = sorted(name for name in entries if name.endswith(".npy"))
        name = arrays[what % len(arrays)]
        content = bytearray(entries[name])
        # Behind the header, so that it stays an array.
        start = min(128, len(content) - 1)
        content[start + place % max(1, len(content) - start)] ^= 0xFF
        entries[name] = bytes(content)
    elif word == "type" and isinstance(holder, dict) and "__class__" in holder:
        holder["__module__"], _, holder["__class__"] = what.rpartition(".")
    elif word == "copy":
        holder[last] = json.loads(json.dumps(part_at(schema, places[what % len(places)])))
    elif word == "delete" and isinstance(holder, dict):
        del holder[last]
    elif word == "value":
        holder[last] = what


def edit_and_sign(path, table, changes):
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(entries["schema.json"])
    for place, value in changes:
        change(schema, entries, place, value)
    entries["schema.json"] = json.dumps(schema).encode()
    damaged = path.with_name("edited.skops")
    with zipfile.ZipFile(damaged, "w", zipfile.ZIP_STORED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    predict_or_explain(damaged, table)


@pytest.mark.parametrize("length", LENGTHS)
def test_parts_that_were_changed_and_signed_again(model, length):
    changes = st.lists(edits(), min_size=1, max_size=3)
    check(lambda changes: edit_and_sign(*model, changes), changes, examples=60, length=length)
