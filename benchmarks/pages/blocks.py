"""Blocks of Markdown that are computed from rows, in pages that people write.

A block stands in a page between ``<!-- begin NAME -->`` and ``<!-- end -->``; a function with the
decorator ``@block(NAME)`` returns its text.
"""

import re
from pathlib import Path

from kernsemble.errors import UserError

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = {}
_MARKED = re.compile(r"<!-- begin (?P<name>\S+) -->\n(?P<text>.*?)<!-- end -->", re.DOTALL)


def block(name):
    """Register the function that computes the block of this name."""

    def register(function):
        BLOCKS[name] = function
        return function

    return register


def find_pages():
    """Return the pages that have blocks."""
    candidates = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in candidates if _MARKED.search(page.read_text(encoding="utf-8"))]


def compute(name):
    """Return the text of a block, None when it needs data that are not there."""
    if name not in BLOCKS:
        raise KeyError(f"A page asks for the block {name!r}; known: {', '.join(sorted(BLOCKS))}.")
    try:
        return BLOCKS[name]().strip() + "\n"
    except UserError:
        return None


def render(text):
    """Return a page with every block computed again; what cannot be computed stays."""

    def replace(match):
        computed = compute(match["name"])
        written = match["text"] if computed is None else computed
        return f"<!-- begin {match['name']} -->\n{written}<!-- end -->"

    return _MARKED.sub(replace, text)


def find_differences():
    """Return (page, name, written, computed) of blocks that differ, and names left unchecked."""
    different, unchecked = [], []
    for page in find_pages():
        for match in _MARKED.finditer(page.read_text(encoding="utf-8")):
            computed = compute(match["name"])
            if computed is None:
                unchecked.append(match["name"])
            elif computed != match["text"]:
                different.append((page, match["name"], match["text"], computed))
    return different, unchecked


def table(header, lines):
    """Return a Markdown table of cells that are text already; numbers to the right."""
    rule = ["---"] + ["---:"] * (len(header) - 1)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (header, rule, *lines))


def with_error(values, digits=2, sign="+"):
    """Return mean ± standard error, in text; the sign "-" leaves that of positive means out."""
    return f"{values.mean():{sign}.{digits}f} ± {values.sem():.{digits}f}"
