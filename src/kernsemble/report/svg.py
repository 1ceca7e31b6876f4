"""The SVG elements that the figures need; text is escaped, colours come from the style sheet."""

from html import escape


def figure(width, height, parts, label):
    """Return an SVG element that scales with the page and has a name for screen readers."""
    body = "".join(parts)
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img" '
        f'aria-label="{escape(label)}">{body}</svg>'
    )


def text(x, y, content, *, kind="", anchor="start", tip=None):
    """Return a text whose baseline is at y."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">'
        f"{escape(str(content))}{_tip(tip)}</text>"
    )


def line(x1, y1, x2, y2, kind=""):
    """Return a straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def polyline(points, kind=""):
    """Return an open line through points."""
    listed = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{listed}" class="{kind}"/>'


def rect(x, y, width, height, kind="", opacity=None, tip=None):
    """Return a rectangle; `opacity` belongs to its filling."""
    filled = "" if opacity is None else f' fill-opacity="{opacity:.3f}"'
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'class="{kind}"{filled}>{_tip(tip)}</rect>'
    )


def circle(x, y, radius, kind="", tip=None):
    """Return a dot."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" class="{kind}">{_tip(tip)}</circle>'


def _tip(tip):
    return f"<title>{escape(tip)}</title>" if tip else ""
