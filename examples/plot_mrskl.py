"""
Single pairs of rows are enough
===============================

Boundaries of 10, 50 and 200 members of MRSKL, each trained on one pair of rows of a mixture of
Gaussians, with the best possible boundary in grey; right, the accuracy against one full SVM.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVC

from kernsemble import MRSKLClassifier
from kernsemble.datasets import TEN_GAUSSIANS_CENTRES, make_ten_gaussians

SETTINGS = {
    "scale": None,
    "subset": "pair",
    "member": "svm",
    "gamma_range": "paper",
    "combine": "linear_svm",
}
NUMBERS = (10, 25, 50, 100, 150, 200)


def best_margin(points):
    """Return the difference of the two classes' densities, up to a factor."""
    distances = ((points[:, None, :] - TEN_GAUSSIANS_CENTRES) ** 2).sum(axis=2)
    densities = np.exp(-0.5 * distances)
    return densities[:, :5].sum(axis=1) - densities[:, 5:].sum(axis=1)


def draw_boundary(axes, clf, X, y, title):
    grid = np.meshgrid(np.linspace(-8, 8, 160), np.linspace(-8, 7, 150))
    points = np.column_stack([axis.ravel() for axis in grid])
    scores = clf.decision_function(points).reshape(grid[0].shape)
    axes.scatter(*X[:1500].T, c=y[:1500], cmap="RdBu", s=2, alpha=0.5)
    axes.contour(*grid, best_margin(points).reshape(grid[0].shape), [0], colors="0.6", linewidths=2)
    axes.contour(*grid, scores, [0], colors="k", linewidths=1.2)
    rows = np.concatenate([member.support for member in clf.estimators_])
    axes.scatter(*rows.T, s=9, facecolors="none", edgecolors="k", linewidths=0.5)
    axes.set(title=title, xticks=[], yticks=[], xlim=(-8, 8), ylim=(-8, 7))


X, y = make_ten_gaussians(4000, random_state=0)
X_test, y_test = make_ten_gaussians(20_000, random_state=1)
svc = SVC(C=3.0, gamma=0.5).fit(X, y)
figure, axes = plt.subplots(1, 4, figsize=(14, 3.6), layout="constrained")
curves = {"training rows": [], "test rows": []}
panel = iter(axes)
for number in NUMBERS:
    seeds = [MRSKLClassifier(number, random_state=s, **SETTINGS).fit(X, y) for s in range(3)]
    curves["training rows"].append(np.mean([clf.score(X, y) for clf in seeds]))
    curves["test rows"].append(np.mean([clf.score(X_test, y_test) for clf in seeds]))
    if number in (10, 50, 200):
        draw_boundary(next(panel), seeds[0], X, y, f"{number} pairs (grey: best possible)")
for (name, values), colour in zip(curves.items(), ("tab:blue", "tab:orange")):
    axes[3].plot(NUMBERS, 100 * np.array(values), "o-", color=colour, label=f"MRSKL, {name}")
n_support = svc.n_support_.sum()
axes[3].axhline(100 * svc.score(X, y), color="tab:blue", ls=":")
axes[3].axhline(
    100 * svc.score(X_test, y_test),
    color="tab:orange",
    ls=":",
    label=f"dotted: one SVM, {n_support} support rows",
)
axes[3].set(title="accuracy in %, mean of 3 seeds", xlabel="number of pairs")
axes[3].legend(fontsize=8)
plt.show()
