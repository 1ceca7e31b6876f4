"""Models in files: written whole or not at all, and read without trust in what they say.

Files are in the skops format. What is promised of reading one: only types listed in
`trusted_types` are made from it (and those the caller names), by the loader listed with them; no
function, method or constructor that the file chooses is called; nothing is read before its size is
known and within the limit; and numbers that compiled code would follow without looking are checked
first. What is not promised: that a file of somebody else predicts well, or fast.
"""

import io
import json
import warnings
import zipfile
from pathlib import Path

import skops.io
from sklearn.exceptions import InconsistentVersionWarning

from .. import __version__
from ..environment import installed_versions
from ..errors import UserError, check_files
from .compiled_parts import check_compiled_parts
from .limits import MAX_BYTES
from .model_archive import NotAModelError, TooLargeError, open_archive, read_schema
from .model_audit import audit, without_numbers
from .writing import printable, write_beside

_SUFFIX = ".skops"
# Of what a file says of itself, a message repeats so many names and signs.
_LISTED, _LONGEST = 10, 200


class ModelFileWarning(UserWarning):
    """A model file can be used, but something about it should be known."""


def check_model_path(path):
    """Raise unless a model can be written at a path; worth asking before a long fit."""
    path = Path(path)
    if path.suffix.lower() != _SUFFIX:
        raise UserError(
            f"A model file is in skops format and its name must end in {_SUFFIX}, got {path.name}; "
            f"try {path.with_suffix(_SUFFIX).name}."
        )
    if not path.parent.is_dir():
        raise UserError(f"There is no folder {path.parent} for the model {path.name}.")
    if path.exists() and not path.is_file():
        raise UserError(f"{path} is no ordinary file, so no model can be written there.")


def save_model(fitted, path):
    """Write a fitted model and return the path.

    The model is written beside its place and then renamed: whatever happens on the way, a file of
    this name is whole, the new one or the old one. Warns when `load_model` will need to be told
    something to read it.

    Parameters
    ----------
    fitted : dict
        What `fit_table` returns.
    path : path-like
        Must end in .skops.
    """
    check_model_path(path)
    written = io.BytesIO()
    skops.io.dump(fitted, written)
    try:
        with write_beside(path) as file:
            _rewrite(written, file)
            needs = _options_to_load(file)
    except OSError as error:
        raise UserError(f"The model cannot be written: {error}") from None
    if needs:
        warnings.warn(
            f"{path} is large or holds types that are not trusted by themselves: "
            f"predict with {needs}.",
            ModelFileWarning,
            stacklevel=2,
        )
    return Path(path)


def _rewrite(source, target):
    """Copy a skops file, the description of its parts without their numbers."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "schema.json":
                content = json.dumps(without_numbers(json.loads(content))).encode()
            new.writestr(name, content)


def _options_to_load(file):
    """Return what `kernsemble predict` must be told to read a model; nothing for most."""
    try:
        with open_archive(file, MAX_BYTES) as archive:
            findings = audit(archive, read_schema(archive), MAX_BYTES)
    except TooLargeError as error:
        return f"--max-size {_whole_gigabytes(error)}"
    return " ".join(f"--trust {name}" for name in sorted(findings.untrusted))


def _whole_gigabytes(error):
    return int(error.n_bytes / 1e9) + 1


def load_model(path, trust=(), max_bytes=MAX_BYTES):
    """Return what `save_model` wrote.

    Only the types listed in `kernsemble.frames.trusted_types` are made from the file.

    Parameters
    ----------
    path : path-like
    trust : iterable of str, default=()
        Full names of further types that may be made from the file. Name only types whose code
        may run with whatever the file says.
    max_bytes : int, default=2 GB
        Files that take more, unpacked, are refused before they are read.

    Returns
    -------
    dict
        "model", "target", "columns" (name → kind) and "made".
    """
    path = Path(path)
    _check_trust(trust)
    check_files(path, kind="model")
    try:
        with open(path, "rb") as file:
            fitted = _load(file, path, set(trust), max_bytes)
    except TooLargeError as error:
        raise UserError(
            f"{path} is refused: {error}, and the limit is {max_bytes / 1e9:g} GB. If you know "
            f"where the file is from, raise the limit: --max-size {_whole_gigabytes(error)}."
        ) from None
    except NotAModelError as error:
        raise UserError(
            f"{path} is not a model file: {printable(error, _LONGEST)}. Take the file that "
            "`kernsemble fit` wrote, or fit the model again."
        ) from None
    except OSError as error:
        raise UserError(f"The model {path} cannot be read: {error}") from None
    except MemoryError:
        raise UserError(f"There is not enough memory for the model {path}.") from None
    _check_content(fitted, path)
    _warn_of_versions(fitted, path)
    return fitted


def _check_trust(trust):
    for name in trust:
        if "." not in name or set(name) & set("*?[] "):
            raise UserError(
                f"Trust (--trust) takes the full name of one type, such as package.module.Class, "
                f"and no pattern, got {name!r}."
            )


def _load(file, path, trust, max_bytes):
    with open_archive(file, max_bytes) as archive:
        findings = audit(archive, read_schema(archive), max_bytes)
    refused = sorted(findings.untrusted - trust)
    if refused:
        more = f" and {len(refused) - _LISTED} more" if len(refused) > _LISTED else ""
        names = ", ".join(printable(name, _LONGEST) for name in refused[:_LISTED]) + more
        raise UserError(
            f"{path} holds types that are not trusted: {names}. If you made the file yourself, "
            "name them with --trust."
        )
    try:
        file.seek(0)
        with warnings.catch_warnings():
            # One warning of our own says what has changed and what to do.
            warnings.simplefilter("ignore", InconsistentVersionWarning)
            fitted = skops.io.load(file, trusted=sorted(findings.types))
        check_compiled_parts(fitted)
    except (NotAModelError, OSError, MemoryError):
        raise
    except Exception as error:  # what a file says of itself can be wrong in any way
        raise NotAModelError(f"its parts do not fit together ({error!r})") from None
    return fitted


def _check_content(fitted, path):
    kinds = {"target": str, "columns": dict, "made": dict}
    if not isinstance(fitted, dict) or not all(
        isinstance(fitted.get(key), kind) for key, kind in kinds.items()
    ):
        raise UserError(f"{path} holds no model of a table: `kernsemble fit` writes one.")
    if not hasattr(fitted.get("model"), "predict"):
        raise UserError(f"{path} holds no model of a table: what it holds cannot predict.")


def _warn_of_versions(fitted, path):
    made = fitted["made"].get("environment")
    made = made if isinstance(made, dict) else {}
    here = {"kernsemble": __version__, **installed_versions(["scikit-learn"])}
    changed = [
        f"{package} {printable(made.get(package), _LONGEST)} (here {version})"
        for package, version in here.items()
        if made.get(package) != version
    ]
    if changed:
        warnings.warn(
            f"{path} was made with {' and '.join(changed)}. Its predictions may differ or fail: "
            "fit the model again, or install the versions it was made with.",
            ModelFileWarning,
            stacklevel=3,
        )
