"""Where the documentation is."""

#: The site of the released version. `[project.urls]` in pyproject.toml repeats it for the package
#: registry, and `tests/test_site.py` compares the two.
ADDRESS = "https://kernsemble.readthedocs.io/en/stable"


class Documented:
    """An estimator whose picture in a notebook links to its page."""

    _doc_link_module = "kernsemble"
    _doc_link_template = f"{ADDRESS}/api/generated/kernsemble.{{estimator_name}}.html"
