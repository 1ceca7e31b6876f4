"""What the reproductions of the empirical-kernel papers share: scaling, and the comparison."""

import numpy as np
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from study import RESULTS, markdown_table, write_section

SCALERS = {"standard": StandardScaler(), "minmax": MinMaxScaler(), "raw": "passthrough"}


def prepared(classifier, scaling="standard"):
    """Fill and scale by the training rows alone."""
    return make_pipeline(SimpleImputer(), clone(SCALERS[scaling], safe=False), classifier)


def accuracies(ledger, **key):
    """Accuracies in percent of the rows of a ledger that match."""
    return np.array([100.0 * float(row["accuracy"]) for row in ledger.matching(**key)])


def comparison_table(published, measured):
    """Markdown: published and measured mean ± sd, runs, and whether the difference is small."""
    header = ["set", "published", "measured", "runs", "difference", "within two sds or above"]
    lines = []
    for name, (mean, sd) in published.items():
        found = measured[name]
        cells = ["not run", str(len(found)), "", ""]
        if len(found) > 1:
            difference = found.mean() - mean
            verdict = "yes" if difference >= -2 * sd else "no"
            cells[0] = f"{found.mean():.2f} ± {found.std(ddof=1):.2f}"
            cells[2:] = [f"{difference:+.2f}", verdict]
        lines.append([name, f"{mean:.2f} ± {sd:.2f}", *cells])
    return markdown_table(header, lines)


def mean_line(published, measured, without=()):
    """One sentence on the means over the sets that were run."""
    names = [name for name in published if len(measured[name]) > 1 and name not in without]
    ours = np.mean([measured[name].mean() for name in names])
    theirs = np.mean([published[name][0] for name in names])
    left_out = f", without {', '.join(without)}" if without else ""
    return f"Mean over {len(names)} sets{left_out}: measured {ours:.2f}, published {theirs:.2f}."


def write_results(title, text):
    """Put a section on the page of results."""
    page = RESULTS / "mekl.md"
    write_section(page, title, text, page_title="Multiple empirical kernel learning")
