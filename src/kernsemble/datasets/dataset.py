"""The record in which every source returns its data."""

from dataclasses import dataclass, replace

import numpy as np

#: Between the name of a set and the column that is left out.
WITHOUT = " without "


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A data set with its published splits.

    Parameters
    ----------
    name : str
        Full name; ``load(name)`` loads the same data again.
    source : {"builtin", "generator", "folder", "openml"}
        Where the data come from.
    X : ndarray of float64 of shape (n_samples, n_features)
        Missing values are NaN.
    y : ndarray of shape (n_samples,)
        Targets as published, whole numbers or strings.
    feature_names : tuple of str
        Names of the columns of `X`.
    splits : tuple of (train_indices, test_indices), default=()
        The published splits, over which the mean of a result is reported. A set with a training
        and a test file has one split, and a set with published random splits has several.
    tuning : (fit_indices, choose_indices) or None, default=None
        The published halves for the choice of parameters: fit on the first half and choose by the
        second.
    flaw : str or None, default=None
        Reason not to compare with published results on this set; see `FLAWED`.
    description : str, default=""
        Origin, licence and known problems, if the source names them.

    Examples
    --------
    >>> from kernsemble.datasets import load
    >>> data = load("wine")
    >>> data
    Dataset('wine', 178 rows × 13 features, 3 classes, 0 splits)
    >>> data.X.shape, data.classes.tolist()
    ((178, 13), [0, 1, 2])
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
        """The distinct targets, sorted."""
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
