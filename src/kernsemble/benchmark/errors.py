"""What a person at the command line can put right."""

from difflib import get_close_matches

__all__ = ["BenchmarkError", "unknown_name"]


class BenchmarkError(Exception):
    """A message for the user; the command line prints it without a traceback."""


def unknown_name(kind, name, known):
    """Return the error for a name that is not known, with the nearest ones that are."""
    near = get_close_matches(str(name), list(known), n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(sorted(known))}."
    return BenchmarkError(f"There is no {kind} {name!r}; {hint}")
