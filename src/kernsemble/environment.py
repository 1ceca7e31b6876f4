"""What a result was made with: versions, processor, threads."""

import os
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from threadpoolctl import threadpool_info

from . import __version__

_NUMERIC = ("numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl", "numba", "pandas")

#: Packages that the command line cannot do without.
NEEDED = (*_NUMERIC, "rich", "typer", "jinja2", "skops")
#: Packages that one feature needs.
OPTIONAL = {"pyarrow": "Parquet files", "distributed": "the backend dask"}


def installed_versions(packages):
    """Return the version of each package, None where it is not installed."""
    versions: dict[str, str | None] = {}
    for package in packages:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = None
    return versions


def describe_environment():
    """Return what a reader needs to judge times and to repeat a run."""
    blas = {f"{pool['internal_api']} {pool['version'] or ''}".strip() for pool in threadpool_info()}
    needed = installed_versions(_NUMERIC)
    return {
        "kernsemble": __version__,
        "python": platform.python_version(),
        **{package: number for package, number in needed.items() if number},
        "system": platform.platform(terse=True),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "libraries": ", ".join(sorted(blas)),
    }


@cache
def code_version():
    """Return the git commit of the checkout that this package is imported from.

    "+changes" is added if files of the package differ from the commit. Without a checkout the
    answer is the version of the package.
    """
    package = Path(__file__).resolve().parent
    try:
        # The package may be installed inside the checkout of something else.
        _git(package, "ls-files", "--error-unmatch", Path(__file__).name)
        commit = _git(package, "rev-parse", "HEAD")
        changes = _git(package, "status", "--porcelain", "--", ".")
    except (OSError, subprocess.SubprocessError):
        return __version__
    return f"{commit}+changes" if changes else commit


def _git(folder, *arguments):
    # A program that git itself has started would be pointed at another checkout.
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    done = subprocess.run(
        ["git", "--no-optional-locks", "-C", str(folder), *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=10,
    )
    return done.stdout.strip()


def _processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
