"""Time two ways of doing one thing, in turns, and print the ratio as one JSON line."""

import json
import time

import numpy as np


def seconds(function, clock=time.perf_counter):
    """Return how long one call of `function` takes."""
    start = clock()
    function()
    return clock() - start


def machine_speed(repeats=7):
    """Return how fast one thread multiplies matrices and counts, the medians of some runs.

    Figures of different days are compared with the help of these.
    """
    A = np.random.RandomState(0).rand(800, 800)
    product = np.median([seconds(lambda: A @ A) for _ in range(repeats)])
    count = np.median([seconds(lambda: sum(i for i in range(200_000))) for _ in range(repeats)])
    return {
        "product_gflops": round(2e-9 * 800**3 / float(product), 1),
        "loop_ns": round(1e9 * float(count) / 200_000, 1),
    }


def report_ratio(
    name, *, ours, theirs, target, repeats=5, warm_up=True, clock=time.perf_counter, **more
):
    """Run both sides in turns and print the medians, their ratio and what was promised.

    Turns rather than batches, because a machine that slows down then slows both sides; the ratio
    is the median of the ratios of neighbouring runs for the same reason. `time.process_time` as
    the clock leaves out what other processes take, for code of one thread.
    """
    if warm_up:
        ours()
        theirs()
    times = np.array([[seconds(side, clock) for side in (ours, theirs)] for _ in range(repeats)])
    line = {
        "benchmark": name,
        "ratio": round(float(np.median(times[:, 0] / times[:, 1])), 4),
        "target": target,
        "ours_s": round(float(np.median(times[:, 0])), 6),
        "theirs_s": round(float(np.median(times[:, 1])), 6),
        "repeats": repeats,
        **more,
    }
    print(json.dumps(line))
    return line
