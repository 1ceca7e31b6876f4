"""Data sets from OpenML, compared with a manifest and with their first download.

``openml.csv`` lists the sets: the number of each set on OpenML, the shape it must have, the target
column if it is not the default one, columns that are not features, and a SHA-256 sum if one is
known. A fingerprint of the first download is stored beside the downloads, and the set must match it
whenever it is loaded later.
"""

import csv
import hashlib
import json
import os
from functools import cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.datasets import fetch_openml, get_data_home

from .dataset import Dataset


class OpenMLSet(NamedTuple):
    """One line of the manifest."""

    name: str
    id: int
    openml_name: str
    version: int
    rows: int
    features: int
    target: str
    drop: tuple[str, ...]
    sha256: str


@cache
def read_manifest():
    """Return the lines of the manifest by name."""
    text = resources.files(__package__).joinpath("openml.csv").read_text(encoding="utf-8")
    return {
        line["name"]: OpenMLSet(
            name=line["name"],
            id=int(line["id"]),
            openml_name=line["openml_name"],
            version=int(line["version"]),
            rows=int(line["rows"]),
            features=int(line["features"]),
            target=line["target"],
            drop=tuple(line["drop"].split()),
            sha256=line["sha256"],
        )
        for line in csv.DictReader(text.splitlines())
    }


def fetch_set(wanted, data_home=None):
    """Return a set that was downloaded now or before, after it was verified.

    Parameters
    ----------
    wanted : OpenMLSet
    data_home : path or None, default=None
        Folder for downloads; None means the folder of scikit-learn.

    Returns
    -------
    dataset : Dataset
    """
    try:
        bunch = fetch_openml(
            data_id=wanted.id,
            target_column=wanted.target or "default-target",
            data_home=data_home,
            as_frame=False,
            parser="liac-arff",
        )
    except OSError as error:
        raise ConnectionError(
            f"The data set {wanted.name!r} (OpenML id {wanted.id}) was not downloaded before and "
            f"cannot be downloaded now: {error}"
        ) from error
    kept = [i for i, name in enumerate(bunch.feature_names) if name not in wanted.drop]
    X = bunch.data.toarray() if issparse(bunch.data) else np.asarray(bunch.data)
    X = np.ascontiguousarray(X[:, kept], dtype=np.float64)
    feature_names = tuple(bunch.feature_names[i] for i in kept)
    y = np.asarray(bunch.target)
    y = y.astype(str) if y.dtype == object else y
    record = Path(get_data_home(data_home)) / "kernsemble" / f"openml-{wanted.id}.json"
    _verify(wanted, fingerprint(X, y, feature_names), record)
    return Dataset(
        name=f"openml/{wanted.name}",
        source="openml",
        X=X,
        y=y,
        feature_names=feature_names,
        description=f"source: OpenML id {wanted.id}, {wanted.openml_name!r} version "
        f"{wanted.version}\n{bunch.get('DESCR') or ''}".rstrip(),
    )


def fingerprint(X, y, feature_names):
    """Return the shape of a set, and SHA-256 sums of its parts and of the whole.

    Values are hashed as little-endian float64 in row order, with one bit pattern for NaN and one
    for zero. Names and targets are hashed as UTF-8 text, one on each line.
    """
    values = np.where(np.isnan(X), np.nan, X + 0.0).astype("<f8")
    parts = {
        "feature names": "\n".join(feature_names).encode(),
        "feature values": values.tobytes(),
        "targets": "\n".join(map(str, y)).encode(),
    }
    sums = {part: hashlib.sha256(content).hexdigest() for part, content in parts.items()}
    rows, features = X.shape
    whole = hashlib.sha256(f"{rows} {features} {' '.join(sums.values())}".encode()).hexdigest()
    return {"rows": rows, "features": features, **sums, "sha256": whole}


def _verify(wanted, found, record):
    """Compare a fingerprint with the manifest and with that of the first download.

    If there is no record of a first download, this download is recorded.
    """
    expected = {"rows": wanted.rows, "features": wanted.features}
    if wanted.sha256:
        expected["sha256"] = wanted.sha256
    _compare(wanted, found, expected, "the manifest of kernsemble")
    if record.is_file():
        try:
            first = json.loads(record.read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            raise ValueError(
                f"{record} is damaged ({error}); delete it, and the next download is recorded."
            ) from error
        advice = f"its first download, recorded in {record} (delete that file to accept the change)"
        _compare(wanted, found, first, advice)
        return
    record.parent.mkdir(parents=True, exist_ok=True)
    # The record is written to another file first and then renamed, so it is always complete, even
    # if this process is stopped or two processes write it at once.
    draft = record.with_suffix(f".{os.getpid()}")
    draft.write_text(json.dumps(found, indent=1), encoding="utf-8")
    draft.replace(record)


def _compare(wanted, found, expected, reference):
    """Raise an error that lists the parts of `found` that differ from `expected`."""
    differences = [
        f"{part} (expected {value}, got {found.get(part)})"
        for part, value in expected.items()
        if found.get(part) != value
    ]
    if differences:
        raise ValueError(
            f"The data set {wanted.name!r} (OpenML id {wanted.id}) differs from {reference}: "
            f"{', '.join(differences)}."
        )
