"""Find flaws that make a comparison on a data set meaningless."""

import numpy as np

from .flaws import FLAWED

# A column whose mean differs from 0, and whose deviation from 1, by less is standardised.
_STANDARD = 5e-3
# Two random parts of one table differ by less: _SHIFT is the difference of the means in standard
# deviations, _CHANCE the same in standard errors, and _STRETCH the ratio of the deviations.
_SHIFT, _CHANCE, _STRETCH = 1.0, 5.0, 2.0
# Share of test rows that may be training rows, too.
_REPEATED = 0.5


def find_flaws(data):
    """Return the flaws of a data set.

    A set is flawed if it has only one class, if a feature repeats the class or counts the rows, if
    the training and the test file have different scales, if most test rows are also training rows,
    or if `FLAWED` lists it.

    Parameters
    ----------
    data : Dataset
        The set to check, with its published splits.

    Returns
    -------
    flaws : list of str
        A description of each flaw.

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble.datasets import Dataset
    >>> X = np.column_stack([np.arange(6.0), [3, 1, 2, 2, 1, 3]])
    >>> find_flaws(Dataset("tiny", "table", X, np.array([0, 1] * 3), ("id", "x")))
    ['feature id counts the rows']
    """
    flaws = [FLAWED[data.name]] if data.name in FLAWED else []
    flaws += _target_flaws(data)
    flaws += [
        f"feature {name} counts the rows"
        for name, column in zip(data.feature_names, data.X.T)
        if _counts_rows(column)
    ]
    if len(data.splits) == 1:
        train, test = data.splits[0]
        flaws += _scale_flaws(data.X[train], data.X[test])
    shares = [_repeated_share(data.X[train], data.X[test]) for train, test in data.splits]
    if max(shares, default=0.0) > _REPEATED:
        flaws.append(f"{max(shares):.0%} of the test rows are training rows too")
    return flaws


def _target_flaws(data):
    """Yield the flaws of the target column."""
    if len(data.classes) < 2:
        yield f"the target is constant, {data.classes[0]}"
        return
    for number, (train, _) in enumerate(data.splits):
        if len(np.unique(data.y[train])) < 2:
            yield f"the training rows of split {number} hold one class"
    codes = np.unique(data.y, return_inverse=True)[1]
    for name, column in zip(data.feature_names, data.X.T):
        levels, found = np.unique(column, return_inverse=True)
        if len(levels) == len(data.classes) and len({*zip(found, codes)}) == len(levels):
            yield f"feature {name} is the target under another name"


def _counts_rows(column):
    """Return whether each value differs from the one before by the same step."""
    steps = np.diff(column)
    return len(column) > 2 and steps[0] != 0 and np.allclose(steps, steps[0], rtol=1e-3)


def _scale_flaws(train, test):
    """Yield the flaw of training and test rows that have different scales."""
    centre, width = np.nanmean(train, axis=0), np.nanstd(train, axis=0)
    centre_of_test, width_of_test = np.nanmean(test, axis=0), np.nanstd(test, axis=0)
    used = (width > 1e-9) & (width_of_test > 1e-9)
    if not used.any():
        return
    if _is_standard(centre, width, used) and _is_standard(centre_of_test, width_of_test, used):
        yield "training and test rows were standardised apart"
        return
    shift = np.median(np.abs(centre_of_test - centre)[used] / width[used])
    stretch = np.median(np.abs(np.log(width_of_test[used] / width[used])))
    # The mean of a few test rows varies, so a shift must also be larger than chance explains.
    if (shift > _SHIFT and shift * np.sqrt(len(test)) > _CHANCE) or stretch > np.log(_STRETCH):
        yield "training and test rows are not on the same scale"


def _is_standard(centre, width, used):
    near_zero = np.abs(centre[used]) < _STANDARD
    # The standard deviation may have been computed with n or with n - 1.
    near_one = np.abs(width[used] - 1) < 4 * _STANDARD
    return bool(near_zero.all() and near_one.all())


def _repeated_share(train, test):
    # Missing values are equal as bytes, but not as numbers.
    known = {row.tobytes() for row in train}
    return float(np.mean([row.tobytes() in known for row in test])) if len(test) else 0.0
