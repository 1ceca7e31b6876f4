"""The worker process: ``python -m kernsemble.benchmark`` answers jobs on its standard input."""

from .worker import serve

if __name__ == "__main__":
    serve()
