"""EasyMKL with 50 RBF kernels on 2,000 rows: kernsemble against MKLpy.

MKLpy needs torch, so it lives in an environment of its own:

    python -m venv mklpy-env
    mklpy-env/bin/pip install . torch MKLpy        # a CPU build of torch is enough
    mklpy-env/bin/python benchmarks/speed/easy_mkl_vs_mklpy.py

Prints one JSON line. "from_rows" is the whole way from X to a fitted classifier: MKLpy is handed
the 50 Gram matrices that its own `rbf_kernel` computes. "from_grams" leaves the kernels out on both
sides: both are handed the same 50 matrices. Both sides use lam = 0.1, one thread, and no
calibration (MKLpy has none). MKLpy's weights are checked against ours.
"""

import json
import warnings
from time import perf_counter

import numpy as np
import torch
from MKLpy.algorithms import EasyMKL
from MKLpy.metrics.pairwise import rbf_kernel
from sklearn.datasets import make_classification
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from kernsemble import EasyMKLClassifier
from kernsemble.kernels import RBF

N_ROWS, N_KERNELS, REPEATS, LAM = 2000, 50, 3, 0.1


def timed(run):
    start = perf_counter()
    result = run()
    return perf_counter() - start, result


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    X, y = make_classification(
        N_ROWS, 20, n_informative=6, n_clusters_per_class=3, flip_y=0.05, random_state=0
    )
    X = StandardScaler().fit_transform(X)
    gammas = np.logspace(-3, 0.5, N_KERNELS)
    kernels, rows = [RBF(gamma) for gamma in gammas], np.arange(float(N_ROWS))[:, None]
    times = {"ours_rows": [], "mklpy_kernels": [], "mklpy_fit": [], "ours_grams": []}
    for _ in range(REPEATS):
        ours = EasyMKLClassifier(kernels, alpha=LAM, calibration_folds=0)
        times["ours_rows"].append(timed(lambda clf=ours: clf.fit(X, y))[0])
        tensor = torch.tensor(X)
        spent, grams = timed(lambda t=tensor: [rbf_kernel(t, gamma=g) for g in gammas])
        times["mklpy_kernels"].append(spent)
        spent, rival = timed(lambda g=grams: EasyMKL(lam=LAM).fit(g, y))
        times["mklpy_fit"].append(spent)
        stack = np.stack([gram.numpy() for gram in grams])
        del grams
        on_grams = EasyMKLClassifier(stack, alpha=LAM, calibration_folds=0)
        times["ours_grams"].append(timed(lambda clf=on_grams: clf.fit(rows, y))[0])
        del stack, on_grams
    seconds = {name: round(float(np.median(values)), 2) for name, values in times.items()}
    # MKLpy sums the kernels where we average them; with lam as given its problem is ours at
    # lam' = lam / (lam + n_kernels (1 - lam)).
    same = EasyMKLClassifier(
        kernels, alpha=LAM / (LAM + N_KERNELS * (1 - LAM)), calibration_folds=0
    ).fit(X, y)
    difference = np.abs(same.kernel_weights_ - rival.solution.weights.numpy()).max()
    whole = (seconds["mklpy_kernels"] + seconds["mklpy_fit"]) / seconds["ours_rows"]
    print(
        json.dumps(
            {
                "claim": "at least 5 x faster",
                "from_rows": round(whole, 1),
                "from_grams": round(seconds["mklpy_fit"] / seconds["ours_grams"], 1),
                "seconds": seconds,
                "largest_difference_of_weights": float(f"{difference:.1e}"),
            }
        )
    )


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
