"""What every member of an ensemble has in common."""

from dataclasses import replace
from typing import Any

from ..targets import best_class, count_classes, decode_scores

__all__ = ["Member"]


class Member:
    """A fitted part of an ensemble, with `scores(X)` of its target columns.

    A member that also has `honest_scores`, the scores of its training rows by models that did not
    see them, gives its ensemble calibrated probabilities and fitted combinations.

    Attributes
    ----------
    coding : str
        How target columns stand for classes; see `kernsemble.targets`.
    """

    coding = "one_hot"

    def scores(self, X):
        """Return the scores of the target columns, of shape (n_samples, n_outputs)."""
        raise AttributeError(f"{type(self).__name__} has no scores.")

    def class_scores(self, X):
        """Return the scores of the classes; with two classes a single column, the margin."""
        return self.decode(self.scores(X))

    def predict(self, X):
        """Return class codes, which are positions in `classes_` of the ensemble."""
        return best_class(self.class_scores(X))

    def decode(self, scores):
        """Return class scores from the scores of target columns."""
        return decode_scores(scores, count_classes(scores.shape[1], self.coding), self.coding)

    def without_honest_scores(self):
        """Return the member without the scores of its training rows, which are as many as these."""
        kept: Any = self
        if getattr(self, "honest_scores", None) is not None:
            kept = replace(kept, honest_scores=None)
        return kept
