"""What all pages share: templates, scripts that sort tables, data that scripts read."""

import json
from importlib.resources import files

import jinja2
from markupsafe import Markup


def template_text(name):
    """Return the text of a file among the templates."""
    return (files(__package__) / "templates" / name).read_text("utf-8")


def open_templates():
    """Return the environment in which pages are filled; names are escaped."""
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(template_text),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["percent"] = percent
    environment.filters["chance"] = lambda p: "< 0.0001" if p < 1e-4 else f"{p:.4f}"
    environment.filters["seconds"] = seconds
    return environment


def seconds(value):
    """Return seconds with three digits: 0.0254, 2.40, 12.7, 1,234."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:#.3g}"


def percent(value, digits=2):
    """Return a share in per cent, without the sign."""
    return "–" if value is None else f"{100 * value:.{digits}f}"


def embedded(content):
    """Return JSON that cannot end the script element it stands in."""
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=True)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))
