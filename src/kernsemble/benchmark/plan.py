"""Which cells a study has, and in which order they run."""

from typing import NamedTuple

from ..errors import UserError
from .cell import TUNING_SPLIT
from .ledger import Cell
from .sources import load_source


class Plan(NamedTuple):
    """The cells of a study, in the order in which they run.

    Attributes
    ----------
    tuning : list of Cell
        Cells that choose parameters for others, which wait for them.
    testing : list of Cell
    broken : dict
        Label of a data set whose splits cannot be known → reason.
    """

    tuning: list
    testing: list
    broken: dict

    @property
    def cells(self):
        """All cells."""
        return [*self.tuning, *self.testing]


def plan_cells(study):
    """Return all cells of a study.

    The first split of every data set comes before the others, so that a report of all data sets
    can be drawn early.
    """
    tuning: list[Cell] = []
    first: list[Cell] = []
    later: list[Cell] = []
    broken: dict[str, str] = {}
    for label, source in study.datasets.items():
        try:
            splits, sizes = _splits_and_sizes(study, source)
        except UserError as error:
            broken[label] = str(error)
            splits, sizes = ["0"], [0]
        for method in study.methods.values():
            for seed in study.seeds:
                key = (label, method.name, study.protocol.name)
                if study.protocol.tunes_first and method.grid and label not in broken:
                    tuning += [Cell(*key, TUNING_SPLIT, seed, size) for size in sizes]
                cells = [Cell(*key, split, seed, size) for split in splits for size in sizes]
                n_first = len(sizes) if seed == study.seeds[0] else 0
                first.extend(cells[:n_first])
                later.extend(cells[n_first:])
    return Plan(tuning, first + later, broken)


def _splits_and_sizes(study, source):
    """Return the names of the splits of a data set, and the sizes of training samples.

    A size that the training parts do not have is their whole, 0.
    """
    protocol = study.protocol
    # Published splits and sizes depend on the data, and reading 121 sets takes a while.
    data = load_source(source) if protocol.splitter == "published" or study.rows else None
    names = protocol.split_names(data)
    if data is None or not study.rows:
        return names, [0]
    smallest = min(len(train) for train, _ in protocol.splits(data, study.seeds[0]))
    sizes = [size for size in study.rows if size < smallest]
    return names, sizes if len(sizes) == len(study.rows) else [*sizes, 0]
