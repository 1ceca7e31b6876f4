"""Pairs of methods and their ratings → SVG figures."""

import numpy as np

from . import svg
from .figures import MARGIN, ROW, WIDTH, kind_of, short, ticks

#: Cells of more methods than this have no room for their numbers.
MAX_PAIRS = 10


def matrix_picture(matrix, measure):
    """Draw mean gain, wins, ties and losses, and Wilcoxon's p of every pair of the best methods.

    Parameters
    ----------
    matrix : dict of DataFrame
        What `comparison_matrix` returns.
    measure : Measure
    """
    names = list(matrix["p"].index[:MAX_PAIRS])
    tables = {name: table.loc[names, names].to_numpy() for name, table in matrix.items()}
    gains = tables["difference"]
    largest = np.abs(gains).max() or 1.0
    left, top, height = 180, 96, 50
    width = min(96.0, (WIDTH - left - 90) / len(names))
    parts = []
    for i, row in enumerate(names):
        y = top + i * height
        parts.append(svg.text(left - 10, y + height / 2 + 4, short(row), anchor="end", tip=row))
        slanted = svg.text(0, 0, short(row, 16), tip=row)
        x = left + (i + 0.4) * width
        parts.append(f'<g transform="translate({x:.1f} {top - 8}) rotate(-35)">{slanted}</g>')
        for j, column in enumerate(names):
            if i != j:
                pair = {name: table[i, j] for name, table in tables.items()}
                corner = (left + j * width, y)
                strength = abs(gains[i, j]) / largest
                parts.extend(_pair(corner, (width, height), pair, strength, measure, (row, column)))
    return svg.figure(
        WIDTH, top + len(names) * height + 8, parts, "Every pair of methods: gain, wins, p"
    )


def _pair(corner, size, pair, strength, measure, names):
    (x, y), (width, height) = corner, size
    gain, p = measure.gain(pair["difference"]), pair["p"]
    record = f"{pair['wins']}/{pair['ties']}/{pair['losses']}"
    tip = f"{names[0]} minus {names[1]}: {gain}, {record}, Wilcoxon p = {p:.4f}"
    side = "gain" if pair["difference"] > 0 else "loss"
    yield svg.rect(x + 1, y + 1, width - 2, height - 2, f"pair {side}", 0.06 + 0.4 * strength, tip)
    middle, kind = x + width / 2, "sure" if p < 0.05 else "unsure"
    for step, line in enumerate((gain, record, "p < .001" if p < 0.001 else f"p {p:.3f}")):
        yield svg.text(
            middle, y + 16 + 13 * step, line, kind=f"tiny {kind}", anchor="middle", tip=tip
        )


def ratings_picture(ratings, ours):
    """Draw Elo and improvability of every method with their intervals, best Elo first."""
    gap, top = 36, 30
    middle = (MARGIN + WIDTH) / 2
    panels = (("elo", MARGIN, middle - gap / 2), ("improvability", middle + gap / 2, WIDTH - 24))
    bottom = top + ROW * len(ratings)
    parts = []
    for column, left, right in panels:
        low, high = ratings[f"{column}_low"].min(), ratings[f"{column}_high"].max()
        spread = max(high - low, 1e-6)
        low, high = low - 0.04 * spread, high + 0.04 * spread
        place = _scale(low, high, left, right)
        title = "Elo of this pool" if column == "elo" else "improvability, % (less is better)"
        parts.append(svg.text(left, 12, title, kind="small"))
        for tick in ticks(low, high, 5):
            parts.append(svg.line(place(tick), top, place(tick), bottom, "grid"))
            parts.append(
                svg.text(place(tick), bottom + 16, f"{tick:g}", kind="small", anchor="middle")
            )
        for number, row in enumerate(ratings.itertuples()):
            y = top + (number + 0.5) * ROW
            start, end = (getattr(row, f"{column}_{side}") for side in ("low", "high"))
            value, kind = getattr(row, column), kind_of(row.Index, ours)
            tip = f"{row.Index}: {value:.1f}, {start:.1f} to {end:.1f}"
            parts.append(svg.line(place(start), y, place(end), y, f"interval {kind}"))
            parts.append(svg.circle(place(value), y, 4.5, kind, tip))
    for number, name in enumerate(ratings.index):
        y = top + (number + 0.5) * ROW + 4
        parts.append(
            svg.text(MARGIN - 14, y, short(name), kind=kind_of(name, ours), anchor="end", tip=name)
        )
    return svg.figure(WIDTH, bottom + 26, parts, "Elo and improvability with intervals")


def _scale(low, high, left, right):
    return lambda value: left + (value - low) / (high - low) * (right - left)
