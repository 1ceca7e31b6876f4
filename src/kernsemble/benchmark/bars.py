"""Progress bars of the terminal."""

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


def make_bar(console, transient=False):
    """Return a bar with what is done, the time it took and the time left, before its description.

    Descriptions are printed as they are, whatever brackets they hold.
    """
    columns = (
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    )
    return Progress(*columns, console=console, transient=transient)
