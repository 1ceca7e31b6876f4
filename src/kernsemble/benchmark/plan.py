"""Which cells a study has, and in which order they run.

The first split of every data set comes before the others, and there cheap methods before dear ones,
so that a page of all data sets can be drawn early. Then data set follows data set, with all splits
and methods, so that at any time few data sets are without a mean.
"""

import math
from typing import NamedTuple

from ..errors import UserError
from .cell import TUNING_SPLIT
from .costs import typical_seconds
from .ledger import Cell
from .sources import load_source


class Plan(NamedTuple):
    """The cells of a study, in the order in which they run.

    Attributes
    ----------
    tuning : list of Cell
        Cells that choose parameters for others, which wait for them.
    first : list of Cell
        The first split of every data set.
    later : list of Cell
        The other splits.
    broken : dict
        Label of a data set whose splits cannot be known → reason.
    """

    tuning: list
    first: list
    later: list
    broken: dict

    @property
    def testing(self):
        """All cells but those that choose parameters."""
        return [*self.first, *self.later]

    @property
    def cells(self):
        """All cells."""
        return [*self.tuning, *self.testing]


def plan_cells(study, measured=None):
    """Return all cells of a study.

    Parameters
    ----------
    study : Study
    measured : dict, default=None
        Method → seconds that its cells took; other methods have the seconds of a rough table.
    """
    seconds = {
        name: (measured or {}).get(name) or typical_seconds(method, study.protocol)
        for name, method in study.methods.items()
    }
    cheap_first = sorted(study.methods.values(), key=lambda method: seconds[method.name])
    tuning: list[Cell] = []
    first: dict[int, list[Cell]] = {}
    later: list[Cell] = []
    broken: dict[str, str] = {}
    for label, source in study.datasets.items():
        try:
            splits, sizes = _splits_and_sizes(study, label, source)
        except UserError as error:
            broken[label] = str(error)
            splits, sizes = ["0"], [0]
        rest: list[Cell] = []
        for method in cheap_first:
            # A worker keeps the data set of its last cell, so methods of about the same cost run
            # on one data set before the next one is read.
            tier = first.setdefault(math.floor(math.log10(seconds[method.name])), [])
            for seed in study.seeds:
                key = (label, method.name, study.protocol.name)
                if study.protocol.tunes_first and method.grid and label not in broken:
                    tuning += [Cell(*key, TUNING_SPLIT, seed, size) for size in sizes]
                cells = [Cell(*key, split, seed, size) for split in splits for size in sizes]
                n_first = len(sizes) if seed == study.seeds[0] else 0
                tier += cells[:n_first]
                rest += cells[n_first:]
        places = {split: place for place, split in enumerate(splits)}
        later += sorted(rest, key=lambda cell: (places[cell.split], cell.seed))
    tiers = [cell for tier in sorted(first) for cell in first[tier]]
    return Plan(tuning, tiers, later, broken)


def _splits_and_sizes(study, label, source):
    """Return the names of the splits of a data set, and the sizes of training samples.

    A size that the training parts do not have is their whole, 0.
    """
    protocol = study.protocol
    # Published splits and sizes depend on the data, and reading 121 sets takes a while.
    data = load_source(source) if protocol.splitter == "published" or study.rows else None
    names = protocol.split_names(data)[: study.first_splits.get(label)]
    if data is None or not study.rows:
        return names, [0]
    smallest = min(len(train) for train, _ in protocol.splits(data, study.seeds[0]))
    sizes = [size for size in study.rows if size < smallest]
    return names, sizes if len(sizes) == len(study.rows) else [*sizes, 0]
