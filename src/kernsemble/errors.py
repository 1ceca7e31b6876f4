"""What a person at the command line can put right."""

from difflib import get_close_matches

_LISTED = 30


class UserError(Exception):
    """A message for the user; the command line prints it without a traceback."""


def unknown_name(kind, name, known, place=""):
    """Return the error for a name that is not known, with the nearest ones that are.

    Parameters
    ----------
    kind : str
        What the name should be one of, such as "column".
    name : str
    known : iterable of str
    place : str, default=""
        Where it was looked for, such as "in table.csv".
    """
    known = sorted(set(known))
    folded = {other.casefold(): other for other in known}
    near = [folded[match] for match in get_close_matches(str(name).casefold(), folded, 3, 0.5)]
    if near:
        hint = f"did you mean {' or '.join(near)}?"
    else:
        hint = f"known: {', '.join(known[:_LISTED])}{' …' if len(known) > _LISTED else '.'}"
    where = f" {place}" if place else ""
    return UserError(f"There is no {kind} {name!r}{where}; {hint}")
