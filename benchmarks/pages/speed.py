"""Blocks of speed.md, from rows that the scripts in benchmarks/speed printed."""

from functools import cache

import pandas as pd

from .blocks import block, table
from .rows import FOLDER


@cache
def _rows():
    return pd.read_csv(FOLDER / "speed.csv")


def measured(benchmark, measure):
    """Return the values of a measure by case."""
    rows = _rows()
    rows = rows[(rows["benchmark"] == benchmark) & (rows["measure"] == measure)]
    return rows.set_index("case")["value"]


def _cases(benchmark, columns):
    """Return a table of the cases that have all of these measures."""
    rows = _rows()
    wide = rows[rows["benchmark"] == benchmark].pivot(
        index="case", columns="measure", values="value"
    )
    order = rows.loc[rows["benchmark"] == benchmark, "case"].drop_duplicates()
    wide = wide.loc[order].reindex(columns=list(columns)).dropna()
    lines = [[case, *(f"{value:g}" for value in row)] for case, row in zip(wide.index, wide.values)]
    return table(["", *columns.values()], lines)


@block("speed.summary")
def summary():
    fit, threads = measured("forest_speed", "fit_ratio"), measured("forest_speed", "two_threads")
    aeon, kpca = (
        measured(name, "ratio") for name in ("rotation_forest_vs_aeon", "kernel_pca_ensemble_speed")
    )
    multik = measured("rpemekl_vs_multik", "ratio_cpu")
    return f"""
* 500 trees of MPRaF take {fit.min():.2f} to {fit.max():.2f} of the time of scikit-learn's random \
forest, and two threads make them {threads.min():.1f} to {threads.max():.1f} times as fast.
* Rotation Forest takes {aeon.min():.2f} to {aeon.max():.2f} of the time of aeon's at equal trees.
* Ten kernel-PCA members take {kpca.min():.2f} to {kpca.max():.2f} of the time of ten scikit-learn \
pipelines.
* RPEMEKL is {multik.min():.0f} to {multik.max():.0f} times as fast as MultiK-MHKS.
* Processor seconds on a shared machine of two cores, where figures move from run to run.
"""


@block("speed.forests")
def forests():
    columns = {
        "fit_ratio": "fit, of scikit-learn's",
        "predict_ratio": "predict, of scikit-learn's",
        "two_threads": "two threads, times as fast",
        "ours_fit_s": "our fit, s",
        "theirs_fit_s": "its fit, s",
    }
    return _cases("forest_speed", columns)


@block("speed.forest-start")
def forest_start():
    compiled = measured("forest_speed", "compile_s")
    columns = {
        "cached_start_s": "ours, best",
        "cached_start_median_s": "ours, median",
        "numba_start_s": "numba alone, best",
        "numba_start_median_s": "numba alone, median",
    }
    return (
        f"The first fit of a new installation compiles for {compiled.min():.0f} to "
        f"{compiled.max():.0f} s. Later processes load what it left on disk:\n\n"
        + _cases("forest_speed", columns)
    )


@block("speed.kernel-pca")
def kernel_pca():
    columns = {"fit_s": "fit, s"}
    peaks = measured("kernel_pca_ensemble_scaling", "peak_mb")
    slope = measured("kernel_pca_ensemble_scaling", "slope").iloc[0]
    said = " and ".join(f"{value:.0f} MB for {case}" for case, value in peaks.items())
    return (
        f"{_cases('kernel_pca_ensemble_speed', {'ratio': 'of the pipelines'})}\n\n"
        f"{_cases('kernel_pca_ensemble_scaling', columns)}\n\n"
        f"The slope is {slope:.2f}; beyond the data a fit needs {said}."
    )


@block("speed.rpemekl")
def rpemekl():
    scaling = {"cpu_s": "CPU s", "elapsed_s": "elapsed s", "peak_mb": "peak beyond the data, MB"}
    search = {"ratio": "ratio", "given_s": "given, CPU s", "searched_s": "searched, CPU s"}
    slopes = [measured("rpemekl_scaling", f"slope_{clock}").iloc[0] for clock in ("cpu", "elapsed")]
    return (
        f"{_cases('rpemekl_scaling', {**scaling, 'iterations': 'iterations'})}\n\n"
        f"Log-log slopes: {slopes[0]:.3f} in CPU time, {slopes[1]:.3f} by the clock.\n\n"
        f"A fit with `alpha` and `coupling` searched (81 points, five folds) beside one with both "
        f"given:\n\n{_cases('rpemekl_auto', search)}"
    )


@block("speed.mrskl")
def mrskl():
    slopes = measured("mrskl_scaling", "slope")
    return (
        f"{_cases('mrskl_scaling', {'fit_s': 'fit, s'})}\n\n"
        f"The slope is {slopes.iloc[0]:.2f}, over the last decade {slopes.iloc[1]:.2f}; a million "
        f"rows need {measured('mrskl_scaling', 'peak_mb').iloc[0]:.0f} MB beyond the data."
    )


@block("speed.default-search")
def default_search():
    columns = {
        "ratio": "default, in fits",
        "default_s": "default, CPU s",
        "given_s": "everything given, CPU s",
    }
    ratios = measured("default_search", "ratio")
    above = ", ".join(ratios.index[ratios > 5.0]) or "none"
    return (
        f"{_cases('default_search', columns)}\n\n"
        f"The median is {ratios.median():.1f} fits; above five: {above}."
    )


@block("speed.flagship")
def flagship():
    columns = {"seconds": "fit, s", "extra_mb": "peak beyond the data, MB"}
    fit, batch, alone, single, product = (
        measured("kernel_ensemble_latency", name).iloc[0]
        for name in (
            "fit_s",
            "predict_ms_a_row",
            "predict_ms_a_row_one_worker",
            "predict_ms_one_row_calls",
            "product_gflops",
        )
    )
    return (
        f"{_cases('kernel_ensemble_scaling', columns)}\n\n"
        f"1,000 rows take {fit:.1f} s. A row is predicted in {batch:.3f} ms among 1,000 by two "
        f"workers, in {alone:.3f} ms by one, and in {single:.1f} ms alone, on a machine of which a "
        f"thread multiplies matrices with {product:.0f} billion operations a second."
    )


@block("speed.kernel-sums")
def kernel_sums():
    columns = {
        "ratio": "of the time with matrices",
        "ours_s": "without, s",
        "theirs_s": "with, s",
    }
    return _cases("kernel_sums", columns)
