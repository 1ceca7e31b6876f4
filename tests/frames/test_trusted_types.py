"""The list of trusted types is what the methods need: nothing is missing, and nothing is spare."""

import warnings
from collections import defaultdict

import pytest
from needed_types import ROW_LIMITS, classifiers, types_in, write_tables
from sklearn.exceptions import ConvergenceWarning

from kernsemble.benchmark.methods import list_methods
from kernsemble.errors import UserError
from kernsemble.frames.model_files import load_model, save_model
from kernsemble.frames.models import fit_table, predict_table
from kernsemble.frames.trusted_types import TRUSTED

METHODS = list_methods()
needed: dict[str, set] = defaultdict(set)
tried: set[str] = set()


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    return write_tables(tmp_path_factory.mktemp("tables"))


@pytest.mark.parametrize("name", METHODS)
def test_every_model_is_written_and_read_without_trust(name, tables, tmp_path):
    n_fitted = 0
    for label, classifier, table in classifiers(METHODS[name], tables):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                fitted = fit_table(table, classifier)
        except UserError as error:
            # Two options may not go together; that is for the method's own tests.
            assert "cannot be fitted" in str(error)
            continue
        n_fitted += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the list below says what is missing
            path = save_model(fitted, tmp_path / "m.skops")
        for loader, types in types_in(path).items():
            needed[loader] |= types
        try:
            loaded = load_model(path)
        except UserError as error:
            pytest.fail(f"{label}: {error}")
        if label == name:
            first, again = (predict_table(model, table) for model in (fitted, loaded))
            assert first.equals(again)
    assert n_fitted > 0
    tried.add(name)


def test_the_list_is_exactly_what_the_models_hold():
    if tried != set(METHODS):
        pytest.skip("the tests above did not all run, or not in this process")
    changes = []
    for loader in sorted({*needed, *TRUSTED}):
        has, wants = TRUSTED.get(loader, frozenset()), needed.get(loader, set())
        changes += [f'add to {loader}:      "{name}",' for name in sorted(wants - has)]
        changes += [f'remove from {loader}: "{name}",' for name in sorted(has - wants)]
    assert not changes, "frames/trusted_types.py:\n" + "\n".join(changes)


def test_the_limits_of_rows_are_parameters():
    known = {name for method in METHODS.values() for name in method.build(0).get_params()}
    assert set(ROW_LIMITS) <= known
