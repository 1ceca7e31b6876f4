"""Time two ways of doing one thing, in turns, and print the ratio as one JSON line."""

import json
import time

import numpy as np


def seconds(function, clock=time.perf_counter):
    """Return how long one call of `function` takes."""
    start = clock()
    function()
    return clock() - start


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
        "ours_s": round(float(np.median(times[:, 0])), 4),
        "theirs_s": round(float(np.median(times[:, 1])), 4),
        "repeats": repeats,
        **more,
    }
    print(json.dumps(line))
    return line
