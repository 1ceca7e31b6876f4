"""Plot data → SVG figures."""

import numpy as np

from . import svg

WIDTH = 840
MARGIN = 215
ROW = 24
# Width of a bold letter in the widest typeface of the page, in pixels.
_LETTER = 8.6


def kind_of(method, ours):
    """Return the class of the style sheet in which a method is drawn."""
    return "ours" if method in ours else "rival"


def critical_difference_diagram(ranks, difference, groups, ours):
    """Draw average ranks on a line, with bars over methods that do not differ significantly.

    Parameters
    ----------
    ranks : Series
        Average ranks, best first.
    difference : float
        Nemenyi's critical difference.
    groups : list of list of str
        Names under each bar.
    ours : set of str
        Names drawn in the accent colour.
    """
    half = (len(ranks) + 1) // 2
    # A label is a name, two spaces and a rank; before it come a line and a gap.
    left = room(ranks.index[:half], 24 + 7 * _LETTER)
    # The name of the bar above the axis may stand on the right too.
    right, top = WIDTH - max(MARGIN, room(ranks.index[half:], 24 + 7 * _LETTER)), 54
    low, high = 1, max(2, int(np.ceil(ranks.max())))

    def at(rank):
        return left + (rank - low) / (high - low) * (right - left)

    parts = [svg.line(left, top, right, top, "axis")]
    step = max(1, round((high - low) / 10))
    for tick in range(low, high + 1, step):
        parts.append(svg.line(at(tick), top - 5, at(tick), top, "axis"))
        parts.append(svg.text(at(tick), top - 10, tick, kind="small", anchor="middle"))
    bar = min(at(low + difference), right) - left
    parts.append(svg.line(left, 14, left + bar, 14, "bar"))
    parts.append(
        svg.text(left + bar + 8, 18, f"critical difference {difference:.2f}", kind="small")
    )
    for level, group in enumerate(groups):
        y = top + 9 + 7 * level
        parts.append(svg.line(at(ranks[group].min()) - 4, y, at(ranks[group].max()) + 4, y, "bar"))
    start = top + 22 + 7 * len(groups)
    for position, (method, rank) in enumerate(ranks.items()):
        on_left = position < half
        row = position if on_left else len(ranks) - 1 - position
        y, x = start + row * ROW, at(rank)
        end = left - 12 if on_left else right + 12
        parts.append(svg.polyline([(x, top), (x, y), (end, y)], "lead"))
        parts.append(svg.circle(x, top, 3.5, kind_of(method, ours)))
        anchor, shift = ("end", -6) if on_left else ("start", 6)
        label = f"{short(method)}  {rank:.2f}" if on_left else f"{rank:.2f}  {short(method)}"
        parts.append(
            svg.text(
                end + shift, y + 4, label, kind=kind_of(method, ours), anchor=anchor, tip=method
            )
        )
    height = start + half * ROW
    return svg.figure(WIDTH, height, parts, "Critical-difference diagram of average ranks")


def short(name, length=22):
    """Return a name that has room beside a picture."""
    return name if len(name) <= length else name[: length - 1] + "…"


def room(names, beside):
    """Return the width that the longest name takes, with what stands beside it."""
    return beside + _LETTER * max((len(short(name)) for name in names), default=0)


def rank_boxes(ranks, order, ours):
    """Draw the spread of each method's ranks over the data sets, best average first."""
    left, right, top = MARGIN, WIDTH - 20, 12
    highest = ranks.shape[1]

    def at(rank):
        return left + (rank - 1) / max(1, highest - 1) * (right - left)

    bottom = top + len(order) * ROW
    parts = []
    for tick in range(1, highest + 1, max(1, round(highest / 10))):
        parts.append(svg.line(at(tick), top, at(tick), bottom, "grid"))
        parts.append(svg.text(at(tick), bottom + 16, tick, kind="small", anchor="middle"))
    for row, method in enumerate(order):
        y = top + (row + 0.5) * ROW
        parts.extend(_box(ranks[method].to_numpy(), at, y, kind_of(method, ours), method))
        parts.append(
            svg.text(
                left - 14,
                y + 4,
                short(method),
                kind=kind_of(method, ours),
                anchor="end",
                tip=method,
            )
        )
    parts.append(svg.text((left + right) / 2, bottom + 34, "rank", kind="small", anchor="middle"))
    return svg.figure(WIDTH, bottom + 40, parts, "Box plot of ranks over the data sets")


def _box(values, at, y, kind, method):
    first, median, third = np.percentile(values, [25, 50, 75])
    reach = 1.5 * (third - first)
    inside = values[(values >= first - reach) & (values <= third + reach)]
    tip = (
        f"{method}: median rank {median:g}, mean {values.mean():.2f}, "
        f"middle half {first:g} to {third:g}"
    )
    yield svg.line(at(inside.min()), y, at(inside.max()), y, "whisker")
    yield svg.rect(at(first), y - 7, max(1.0, at(third) - at(first)), 14, f"box {kind}", tip=tip)
    yield svg.line(at(median), y - 7, at(median), y + 7, f"median {kind}")
    yield svg.circle(at(values.mean()), y, 3, f"mean {kind}")
    outside = values[(values < first - reach) | (values > third + reach)]
    for value in np.unique(outside):
        yield svg.circle(at(value), y, 2, "outlier")


def heat_map(better, rope):
    """Draw the probability that the row's method beats the column's by more than `rope`."""
    names = list(better.index)
    size = max(22.0, min(46.0, (WIDTH - MARGIN) / len(names)))
    left, top = MARGIN, 116
    parts = []
    for i, row in enumerate(names):
        y = top + i * size
        parts.append(
            svg.text(left - 10, y + size / 2 + 4, short(row), anchor="end", tip=row, kind="label")
        )
        x = left + (i + 0.5) * size
        slanted = svg.text(0, 0, short(row, 16), tip=row, kind="label")
        parts.append(f'<g transform="translate({x:.1f} {top - 8}) rotate(-45)">{slanted}</g>')
        for j, column in enumerate(names):
            if i == j:
                continue
            p = float(better.iloc[i, j])
            tip = f"{row} beats {column} by more than {rope}: probability {p:.3f}"
            x = left + j * size
            parts.append(svg.rect(x + 1, y + 1, size - 2, size - 2, "heat", p, tip))
            if size >= 30:
                kind = "on-heat" if p > 0.5 else "heat-text"
                middle = (x + size / 2, y + size / 2 + 4)
                parts.append(svg.text(*middle, f"{p:.2f}", kind=kind, anchor="middle"))
    height = top + len(names) * size + 8
    width = max(WIDTH, left + len(names) * size + 60)
    return svg.figure(width, height, parts, "Bayesian signed-rank probabilities")


def ticks(low, high, most=6):
    """Return round numbers between two values, at most `most` of them."""
    step = 10.0 ** np.floor(np.log10((high - low) / 3))
    for factor in (1, 2, 5, 10):
        if (high - low) / (step * factor) <= most:
            step *= factor
            break
    # Adding 0 turns -0 into 0.
    return np.arange(np.ceil(low / step) * step, high, step) + 0.0


def place_label(name, point, taken, limits, kind, tip=None, sides=(1, -1)):
    """Return a name beside a point, where it covers no other name and no point.

    Parameters
    ----------
    name : str
    point : tuple of float
    taken : list of (left, right, y)
        What is covered already; the name is added.
    limits : tuple of float
        Largest x and y of the picture.
    kind : str
    tip : str, default=None
    sides : tuple of int, default=(1, -1)
        Where it may stand: 1 is right of the point, -1 left.
    """
    (x, y), width = point, 7.6 * len(short(name))
    for shift in (0, 12, -12, 24, -24, 36, -36, 48, -48, 60, -60):
        for side in sides:
            start = x + 11 if side > 0 else x - 11 - width
            place = (start, start + width, y + shift)
            inside = start > 4 and start + width < limits[0] and 20 < y + shift < limits[1]
            if inside and not any(_covers(place, other) for other in taken):
                break
        else:
            continue
        break
    else:
        side, shift, place = 1, 0, (x + 11, x + 11 + width, y)
    taken.append(place)
    parts = []
    if abs(shift) > 8:
        parts.append(svg.line(x + 5 * side, y, x + 10 * side, y + shift, "lead"))
    anchor = "start" if side > 0 else "end"
    at = (x + 11 * side, y + shift + 4)
    return [*parts, svg.text(*at, short(name), kind=kind, anchor=anchor, tip=tip)]


def _covers(place, other):
    return abs(place[2] - other[2]) < 12 and place[0] < other[1] and other[0] < place[1]
