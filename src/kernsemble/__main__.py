"""The command ``kernsemble``, also ``python -m kernsemble``."""

import sys


def main():
    """Run the command line, or say how to install what it needs."""
    try:
        from .cli import app
    except ModuleNotFoundError as missing:
        # The library itself needs none of these packages.
        sys.exit(
            f"The command kernsemble needs the package {missing.name}: "
            'pip install "kernsemble[bench]"'
        )
    app()


if __name__ == "__main__":
    main()
