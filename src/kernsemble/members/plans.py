"""What a round of a race has to fit: bundles of tasks, and members joined from their results."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .member import Member

# Added to probabilities before logarithms are taken.
DOUBT = 1e-6


class Grown(NamedTuple):
    """A member of one size.

    Attributes
    ----------
    member : Member
    state : object
        What a larger member of the same name starts from.
    earlier : ndarray or None
        Honest scores of the member at three quarters of its size, which show whether it still
        improves, if it knows them.
    """

    member: Any
    state: Any = None
    earlier: np.ndarray | None = None


class Bundle(NamedTuple):
    """Tasks whose results make one or more members.

    Attributes
    ----------
    names : tuple of str
        Names of the members.
    tasks : list of tuple
        (function, argument, …); a task is the call function(training, argument, …).
    join : callable
        List of results, in the order of the tasks → dict of name → `Grown`.
    cost : float
        Time that the tasks take, in a unit that all sizes of the same members share.
    """

    names: tuple[str, ...]
    tasks: list[tuple]
    join: Callable
    cost: float

    @classmethod
    def single(cls, name, task, cost):
        """Return the bundle of one task whose result is the `Grown` of one member."""
        return cls((name,), [task], lambda results: {name: results[0]}, cost)


@dataclass(frozen=True, eq=False)
class MeanMember(Member):
    """Several members as one, whose scores are the mean of theirs."""

    members: list[Any]
    honest_scores: np.ndarray | None = None

    def scores(self, X):
        return np.mean([member.scores(X) for member in self.members], axis=0)

    def scores_through(self, seen):
        return np.mean([member.scores_through(seen) for member in self.members], axis=0)

    def expansions(self):
        found = [member.expansions() for member in self.members]
        if any(own is None for own in found):
            return None
        n = len(found)
        return [(factor / n, *rest) for own in found for factor, *rest in own]

    def compact(self):
        return replace(self, members=[member.compact() for member in self.members])

    def held_rows(self):
        return self.members[0].held_rows()

    def kernel_terms(self):
        terms = [member.kernel_terms() for member in self.members]
        if any(own is None for own in terms):
            return None
        n = len(terms)
        return [term._replace(coefs=term.coefs / n) for own in terms for term in own]


@dataclass(frozen=True, eq=False)
class LogShares(Member):
    """A member whose scores are the logarithms of another's class shares.

    A temperature makes better probabilities of logarithms than of shares: 0.99 and 0.9 are further
    apart than 0.6 and 0.5. What is added to the shares keeps the logarithms finite.

    Attributes
    ----------
    member : Member
    added : float
    honest_scores : ndarray of shape (n_samples, n_classes) or None
    """

    member: Any
    added: float
    honest_scores: np.ndarray | None = None

    @classmethod
    def of(cls, member, added):
        """Return the member with its honest scores as logarithms too."""
        honest = np.log(np.maximum(member.honest_scores, 0.0) + added)
        return cls(member.without_honest_scores(), added, honest)

    def scores(self, X):
        return self._logarithms(self.member.scores(X))

    def scores_through(self, seen):
        return self._logarithms(self.member.scores_through(seen))

    def _logarithms(self, shares):
        return np.log(np.maximum(shares, 0.0) + self.added)

    def compact(self):
        return replace(self, member=self.member.compact())
