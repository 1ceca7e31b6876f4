"""The data of a model's page → SVG figures."""

import numpy as np

from . import svg
from .figures import place_label, ticks

_WIDTH, _HEIGHT = 400, 300
# How the lines of the first classes are drawn.
_CLASS_LINES = ("ours-line", "rival-line", "third-line")


class Axes:
    """A frame with two axes, from numbers to places in a picture."""

    def __init__(self, xs, ys, labels, size=(_WIDTH, _HEIGHT), left=52):
        self.width, self.height = size
        self.left, self.right, self.top, self.bottom = left, self.width - 14, 18, self.height - 44
        (self.low_x, self.high_x), (self.low_y, self.high_y) = _wide(xs), _wide(ys)
        self.parts = []
        for value in ticks(self.low_y, self.high_y):
            self.parts.append(svg.line(self.left, self.y(value), self.right, self.y(value), "grid"))
            self.parts.append(
                svg.text(
                    self.left - 6, self.y(value) + 4, f"{value:.4g}", kind="small", anchor="end"
                )
            )
        self.parts.append(
            svg.text(
                (self.left + self.right) / 2,
                self.height - 6,
                labels[0],
                kind="small",
                anchor="middle",
            )
        )
        self.parts.append(svg.text(self.left, 10, labels[1], kind="small"))

    def x(self, value):
        return self.left + (value - self.low_x) / (self.high_x - self.low_x) * (
            self.right - self.left
        )

    def y(self, value):
        return self.bottom - (value - self.low_y) / (self.high_y - self.low_y) * (
            self.bottom - self.top
        )

    def number_x(self):
        """Write numbers along the lower axis."""
        for value in ticks(self.low_x, self.high_x):
            self.parts.append(
                svg.text(
                    self.x(value), self.bottom + 16, f"{value:.4g}", kind="small", anchor="middle"
                )
            )
        return self

    def line(self, xs, ys, kind, dots=False):
        points = [(self.x(a), self.y(b)) for a, b in zip(xs, ys)]
        if kind is not None:
            self.parts.append(svg.polyline(points, kind))
        if dots:
            self.parts += [svg.circle(*point, 3.5, "ours") for point in points]
        return self

    def figure(self, label):
        return svg.figure(self.width, self.height, self.parts, label)


def _wide(values):
    low, high = float(np.min(values)), float(np.max(values))
    if high - low < 1e-12:
        low, high = low - 0.5, high + 0.5
    return low, high


def draw_reliability(said, came):
    low = min(0.5, said.min(), came.min())
    axes = Axes((low, 1.0), (low, 1.0), ("probability of the predicted class", "share that has it"))
    axes.number_x().line([low, 1.0], [low, 1.0], "lead").line(said, came, "ours-line", dots=True)
    return axes.figure("Share of right predictions by their probability")


def draw_curve(curve, final):
    """Draw the accuracy against the number of fitted rows; `final` are size and honest accuracy."""
    xs = np.log10([*curve.sizes, final[0]])
    ys = np.array([*curve.accuracy, final[1]])
    pad = 0.1 * (ys.max() - ys.min() + 0.01)
    axes = Axes((xs.min(), xs.max()), (ys.min() - pad, ys.max() + pad), ("rows fitted", "accuracy"))
    for size, x in zip([*curve.sizes, final[0]], xs):
        axes.parts.append(
            svg.text(axes.x(x), axes.bottom + 16, f"{size}", kind="small", anchor="middle")
        )
    axes.line(xs[:-1], ys[:-1], "ours-line", dots=True)
    axes.parts.append(svg.circle(axes.x(xs[-1]), axes.y(ys[-1]), 5, "mean", "honest, all rows"))
    return axes.figure("Accuracy by number of fitted rows")


def draw_bars(names, values, errors, label):
    """Draw bars with two standard errors to both sides."""
    width, left, row = 640, 210, 22
    top = max(float(np.max(values + 2 * errors)), 1e-9)
    low = min(0.0, float(np.min(values - 2 * errors)))

    def at(value):
        return left + (value - low) / (top - low) * (width - left - 60)

    parts = []
    for i, (name, value, error) in enumerate(zip(names, values, errors)):
        y = 8 + i * row
        short = name if len(name) <= 28 else name[:27] + "…"
        parts.append(svg.text(left - 8, y + 13, short, anchor="end", kind="label", tip=name))
        start, end = sorted((at(0.0), at(value)))
        parts.append(
            svg.rect(start, y + 2, max(end - start, 0.5), 14, "box ours", tip=f"{value:.4g}")
        )
        parts.append(
            svg.line(at(value - 2 * error), y + 9, at(value + 2 * error), y + 9, "whisker")
        )
        parts.append(svg.text(at(value + 2 * error) + 6, y + 13, f"{value:.3f}", kind="small"))
    return svg.figure(width, 16 + row * len(names), parts, label)


def _spread(heights, lowest, gap=13):
    """Return the heights of labels near given ones, none of which covers another."""
    placed = np.array(heights, dtype=float)
    order = np.argsort(-placed, kind="stable")
    limit = lowest
    for k in order:
        placed[k] = min(placed[k], limit)
        limit = placed[k] - gap
    return placed


def draw_dependence(found, classes):
    """Draw the mean probability of a class by the value of a column."""
    P, values = found["probabilities"], found["values"]
    shown = [1] if len(classes) == 2 else list(range(min(3, len(classes))))
    ys = P[:, shown]
    pad = 0.05 + 0.1 * float(ys.max() - ys.min())
    xs = np.array(values, dtype=float) if found["numeric"] else np.arange(len(values), dtype=float)
    axes = Axes(
        (xs.min() - (0 if found["numeric"] else 0.5), xs.max() + (0 if found["numeric"] else 0.5)),
        (max(0.0, ys.min() - pad), min(1.0, ys.max() + pad)),
        (found["name"], "mean probability"),
    )
    if found["numeric"]:
        axes.number_x()
    else:
        step = max(1, len(values) // 5)
        for place, value in list(enumerate(values))[::step]:
            text = f"{value:g}" if isinstance(value, (float, np.floating)) else str(value)
            text = text if len(text) <= 12 else text[:11] + "…"
            axes.parts.append(
                svg.text(axes.x(place), axes.bottom + 16, text, kind="small", anchor="middle")
            )
    # A line between two names means nothing; it only keeps the points of a class together.
    names = any(isinstance(value, str) for value in values)
    for c, kind in zip(shown, _CLASS_LINES):
        alone = names and len(shown) == 1
        axes.line(xs, P[:, c], None if alone else kind, dots=not found["numeric"])
    if len(shown) > 1:
        heights = _spread([axes.y(P[-1, c]) for c in shown], axes.bottom)
        for c, height in zip(shown, heights):
            at = axes.right, height - 5
            axes.parts.append(svg.text(*at, classes[c][:14], kind="small halo", anchor="end"))
    return axes.figure(f"Mean probability by {found['name']}")


def draw_rounds(rounds):
    """Draw the log-loss of the pool against the time since the race of the members began."""
    xs, ys = [r.seconds for r in rounds], [r.log_loss for r in rounds]
    pad = 0.1 * (max(ys) - min(ys) + 0.01)
    axes = Axes(
        (0.0, 1.1 * max(xs)),
        (min(ys) - pad, max(ys) + pad),
        ("seconds", "honest log-loss"),
        size=(640, 260),
    )
    axes.number_x().line(xs, ys, "ours-line", dots=True)
    for x, y, found in zip(xs, ys, rounds):
        label = f"{found.rows} rows"
        axes.parts.append(
            svg.text(axes.x(x), axes.y(y) - 8, label, kind="small halo", anchor="middle")
        )
    return axes.figure("Honest log-loss of the rounds")


def draw_race(leaderboard):
    """Draw the log-loss of every member against the seconds that it took."""
    seconds = np.log10([max(row.seconds, 1e-3) for row in leaderboard])
    losses = np.array([row.log_loss for row in leaderboard])
    pad = 0.1 * (losses.max() - losses.min() + 0.01)
    axes = Axes(
        (seconds.min() - 0.2, seconds.max() + 0.6),
        (losses.min() - pad, losses.max() + pad),
        ("seconds to fit", "honest log-loss"),
        size=(640, 320),
    )
    for power in np.arange(np.ceil(axes.low_x), np.floor(axes.high_x) + 1):
        label = f"{10.0**power:g}"
        axes.parts.append(
            svg.text(axes.x(power), axes.bottom + 16, label, kind="small", anchor="middle")
        )
    points = [(axes.x(x), axes.y(y)) for x, y in zip(seconds, losses)]
    radii = [3 + 8 * np.sqrt(max(row.weight, 0.0)) for row in leaderboard]
    taken = [(x - radius, x + radius, y) for (x, y), radius in zip(points, radii)]
    labels: list = []
    for row, point, radius in zip(leaderboard, points, radii):
        kind = "ours" if row.weight > 0 else "rival"
        tip = f"{row.member}: log-loss {row.log_loss:.4f}, weight {row.weight:.3f}"
        axes.parts.append(svg.circle(*point, radius, f"faint {kind}", tip))
        limits = axes.width, axes.bottom
        labels += place_label(row.member, point, taken, limits, "small halo", tip)
    axes.parts += labels
    return axes.figure("Members by time and honest log-loss")
