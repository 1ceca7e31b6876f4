"""The memory and work that many classes take: a fit that cannot end is refused before it begins."""

import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

from ..targets import count_columns

#: The file in which Linux says what a container may use.
CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
#: Number of operations that take hours on any machine.
WORK_LIMIT = 1e14


class MemoryMixin:
    """What a classifier knows about the memory and the work that its fit needs."""

    #: Whether the honest scores of all members are held at once, to be combined.
    _stacks_scores = False

    def _score_values(self, table):
        """Return how many numbers the class scores of the training rows are at least.

        Targets and honest scores are two matrices of rows and target columns, and an ensemble that
        combines the honest scores of its members has one more for each member.
        """
        # The classifier that mixes this in has the number of its members.
        members = self.n_estimators if self._stacks_scores else 0  # type: ignore[attr-defined]
        return (2 + members) * len(table.scored_numbers) * self._count_columns(table)

    def _gram_values(self, table):
        """Return how many numbers the Gram matrices are at least that are held at once."""
        return 0

    def _class_work(self, table):
        """Return about how many operations the problems of the classes take.

        It is 0 where all classes share the work of one problem.
        """
        return 0.0

    def _count_columns(self, table):
        """Return the number of target columns."""
        return count_columns(table.n_classes, self._coding)  # type: ignore[attr-defined]

    @contextmanager
    def _bounded_memory(self, table):
        """Raise before the fit if memory or time cannot suffice, and explain it if it does not."""
        name, limit = type(self).__name__, memory_limit()
        needed = 8 * (self._score_values(table) + self._gram_values(table))
        sizes = f"{table.shape[0]} rows, {table.shape[1]} columns and {table.n_classes} classes"
        if needed > limit:
            raise MemoryError(
                f"{name} needs at least {needed / 1e9:.1f} GB for the scores of {sizes}, and this "
                f"process may use {limit / 1e9:.1f} GB. Join rare classes, fit fewer rows, or "
                "fewer members where there are several (n_estimators)."
            )
        work = self._class_work(table)
        if work > WORK_LIMIT:
            raise ValueError(
                f"{name} needs about {work:.0e} operations for {sizes}, many hours of work: every "
                "class has a problem of its own. Join rare classes, fit fewer rows, or take a "
                "method whose classes share their work, such as RVFLClassifier or MPRaFClassifier."
            )
        try:
            yield
        except MemoryError as error:
            frugal = ("RVFLClassifier", "LandmarkRidgeClassifier")
            other = next(other for other in frugal if other != name)
            raise MemoryError(
                f"{name} needs more memory than there is for {sizes} ({error}). Fit fewer rows or "
                "columns, join rare classes, or take a method that grows more slowly, such as "
                f"{other}."
            ) from error


def memory_limit():
    """Return the bytes that this process may use: of the machine, the container and the process."""
    limits = [float("inf")]
    if sys.platform != "win32":
        import resource

        own = resource.getrlimit(resource.RLIMIT_AS)[0]
        limits.append(float("inf") if own == resource.RLIM_INFINITY else own)
        with suppress(OSError, ValueError):
            limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    # The file holds the word "max" where there is no limit.
    with suppress(OSError, ValueError):
        limits.append(int(CONTAINER_LIMIT.read_text("utf-8")))
    return min(limits)
