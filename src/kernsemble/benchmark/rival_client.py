"""A classifier that is fitted in another interpreter, in a process that a worker starts.

The process belongs to the session of the worker, so limits of time and memory count it, and it ends
with the worker, however that ends.
"""

import json
import os
import subprocess
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from ..errors import UserError
from .rival_server import pack_rows, receive, send
from .rivals import RIVALS, optional_rivals

# A package that holds the server and its neighbours alone, so that nothing else is imported and
# none of our modules hides one of the standard library.
_START = """
import sys, types
package = types.ModuleType("rival_package")
package.__path__ = [sys.argv[1]]
sys.modules["rival_package"] = package
from rival_package.rival_server import serve
serve()
"""
# How much of what a process printed is read for its last line.
_LAST_BYTES = 1000
_PLACES = ("bin/python", "Scripts/python.exe", "python.exe")


def find_python(given, folder="."):
    """Return the full path of an interpreter, given by its path or by its environment's folder.

    ``~`` and environment variables are filled in, so that a study in a repository can be run by
    others. Links are kept: the interpreter of an environment is a link to that of the system.
    """
    filled = os.path.expandvars(os.fspath(given))
    if "$" in filled:
        raise UserError(
            f"The interpreter {given} names an environment variable that is not set; set it to the "
            "folder of the environment."
        )
    path = Path(os.path.abspath(Path(folder) / Path(filled).expanduser()))
    places = [path, *(path / place for place in _PLACES)]
    for place in places:
        if place.is_file() and os.access(place, os.X_OK):
            return str(place)
    raise UserError(
        f"There is no interpreter {path}; give that of an environment, such as rivals/bin/python."
    )


class RivalProcess:
    """A process of another interpreter that answers messages."""

    def __init__(self, python):
        self.python = python
        # An interpreter must not look for its library where that of this process is.
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONHOME"}
        command = [python, "-c", _START, str(Path(__file__).resolve().parent)]
        # What libraries print at every fit would bury the progress of a study. The process appends
        # it here and empties the file before each job; the last line explains a process that ends.
        self._printed: Any = tempfile.TemporaryFile("a+b")  # noqa: SIM115
        try:
            self._process: Any = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._printed,
                env=environment,
            )
        except OSError as error:
            self._printed.close()
            raise UserError(f"The interpreter {python} cannot be started: {error}") from error
        ready, _ = receive(self._process.stdout)
        if ready is None:
            raise UserError(
                f"The interpreter {python} cannot run classifiers; it needs numpy and "
                f"scikit-learn{self._end()}."
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def runs(self):
        """Whether the process has not ended."""
        return self._process.poll() is None

    def ask(self, message, arrays=()):
        """Return the answer to a message and its arrays."""
        answer = None
        # A process that has died does not read.
        with suppress(OSError):
            send(self._process.stdin, message, arrays)
            answer, found = receive(self._process.stdout)
        if answer is None:
            last = self._end()
            code = self._process.returncode
            how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
            raise UserError(f"its process, {self.python}, ended {how}{last}")
        if "failure" in answer:
            kind, reason = answer["failure"]
            # A search passes over points that a classifier refuses, which it does by this error.
            raise (ValueError(reason) if kind == "ValueError" else UserError(f"{kind}: {reason}"))
        return answer, found

    def _end(self):
        """End the process and return its last message, as the end of a sentence."""
        with suppress(OSError):
            self._process.kill()
        self._process.wait()
        self._printed.seek(max(0, self._printed.seek(0, os.SEEK_END) - _LAST_BYTES))
        lines = self._printed.read().decode(errors="replace").split("\n")
        last = [line.strip() for line in lines if line.strip()][-1:]
        self.close()
        return f"; its last message: {last[0]}" if last else ""

    def close(self):
        """End the process."""
        with suppress(OSError):
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._printed):
            with suppress(OSError):
                stream.close()


@cache
def describe_rival(python, estimator, params):
    """Return the constructor parameters of a class in another interpreter, and its versions.

    Parameters
    ----------
    python, estimator : str
    params : str
        Constructor parameters as JSON: objects among them are made.
    """
    with RivalProcess(python) as process:
        job = {"do": "describe", "estimator": estimator, "params": json.loads(params)}
        try:
            return process.ask(job)[0]
        except (UserError, ValueError) as error:
            reason = str(error).removeprefix("NoSuchClass: ")
            raise UserError(f"In {python}: {reason}") from None


def rivals_in(python):
    """Return the ready names of other libraries → versions in an interpreter, or what it lacks."""
    found = {}
    with RivalProcess(python) as process:
        for name, distribution in optional_rivals().items():
            try:
                job = {"do": "describe", "estimator": RIVALS[name].estimator, "params": {}}
                versions = process.ask(job)[0]["versions"]
                found[name] = ", ".join(
                    f"{package} {version}" for package, version in versions.items()
                )
            except (UserError, ValueError) as error:
                reason = str(error).removeprefix("NoSuchClass: ")
                found[name] = f"{reason} pip install '{distribution}'"
    return found


_processes: dict[str, RivalProcess] = {}


def _rival_process(python):
    """Return the process of an interpreter, which serves one cell after the other."""
    process = _processes.get(python)
    if process is None or not process.runs:
        process = _processes[python] = RivalProcess(python)
    return process


class RivalClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of another interpreter, for one fit and the predictions after it.

    Parameters
    ----------
    python, estimator : str
    params : dict
        Constructor parameters, JSON values.
    point : dict or None
        Parameters of a grid point.
    seed : int

    Attributes
    ----------
    classes_ : ndarray
    elsewhere_ : dict
        "fit" and "predict": what each took in the other process (seconds, cpu_seconds), and for
        how long this process waited; "peak_memory_mb", "model_bytes" and "versions".
    """

    def __init__(self, python, estimator, params, point=None, seed=0):
        self.python = python
        self.estimator = estimator
        self.params = params
        self.point = point
        self.seed = seed

    def fit(self, X, y, **options):
        """Fit in the other process; `options` are JSON values."""
        columns, arrays = pack_rows(X)
        job = {
            **{"do": "fit", "estimator": self.estimator, "params": self.params},
            **{"point": self.point, "seed": self.seed, "columns": columns, "fit": options},
        }
        start = perf_counter()
        answer, _ = _rival_process(self.python).ask(job, [*arrays, np.asarray(y)])
        used = {**answer["used"], "waited": perf_counter() - start}
        known = {name: answer[name] for name in ("peak_memory_mb", "model_bytes", "versions")}
        self.classes_ = np.unique(y)
        self.elsewhere_ = {"fit": used, **known}
        self.has_probabilities_ = answer["probabilities"]
        for name, value in answer["said"].items():
            setattr(self, name, value)
        return self

    def predict(self, X):
        """Return classes."""
        columns, arrays = pack_rows(X)
        start = perf_counter()
        answer, found = _rival_process(self.python).ask(
            {"do": "predict", "columns": columns}, arrays
        )
        self.elsewhere_["predict"] = {**answer["used"], "waited": perf_counter() - start}
        return found[0]

    @available_if(lambda self: getattr(self, "has_probabilities_", True))
    def predict_proba(self, X):
        """Return probabilities."""
        columns, arrays = pack_rows(X)
        message = {"do": "predict_proba", "columns": columns}
        answer, found = _rival_process(self.python).ask(message, arrays)
        if not answer["probabilities"]:
            raise AttributeError(f"{self.estimator} has no probabilities.")
        return found[0]
