"""What a result was made with: versions, processor, threads."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version

from threadpoolctl import threadpool_info

from . import __version__

__all__ = ["NEEDED", "OPTIONAL", "describe_environment", "installed_versions"]

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


def _processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
