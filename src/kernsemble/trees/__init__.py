"""Trees: rows, classes and weights → arrays of nodes.

Trees are grown by code that numba compiles. numba takes a moment to import, so this module does not
import it; a classifier imports it when it is fitted.
"""

from .export import export_text, plot_tree

__all__ = ["export_text", "plot_tree"]
