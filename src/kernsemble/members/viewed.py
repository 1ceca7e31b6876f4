"""Members on a view of the rows, and any scikit-learn classifier as a member."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..maps.views import View
from .kernel_expansion import KernelExpansion
from .member import Member
from .projected import fit_classifier, fold_scores, seeded_clone, share_scores


@dataclass(frozen=True, eq=False)
class ViewedMember(Member):
    """A member that scores a view of the rows."""

    view: View
    member: Any
    honest_scores: np.ndarray | None = None

    @classmethod
    def of(cls, view, member):
        """Return the member of a view, which takes over the honest scores of `member`."""
        return cls(view, member.without_honest_scores(), member.honest_scores)

    def scores(self, X):
        return self.member.scores(self.view(X))

    def scores_through(self, seen):
        return self.member.scores(seen(self.view))

    def expansions(self):
        if not isinstance(self.member, KernelExpansion):
            return None
        return [(1.0, self.view, self.member)]

    def compact(self):
        return replace(self, member=self.member.compact())

    def held_rows(self):
        held = self.member.held_rows()
        return None if held is None else held._replace(look=self.view)

    def kernel_terms(self):
        terms = self.member.kernel_terms()
        return None if terms is None else [term._replace(look=self.view) for term in terms]


@dataclass(frozen=True, eq=False)
class EstimatorMember(Member):
    """A classifier fitted to class codes, some of which may be absent from its training rows."""

    classifier: Any
    n_classes: int
    honest_scores: np.ndarray | None = None

    def scores(self, X):
        """Return the share of each class: probabilities, or 1 for the predicted class."""
        return share_scores(self.classifier, X, self.n_classes)


def fit_estimator_member(table, estimator, rng, *, n_folds=5):
    """Fit a clone of a classifier, with honest scores from cross-validation.

    Returns an `EstimatorMember`.
    """
    rows = table.all
    X, codes, weights, n_classes = rows.X, rows.codes, rows.sample_weight, rows.n_classes
    classifier = seeded_clone(estimator, rng)
    honest = fold_scores(classifier, X, codes, weights, n_classes, n_folds, rng)
    return EstimatorMember(fit_classifier(classifier, X, codes, weights), n_classes, honest)
