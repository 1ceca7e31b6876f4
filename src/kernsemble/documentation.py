"""Where the page of an estimator is."""


class Documented:
    """An estimator whose picture in a notebook links to its page."""

    _doc_link_module = "kernsemble"
    _doc_link_template = (
        "https://kernsemble.readthedocs.io/en/stable/api/generated/kernsemble.{estimator_name}.html"
    )
