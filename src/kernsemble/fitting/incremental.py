"""Learning chunk after chunk, for methods whose solution follows from sums over the rows."""

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from ..tables.base import add
from .kernel_method import KernelMethod, seen_table
from .parameters import with_parameters


class PartialFit(NamedTuple):
    """What `partial_fit` remembers of the chunks it has seen.

    Attributes
    ----------
    plan : object
        What the first chunk decided: hidden layers, landmarks, strengths.
    sums : object
        Sums over all rows so far.
    """

    plan: Any
    sums: Any


@with_parameters
class IncrementalEnsemble(KernelMethod):
    """Base class of the classifiers with `partial_fit`.

    A subclass plans on the first chunk what does not follow from sums (hidden layers, landmarks, a
    strength), says what it sums up, and solves for its members.
    """

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Add a chunk of rows and solve again.

        Kernels, landmarks, scales and strengths are those that the first chunk suggests. After any
        number of chunks the members are those of all rows together; honest scores and the
        temperature are of the rows of the last chunk, left out of all the others.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows of the chunk.
        y : array-like of shape (n_samples,)
            Their labels.
        classes : array-like of shape (n_classes,), default=None
            All classes, for the first call; None means those of the first chunk.
        sample_weight : array-like of shape (n_samples,), default=None
            Means between 1e-6 and 1e6; weights of all chunks are on one scale.

        Returns
        -------
        self : object
            The classifier, fitted to all chunks up to this one.
        """
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all rows at once; give partial_fit a dict."
            )
        before = getattr(self, "partial_", None)
        if before is not None:
            known = self.classes_
        else:
            known = None if classes is None else np.unique(classes)
        table, columns = self._open_memory(
            X, y, sample_weight, classes=known, reset=before is None, may_scale=False
        )
        settled = self._settled()
        view = settled._fit_view(table) if before is None else self.view_
        table, columns = seen_table(table, view), {**columns, "view_": view}
        if before is None:
            settled._check_params(table)
            plan = settled._plan(table, check_random_state(self.random_state))
            sums = table.total(settled._sum_rows, plan)
        else:
            plan = before.plan
            sums = add(before.sums, table.total(settled._sum_rows, plan))
        found = settled._solve_sums(table, plan, sums)
        found = found.with_attributes(partial_=PartialFit(plan, sums))
        return self._set_fitted(table, columns, settled._finish(table, found))

    @abstractmethod
    def _plan(self, table, rng):
        """Return what the first chunk decides."""

    @abstractmethod
    def _sum_rows(self, rows, plan):
        """Return the sums of some rows, which `kernsemble.tables.base.add` can add up."""

    @abstractmethod
    def _solve_sums(self, table, plan, sums):
        """Return what follows from the sums as `Found`, with honest scores of the last chunk."""
