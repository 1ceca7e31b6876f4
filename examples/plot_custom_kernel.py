"""
A kernel of your own
====================

A kernel of the Euclidean distance is a class with a profile. Heavier tails let far rows speak:
left, the profiles of four kernels over the distance; right, the boundaries they draw from the same
rows.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from kernsemble import KernelRidgeClassifier
from kernsemble.kernels import RBF, Cauchy, Laplacian
from kernsemble.kernels.stationary import Radial


class RationalQuadratic(Radial):
    """k(x, y) = (1 + |x - y|² / (2 power scale²))^(-power)."""

    def __init__(self, scale=1.0, power=1.0):
        self.scale = scale
        self.power = power

    def _profile(self, d2):
        return (1.0 + d2 / (2.0 * self.power * self.scale**2)) ** -self.power


# %%
# Everything that takes a kernel takes this one: ridges, maps, multiple kernel learning, sums and
# products with other kernels.

KERNELS = {
    "Gaussian": RBF(2.0),
    "Laplacian": Laplacian(1.0, "l2"),
    "Cauchy": Cauchy(2.0),
    "rational quadratic, power 0.3": RationalQuadratic(0.5, 0.3),
}
X, y = make_moons(120, noise=0.3, random_state=0)
new, truth = make_moons(4000, noise=0.3, random_state=1)
line = np.linspace(-2.2, 3.0, 150)
grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
distance = np.linspace(0, 4, 100)[:, None]

figure, axes = plt.subplots(1, 5, figsize=(15, 3.2), layout="constrained")
for axis, (name, kernel) in zip(axes[1:], KERNELS.items()):
    axes[0].plot(distance, kernel(distance, np.zeros((1, 1))), label=name)
    clf = KernelRidgeClassifier(kernel).fit(X, y)
    P = clf.predict_proba(grid)[:, 1].reshape(150, 150)
    axis.contourf(line, line, P, levels=np.linspace(0, 1, 11), cmap="RdBu_r", alpha=0.7)
    axis.contour(line, line, P, levels=[0.5], colors="black", linewidths=1)
    axis.scatter(*X.T, c=y, cmap="RdBu_r", s=10, edgecolors="black", linewidths=0.3)
    axis.set(xticks=[], yticks=[], title=f"{name}\n{clf.score(new, truth):.1%} of new rows")
axes[0].set(xlabel="distance", ylabel="kernel")
axes[0].legend(fontsize=7)
plt.show()
