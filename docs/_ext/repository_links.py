"""Links that work in a checkout, and on the site.

Pages of this folder are also read in the repository, where a link may lead to a file beside the
documentation. The site has no such file, so the link becomes the name of the file.
"""

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(((?:\.\./)*[\w./-]+)\)")
# Files of the repository that have a page here.
PAGES = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}


def on_the_site(app, docname, source):
    page = Path(app.srcdir) / docname
    source[0] = LINK.sub(lambda link: _rewritten(link, page, Path(app.srcdir)), source[0])


def _rewritten(link, page, docs):
    text, target = link.groups()
    # Pages that include a file of the repository's root have links as that file sees them.
    for base in (page.parent, REPOSITORY):
        found = (base / target).resolve()
        if found.exists() and found.is_relative_to(REPOSITORY):
            break
    else:
        return link.group(0)
    name = found.relative_to(REPOSITORY).as_posix()
    if name in PAGES:
        depth = len(page.relative_to(docs).parts) - 1
        return f"[{text}]({'../' * depth}{PAGES[name]})"
    if found.is_relative_to(docs) and (found.is_file() and found.suffix in (".md", ".rst")):
        return link.group(0)
    return text if text.startswith("`") else f"{text} (`{name}`)"


def setup(app):
    app.connect("source-read", on_the_site)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
