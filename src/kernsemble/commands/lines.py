"""Lines for a person: on standard error what is going on, on standard output the results."""

import sys
import time
import warnings
from contextlib import contextmanager

from rich.console import Console

from ..benchmark.bars import make_bar
from ..errors import UserError
from ..frames.writing import printable

# Seconds between two lines about the progress where no bar can be drawn.
_PAUSE = 5.0


def say(text):
    """Print lines for the user, not among the results; what a file says stays text."""
    lines = "\n".join(map(printable, text.splitlines()))
    _errors().print(lines, markup=False, highlight=False, soft_wrap=True)


def show(text):
    """Print lines among the results."""
    lines = "\n".join(map(printable, text.splitlines()))
    Console().print(lines, markup=False, highlight=False, soft_wrap=True)


def _errors():
    return Console(stderr=True)


@contextmanager
def warnings_as_lines():
    """Print warnings of the user's concern as lines, each once; the others stay silent."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    shown = dict.fromkeys(str(found.message) for found in caught if _concerns(found))
    for message in shown:
        say(f"kernsemble: warning: {message}")


def _concerns(warning):
    # Other packages warn of their own inner workings with classes of their own.
    return issubclass(warning.category, UserWarning)


@contextmanager
def progress_of_fits(task):
    """Show how far a fit is: a bar on a terminal, else a line from time to time.

    Parameters
    ----------
    task : str
        What is done.
    """
    from ..fitting.progress import watching_fits

    console = _errors()
    if not console.is_terminal:
        with watching_fits(_Lines(task)):
            yield
        return
    with make_bar(console, transient=True) as progress:
        bar = progress.add_task(task, total=None)
        with watching_fits(lambda done, total: progress.update(bar, completed=done, total=total)):
            yield


class _Lines:
    """Says at most every few seconds how many parts are done, and how long the rest takes."""

    def __init__(self, task):
        self.task = task
        self.began = self.said = time.monotonic()

    def __call__(self, done, total):
        now = time.monotonic()
        if done == 0:
            self.began = now
        elif now - self.said >= _PAUSE and done < total:
            self.said = now
            left = (now - self.began) / done * (total - done)
            say(f"{self.task}: {done} of {total} parts are done, about {left:.0f} s left")


def ask(question, choices):
    """Return the user's choice among names; raise when nobody can be asked."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UserError(f"{question} Name it with --target: {', '.join(choices)}.")
    say(f"{question}\n" + "\n".join(f"{place:>4}  {name}" for place, name in enumerate(choices, 1)))
    answer = _errors().input("Name or number: ").strip()
    if answer.isdigit() and answer not in choices and 1 <= int(answer) <= len(choices):
        return choices[int(answer) - 1]
    return answer
