"""What a person at the command line can put right."""

from difflib import get_close_matches
from pathlib import Path

# Names that are listed, and how alike two names are of which one is a mistake for the other.
_LISTED, _ALIKE = 30, 0.75


class UserError(Exception):
    """A message for the user; the command line prints it without a traceback."""


def check_files(*paths, kind="file"):
    """Raise if a file that should be read is not there.

    None stands for one that is not asked for, and "-" for standard input, which is no model.
    The command line does so before it loads what reads them.
    """
    for path in paths:
        if path is None or (kind == "file" and str(path) == "-"):
            continue
        if not Path(path).is_file():
            raise UserError(f"There is no {kind} {path}.")


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
    hints = [f"did you mean {' or '.join(near)}?"] if near else []
    # A name that is only a little alike may not be the one that was meant.
    if not get_close_matches(str(name).casefold(), folded, 1, _ALIKE):
        hints.append(f"known: {', '.join(known[:_LISTED])}{' …' if len(known) > _LISTED else '.'}")
    where = f" {place}" if place else ""
    return UserError(f"There is no {kind} {name!r}{where}; {' '.join(hints)}")
