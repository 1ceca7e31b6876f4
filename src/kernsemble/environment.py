"""What a result was made with: versions, processor, threads."""

import os
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from threadpoolctl import threadpool_info

from . import __version__
from .threads import SMALL_ROWS, usable_cores

_NUMERIC = ("numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl", "numba", "pandas")
_THREAD_VARIABLES = (
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OMP_NUM_THREADS",
    "LOKY_MAX_CPU_COUNT",
)

#: Packages that the command line cannot do without.
NEEDED = (*_NUMERIC, "rich", "typer", "jinja2", "skops")
#: Packages that one feature needs.
OPTIONAL = {"pyarrow": "Parquet files", "distributed": "the backend dask"}


def installed_versions(packages):
    """Return the version of each package, None where it is not installed.

    A package may be named with its extras, ``package[extra]``, which are not looked for.
    """
    versions: dict[str, str | None] = {}
    for package in packages:
        try:
            versions[package] = version(package.partition("[")[0])
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


def describe_threads():
    """Return what decides how many threads work at once: libraries, cores and limits."""
    pools = threadpool_info()
    limits = {
        "affinity": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        "control group": _control_group_cores(),
        **{name: os.environ.get(name) for name in _THREAD_VARIABLES},
    }
    return {
        "threads": ", ".join(
            f"{pool['prefix']} ({pool['user_api']}) {pool['num_threads']}" for pool in pools
        ),
        "usable cores": f"{usable_cores()} of {os.cpu_count()}",
        "limits": ", ".join(f"{name} {value}" for name, value in limits.items() if value),
        "one thread": f"up to {SMALL_ROWS} rows, and in members that are fitted beside others",
    }


def _control_group_cores(folder=Path("/sys/fs/cgroup")):
    """Return how many cores the processor time of the control group is worth, None if unlimited."""
    try:
        quota, period = (folder / "cpu.max").read_text().split()
    except (OSError, ValueError):
        try:
            quota = (folder / "cpu" / "cpu.cfs_quota_us").read_text().strip()
            period = (folder / "cpu" / "cpu.cfs_period_us").read_text().strip()
        except OSError:
            return None
    return None if quota in ("max", "-1") else round(int(quota) / int(period), 2)


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
