"""Scores against time and training rows, and missing cells → SVG figures."""

import numpy as np

from . import svg
from .figures import ROW, WIDTH, kind_of, place_label, room, short, ticks

# Times below this cannot be told apart by a clock.
_SHORTEST = 1e-5
#: More data sets with gaps than this are counted in a sentence, not drawn.
MAX_GAPS = 60


class _Axes:
    """A picture with a logarithmic axis below and scores upwards."""

    left, right, top, bottom = 64, WIDTH - 24, 26, 370

    def __init__(self, across, scores, measure):
        width = across.max() - across.min()
        # A narrow picture is widened until it has a round number.
        edge = max(0.06 * width, (0.7 - width) / 2)
        self._low, self._high = across.min() - edge, across.max() + edge
        spread, size = scores.max() - scores.min(), max(abs(scores.max()), 1e-9)
        # Numbers with many digits would tell scores apart that are alike.
        spread = spread if spread > 0.01 * size else size
        self._floor, self._ceiling = scores.min() - 0.1 * spread, scores.max() + 0.1 * spread
        self._measure = measure

    def x(self, value):
        """Return the place of a logarithm on the axis below."""
        share = (value - self._low) / (self._high - self._low)
        return self.left + share * (self.right - self.left)

    def y(self, value):
        """Return the height of a score."""
        share = (value - self._floor) / (self._ceiling - self._floor)
        return self.bottom - share * (self.bottom - self.top)

    def frame(self, caption, numbers=None):
        """Return grid, numbers and captions; `numbers` below are round ones by default."""
        parts, measure = [], self._measure
        for number in _round_numbers(self._low, self._high) if numbers is None else numbers:
            x = self.x(np.log10(number))
            parts.append(svg.line(x, self.top, x, self.bottom, "grid"))
            label = f"{number:,.0f}" if number >= 1 else f"{number:g}"
            parts.append(svg.text(x, self.bottom + 18, label, kind="small", anchor="middle"))
        for value in ticks(self._floor, self._ceiling):
            parts.append(svg.line(self.left, self.y(value), self.right, self.y(value), "grid"))
            label = f"{measure.factor * abs(value):.4g}"
            parts.append(
                svg.text(self.left - 8, self.y(value) + 4, label, kind="small", anchor="end")
            )
        middle = (self.left + self.right) / 2
        parts.append(svg.text(middle, self.bottom + 38, caption, kind="small", anchor="middle"))
        parts.append(svg.text(8, 12, measure.label, kind="small"))
        return parts


def _round_numbers(low, high):
    """Return 1, 2 and 5 times powers of ten between two logarithms; powers alone if many."""
    powers = range(int(np.floor(low)), int(np.ceil(high)) + 1)
    for factors in ((1, 2, 5), (1, 3), (1,)):
        found = [f * 10.0**power for power in powers for f in factors]
        found = [number for number in found if low <= np.log10(number) <= high]
        if len(found) <= 9:
            break
    return found


def _name_point(name, point, ours, tip, taken, sides=(1, -1)):
    limits = WIDTH, _Axes.bottom + 4
    return place_label(name, point, taken, limits, f"halo {kind_of(name, ours)}", tip, sides)


def score_against_time(scores, seconds, ours, measure, caption):
    """Draw mean scores against time per 1,000 rows, with the line of the best trade-offs.

    Scores of a measure of which less is better are negative, so that better is always above.
    """
    times = np.log10(seconds[scores.index].clip(lower=_SHORTEST))
    axes = _Axes(times, scores, measure)
    parts = axes.frame(f"{caption} per 1,000 rows")
    points = {name: (axes.x(times[name]), axes.y(scores[name])) for name in scores.index}
    parts.append(svg.polyline(_front(points), "front"))
    taken = [(x - 5, x + 5, y) for x, y in points.values()]
    labels = []
    for name, (x, y) in sorted(points.items(), key=lambda item: item[1][1]):
        value = f"{measure.shown(abs(scores[name]))} {measure.unit}".strip()
        tip = f"{name}: {value}, {seconds[name]:.3g} s per 1,000 rows"
        parts.append(svg.circle(x, y, 5, kind_of(name, ours), tip))
        labels.extend(_name_point(name, (x, y), ours, tip, taken))
    return svg.figure(WIDTH, axes.bottom + 46, [*parts, *labels], f"{measure.title} and {caption}")


def _front(points):
    """Return the points that no other point beats in both time and score, from the left."""
    front: list = []
    for x, y in sorted(points.values()):
        if not front or y < front[-1][1]:
            front.append((x, y))
    return front


def curves_picture(curves, ours, measure):
    """Draw the mean of a measure by the number of training rows, a line for each method.

    Parameters
    ----------
    curves : DataFrame
        Training rows × methods, as `learning_curves` returns them.
    ours : set of str
    measure : Measure
    """
    scores = measure.scores(curves)
    rows = np.log10(curves.index.to_numpy(dtype=float))
    axes = _Axes(rows, scores.to_numpy(), measure)
    # Names stand right of the last point.
    axes.right = WIDTH - room(curves.columns, 16)
    parts = axes.frame("training rows", _far_apart(curves.index))
    taken: list = []
    for name in scores.iloc[-1].sort_values(ascending=False).index:
        points = [(axes.x(row), axes.y(value)) for row, value in zip(rows, scores[name])]
        parts.append(svg.polyline(points, f"{kind_of(name, ours)}-line"))
        for (x, y), size, value in zip(points, curves.index, curves[name]):
            tip = f"{name}: {measure.shown(value)} with {size:.0f} rows"
            parts.append(svg.circle(x, y, 3.5, kind_of(name, ours), tip))
        parts.extend(_name_point(name, points[-1], ours, name, taken, sides=(1,)))
    return svg.figure(WIDTH, axes.bottom + 46, parts, f"{measure.title} by training rows")


def _far_apart(sizes):
    """Return the sizes from the largest down, without those whose numbers would touch."""
    kept: list = []
    for size in sorted(sizes, reverse=True):
        if not kept or kept[-1] > 1.3 * size:
            kept.append(size)
    return kept


def gaps_picture(gaps, methods):
    """Draw a grid of the data sets on which a method lacks its result.

    Parameters
    ----------
    gaps : dict
        Data set → method → (word, reason).
    methods : list of str
    """
    left, top, size = 215, 110, min(30.0, (WIDTH - 215 - 60) / len(methods))
    parts = []
    for j, method in enumerate(methods):
        slanted = svg.text(0, 0, short(method, 18), tip=method)
        x = left + (j + 0.4) * size
        parts.append(f'<g transform="translate({x:.1f} {top - 8}) rotate(-45)">{slanted}</g>')
    for i, (dataset, missing) in enumerate(gaps.items()):
        y = top + i * ROW
        parts.append(svg.text(left - 10, y + 16, short(dataset), anchor="end", tip=dataset))
        for j, method in enumerate(methods):
            word, reason = missing.get(method, ("complete", ""))
            tip = f"{method} on {dataset}: {word}{': ' if reason else ''}{reason}"
            kind = word.replace(" ", "-")
            parts.append(svg.rect(left + j * size + 1, y + 2, size - 2, ROW - 4, kind, tip=tip))
    bottom = top + len(gaps) * ROW + 24
    x = left
    for word in ("complete", "incomplete", "failed", "not run", "none"):
        parts.append(svg.rect(x, bottom - 10, 12, 12, word.replace(" ", "-")))
        parts.append(svg.text(x + 18, bottom, word, kind="small"))
        x += 44 + 7.5 * len(word)
    return svg.figure(WIDTH, bottom + 12, parts, "Missing cells")
