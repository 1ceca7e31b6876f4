"""
200,000 rows with landmarks
===========================

A Gram matrix of 200,000 rows would take 300 GB. Landmarks replace it by a thin one: the cost grows
linearly with the rows. The curves show seconds and accuracy of a kernel ridge over the number of
rows.
"""

import time

import matplotlib.pyplot as plt

from kernsemble import KernelRidgeClassifier, RVFLClassifier
from kernsemble.datasets import make_ringnorm

SIZES = (2_000, 20_000, 200_000)
X, y = make_ringnorm(SIZES[-1], random_state=0)
new, truth = make_ringnorm(20_000, random_state=1)
MODELS = {
    "kernel ridge, 100 landmarks": KernelRidgeClassifier(n_landmarks=100, random_state=0),
    "RVFL, 100 units": RVFLClassifier(100, random_state=0),
}
figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
for name, clf in MODELS.items():
    seconds, accuracies = [], []
    for size in SIZES:
        start = time.perf_counter()
        clf.fit(X[:size], y[:size])
        seconds.append(time.perf_counter() - start)
        accuracies.append(100 * clf.score(new, truth))
    axes[0].loglog(SIZES, seconds, "o-", label=name)
    axes[1].semilogx(SIZES, accuracies, "o-", label=name)
axes[0].set(xlabel="rows", ylabel="seconds of the fit")
axes[1].set(xlabel="rows", ylabel="accuracy on new rows, %")
axes[0].legend()
plt.show()
