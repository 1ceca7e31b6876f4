"""What all kernel methods share: scaled inputs, and presets.

Kernels compare distances and inner products, which depend on the units of the columns. A kernel
method therefore looks at its rows through a view that puts all columns on one scale: training rows
when its table is opened, new rows when they are scored. Two tables that differ only in the units of
their columns give the same answer. Categories and missing values become numbers in that view.
"""

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np

from ..kernels import Kernel, OnColumns
from ..maps.mixed_views import fit_mixed_view
from ..maps.views import UnchangedView, fit_scaled_view, fit_sparse_view
from ..tables.draws import draw_rows
from ..validation import check_choice, check_magnitude
from .base import KernelEnsemble
from .parameters import with_parameters

#: Number of rows from which the scales of the columns are computed, in every kind of table.
SCALE_ROWS = 20_000


@with_parameters
class KernelMethod(KernelEnsemble):
    """Base class of the kernel methods.

    A subclass with published settings extends `_paper` by the values that its parameters take with
    `preset="paper"` if they are "auto". What "auto" means otherwise stands in `_auto` where it is
    the same for all data, and is found by the method where it is not.
    """

    _: KW_ONLY
    preset: str = "auto"
    scale: Any = "auto"
    categorical_features: Any = "from_dtype"

    #: Parameter → its published value.
    _paper: ClassVar[dict[str, Any]] = {"scale": None}
    #: Parameter → its value for all data.
    _auto: ClassVar[dict[str, Any]] = {}

    def _settled(self):
        check_choice(self.preset, "preset", ("auto", "paper"))
        values = self._auto if self.preset == "auto" else self._paper
        given = self.get_params(deep=False)
        settled = {name: value for name, value in values.items() if is_auto(given.get(name))}
        return type(self)(**{**given, **settled}) if settled else self

    def _fit_table(self, table, columns, **given):
        view = self._settled()._fit_view(table)
        if isinstance(view, UnchangedView) and table.in_memory:
            check_magnitude(table.all.X, columns.get("feature_names_in_"))
        seen = {name: None if X is None else view(X) for name, X in given.items()}
        return super()._fit_table(seen_table(table, view), {**columns, "view_": view}, **seen)

    def _fit_view(self, table):
        """Return the function from rows to the rows that the members see."""
        if self.scale is not None:
            check_choice(self.scale, "scale", ("auto", "robust"))
        kernels = self._given_kernels()
        if not all(of_coordinates(kernel) for kernel in kernels):
            if self.scale == "robust":
                raise ValueError(
                    "scale='robust' needs kernels of coordinates, but X holds row numbers for a "
                    "precomputed kernel; leave scale at 'auto' or set it to None."
                )
            return UnchangedView()
        if self.scale is None:
            return UnchangedView()
        rows = table.all if table.n_rows <= SCALE_ROWS else table.rows(_sample(table.n_rows))
        if not table.columns.is_plain:
            return fit_mixed_view(rows.X, table.columns, rows.sample_weight)
        fit = fit_scaled_view if isinstance(rows.X, np.ndarray) else fit_sparse_view
        return fit(rows.X, rows.sample_weight, keep_columns=True)

    def _accepts_mixed(self):
        # Categories and missing values become numbers in the view of scaled columns alone, and
        # that view has other columns than the rows.
        published = self.preset == "paper" and is_auto(self.scale)
        if published or self.scale is None:
            return False
        kernels = self._given_kernels()
        return all(of_coordinates(kernel) and not on_columns(kernel) for kernel in kernels)

    def _given_kernels(self):
        """Return what the user gave in place of kernels."""
        return [getattr(self, name, None) for name in ("kernel", "kernels")]

    def _seen(self, X):
        return self.view_(X)


def seen_table(table, view):
    """Return the table whose inputs are `view(X)`."""
    return table if isinstance(view, UnchangedView) else table.seen_as(view)


def is_auto(value):
    """Return whether a parameter is left to the method."""
    return isinstance(value, str) and value == "auto"


def of_coordinates(kernels):
    """Return whether kernels compare coordinates rather than row numbers.

    Samplers, names and None mean kernels of coordinates; an array is a stack of Gram matrices.
    """
    if isinstance(kernels, Kernel):
        return kernels.takes_coordinates
    if isinstance(kernels, (list, tuple)):
        return all(of_coordinates(kernel) for kernel in kernels)
    return not isinstance(kernels, np.ndarray)


def on_columns(kernels):
    """Return whether kernels name columns by their position."""
    if isinstance(kernels, Kernel):
        parts = [value for value in kernels.get_params(deep=False).values() if value is not None]
        return isinstance(kernels, OnColumns) or any(
            on_columns(part) for part in parts if isinstance(part, (Kernel, list, tuple))
        )
    return isinstance(kernels, (list, tuple)) and any(on_columns(kernel) for kernel in kernels)


def _sample(n_rows):
    """Return the same numbers for every seed, so that scales do not depend on it."""
    return np.sort(draw_rows(n_rows, SCALE_ROWS, np.random.RandomState(0)))
