"""What every source of data returns."""

from dataclasses import dataclass, replace

import numpy as np

__all__ = ["WITHOUT", "Dataset", "leave_out"]

#: Between the name of a set and the column that is left out.
WITHOUT = " without "


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Rows, targets, and how their publishers split them.

    Attributes
    ----------
    name : str
        Full name; ``load(name)`` finds the same data again.
    source : {"builtin", "generator", "folder", "openml"}
        Where the rows came from.
    X : ndarray of shape (n_samples, n_features), float64
        Inputs; a missing cell is NaN.
    y : ndarray of shape (n_samples,)
        Targets as published, whole numbers or strings.
    feature_names : tuple of str
    splits : tuple of (train_indices, test_indices)
        The published splits to report a mean over: one pair when the set comes as a training
        and a test file, several when it comes with random splits, none otherwise.
    tuning : (fit_indices, choose_indices) or None
        The published halves for parameter choice: fit on the first, choose on the second.
    flaw : str or None
        Why published results on this set should not be compared with; see `FLAWED`.
    description : str
        Origin, licence and known differences, as far as the source tells.
    """

    name: str
    source: str
    X: np.ndarray
    y: np.ndarray
    feature_names: tuple[str, ...]
    splits: tuple[tuple[np.ndarray, np.ndarray], ...] = ()
    tuning: tuple[np.ndarray, np.ndarray] | None = None
    flaw: str | None = None
    description: str = ""

    @property
    def classes(self):
        """Distinct targets, sorted."""
        return np.unique(self.y)

    def __repr__(self):
        rows, features = self.X.shape
        return (
            f"Dataset({self.name!r}, {rows} rows × {features} features, "
            f"{len(self.classes)} classes, {len(self.splits)} splits)"
        )


def leave_out(dataset, column):
    """Return the data set without the column of that name, such as a row number."""
    names = dataset.feature_names
    if column not in names:
        raise ValueError(
            f"The set {dataset.name!r} has no column {column!r}, but {', '.join(names)}."
        )
    kept = [number for number, name in enumerate(names) if name != column]
    return replace(
        dataset,
        name=dataset.name + WITHOUT + column,
        X=dataset.X[:, kept],
        feature_names=tuple(names[number] for number in kept),
    )
