"""Fit every classifier to tables at the edge: answered in bounded memory, or refused with a reason.

    python benchmarks/faults/edge_probes.py [--only CoKRR] [--probe many_classes] > probes.jsonl

A probe runs in a process of its own with at most 6 GB of memory and 60 s of processor time, at the
classifier's defaults. One JSON line for each: outcome ("fitted", "refused", "traceback", "time",
"killed"), the message, seconds of processor time and peak memory in GB. The exit code is 1 if a
process was killed or an error does not speak of the table.

The tables: 2,000 classes of one row, 10,000 classes of two rows, 200,000 rows of which 5 are
distinct, and 3 rows of 100,000 columns.
"""

import argparse
import json
import resource
import signal
import subprocess
import sys
import time
import warnings

import numpy as np

import kernsemble

MEMORY = 6 * 2**30
SECONDS = 60
PROBES = {
    "one_row_a_class": lambda rng: (rng.randn(2000, 4), np.arange(2000)),
    "many_classes": lambda rng: (rng.randn(20_000, 4), np.arange(20_000) % 10_000),
    "five_distinct_rows": lambda rng: _five_rows(rng, 200_000),
    "many_columns": lambda rng: (rng.randn(3, 100_000), np.array([0, 1, 0])),
}
# A message about what the user gave has one of these words.
OUTER_WORDS = ("rows", "columns", "classes", "class ", "X ")


def _five_rows(rng, n_rows):
    drawn = rng.randint(5, size=n_rows)
    return rng.randn(5, 4)[drawn], drawn % 2


def classifiers():
    """Return the names of all exported classifiers, without the ending."""
    ending = "Classifier"
    return [name.removesuffix(ending) for name in kernsemble.__all__ if name.endswith(ending)]


def probe(name, case):
    """Fit one classifier to one table and print how it went."""
    cls = getattr(kernsemble, f"{name}Classifier")
    X, y = PROBES[case](np.random.RandomState(0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    start = time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(start) + SECONDS, int(start) + SECONDS + 5))
    signal.signal(signal.SIGXCPU, _too_long)
    try:
        clf = cls(random_state=0) if "random_state" in cls().get_params() else cls()
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            P = clf.fit(X, y).predict_proba(X[:20])
        good = P.shape == (len(X[:20]), len(np.unique(y))) and np.isfinite(P).all()
        outcome, message = ("fitted", "") if good else ("traceback", "probabilities are wrong")
    except TimeoutError:
        outcome, message = "time", ""
    except (ValueError, MemoryError) as error:
        message = f"{type(error).__name__}: {error}"
        outcome = "refused" if any(word in message for word in OUTER_WORDS) else "traceback"
    except Exception as error:
        outcome, message = "traceback", f"{type(error).__name__}: {error}"
    _report(name, case, outcome, message, time.process_time() - start)


def _too_long(*_):
    raise TimeoutError


def _report(name, case, outcome, message, seconds):
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    line = {"classifier": name, "probe": case, "outcome": outcome, "message": message}
    print(json.dumps({**line, "seconds": round(seconds, 1), "gigabytes": round(peak, 2)}))


def run_all(names, cases):
    """Run every probe in a process of its own; return whether all went well."""
    well = True
    for case in cases:
        for name in names:
            command = [sys.executable, __file__, "--run", name, case]
            done = subprocess.run(command, capture_output=True, text=True, timeout=20 * SECONDS)
            line = done.stdout.strip()
            if not line:
                killed = {"classifier": name, "probe": case, "outcome": "killed"}
                line = json.dumps({**killed, "message": done.stderr[-200:]})
            print(line, flush=True)
            well &= json.loads(line)["outcome"] not in ("killed", "traceback")
    return well


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", choices=classifiers())
    parser.add_argument("--probe", action="append", choices=list(PROBES))
    parser.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.run:
        probe(*asked.run)
        return 0
    return 0 if run_all(asked.only or classifiers(), asked.probe or list(PROBES)) else 1


if __name__ == "__main__":
    sys.exit(main())
