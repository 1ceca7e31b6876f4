"""How the documentation is built: `python -m sphinx -W docs docs/_build/html`."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent / "src")]
# Small products are faster on one thread, and the gallery runs on every machine there is.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "agg")

import kernsemble  # noqa: E402

project = "kernsemble"
author = "The kernsemble developers"
copyright = "the kernsemble developers"
version = release = kernsemble.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "reference",
    "capabilities",
    "repository_links",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "auto_examples/**/*.py", "auto_examples/**/*.ipynb", "results/rows"]
nitpicky = False

# Pages are Markdown, as the README is; formulas are written between dollar signs.
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
# Browsers draw MathML themselves, so the pages load nothing from elsewhere.
html_math_renderer = "mathml"

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "ExampleTitleSortKey",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "abort_on_example_error": True,
    "doc_module": ("kernsemble",),
    "backreferences_dir": "api/uses",
    "inspect_global_variables": False,
    "min_reported_time": 5,
}

# Names of methods fit beside the page without the name of their class.
toc_object_entries_show_parents = "hide"
html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["kernsemble.css"]
html_title = "kernsemble"
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_sidebars = {"index": [], "choose": [], "changelog": [], "glossary": []}
