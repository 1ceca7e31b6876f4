"""
Leave-one-out error of every ridge, without a refit
===================================================

One eigendecomposition for each width gives the leave-one-out error of every strength. The left map
is what `KernelRidgeClassifier` sees of 200 training rows; the middle map is the error on 4,000
rows it never saw. They have the same valley.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from kernsemble import KernelRidgeClassifier
from kernsemble.kernels import GammaGrid

RIDGES = 2.0 ** np.arange(-14, 6)


def test_errors(X, T, X_test, T_test, kernels):
    """Return the squared error on new rows of every kernel and ridge."""
    shares = T.mean(axis=0)
    errors = []
    for kernel in kernels:
        K, across = kernel(X), kernel(X_test, X)
        models = [np.linalg.solve(K + r * np.eye(len(X)), T - shares) for r in RIDGES]
        errors.append([np.mean(np.sum((shares + across @ A - T_test) ** 2, 1)) for A in models])
    return np.array(errors)


X, y = make_moons(4200, noise=0.3, random_state=0)
X, X_test, y, y_test = X[:200], X[200:], y[:200], y[200:]
clf = KernelRidgeClassifier(GammaGrid(-8, 8), alpha=RIDGES, scale=None).fit(X, y)
new = test_errors(X, np.eye(2)[y], X_test, np.eye(2)[y_test], clf.kernel_candidates_)
gammas = np.array([kernel.gamma for kernel in clf.kernel_candidates_])

figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
levels = np.linspace(min(clf.honest_losses_.min(), new.min()), 0.5, 22).round(3)
titles = "Leave-one-out error, 200 rows", "Error on 4,000 new rows"
log_gammas, log_ridges = np.log2(gammas), np.log2(RIDGES)
for axis, errors, title in zip(axes, (clf.honest_losses_, new), titles):
    shown = axis.contourf(
        log_gammas, log_ridges, errors.T, levels=levels, extend="both", cmap="viridis_r"
    )
    g, r = np.unravel_index(errors.argmin(), errors.shape)
    axis.plot(log_gammas[g], log_ridges[r], "o", mfc="none", mec="black", ms=13, mew=2)
    chosen = np.log2(clf.kernel_.gamma), np.log2(clf.alpha_)
    axis.plot(*chosen, "x", color="crimson", ms=8, mew=2.5)
    axis.set(title=title, xlabel="log₂ gamma", ylabel="log₂ ridge")
figure.colorbar(shown, ax=axes[:2], label="mean squared error")

axis = axes[2]
x1, x2 = np.meshgrid(np.linspace(-2, 3, 160), np.linspace(-1.6, 2.1, 160))
P = clf.predict_proba(np.c_[x1.ravel(), x2.ravel()])[:, 1].reshape(x1.shape)
axis.contourf(x1, x2, P, levels=np.linspace(0, 1, 11), cmap="RdBu_r", alpha=0.75)
axis.contour(x1, x2, P, levels=[0.5], colors="black", linewidths=1)
axis.scatter(*X.T, c=y, cmap="RdBu_r", s=14, edgecolors="black", linewidths=0.4)
axis.set(
    title=f"Leave-one-out {clf.honest_accuracy_:.1%}, new rows {clf.score(X_test, y_test):.1%}",
    xticks=[],
    yticks=[],
)
figure.suptitle("Chosen by leave-one-out (cross); each map's own minimum (circle)", fontsize=10)
plt.show()
