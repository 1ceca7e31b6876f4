"""Ten RBF members on 4,000 × 30 against ten KernelPCA + DecisionTreeClassifier pipelines.

    python benchmarks/speed/kernel_pca_ensemble_speed.py

Both sides have the cores of the machine: the pipelines through their BLAS, the ensemble through
`n_jobs`, one member a core. `one_job_ratio` is that of the ensemble with `n_jobs=None`, which has
them through its BLAS too.
"""

import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from timing import report_ratio, seconds

from kernsemble import KernelPCAEnsembleClassifier


def main():
    rng = np.random.RandomState(0)
    X = rng.randn(4000, 30)
    y = (X[:, :10] @ rng.randn(10, 3) + rng.randn(4000, 3)).argmax(axis=1)
    ensemble = KernelPCAEnsembleClassifier(10, random_state=0).fit(X, y)
    gammas = [member.feature_map.kernel_.gamma for member in ensemble.estimators_]

    def theirs():
        for gamma in gammas:
            view = KernelPCA(10, kernel="rbf", gamma=gamma, eigen_solver="arpack", random_state=0)
            make_pipeline(view, DecisionTreeClassifier(random_state=0)).fit(X, y)

    def ours(n_jobs=-1):
        KernelPCAEnsembleClassifier(10, random_state=0, n_jobs=n_jobs).fit(X, y)

    one_job = [seconds(lambda: ours(None)) / seconds(theirs) for _ in range(3)]
    report_ratio(
        "kernel_pca_ensemble_speed",
        ours=ours,
        theirs=theirs,
        target="theirs at least 3 times ours (ratio at most 0.333)",
        repeats=5,
        warm_up=False,
        one_job_ratio=round(float(np.median(one_job)), 4),
    )


if __name__ == "__main__":
    main()
