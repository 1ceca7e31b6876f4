"""Rows, class codes and weights → tree arrays.

The growers are compiled by numba, which takes a moment to import, so this module imports none of
them: an estimator imports what it needs when it is fitted. numba's cache on disk watches only the
file of the function that is called, so remove `__pycache__` after editing a helper it calls.
"""

from .export import export_text, plot_tree

__all__ = ["export_text", "plot_tree"]
