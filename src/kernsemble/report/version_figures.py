"""Gains between two versions → SVG figures."""

import numpy as np

from . import svg
from .figures import MARGIN, ROW, WIDTH, short, ticks

#: More data sets than this make bars that nobody reads; the table has all of them.
MAX_BARS = 60


def gains_picture(sets, measure):
    """Draw the gain on every data set: bars for one method, a line of dots for each of several.

    Parameters
    ----------
    sets : DataFrame
        What `compare_sets` returns.
    measure : Measure
    """
    methods = list(dict.fromkeys(sets["method"]))
    return _bars(sets, measure) if len(methods) == 1 else _dots(sets, methods, measure)


def _frame(gains, n_rows, measure):
    """Return the function that places a gain, the height, and grid with numbers."""
    largest = float(np.abs(gains).max()) or 1e-3
    low, high = -1.08 * largest, 1.08 * largest
    left, right, top = MARGIN, WIDTH - 24, 30
    bottom = top + ROW * n_rows

    def at(gain):
        return left + (gain - low) / (high - low) * (right - left)

    parts = [
        svg.text(at(0) - 12, 14, "← worse", kind="small", anchor="end"),
        svg.text(at(0) + 12, 14, "better →", kind="small"),
    ]
    for tick in ticks(low * measure.factor, high * measure.factor, 8):
        x = at(tick / measure.factor)
        parts.append(svg.line(x, top, x, bottom, "grid"))
        parts.append(
            svg.text(x, bottom + 17, f"{tick:+.4g}" if tick else "0", kind="small", anchor="middle")
        )
    caption = f"gain in {measure.title}" + (", points" if measure.factor == 100 else "")
    parts.append(svg.text((left + right) / 2, bottom + 36, caption, kind="small", anchor="middle"))
    parts.append(svg.line(at(0), top, at(0), bottom, "axis"))
    return at, top, bottom + 44, parts


def _bars(sets, measure):
    order = sets["gain"].abs().sort_values(ascending=False).index[:MAX_BARS]
    shown = sets.loc[order].sort_values("gain", ascending=False, kind="stable")
    at, top, height, parts = _frame(shown["gain"], len(shown), measure)
    for place, row in enumerate(shown.itertuples()):
        y = top + (place + 0.5) * ROW
        tip = f"{row.dataset}: {measure.gain(row.gain)}"
        kind = ("gain" if row.gain > 0 else "loss") + (" sure" if row.p < 0.05 else "")
        left, right = sorted((at(0), at(row.gain)))
        parts.append(svg.rect(left, y - 7, max(1.0, right - left), 14, f"change {kind}", tip=tip))
        parts.append(svg.text(MARGIN - 14, y + 4, short(row.dataset), anchor="end", tip=tip))
    return svg.figure(WIDTH, height, parts, f"Gain in {measure.title} on every data set")


def _dots(sets, methods, measure):
    at, top, height, parts = _frame(sets["gain"], len(methods), measure)
    for place, method in enumerate(methods):
        y = top + (place + 0.5) * ROW
        table = sets[sets["method"] == method]
        for row in table.itertuples():
            tip = f"{method} on {row.dataset}: {measure.gain(row.gain)}"
            kind = ("gain" if row.gain > 0 else "loss") + (" sure" if row.p < 0.05 else "")
            parts.append(svg.circle(at(row.gain), y, 4, f"change {kind}", tip))
        mean = table["gain"].mean()
        parts.append(svg.circle(at(mean), y, 4.5, "mean", f"{method}: mean {measure.gain(mean)}"))
        parts.append(svg.text(MARGIN - 14, y + 4, short(method), anchor="end", tip=method))
    return svg.figure(WIDTH, height, parts, f"Gain in {measure.title} of every method")
