"""
Members err in different places
===============================

Members with random kernels and landmarks draw different boundaries; their mean is better than any
of them.
"""

import matplotlib.pyplot as plt
import numpy as np

from kernsemble import LandmarkRidgeClassifier
from kernsemble.calibration import probabilities
from kernsemble.datasets import make_spirals


def draw(axes, grid, shading, X, y, title):
    axes.pcolormesh(*grid, shading, cmap="RdBu", vmin=-0.6, vmax=1.6, shading="auto")
    axes.contour(*grid, shading, levels=[0.5], colors="0.2", linewidths=1)
    axes.scatter(*X.T, c=y, cmap="RdBu", edgecolors="white", linewidths=0.3, s=12)
    axes.set(title=title, xticks=[], yticks=[], aspect="equal")


X, y = make_spirals(300, noise=0.35, n_turns=1.75, random_state=0)
clf = LandmarkRidgeClassifier(30, n_landmarks=40, scale=None, random_state=0).fit(X, y)
side = np.linspace(-7.5, 7.5, 240)
grid = np.meshgrid(side, side)
points = np.column_stack([axis.ravel() for axis in grid])
figure, axes = plt.subplots(1, 4, figsize=(11, 3.1), layout="constrained")
for axis, member in zip(axes[:3], clf.estimators_):
    shading = probabilities(member.scores(points), clf.temperature_)[:, 1]
    kernel = member.feature_map.kernel_
    title = f"one member, gamma = {kernel.gamma:.3f}"
    draw(axis, grid, shading.reshape(grid[0].shape), X, y, title)
together = clf.predict_proba(points)[:, 1].reshape(grid[0].shape)
draw(axes[3], grid, together, X, y, "mean of 30 members")
plt.show()
