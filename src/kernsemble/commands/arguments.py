"""Arguments that click does not know: one option with several values after it."""

from typer.core import TyperCommand

#: Options that may be followed by several numbers: ``--rows 500 2000 8000``.
_WITH_NUMBERS = ("--rows",)


def spread_numbers(arguments):
    """Return the arguments with the option repeated before every number that follows it.

    Examples
    --------
    >>> spread_numbers(["a.toml", "--rows", "500", "2000", "--plan"])
    ['a.toml', '--rows', '500', '--rows', '2000', '--plan']
    """
    found: list[str] = []
    option = None
    for argument in arguments:
        if argument in _WITH_NUMBERS:
            option = argument
            found.append(argument)
            continue
        if option is not None and argument.isdigit():
            found += [argument] if found[-1] == option else [option, argument]
            continue
        option = None
        found.append(argument)
    return found


class CommandWithNumbers(TyperCommand):
    """A command that has options with several numbers."""

    def parse_args(self, ctx, args):
        """Parse the arguments as click does, with such options repeated."""
        return super().parse_args(ctx, spread_numbers(args))
