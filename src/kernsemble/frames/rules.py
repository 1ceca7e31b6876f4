"""What the user says about a table: a TOML file that overrules what the reader finds.

.. code-block:: toml

    separator = ";"
    decimal = ","
    encoding = "cp1252"

    [columns]
    postcode = "category"
    age = "number"
    since = "date, day first"
    remark = "leave out"
"""

import tomllib
from pathlib import Path
from typing import NamedTuple

from ..errors import UserError, unknown_name
from .columns import CATEGORY, DATE, NUMBER, TRUTH
from .dates import DAY_FIRST, MONTH_FIRST
from .dialect import SEPARATORS

LEAVE_OUT = "leave out"
KINDS = (
    NUMBER,
    CATEGORY,
    TRUTH,
    DATE,
    f"{DATE}, {DAY_FIRST}",
    f"{DATE}, {MONTH_FIRST}",
    LEAVE_OUT,
)
_SIGNS = {"separator": SEPARATORS, "decimal": (".", ",")}


class Rules(NamedTuple):
    """What is known about a table before it is read; None means that it is to be found out.

    Attributes
    ----------
    encoding, separator, decimal : str or None
    kinds : dict
        Column → one of `KINDS`.
    """

    encoding: str | None = None
    separator: str | None = None
    decimal: str | None = None
    kinds: dict = {}  # noqa: RUF012

    def check_names(self, names, path):
        """Raise when a rule is about a column that the table does not have."""
        for name in self.kinds:
            if name not in names:
                raise unknown_name("column", name, names, f"in {path}")


def read_rules(path):
    """Return the rules in a TOML file."""
    path = Path(path)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"The rules {path} cannot be read: {error}") from None
    kinds = content.pop("columns", {})
    if not isinstance(kinds, dict):
        raise UserError(f"{path}: columns must be a table, [columns], with a kind for each name.")
    for key, value in content.items():
        if key not in Rules._fields or key == "kinds":
            raise unknown_name("rule", key, [*Rules._fields[:3], "columns"], f"in {path}")
        if value not in _SIGNS.get(key, (value,)) or not isinstance(value, str):
            allowed = " ".join(map(repr, _SIGNS.get(key, ("a name",))))
            raise UserError(f"{path}: {key} must be one of {allowed}, got {value!r}.")
    for name, kind in kinds.items():
        if kind not in KINDS:
            raise unknown_name("kind of column", kind, KINDS, f"({path}, column {name})")
    return Rules(**content, kinds=kinds)
