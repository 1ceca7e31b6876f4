"""Data sets by name: built in, generated, from a folder of csv.gz files or from OpenML."""

from .catalogue import DatasetEntry, find_file, list_datasets, load
from .checks import find_flaws
from .dataset import Dataset
from .flaws import FLAWED
from .generators import (
    TEN_GAUSSIANS_CENTRES,
    make_ringnorm,
    make_spirals,
    make_ten_gaussians,
    make_twonorm,
    make_waveform,
    make_xor,
)
from .study121 import Imported, import_study

__all__ = [
    "FLAWED",
    "TEN_GAUSSIANS_CENTRES",
    "Dataset",
    "DatasetEntry",
    "Imported",
    "find_file",
    "find_flaws",
    "import_study",
    "list_datasets",
    "load",
    "make_ringnorm",
    "make_spirals",
    "make_ten_gaussians",
    "make_twonorm",
    "make_waveform",
    "make_xor",
]
