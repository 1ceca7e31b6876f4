"""What fitting found: members, and everything else that becomes a fitted attribute."""

from typing import Any, NamedTuple

from ..calibration import HonestScores


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
