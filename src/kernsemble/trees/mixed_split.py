"""The split of a node some of whose columns are categories or lack values.

Planes use the numeric columns, with expectations in place of missing values. A plane competes with
the best split of each category drawn, and with the split of present and missing values of each
column. Without a plane, the thresholds of the numeric columns compete, with missing values at their
expectations, all on the left, or all on the right.
"""

from typing import NamedTuple

import numpy as np

from ..compiled import compiled
from .level_split import LevelArrays, best_level_split, reserve_levels
from .missing_split import ONLY_MISSING, best_missing_split, missing_score
from .number_split import between, make_split, split_numbers
from .tree import BY_LEVEL, BY_VALUE, LEAF, MISSING_LEFT, MISSING_RIGHT, PLANE, PRESENT

_TIE = 1e-12


class SplitArrays(NamedTuple):
    """Arrays that are used again for every node.

    Attributes
    ----------
    levels : LevelArrays
    numeric : ndarray of int of shape (n_drawn,)
        The numeric features of the node, the first of which fills the rest.
    words : ndarray of uint32
        Sides of levels, see `Tree`.
    """

    levels: LevelArrays
    numeric: np.ndarray
    words: np.ndarray


@compiled
def reserve_mixed(n_rows, n_classes, n_drawn, max_levels):
    """Return the arrays that `split_mixed` needs for nodes of at most `n_rows` rows."""
    return SplitArrays(
        reserve_levels(n_rows, n_classes, max_levels),
        np.empty(n_drawn, dtype=np.int32),
        np.empty(max_levels // 32 + 1, dtype=np.uint32),
    )


@compiled
def split_mixed(
    columns,
    ranked,
    mixed,
    here,
    node,
    size,
    drawn,
    growth,
    least_score,
    axis,
    plane,
    arrays,
    to_right,
):
    """Return the best split, and the number of numeric features among the drawn ones.

    The parameters are those of `split_numbers`, with all features that were drawn, `MixedColumns`
    and `SplitArrays`.
    """
    n_levels, numeric = mixed.n_levels, arrays.numeric
    n_numeric = 0
    for j in range(drawn.shape[0]):
        numeric[n_numeric] = drawn[j]
        n_numeric += n_levels[drawn[j]] == 0
    best = make_split(least_score, LEAF, 0.0, BY_VALUE)
    if n_numeric > 0:
        numbers = numeric[:n_numeric]
        best = split_numbers(
            columns,
            ranked,
            here,
            node,
            size,
            numbers,
            growth,
            least_score,
            axis,
            plane,
            to_right,
        )
        numeric[n_numeric:] = numeric[0]
        if mixed.missing.shape[1] > 0:
            best = _route_missing(
                ranked, mixed.missing, here, node, size, numbers, growth, best, axis, to_right
            )
    for j in range(drawn.shape[0]):
        f = drawn[j]
        if n_levels[f] == 0:
            continue
        score = best_level_split(
            columns[f],
            n_levels[f],
            here,
            node,
            size,
            growth.min_samples_leaf,
            best.score,
            arrays.levels,
            arrays.words,
            to_right,
        )
        if score > 0.0:
            best = make_split(score, f, 0.0, BY_LEVEL)
    return best, n_numeric


@compiled
def _route_missing(ranked, is_missing, here, node, size, features, growth, best, axis, to_right):
    """Return the best split that sends missing values to one side, or `best` if none beats it."""
    all_ranks, levels, level_starts = ranked
    min_leaf = growth.min_samples_leaf
    beside_plane = best.feature == PLANE
    for j in range(features.shape[0]):
        f = features[j]
        ranks, missing = all_ranks[f], is_missing[f]
        first, side = ONLY_MISSING, True
        if beside_plane:
            score = missing_score(missing, here, node, size, min_leaf)
        else:
            score, first, side = best_missing_split(
                ranks, missing, here, node, size, min_leaf, axis
            )
        if score > best.score * (1.0 + _TIE):
            values = levels[level_starts[f] :]
            limit = _split_present(ranks, missing, values, here, first, side, to_right)
            best = make_split(score, f, limit, MISSING_RIGHT if side else MISSING_LEFT)
    return best


@compiled
def _split_present(ranks, missing, values, here, first, side, to_right):
    """Write the sides of a split that sends missing values to one of them; return the threshold."""
    last = np.int64(0)
    for i in range(here.shape[0]):
        rank = np.int64(ranks[here[i]])
        if missing[here[i]]:
            to_right[i] = side
        else:
            to_right[i] = rank >= first
            last = max(last, rank if rank < first else last)
    return PRESENT if first == ONLY_MISSING else between(values[last], values[first])
