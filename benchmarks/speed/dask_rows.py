"""Five million rows on disk, two workers of 1 GB each: memory, and growth from 500,000 rows.

    python benchmarks/speed/dask_rows.py [rpemekl|mrskl|rvfl|flagship]

Writes 5,000,000 × 20 single-precision rows (400 MB) into a temporary folder, starts a scheduler and
two workers of one thread, and fits each method to a tenth of the rows and to all of them. Prints
one JSON line per method: the slope of the workers' processor time and of the elapsed time over the
rows (target: at most 1.1), the peak memory of workers (target: below 1 GB, nothing spilled) and of
the client (target: below 500 MB).
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import dask.array as da
import numpy as np
from dask import delayed

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kernsemble import KernelEnsembleClassifier, MRSKLClassifier, RPEMEKLClassifier, RVFLClassifier
from tests.tables.loopback import Loopback

SIZES = (500_000, 5_000_000)
N_COLUMNS = 20
CHUNK = 100_000
METHODS = {
    "rpemekl": lambda: RPEMEKLClassifier(1, n_landmarks=20, random_state=0),
    "mrskl": lambda: MRSKLClassifier(20, subset="pair", random_state=0),
    "flagship": lambda: KernelEnsembleClassifier(random_state=0),
    "rvfl": lambda: RVFLClassifier(30, weight_scale=1.0, alpha=[0.1, 1.0], random_state=0),
}


def write_rows(folder):
    """Write the files of X and y in pieces."""
    X = np.lib.format.open_memmap(
        f"{folder}/X.npy", mode="w+", dtype=np.float32, shape=(SIZES[-1], N_COLUMNS)
    )
    y = np.lib.format.open_memmap(f"{folder}/y.npy", mode="w+", dtype=np.int8, shape=SIZES[-1:])
    rng = np.random.default_rng(0)
    for start in range(0, SIZES[-1], CHUNK):
        part = rng.standard_normal((CHUNK, N_COLUMNS), dtype=np.float32)
        X[start : start + CHUNK] = part
        noise = 0.5 * rng.standard_normal(CHUNK)
        y[start : start + CHUNK] = part[:, 0] * part[:, 1] + part[:, 2] + noise > 0
        for mapped in (X, y):
            mapped.flush()
    del X, y


def read(path, start):
    return np.array(np.load(path, mmap_mode="r")[start : start + CHUNK])


def on_disk(path, n_rows, dtype, *columns):
    """Return a dask array whose chunks are read by whoever needs them."""
    return da.concatenate(
        [
            da.from_delayed(delayed(read)(path, start), (CHUNK, *columns), dtype)
            for start in range(0, n_rows, CHUNK)
        ]
    )


def processor_seconds(processes):
    ticks = 0
    for process in processes:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def spilled_bytes(client):
    found = client.run(lambda dask_worker: sum(dask_worker.data.spilled_total))
    return int(sum(found.values()))


def measure(cluster, name, folder, n_rows):
    X = on_disk(f"{folder}/X.npy", n_rows, np.float32, N_COLUMNS)
    y = on_disk(f"{folder}/y.npy", n_rows, np.int8)
    before, start = processor_seconds(cluster.workers), time.perf_counter()
    METHODS[name]().fit(X, y)
    return {
        "rows": n_rows,
        "elapsed_s": round(time.perf_counter() - start, 2),
        "cpu_s": round(processor_seconds(cluster.workers) - before, 2),
        # The largest so far, in this fit or before it.
        "worker_mb": round(max(cluster.peak_megabytes())),
        "client_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "spilled_bytes": spilled_bytes(cluster.client),
    }


def main(names):
    with tempfile.TemporaryDirectory() as folder:
        write_in_child(folder)
        with Loopback(2, memory="1GB") as cluster:
            for name in names or METHODS:
                report(cluster, name, folder)


def report(cluster, name, folder):
    """Print what one method takes."""
    # Loading libraries is not part of the growth.
    measure(cluster, name, folder, CHUNK)
    runs = [measure(cluster, name, folder, n_rows) for n_rows in SIZES]
    line = {
        "benchmark": f"dask_rows_{name}",
        "slope_cpu": slope([run["cpu_s"] for run in runs]),
        "slope_elapsed": slope([run["elapsed_s"] for run in runs]),
        "target": "at most 1.1",
        "runs": runs,
    }
    print(json.dumps(line), flush=True)


def slope(seconds):
    """Return how the logarithm of the time grows with that of the rows."""
    return round(float(np.log(seconds[1] / seconds[0]) / np.log(SIZES[1] / SIZES[0])), 3)


def write_in_child(folder):
    """Write in a process of its own, so that the pages are not counted as the client's."""
    subprocess.run([sys.executable, __file__, "--write", folder], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write_rows(sys.argv[2])
    else:
        main(sys.argv[1:])
