"""
Six labels and two views that agree
===================================

One view sees two moons, the other two stripes. Apart (dashed), each view draws its boundary from
six labels; coupled (solid), both must give 300 unlabelled rows the same scores.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.preprocessing import FunctionTransformer

from kernsemble import CoKRRClassifier
from kernsemble.kernels import RBF

COUPLINGS = np.concatenate([[0.0], 2.0 ** np.arange(-8, 9)])


def moons_and_stripes(n_rows, rng):
    """Return rows whose first two columns are moons and whose last two are stripes."""
    moons, y = make_moons(n_rows, noise=0.12, random_state=rng)
    height = np.where(y == 1, 0.6, -0.6) + 0.35 * rng.randn(n_rows)
    return np.column_stack([moons, rng.uniform(-2, 2, n_rows), height]), y


def columns(first):
    return FunctionTransformer(lambda X: X[:, first : first + 2])


def classifier(coupling):
    views = [(columns(0), RBF(4.0)), (columns(2), RBF(0.5))]
    return CoKRRClassifier(views=views, alpha=0.1, coupling=coupling, combine="mean", scale=None)


def draw_view(axis, X, y, labelled, members, title):
    side = [np.linspace(low - 0.4, high + 0.4, 150) for low, high in zip(X.min(0), X.max(0))]
    grid = np.meshgrid(*side)
    points = np.column_stack([g.ravel() for g in grid])
    axis.scatter(*X.T, c="0.75", s=8)
    axis.scatter(*X[labelled].T, c=y[labelled], cmap="coolwarm", s=70, edgecolors="black", zorder=3)
    for member, style in zip(members, ("--", "-")):
        S = member.member.scores(points)
        difference = (S[:, 1] - S[:, 0]).reshape(grid[0].shape)
        axis.contour(*grid, difference, levels=[0.0], colors="black", linestyles=style)
    axis.set(title=title, xticks=[], yticks=[])


rng = np.random.RandomState(0)
X, y = moons_and_stripes(4306, rng)
labelled = np.concatenate([np.flatnonzero(y == c)[:3] for c in (0, 1)])
rest = np.setdiff1d(np.arange(len(y)), labelled)
more, new = rest[:300], rest[300:]
errors = {"with 300 unlabelled rows": X[more], "six labelled rows alone": None}
for name, unlabelled in errors.items():
    fits = [classifier(c).fit(X[labelled], y[labelled], X_unlabelled=unlabelled) for c in COUPLINGS]
    errors[name] = [1 - clf.score(X[new], y[new]) for clf in fits]
apart, together = (
    classifier(c).fit(X[labelled], y[labelled], X_unlabelled=X[more]) for c in (0.0, 1.0)
)

figure, axes = plt.subplots(1, 3, figsize=(12.5, 3.9), layout="constrained")
shown = np.concatenate([labelled, more])
for v, title in enumerate(("First view", "Second view")):
    members = [clf.estimators_[v] for clf in (apart, together)]
    view = slice(2 * v, 2 * v + 2)
    draw_view(axes[v], X[shown][:, view], y[shown], np.arange(6), members, title)
for (name, rates), style in zip(errors.items(), ("o-", "s:")):
    axes[2].plot(rates, style, label=name)
position = np.arange(0, len(COUPLINGS), 4)
names = ["0", *(f"$2^{{{int(np.log2(c))}}}$" for c in COUPLINGS[4::4])]
axes[2].set_xticks(position, names)
axes[2].set(xlabel="coupling", ylabel="error on 4,000 new rows", title="Mean of both views")
axes[2].set_ylim(0)
axes[2].legend()
plt.show()
