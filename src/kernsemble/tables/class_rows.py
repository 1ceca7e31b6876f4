"""Finding the rows of each class."""

from abc import ABC, abstractmethod

import numpy as np


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
        """Return for every i the number of the row with rank `ranks[i]` in class `codes[i]`."""

    @abstractmethod
    def codes_of(self, numbers):
        """Return the classes of the rows with the given numbers."""


class KnownCodes(ClassRows):
    """Finds rows by their class from one array with the classes of all rows."""

    def __init__(self, codes, n_classes=0):
        self.codes = codes
        self.sizes = np.bincount(codes, minlength=n_classes)
        self.order = np.argsort(codes, kind="stable")
        self.first = np.cumsum(self.sizes) - self.sizes

    def locate(self, codes, ranks):
        return self.order[self.first[codes] + ranks]

    def codes_of(self, numbers):
        return self.codes[numbers]
