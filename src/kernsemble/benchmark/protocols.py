"""How a data set is split, and on which rows parameters are chosen.

====================  ==========================================================================
``nested``            the honest default: stratified folds, parameters chosen inside each training
                      part
``kfold``             stratified 10-fold, default parameters
``monte-carlo``       ten random 70:30 splits, default parameters
``published``         the splits that come with a data set, as those of the 121-set study:
                      parameters chosen on its two halves, accuracy on its four splits or its test
                      file
``five-fold``         five folds on which parameters are chosen too; optimistic, for comparison with
                      papers that did so
====================  ==========================================================================
"""

import warnings
from dataclasses import asdict, dataclass, replace

import numpy as np
from sklearn.model_selection import ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit

from ..errors import UserError, unknown_name

_SPLITTERS = ("folds", "shuffles", "published")
_TUNINGS = ("none", "inner", "halves", "same")


@dataclass(frozen=True)
class Protocol:
    """How to split and how to tune, as JSON values.

    Parameters
    ----------
    name : str
    splitter : {"folds", "shuffles", "published"}
    n_splits : int
        Folds or shuffles; where the splits are published, the first so many of them at most.
    test_size : float
        Share of test rows of a shuffle.
    tuning : {"none", "inner", "halves", "same"}
        Where the grid is searched: not at all, by `inner_splits` folds inside each training part,
        on the published halves once per data set, or on the very test folds that are reported.
    inner_splits : int
        Folds of the tuning "inner".
    tuning_rows : int
        Rows of a training part that take part in the tuning "inner" at most; 0 means all.
    standardize : bool
        Scale columns by the mean and deviation of the training rows.
    shuffle : bool
        Whether rows are shuffled before they are dealt to folds; otherwise folds follow the order
        of the file.
    stratified : bool
        Whether the parts of a shuffle have the classes in equal shares.
    """

    name: str
    splitter: str = "folds"
    n_splits: int = 5
    test_size: float = 0.3
    tuning: str = "none"
    inner_splits: int = 3
    tuning_rows: int = 0
    standardize: bool = True
    shuffle: bool = True
    stratified: bool = True

    def definition(self):
        """Return the protocol as JSON values."""
        return asdict(self)

    @property
    def tunes_first(self):
        """Whether parameters are chosen once per data set, before any split is tested."""
        return self.tuning in ("halves", "same")

    def split_names(self, data):
        """Return the names of the splits; `data` is looked at only where splits are published."""
        return [str(number) for number in range(self._count(data))]

    def _count(self, data):
        if self.splitter != "published":
            return self.n_splits
        if not data.splits:
            raise UserError(
                f"Data set {data.name} has no published splits; use the protocol nested."
            )
        return min(self.n_splits, len(data.splits))

    def split(self, data, name, seed):
        """Return the training and test row numbers of one split."""
        return self.splits(data, seed)[int(name)]

    def splits(self, data, seed):
        """Return all (train, test) pairs of row numbers."""
        if self.splitter == "published":
            return list(data.splits)[: self.n_splits]
        if self.splitter == "folds":
            mixed = {"shuffle": True, "random_state": seed} if self.shuffle else {}
            return _stratified(StratifiedKFold(self.n_splits, **mixed), data.y)
        cut = StratifiedShuffleSplit if self.stratified else ShuffleSplit
        return _stratified(cut(self.n_splits, test_size=self.test_size, random_state=seed), data.y)

    def tuning_pairs(self, data, seed):
        """Return the pairs on which one choice of parameters for all splits is made."""
        if self.tuning == "same":
            return self.splits(data, seed)
        if data.tuning is not None:
            return [data.tuning]
        # Some sets of the study come with a test file but no halves: halve the training rows.
        train, _ = self.splits(data, seed)[0]
        cut = StratifiedShuffleSplit(1, test_size=0.5, random_state=seed)
        return [(train[a], train[b]) for a, b in _stratified(cut, data.y[train])]

    def inner_pairs(self, y, seed):
        """Return the folds inside a training part on which its parameters are chosen."""
        cut = StratifiedKFold(self.inner_splits, shuffle=True, random_state=seed)
        if not 0 < self.tuning_rows < len(y):
            return _stratified(cut, y)
        part = StratifiedShuffleSplit(1, train_size=self.tuning_rows, random_state=seed)
        rows = np.sort(_stratified(part, y)[0][0])
        return [(rows[a], rows[b]) for a, b in _stratified(cut, y[rows])]


def draw_training_rows(train, y, size, seed):
    """Return a sample of training rows, in the order of the file.

    Samples of one seed are nested. A sample has the classes in the shares of the training part up
    to one row of each, and a row of every class if it is large enough.

    Parameters
    ----------
    train : ndarray of int
        Row numbers of the training part.
    y : ndarray
        Targets of all rows.
    size : int
        Rows of the sample; 0 means all.
    seed : int
    """
    if not 0 < size < len(train):
        return train
    mixed = np.random.RandomState(seed).permutation(train)
    codes = np.unique(y[mixed], return_inverse=True)[1]
    counts = np.bincount(codes)
    place = np.empty(len(mixed))
    for code, count in enumerate(counts):
        # The rows of each class are spread evenly over all places, the first at the beginning.
        place[codes == code] = np.arange(count) / count
    return np.sort(mixed[np.argsort(place, kind="stable")[:size]])


def _stratified(cut, y):
    counts = np.unique(y, return_counts=True)[1]
    if isinstance(cut, StratifiedShuffleSplit) and counts.min() < 2:
        # A class with one row cannot lie on both sides; its row goes where the largest class goes.
        codes = np.unique(y, return_inverse=True)[1]
        y = np.where(np.isin(codes, np.flatnonzero(counts < 2)), counts.argmax(), codes)
    with warnings.catch_warnings():
        # Classes smaller than the number of folds are common in these sets and split as evenly as
        # they can be.
        warnings.filterwarnings("ignore", message="The least populated class")
        return list(cut.split(np.zeros(len(y)), y))


PROTOCOLS = {
    "nested": Protocol("nested", tuning="inner"),
    "kfold": Protocol("kfold", n_splits=10),
    "monte-carlo": Protocol("monte-carlo", splitter="shuffles", n_splits=10, test_size=0.3),
    # The sets of the study come standardised.
    "published": Protocol("published", splitter="published", tuning="halves", standardize=False),
    "five-fold": Protocol("five-fold", tuning="same"),
}


def resolve_protocol(name, options=None):
    """Return the protocol of a name with single settings replaced.

    The option "name" gives the variant a name of its own, under which a ledger keeps its results.

    Examples
    --------
    >>> resolve_protocol("kfold", {"n_splits": 3}).n_splits
    3
    """
    if name not in PROTOCOLS:
        raise unknown_name("protocol", name, PROTOCOLS)
    preset = PROTOCOLS[name]
    known = preset.definition()
    for option, value in (options or {}).items():
        if option not in known:
            raise unknown_name("protocol option", option, known)
        if type(value) is not type(known[option]):
            raise UserError(
                f"Protocol option {option} must be like {known[option]!r}, got {value!r}."
            )
    protocol = replace(preset, **(options or {}))
    _check(protocol)
    return protocol


def _check(protocol):
    for option, choices in (("splitter", _SPLITTERS), ("tuning", _TUNINGS)):
        if getattr(protocol, option) not in choices:
            raise unknown_name(f"{option}", getattr(protocol, option), choices)
    folds = [protocol.n_splits] * (protocol.splitter == "folds")
    folds += [protocol.inner_splits] * (protocol.splitter != "shuffles")
    if min(folds, default=2) < 2:
        raise UserError("n_splits and inner_splits must be at least 2.")
    if not 0.0 < protocol.test_size < 1.0 or protocol.n_splits < 1:
        raise UserError("test_size must lie between 0 and 1 and n_splits above 0.")
    if protocol.tuning_rows and protocol.tuning_rows < 2 * protocol.inner_splits:
        raise UserError("tuning_rows must be 0, for all, or at least twice inner_splits.")
