"""Model files that were made to do harm: every one is refused before it can."""

import json
import operator
import sys
import zipfile
from collections import OrderedDict, defaultdict
from datetime import UTC
from functools import partial

import numpy as np
import pytest
import scipy.sparse
import scipy.special
from crafted import array_bytes, edit, part, plain, unpack, write, write_object
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import _testing

from kernsemble.errors import UserError
from kernsemble.frames.model_files import load_model, save_model
from kernsemble.frames.models import fit_table, predict_table
from kernsemble.kernels import RBF


@pytest.fixture
def fitted(mixed_table):
    return fit_table(mixed_table, DummyClassifier(), "label")


@pytest.fixture
def model(fitted, tmp_path):
    """Return the path of a small model file."""
    return save_model(fitted, tmp_path / "model.skops")


def refuse(path, message):
    with pytest.raises(UserError, match=message):
        load_model(path)


@pytest.mark.parametrize("name", ["*", "sklearn.*", "", "numpy", "a.b c.d"])
def test_trust_is_given_to_one_type_at_a_time(name, tmp_path):
    with pytest.raises(UserError, match=r"full name of one type.*no pattern, got "):
        load_model(tmp_path / "model.skops", trust=[name])


def test_source_code_in_a_file_is_not_run(fitted, mixed_table, tmp_path):
    """A test helper of scikit-learn runs any source code, and a vectoriser calls any function."""
    trace = tmp_path / "trace"
    source = f"open({str(trace)!r}, 'w').close()"
    # Whatever the table is, its rows become one text: the source code.
    options = {"fill_value": source, "dtype": "object", "shape": 1}
    run = _testing.assert_run_python_script_without_output
    fitted["model"] = Pipeline(
        [
            ("rows", FunctionTransformer(np.full_like, kw_args=options)),
            ("words", CountVectorizer(analyzer=run, vocabulary={"a": 0})),
            ("classes", DummyClassifier().fit([[0], [1]], ["no", "yes"])),
        ]
    )
    path = write_object(fitted, tmp_path / "evil.skops")
    with pytest.raises(UserError, match=r"not trusted: .*CountVectorizer.*without_output"):
        predict_table(load_model(path), mixed_table)
    assert not trace.exists()


UNTRUSTED = {
    "function of an allowed module": np.linalg.norm,
    "function that skops trusts": np.add,
    "function of SciPy that skops trusts": scipy.special.expit,
    "function of ours": fit_table,
    "method of an allowed object": DummyClassifier().fit,
    "function with arguments": partial(fit_table, "table.csv"),
    "call of a method": operator.methodcaller("predict"),
    "look at an attribute": operator.attrgetter("__class__"),
    "look at an item": operator.itemgetter(0),
    "call of a constructor": UTC,
    "class": Pipeline,
    "builtin class that skops trusts": map,
    "builtin function": eval,
    "transformer that calls a function": FunctionTransformer(),
    "transformer that opens files": CountVectorizer(input="filename"),
    "dictionary that calls": defaultdict(list),
    "dictionary of another class": OrderedDict(),
    "set": {1},
    "bytes": b"bytes",
    "array with a mask": np.ma.array([1.0], mask=[True]),
    "sparse matrix": scipy.sparse.csr_matrix([[1.0]]),
    "scalar of another type": np.int8(1),
}


@pytest.mark.parametrize("what", UNTRUSTED)
def test_what_no_model_needs_is_not_made(what, fitted, tmp_path):
    fitted["made"]["more"] = UNTRUSTED[what]
    refuse(write_object(fitted, tmp_path / "evil.skops"), "types that are not trusted")


def test_what_the_user_trusts_is_made(fitted, mixed_table, tmp_path):
    fitted["made"]["more"] = UNTRUSTED["function of ours"]
    path = write_object(fitted, tmp_path / "model.skops")
    loaded = load_model(path, trust=["kernsemble.frames.models.fit_table"])
    assert loaded["made"]["more"] is fit_table
    assert len(predict_table(loaded, mixed_table)) == 90


LISTED_OBJECT = "sklearn.pipeline.Pipeline"
LISTED_RECORD = "kernsemble.trees.frame.Frame"
KERNEL = part(
    "ObjectNode",
    "kernsemble.kernels.stationary.RBF",
    content=part(
        "DictNode",
        "builtins.dict",
        content={},
        key_types=part("ListNode", "builtins.list", content=[]),
    ),
)
UNLIKELY = {
    "list that is an estimator": part("ListNode", LISTED_OBJECT, content=[]),
    "tuple that is an estimator": part("TupleNode", LISTED_OBJECT, content=[]),
    "object that is a record": part("ObjectNode", LISTED_RECORD),
    "function that is an estimator": part("FunctionNode", LISTED_OBJECT),
    "type that is an estimator": part("TypeNode", LISTED_OBJECT),
    "array that is an estimator": part(
        "NdArrayNode", LISTED_OBJECT, type="json", content=[], shape=plain([0])
    ),
    "constructor of an estimator": part(
        "ConstructorFromReduceNode", LISTED_OBJECT, content=plain([[]])
    ),
    "loss that is an estimator": part(
        "LossNode", LISTED_OBJECT, content=plain({}), __reduce__={"args": plain([[]])}
    ),
    "generator of another class": part("RandomStateNode", LISTED_OBJECT, content=plain({})),
    "path around the list": {**part("FunctionNode", "x.y"), "__module__": "os", "__class__": "sep"},
    "path through a listed module": part("FunctionNode", "sklearn.pipeline.clone"),
    "name with a dot": {
        "__loader__": "ObjectNode",
        "__module__": "sklearn",
        "__class__": "pipeline.Pipeline",
    },
    "loader that nobody knows": part("OtherNode", LISTED_OBJECT),
    "part that stands for another": part("CachedNode", "builtins.dict", __id__=1),
    "number without a part": {"__id__": 1},
    "part with a number": {**plain(1), "__id__": 1},
    "part without a type": {"__loader__": "JsonNode", "content": "1"},
    "type that is no text": {**plain(1), "__class__": ["str"]},
    "keys made by an object": part(
        "DictNode",
        "builtins.dict",
        content={"key": plain(1)},
        key_types=part("ListNode", "builtins.list", content=[KERNEL]),
    ),
    "keys without types": part(
        "DictNode", "builtins.dict", content={"key": plain(1)}, key_types=KERNEL
    ),
    "array in no file": part("NdArrayNode", "numpy.ndarray", type="numpy", file="absent.npy"),
    "array in the description": part(
        "NdArrayNode", "numpy.ndarray", type="numpy", file="schema.json"
    ),
}


@pytest.mark.parametrize("what", UNLIKELY)
def test_descriptions_that_do_not_fit_their_types(what, model):
    def change(schema):
        schema["content"]["made"]["content"]["rows"] = UNLIKELY[what]

    refuse(edit(model, change), "not trusted|not a model file")


def test_trust_in_a_type_is_no_trust_in_every_way_to_make_it(model):
    def change(schema):
        schema["content"]["made"]["content"]["rows"] = UNLIKELY["constructor of an estimator"]

    with pytest.raises(UserError, match="not trusted: ConstructorFromReduceNode:sklearn"):
        load_model(edit(model, change), trust=[LISTED_OBJECT])


def test_the_first_version_of_the_format_named_functions_elsewhere(model):
    """There the name that is judged is not the name that is imported."""

    def change(schema):
        content = {"module_path": "os", "function": "system"}
        evil = part("FunctionNode", "sklearn.pipeline.clone", content=content)
        schema["content"]["made"]["content"]["rows"] = evil
        schema["protocol"] = 0

    refuse(edit(model, change), "no longer read")


def test_a_random_generator_of_another_class(mixed_table, tmp_path):
    """The class is a text in the file, and its constructor is called."""
    boosting = HistGradientBoostingClassifier(max_iter=2)
    path = save_model(fit_table(mixed_table, boosting, "label"), tmp_path / "m.skops")
    load_model(path)
    entries, schema = unpack(path)
    text = json.dumps(schema)
    for old, new in (('"\\"PCG64\\""', '"\\"seed\\""'), ('"4"', '"1000000000"')):
        assert old in text
        write(path, entries, json.loads(text.replace(old, new)))
        refuse(path, "random generator|not a model file")


def test_parts_that_stand_for_one_another_cannot_grow_in_memory(model):
    """Twenty lists, each of ten times the one before, would be an array of 10^20 elements."""

    def change(schema):
        inner = plain(0)
        for number in range(2, 22):
            again = {"__id__": number, **part("ListNode", "builtins.list", content=[])}
            inner = part("ListNode", "builtins.list", content=[inner, *[again] * 9], __id__=number)
        array = part(
            "NdArrayNode", "numpy.ndarray", type="json", content=[inner], shape=plain([1, 1])
        )
        schema["content"]["made"]["content"]["rows"] = array

    refuse(edit(model, change), "its parts have numbers")


def test_arrays_with_one_number_are_one_array(model):
    def change(schema):
        arrays = [
            part("NdArrayNode", "numpy.ndarray", type="numpy", file=f"{name}.npy", __id__=7)
            for name in "ab"
        ]
        items = part("ListNode", "builtins.list", content=arrays)
        schema["content"]["made"]["content"]["rows"] = items

    files = {f"{name}.npy": array_bytes(np.zeros(size)) for name, size in (("a", 1), ("b", 2))}
    refuse(edit(model, change, **files), "two of its arrays have the same number")


def test_a_description_that_never_ends(model):
    entries, schema = unpack(model)
    depth = 100_000
    entries["schema.json"] = b'{"a": ' + b"[" * depth + b"]" * depth + b"}"
    refuse(write(model, entries), "not a model file")
    deep = plain(1)
    # From Python 3.12 on, a comprehension takes no frame of its own.
    for _ in range(300 if sys.version_info < (3, 12) else 900):
        deep = part("ListNode", "builtins.list", content=[deep])
    schema["content"]["made"]["content"]["rows"] = deep
    refuse(write(model, entries, schema), "not a model file")


class TestArchive:
    """Sizes are known before anything is read."""

    def test_a_compressed_file_is_refused(self, model):
        entries, schema = unpack(model)
        refuse(write(model, entries, schema, zipfile.ZIP_DEFLATED), "is compressed")

    @pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
    def test_a_small_file_cannot_be_large(self, compression, model):
        entries, schema = unpack(model)
        bomb = array_bytes(np.zeros(10**7))
        write(model, {**entries, "bomb.npy": bomb}, schema, compression)
        assert model.stat().st_size < 2 * 10**5
        refuse(model, "is compressed")

    def test_an_array_that_is_read_many_times_counts_as_often(self, model):
        def change(schema):
            array = part("NdArrayNode", "numpy.ndarray", type="numpy", file="big.npy")
            items = part("ListNode", "builtins.list", content=[array] * 1000)
            schema["content"]["made"]["content"]["rows"] = items

        edit(model, change, **{"big.npy": array_bytes(np.zeros(300_000))})
        refuse(model, "takes 2.0 GB of memory, and the limit is 2 GB.*--max-size 3")

    def test_the_limit_can_be_raised(self, model):
        n_bytes = model.stat().st_size
        with pytest.raises(UserError, match="--max-size 1"):
            load_model(model, max_bytes=n_bytes - 1)
        load_model(model, max_bytes=30 * n_bytes)

    def test_a_long_description_counts_as_what_it_becomes(self, model):
        n_bytes = model.stat().st_size
        with pytest.raises(UserError, match="--max-size"):
            load_model(model, max_bytes=2 * n_bytes)

    @pytest.mark.parametrize(
        "content, message",
        [
            (b"no array", "is no array"),
            (array_bytes(np.zeros(10))[:-1], "not as large as its header says"),
            (array_bytes(np.zeros(10)) + b"\0", "not as large as its header says"),
            (b"PK\3\4" + bytes(100), "is no array"),
            (b"\x80\4}q\0.", "is no array"),
        ],
    )
    def test_arrays_that_are_none(self, content, message, model):
        entries, schema = unpack(model)
        name = next(name for name in entries if name.endswith(".npy"))
        refuse(write(model, {**entries, name: content}, schema), message)

    @pytest.mark.parametrize("shape", ["(1000000000000,)", "(-1, -10)"])
    @pytest.mark.parametrize("dtype", ["<f8", "<U0", "|V0", "|O"])
    def test_headers_that_promise_more_than_there_is(self, shape, dtype, model):
        entries, schema = unpack(model)
        name = next(name for name in entries if name.endswith(".npy"))
        header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
        content = b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + bytes(80)
        refuse(write(model, {**entries, name: content}, schema), "is not a model file")

    def test_two_entries_of_one_name(self, model):
        with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(model, "a") as archive:
            archive.writestr("schema.json", b"{}")
        refuse(model, "same name")

    @pytest.mark.parametrize("name", ["../../evil.txt", "/etc/evil", "folder\\evil", "C:evil"])
    def test_an_entry_that_would_be_unpacked_elsewhere(self, name, model):
        with zipfile.ZipFile(model, "a") as archive:
            archive.writestr(name, b"evil")
        refuse(model, "leads out of the file")

    def test_a_directory_of_its_own_size(self, model):
        content = bytearray(model.read_bytes())
        content[-10:-6] = (10**9).to_bytes(4, "little")
        model.write_bytes(content)
        refuse(model, "takes 20.0 GB of memory")

    def test_a_model_that_is_cut_off(self, model):
        content = model.read_bytes()
        for length in (0, 10, len(content) // 2, len(content) - 1):
            model.write_bytes(content[:length])
            refuse(model, "is cut off, or is no zip file")

    def test_a_model_with_a_flipped_bit(self, model):
        content = bytearray(model.read_bytes())
        start = content.index(b"\x93NUMPY") + 130
        content[start] ^= 1
        model.write_bytes(content)
        refuse(model, "is not a model file")


def test_an_attribute_cannot_take_the_place_of_a_method(fitted, tmp_path):
    fitted["model"][-1].predict = RBF()
    refuse(save_model(fitted, tmp_path / "m.skops"), "hides a method")
