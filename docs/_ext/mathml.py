"""Formulas as MathML, which browsers draw without a script."""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def inline_formula(translator, node):
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def displayed_formula(translator, node):
    formula = tex2mathml(node.astext(), as_block=True)
    translator.body.append(f'<div class="formula">{formula}</div>\n')
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (inline_formula, None), (displayed_formula, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
