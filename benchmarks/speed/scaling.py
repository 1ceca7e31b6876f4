"""How fit time and memory grow with the number of rows: each size in a process of its own."""

import json
import subprocess
import sys

import numpy as np

# Three overlapping classes, divided by planes.
PLANES = "(X[:, :5] @ directions + rng.standard_normal((n_rows, 3))).argmax(axis=1)"
# The peak is taken above the rows alone.
FIT = """
import json, resource, sys, time
import numpy as np
n_rows = {n_rows}
rng = np.random.default_rng(0)
# Drawn before the rows, so that every size is the same problem.
directions = rng.standard_normal((5, 3))
X = rng.standard_normal((n_rows, {n_columns}), dtype=np.float32)
y = {labels}
{setup}
# Small first, so that imports and compilation are not counted.
model.fit(X[:2000], y[:2000])
unit = 2**20 if sys.platform == "darwin" else 2**10
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
start = time.perf_counter()
model.fit(X, y)
seconds = time.perf_counter() - start
extra = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit - before
print(json.dumps({{"seconds": seconds, "extra_mb": extra}}))
"""


def measure(setup, n_rows, n_columns, labels=PLANES):
    """Return seconds and megabytes beyond the data of one fit in a new process."""
    code = FIT.format(setup=setup, n_rows=n_rows, n_columns=n_columns, labels=labels)
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if answer.returncode:
        raise RuntimeError(answer.stderr)
    return json.loads(answer.stdout.splitlines()[-1])


def report_scaling(name, *, setup, sizes, target, n_columns=20, labels=PLANES, **more):
    """Print the log-log slope of fit time over `sizes` and the memory at the largest."""
    found = [measure(setup, n_rows, n_columns, labels) for n_rows in sizes]
    seconds = [result["seconds"] for result in found]
    slope = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    line = {
        "benchmark": name,
        "slope": round(float(slope), 3),
        "target": target,
        "rows": sizes,
        "seconds": [round(value, 2) for value in seconds],
        "extra_mb": [round(result["extra_mb"], 1) for result in found],
        **more,
    }
    print(json.dumps(line))
    return line
