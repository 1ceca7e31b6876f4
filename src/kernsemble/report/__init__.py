"""Results and fitted models → figures → pages that need nothing but a browser."""

from typing import TYPE_CHECKING

from ..lazy import lazily_from

if TYPE_CHECKING:
    from .column_displays import ExplanationDisplay as ExplanationDisplay
    from .column_displays import ImportanceDisplay as ImportanceDisplay
    from .displays import CoverageDisplay as CoverageDisplay
    from .displays import LeaderboardDisplay as LeaderboardDisplay
    from .displays import ReliabilityDisplay as ReliabilityDisplay
    from .model_page import write_model_page as write_model_page
    from .page import write_report as write_report
    from .versions_page import write_version_report as write_version_report

# A picture needs matplotlib alone, a page jinja2 and pandas.
__getattr__, __dir__, __all__ = lazily_from(
    __name__,
    {
        "CoverageDisplay": "displays",
        "ExplanationDisplay": "column_displays",
        "ImportanceDisplay": "column_displays",
        "LeaderboardDisplay": "displays",
        "ReliabilityDisplay": "displays",
        "write_model_page": "model_page",
        "write_report": "page",
        "write_version_report": "versions_page",
    },
)
