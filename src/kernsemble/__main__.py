"""The command ``kernsemble``, also ``python -m kernsemble``."""

import os
import sys


def main():
    """Run the command line, or say how to install what it needs."""
    try:
        from .cli import INTERRUPTED, app
    except ModuleNotFoundError as missing:
        # The library itself needs none of these packages.
        sys.exit(
            f"The command kernsemble needs the package {missing.name}: "
            'pip install "kernsemble[bench]"'
        )
    try:
        app()
    except SystemExit as ended:
        if ended.code == INTERRUPTED:
            # Threads that fit members cannot be ended, and Python would wait for them.
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(INTERRUPTED)
        raise


if __name__ == "__main__":
    main()
