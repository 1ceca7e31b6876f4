"""Do the links inside the built site lead somewhere, and has every picture its words?

    python docs/check_links.py docs/_build/html

Prints one line with the number of pages and links, and a line for every fault.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links, the anchors and the pictures of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors, self.wordless = [], set(), 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors.update(found[name] for name in ("id", "name") if found.get(name))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag == "img":
            self.links.append(found.get("src") or "")
            self.wordless += "alt" not in found


def faults_of(path, pages):
    """Yield what is wrong on a page."""
    page = pages[path]
    if page.wordless:
        yield f"{page.wordless} pictures without words"
    for link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc or link.startswith("data:"):
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.exists():
            yield f"no file for {link}"
        elif (
            parts.fragment
            and target in pages
            and unquote(parts.fragment)
            not in {
                *pages[target].anchors,
                "",
            }
        ):
            yield f"no place for {link}"


def main(folder):
    root = Path(folder).resolve()
    pages = {path: Page(path) for path in root.rglob("*.html") if "_static" not in path.parts}
    faults = [
        f"{path.relative_to(root)}: {what}" for path in pages for what in faults_of(path, pages)
    ]
    print(
        f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links, "
        f"{len(faults)} faults"
    )
    print("\n".join(faults[:50]))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
