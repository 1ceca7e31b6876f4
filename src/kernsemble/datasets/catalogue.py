"""List and load data sets by name, whatever their source."""

import difflib
import inspect
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from ..validation import check_choice, check_instance
from . import folder as folders
from . import generators, openml
from .dataset import WITHOUT, Dataset, leave_out
from .flaws import FLAWED

_BUILTIN = {
    "breast_cancer": load_breast_cancer,
    "digits": load_digits,
    "iris": load_iris,
    "wine": load_wine,
}
_GENERATORS: dict[str, Callable] = {
    "ringnorm": generators.make_ringnorm,
    "spirals": generators.make_spirals,
    "ten-gaussians": generators.make_ten_gaussians,
    "twonorm": generators.make_twonorm,
    "waveform": generators.make_waveform,
    "waveform-noise": partial(generators.make_waveform, noise=True),
    "xor": generators.make_xor,
}
# A name without a collection means the set of the first of these sources that has it.
_PRECEDENCE = {"builtin": 0, "generator": 0, "folder": 1, "openml": 2}


class DatasetEntry(NamedTuple):
    """A set that `load` can load.

    Parameters
    ----------
    name : str
        The name to load it by, which is never ambiguous.
    source : {"builtin", "generator", "folder", "openml"}
        Where the data come from.
    collection : str
        Name of the folder of a set from a folder, otherwise the same as `source`.
    flawed : bool
        Whether the set is in `FLAWED` and should be left out of comparisons with published results.

    Examples
    --------
    >>> from kernsemble.datasets import list_datasets
    >>> list_datasets(source="builtin")[0]
    DatasetEntry(name='breast_cancer', source='builtin', collection='builtin', flawed=False)
    """

    name: str
    source: str
    collection: str
    flawed: bool

    @property
    def stem(self):
        """The name without its collection."""
        return self.name.rpartition("/")[2]

    @property
    def qualified(self):
        """The name with its collection."""
        return f"{self.collection}/{self.stem}"


def list_datasets(*, source=None, collection=None, flawed=None, data_folder=None):
    """List the sets that `load` can load.

    Parameters
    ----------
    source : {"builtin", "generator", "folder", "openml"} or None, default=None
        List only the sets from this source; None means all.
    collection : str or None, default=None
        List only the sets of this folder, or of the source with this name; None means all.
    flawed : bool or None, default=None
        List only the sets that are in `FLAWED` (True) or are not (False); None means all.
    data_folder : path or None, default=None
        Folder of csv.gz files; None means the folder that ``KERNSEMBLE_DATA`` names, if any.

    Returns
    -------
    entries : list of DatasetEntry
        One entry for each set, with the name to load it by.

    Examples
    --------
    >>> from kernsemble.datasets import list_datasets
    >>> [entry.name for entry in list_datasets(source="builtin")]
    ['breast_cancer', 'digits', 'iris', 'wine']
    """
    if source is not None:
        check_choice(source, "source", tuple(_PRECEDENCE))
    if flawed is not None:
        check_instance(flawed, "flawed", (bool, np.bool_), "True, False or None")
    entries = _entries(_find_files(data_folder))
    if collection is not None:
        check_choice(collection, "collection", tuple({entry.collection: 0 for entry in entries}))
    return [
        entry
        for entry in entries
        if source in (None, entry.source)
        and collection in (None, entry.collection)
        and flawed in (None, entry.flawed)
    ]


def load(name, *, data_folder=None, data_home=None, random_state=0, **options):
    """Load a set by name.

    A name with a collection, such as ``"jmlr121/iris"`` or ``"openml/iris"``, means the set of that
    collection. A name without one means the built-in set or generator of this name. If there is
    none, it means the set in the data folder, and an error is raised if several collections have
    one of this name. If there is none either, it means the set on OpenML.
    ``"papers_raw/glass without Id"`` is a set without one of its columns.

    Parameters
    ----------
    name : str
        One of the names that `list_datasets` returns, with `` without `` and a column after it if
        one is to be left out.
    data_folder : path or None, default=None
        Folder of csv.gz files, or of collections of them; None means the folder that
        ``KERNSEMBLE_DATA`` names, if any. `kernsemble.datasets.folder` describes the files.
    data_home : path or None, default=None
        Folder for downloads; None means the folder of scikit-learn.
    random_state : int, RandomState instance or None, default=0
        Seed of a generator; stored sets do not depend on it.
    **options
        Further parameters of a generator, such as ``n_samples``.

    Returns
    -------
    dataset : Dataset
        Rows, labels and published splits.

    Examples
    --------
    >>> from kernsemble.datasets import load
    >>> load("iris")
    Dataset('iris', 150 rows × 4 features, 3 classes, 0 splits)
    >>> load("waveform", n_samples=300).X.shape
    (300, 21)
    """
    check_instance(name, "name", str, "the name of a data set")
    name, _, column = name.partition(WITHOUT)
    dataset = _load_whole(name, data_folder, data_home, random_state, options)
    return leave_out(dataset, column) if column else dataset


def _load_whole(name, data_folder, data_home, random_state, options):
    # A built-in set loads even if the variable names a folder that does not exist.
    ships = data_folder is None and (name in _BUILTIN or name in _GENERATORS)
    files = {} if ships else _find_files(data_folder)
    entry = _find_entry(name, _entries(files))
    _check_options(entry, options)
    if entry.source == "builtin":
        return _load_builtin(entry.name)
    if entry.source == "generator":
        return _generate(entry.name, random_state, options)
    if entry.source == "folder":
        return folders.load_set(files[entry.collection, entry.stem])
    return openml.fetch_set(openml.read_manifest()[entry.stem], data_home)


def find_file(name, *, data_folder=None):
    """Return the path of a set that comes from a folder.

    Parameters
    ----------
    name : str
        A name that `load` takes.
    data_folder : path or None, default=None
        The folder in which `load` would look.

    Returns
    -------
    path : str or None
        None if the set comes from elsewhere, or is not known.

    Examples
    --------
    >>> from kernsemble.datasets import find_file
    >>> find_file("iris") is None
    True
    """
    try:
        files = _find_files(data_folder)
        entry = _find_entry(name, _entries(files))
    except ValueError:
        return None
    return str(files[entry.collection, entry.stem]) if entry.source == "folder" else None


def _find_files(data_folder):
    folder = folders.find_folder(data_folder)
    files = {} if folder is None else folders.find_sets(folder)
    for collection in {collection for collection, _ in files} & set(_PRECEDENCE):
        raise ValueError(
            f"The folder {str(folder)!r} has a collection {collection!r}, but that name is taken "
            "by a source of data sets; rename the collection."
        )
    return files


def _entries(files):
    own = [("builtin", name) for name in _BUILTIN] + [("generator", name) for name in _GENERATORS]
    return [
        *(DatasetEntry(name, source, source, False) for source, name in own),
        *(
            DatasetEntry(f"{place}/{stem}", "folder", place, f"{place}/{stem}" in FLAWED)
            for place, stem in files
        ),
        *(DatasetEntry(f"openml/{n}", "openml", "openml", False) for n in openml.read_manifest()),
    ]


def _find_entry(name, entries):
    """Return the entry that `name` means; raise an error if there is none or more than one."""
    if "/" in name:
        found = [entry for entry in entries if entry.qualified == name]
    else:
        same = [entry for entry in entries if entry.stem == name]
        first = min((_PRECEDENCE[entry.source] for entry in same), default=None)
        found = [entry for entry in same if _PRECEDENCE[entry.source] == first]
        if len(found) > 1:
            candidates = ", ".join(repr(entry.name) for entry in same)
            raise ValueError(f"The data set name {name!r} is ambiguous: use one of {candidates}.")
    if not found:
        raise ValueError(_unknown(name, entries))
    return found[0]


def _unknown(name, entries):
    """Return an error message that suggests similar names."""
    spellings: dict[str, list[str]] = {}
    for entry in entries:
        for spelling in {entry.stem.lower(), entry.qualified.lower()}:
            spellings.setdefault(spelling, []).append(entry.name)
    close = difflib.get_close_matches(name.lower(), spellings, n=4)
    near = list(dict.fromkeys(match for spelling in close for match in spellings[spelling]))
    message = f"Unknown data set {name!r}"
    if near:
        message += f"; near matches: {', '.join(map(repr, near))}"
    if all(entry.source != "folder" for entry in entries):
        message += f" (no folder is searched: neither data_folder nor {folders.VARIABLE} names one)"
    return message + ". list_datasets() returns all names."


def _check_options(entry, options):
    allowed = []
    if entry.source == "generator":
        generator = _GENERATORS[entry.name]
        fixed = {"random_state", *getattr(generator, "keywords", {})}
        allowed = [key for key in inspect.signature(generator).parameters if key not in fixed]
    for option, value in options.items():
        if option not in allowed:
            known = ", ".join(allowed) or "none"
            raise TypeError(
                f"load({entry.name!r}) has no option {option!r} (got {value!r}); options: {known}."
            )


def _load_builtin(name):
    bunch = _BUILTIN[name]()
    return Dataset(
        name=name,
        source="builtin",
        X=np.asarray(bunch.data, dtype=np.float64),
        y=bunch.target,
        feature_names=tuple(map(str, bunch.feature_names)),
        description=bunch.DESCR,
    )


def _generate(name, random_state, options):
    generator = _GENERATORS[name]
    X, y = generator(random_state=random_state, **options)
    return Dataset(
        name=name,
        source="generator",
        X=X,
        y=y,
        feature_names=tuple(f"x{column}" for column in range(X.shape[1])),
        description=inspect.getdoc(getattr(generator, "func", generator)) or "",
    )
