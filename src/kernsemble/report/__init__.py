"""Results → plot data → figures → one HTML page that needs nothing but a browser."""

from .page import write_report

__all__ = ["write_report"]
