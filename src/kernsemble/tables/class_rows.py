"""Where the rows of each class are."""

from abc import ABC, abstractmethod

import numpy as np

__all__ = ["ClassRows", "KnownCodes"]


class ClassRows(ABC):
    """Finds rows by their class.

    Attributes
    ----------
    sizes : ndarray of int of shape (n_classes,)
        Number of rows of each class.
    """

    sizes: np.ndarray

    @abstractmethod
    def locate(self, codes, ranks):
        """Return the number of row `ranks[i]`, counted within class `codes[i]`, for every i."""

    @abstractmethod
    def codes_of(self, numbers):
        """Return the classes of rows given by their numbers."""


class KnownCodes(ClassRows):
    """The classes of all rows are in one array."""

    def __init__(self, codes, n_classes=0):
        self.codes = codes
        self.sizes = np.bincount(codes, minlength=n_classes)
        self.order = np.argsort(codes, kind="stable")
        self.first = np.cumsum(self.sizes) - self.sizes

    def locate(self, codes, ranks):
        return self.order[self.first[codes] + ranks]

    def codes_of(self, numbers):
        return self.codes[numbers]
