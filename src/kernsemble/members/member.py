"""What every member of an ensemble has in common."""

from dataclasses import replace
from typing import Any, NamedTuple

from ..targets import best_class, count_classes, decode_scores


class HeldRows(NamedTuple):
    """Training rows that a member holds.

    Attributes
    ----------
    look : callable
        What the member does to rows before it compares them with those it holds.
    rows : ndarray of shape (n_held, n_columns)
    drawn_evenly : bool
        Whether they are all rows, or an even sample; otherwise they are the rows that matter.
    """

    look: Any
    rows: Any
    drawn_evenly: bool = False


class KernelTerm(NamedTuple):
    """A part kernel(look(x), rows) @ coefs of the scores of a member.

    Attributes
    ----------
    look : callable
        What the member does to rows before it compares them.
    kernel : Kernel
    rows : ndarray of shape (n_rows, n_columns)
    coefs : ndarray of shape (n_rows, n_outputs)
    of_landmarks : bool
        Whether the rows are landmarks, whose coefficients speak for all training rows together.
    """

    look: Any
    kernel: Any
    rows: Any
    coefs: Any
    of_landmarks: bool = False


class HiddenUnits(NamedTuple):
    """Hidden units of networks with one layer, whose weighted sum is the class scores of a member.

    The scores are act(look(x) @ weights + biases) @ coefs + look(x) @ links + constant.

    Attributes
    ----------
    look : callable
        What the member does to rows first.
    activation : str
    weights : ndarray of shape (n_inputs, n_units)
    biases : ndarray of shape (n_units,)
    coefs : ndarray of shape (n_units, n_columns)
    links : ndarray of shape (n_inputs, n_columns)
    constant : ndarray of shape (n_columns,)
    """

    look: Any
    activation: str
    weights: Any
    biases: Any
    coefs: Any
    links: Any
    constant: Any


class Member:
    """A fitted part of an ensemble, with a method `scores(X)` for its target columns.

    A member may also have `honest_scores`, the scores of its training rows by models that were
    fitted without them. With these an ensemble can calibrate probabilities and fit combinations.

    Attributes
    ----------
    coding : str
        How target columns represent classes; see `kernsemble.targets`.
    """

    coding = "one_hot"

    def scores(self, X):
        """Return the scores of the target columns, of shape (n_samples, n_outputs)."""
        raise AttributeError(f"{type(self).__name__} has no scores.")

    def scores_through(self, seen):
        """Return the scores of rows given as `SeenRows`, which compute every view once."""
        return self.scores(seen.X)

    def class_scores(self, X):
        """Return the scores of the classes, or for two classes a single column, the margin."""
        return self.decode(self.scores(X))

    def predict(self, X):
        """Return class codes, the positions of the classes in `classes_` of the ensemble."""
        return best_class(self.class_scores(X))

    def decode(self, scores):
        """Return class scores from the scores of target columns."""
        return decode_scores(scores, count_classes(scores.shape[1], self.coding), self.coding)

    def held_rows(self):
        """Return the training rows that the member holds as `HeldRows`, or None."""
        return None

    def kernel_terms(self):
        """Return the terms whose sum is `scores` but for a constant, or None if there are none."""
        return None

    def hidden_units(self):
        """Return the `HiddenUnits` that the class scores are made of, or None."""
        return None

    def expansions(self):
        """Return triples (factor, look, expansion) whose weighted sum is `scores`, or None.

        A look is what is done to rows first, or None for nothing; an expansion is a
        `KernelExpansion`.
        """
        return None

    def compact(self):
        """Return a member of the same scores that takes less time to give them."""
        return self

    def without_honest_scores(self):
        """Return the member without its honest scores, which take memory for every training row."""
        kept: Any = self
        if getattr(self, "honest_scores", None) is not None:
            kept = replace(kept, honest_scores=None)
        return kept
