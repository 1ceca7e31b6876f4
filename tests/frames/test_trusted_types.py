"""The list of trusted types is what the methods need: nothing is missing, and nothing is spare."""

import warnings
from collections import defaultdict

import pytest
from needed_types import ROW_LIMITS, classifiers, types_in, write_tables

from kernsemble.benchmark.methods import list_methods
from kernsemble.errors import UserError
from kernsemble.frames.model_files import load_model, save_model
from kernsemble.frames.models import fit_table, predict_table
from kernsemble.frames.trusted_types import TRUSTED


# One test, because the list is right or wrong as a whole, and tests may run in several processes.
def test_the_list_is_exactly_what_the_models_hold(tmp_path):
    pytest.importorskip("skrub")
    tables = write_tables(tmp_path)
    needed, refused = defaultdict(set), []
    for method in list_methods().values():
        n_fitted = 0
        for label, classifier, table in classifiers(method, tables):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    fitted = fit_table(table, classifier)
                except UserError as error:
                    # Two options may not go together; that is for the method's own tests.
                    assert "cannot be fitted" in str(error)
                    continue
                path = save_model(fitted, tmp_path / "m.skops")
            n_fitted += 1
            for loader, types in types_in(path).items():
                needed[loader] |= types
            try:
                loaded = load_model(path)
            except UserError as error:
                refused.append(f"{label}: {error}")
                continue
            if label in (method.name, f"{method.name} of free text"):
                assert predict_table(loaded, table).equals(predict_table(fitted, table)), label
        assert n_fitted > 0, method.name
    changes = []
    for loader in sorted({*needed, *TRUSTED}):
        has, wants = TRUSTED.get(loader, frozenset()), needed.get(loader, set())
        changes += [f'add to {loader}:      "{name}",' for name in sorted(wants - has)]
        # A class may stand in another module in another version of its library.
        classes = {name.rpartition(".")[2] for name in wants}
        spare = {name for name in has - wants if name.rpartition(".")[2] not in classes}
        changes += [f'remove from {loader}: "{name}",' for name in sorted(spare)]
    assert not changes, "\n".join(["frames/trusted_types.py:", *changes])
    assert not refused, "\n".join(refused)


def test_the_limits_of_rows_are_parameters():
    known = {name for method in list_methods().values() for name in method.build(0).get_params()}
    assert set(ROW_LIMITS) <= known
