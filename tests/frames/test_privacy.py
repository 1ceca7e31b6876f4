"""What is said of training rows in model files is true of the files."""

import io
import itertools
import json
import pickle
import re
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

from kernsemble.benchmark.methods import list_methods
from kernsemble.errors import UserError
from kernsemble.frames.model_files import save_model
from kernsemble.frames.models import fit_table
from kernsemble.frames.privacy import (
    NO_ROWS,
    ROWS,
    WITHOUT_ROWS,
    describe_rows,
    leave_rows_out,
)
from kernsemble.maps.views import fit_scaled_view

METHODS = list_methods()
N_ROWS, N_COLUMNS = 40, 4
SECURITY = Path(__file__).resolve().parents[2] / "SECURITY.md"


def arrays_in(path):
    """Yield the tables of numbers in a model file, both ways round."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith(".npy"):
                array = np.load(io.BytesIO(archive.read(name)))
                if array.dtype.kind in "fiu" and array.ndim > 1 and array.size:
                    yield array.reshape(-1, array.shape[-1]).astype(float)
                    yield array.reshape(array.shape[0], -1).T.astype(float)


def has_scaled_rows(A, Z):
    """Return whether three rows of A are rows of Z, its columns shifted and scaled.

    The ratio of the distances between three rows is then that of three rows of Z, in two columns.
    """
    if len(A) < 3 or A.shape[1] < 2:
        return False
    with np.errstate(all="ignore"):
        ratios = (A[0] - A[1]) / (A[2] - A[1])
        triples = np.array(list(itertools.permutations(range(len(Z)), 3)))
        known = (Z[triples[:, 0]] - Z[triples[:, 1]]) / (Z[triples[:, 2]] - Z[triples[:, 1]])
    ratios = ratios[np.isfinite(ratios)]
    # [triple, column of Z, column of A]
    hits = np.isclose(known[:, :, None], ratios, rtol=1e-7, atol=0)
    return bool((hits.any(axis=2).sum(axis=1) >= 2).any())


def has_monotone_rows(A, Z):
    """Return whether the rows of A are those of Z, in any order, its columns bent but in order."""
    if len(A) != len(Z) or A.shape[1] < 2:
        return False
    for j, k in itertools.product(range(A.shape[1]), range(Z.shape[1])):
        if len(np.unique(A[:, j])) < len(A):
            continue
        A_sorted, Z_sorted = A[np.argsort(A[:, j])], Z[np.argsort(Z[:, k])]
        others = np.corrcoef(A_sorted.argsort(axis=0).T, Z_sorted.argsort(axis=0).T)
        if (np.isclose(others[: A.shape[1], A.shape[1] :], 1.0).any(axis=1)).sum() >= 2:
            return True
    return False


def fit_small_table(name, folder, **params):
    """Return rows, the classifier that was fitted to them, and its file."""
    rng = np.random.RandomState(0)
    Z = rng.randn(N_ROWS, N_COLUMNS)
    table = pd.DataFrame(Z, columns=list("abcd"))
    table["target"] = np.where(Z[:, 0] + 0.3 * rng.randn(N_ROWS) > 0, "yes", "no")
    table.to_csv(folder / "t.csv", index=False)
    classifier = METHODS[name].build(0)
    few = {"n_estimators": 5, "max_iter": 20}
    known = classifier.get_params()
    classifier.set_params(**{key: value for key, value in few.items() if key in known}, **params)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = fit_table(folder / "t.csv", classifier)
        return Z, classifier, save_model(fitted, folder / "m.skops")


def has_rows(path, Z):
    """Return whether a file holds rows of Z, as they are, scaled or compressed."""
    # Kernel methods compress distant values, which can be undone as well.
    compressed = fit_scaled_view(Z)(Z)
    checks = ((has_scaled_rows, Z), (has_scaled_rows, compressed), (has_monotone_rows, Z))
    return any(check(A, rows) for A in arrays_in(path) for check, rows in checks)


@pytest.mark.parametrize("name", METHODS)
def test_files_hold_the_rows_that_are_said_to_be_in_them(name, tmp_path):
    Z, classifier, path = fit_small_table(name, tmp_path)
    kind = type(classifier).__name__
    assert has_rows(path, Z) == (kind in ROWS) == (kind not in NO_ROWS)
    assert ("holds no training rows" in describe_rows(classifier)) == (kind in NO_ROWS)


@pytest.mark.parametrize("name", [name.removesuffix("Classifier") for name in WITHOUT_ROWS])
def test_the_forms_without_rows_hold_none(name, tmp_path):
    classifier = METHODS[name].build(0)
    leave_rows_out(classifier, {})
    params, _ = WITHOUT_ROWS[type(classifier).__name__]
    assert "holds no training rows" in describe_rows(classifier)
    Z, classifier, path = fit_small_table(name, tmp_path, **params)
    assert not has_rows(path, Z)
    content = pickle.dumps(classifier)
    for rows in (Z, fit_scaled_view(Z)(Z)):
        # Whichever way round an array is stored, two numbers of a row or of a column are together.
        for A in (rows, rows.T):
            assert not any(np.ascontiguousarray(part[:2]).tobytes() in content for part in A)


def test_methods_that_need_rows_are_refused_with_those_that_do_not():
    classes = {name: type(method.build(0)).__name__ for name, method in METHODS.items()}
    with pytest.raises(UserError, match=r"SVM cannot .* KernelEnsemble, .*LandmarkRidge") as error:
        leave_rows_out(METHODS["SVM"].build(0), classes)
    assert "NearestNeighbours" not in str(error.value)
    with pytest.raises(UserError, match="leave --param members out"):
        leave_rows_out(METHODS["KernelEnsemble"].build(0), classes, given={"members"})


def test_every_line_is_short():
    for method in METHODS.values():
        line = describe_rows(method.build(0))
        assert "\n" not in line and len(line) < 140
    assert "may hold training rows (GaussianNB" in describe_rows(GaussianNB())


def test_the_page_says_the_same():
    page = SECURITY.read_text("utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", page, re.MULTILINE))
    said = {METHODS[name].build(0): text for name, text in rows.items()}
    assert set(rows) == set(METHODS)
    for classifier, text in said.items():
        name = type(classifier).__name__
        assert text == (ROWS[name] if name in ROWS else f"no rows, but {NO_ROWS[name]}")
    for name, (params, instead) in WITHOUT_ROWS.items():
        ((parameter, value),) = params.items()
        said = f"| `{name.removesuffix('Classifier')}`, `{parameter}={json.dumps(value)}` |"
        assert f"{said} no rows, but {instead} |" in page
