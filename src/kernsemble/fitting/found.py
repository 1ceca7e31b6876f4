"""What fitting found: members, and everything else that becomes a fitted attribute."""

from typing import Any, NamedTuple

import numpy as np

from ..calibration import HonestScores
from ..combine import FITTED_RULES, fit_combination
from ..targets import decode_scores


class Found(NamedTuple):
    """The result of fitting the members.

    Attributes
    ----------
    members : list of Member
    attributes : dict
        Further fitted attributes by name, each with a trailing underscore.
    honest : HonestScores or None
        Class scores of the whole ensemble; None derives them from the members, if all have some.
    combination : callable or None
        From the class scores of the members to those of the ensemble; None means that the
        parameter `combine` says how.
    """

    members: list
    attributes: dict[str, Any] = {}  # noqa: RUF012
    honest: HonestScores | None = None
    combination: Any = None

    def with_attributes(self, **more):
        """Return the same with further fitted attributes."""
        return self._replace(attributes={**self.attributes, **more})


def combine_members(rule, members, table, coding):
    """Return the function that combines class scores, and the honest scores that it gives.

    Parameters
    ----------
    rule : str
        One of `kernsemble.combine.RULES`.
    members : list of Member
    table : Table
    coding : str
        How classes are target columns.

    Returns
    -------
    combination : callable
    honest : HonestScores or None
        None where not all members have honest scores.
    """
    scores = [getattr(member, "honest_scores", None) for member in members]
    stacked, aims, rows = None, None, table.scored
    if all(S is not None for S in scores):
        decoded = [member.decode(S) for member, S in zip(members, scores)]
        stacked = decoded[0][None] if len(decoded) == 1 else np.stack(decoded)
    if rule in FITTED_RULES:
        aims = decode_scores(rows.targets(coding), table.n_classes, coding)
    combination = fit_combination(rule, stacked, aims, rows.sample_weight)
    if stacked is None:
        return combination, None
    return combination, HonestScores.of(combination(stacked), rows, table.scored_numbers)
