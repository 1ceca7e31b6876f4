"""
Which kernels do the learners choose?
=====================================

Two rings are told apart by two of the inputs; eight more are noise. Every learner is offered RBF
kernels of three widths on the informative inputs, on each pair of noisy ones and on all ten. The
bars show the weights, the line under each name the accuracy on unseen rows.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles

from kernsemble import (
    AlignmentMKLClassifier,
    AverageMKLClassifier,
    EasyMKLClassifier,
    GroupLassoMKLClassifier,
    MKDAClassifier,
    SimpleMKLClassifier,
)
from kernsemble.kernels import RBF

INFORMATIVE, NOISE, ALL = "#1b6ca8", "#c0392b", "#8e9aa6"
LABELS = {
    INFORMATIVE: "kernels on the informative inputs",
    NOISE: "kernels on noise",
    ALL: "kernels on all inputs",
}
GROUPS = [
    (slice(0, 2), INFORMATIVE),
    *((slice(first, first + 2), NOISE) for first in (2, 4, 6, 8)),
    (slice(0, 10), ALL),
]
WIDTHS = (0.1, 0.5, 2.0)
LEARNERS = {
    "Average": AverageMKLClassifier,
    "EasyMKL": EasyMKLClassifier,
    "alignf": AlignmentMKLClassifier,
    "MKDA": MKDAClassifier,
    "l2-norm MKL": lambda kernels: GroupLassoMKLClassifier(kernels, p=2.0),
    "SimpleMKL": SimpleMKLClassifier,
}


rng = np.random.RandomState(0)
X, y = make_circles(600, noise=0.16, factor=0.5, random_state=0)
X = np.hstack([X / X.std(axis=0), rng.randn(600, 8)])
train, test = np.arange(120), np.arange(120, 600)
# A stack of Gram matrices stands for kernels on different inputs; rows are named by number.
stack = np.stack([RBF(width)(X[:, g]) for g, _ in GROUPS for width in WIDTHS])
rows = np.arange(600.0)[:, None]

figure, axes = plt.subplots(1, len(LEARNERS), figsize=(13, 3.6), sharey=True)
for axis, (name, make) in zip(axes, LEARNERS.items()):
    clf = make(stack).fit(rows[train], y[train])
    weights = clf.kernel_weights_ / clf.kernel_weights_.sum()
    colours = [colour for _, colour in GROUPS for _ in WIDTHS]
    axis.bar(range(len(weights)), weights, color=colours)
    accuracy = clf.score(rows[test], y[test])
    axis.set_title(f"{name}\naccuracy {100 * accuracy:.1f} %", fontsize=11)
    axis.set_xticks([])
    axis.set_xlabel("kernels, three widths each")
    axis.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("share of the weight")
handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in LABELS]
figure.legend(handles, LABELS.values(), loc="lower center", ncol=3, frameon=False)
figure.tight_layout(rect=(0, 0.09, 1, 1))
plt.show()
