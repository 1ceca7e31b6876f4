"""
Two spirals seen by trees
=========================

Axis-parallel trees follow a spiral in stairs; planes between the classes follow it more closely.
After figure 3 of Zhang and Suganthan (2017).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from kernsemble import MPRaFClassifier, MPRRoFClassifier
from kernsemble.datasets import make_spirals

MODELS = {
    "one tree": DecisionTreeClassifier(random_state=0),
    "random forest": RandomForestClassifier(500, random_state=0),
    "MPRaF": MPRaFClassifier(500, max_features=2, random_state=0),
    "MPRRoF": MPRRoFClassifier(500, max_features=2, random_state=0),
}


X, y = make_spirals(300, noise=0.05, n_turns=1.5, random_state=0)
unseen, truth = make_spirals(4000, noise=0.05, n_turns=1.5, random_state=1)
reach = 1.1 * np.abs(X).max()
line = np.linspace(-reach, reach, 300)
grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
figure, axes = plt.subplots(1, 5, figsize=(16, 3.6), sharex=True, sharey=True)
axes[0].set_title("the spirals")
for ax, (name, model) in zip(axes[1:], MODELS.items()):
    model.fit(X, y)
    shares = model.predict_proba(grid)[:, 1].reshape(300, 300)
    ax.contourf(line, line, shares, levels=11, cmap="RdBu", vmin=0, vmax=1, alpha=0.6)
    ax.contour(line, line, shares, levels=[0.5], colors="black", linewidths=1)
    ax.set_title(f"{name}: {model.score(unseen, truth):.1%} of unseen rows")
for ax in axes:
    for label, colour, marker in ((0, "firebrick", "o"), (1, "navy", "^")):
        ax.scatter(*X[y == np.unique(y)[label]].T, s=7, c=colour, marker=marker, lw=0)
    ax.set(aspect="equal", xticks=[], yticks=[])
figure.tight_layout()
plt.show()
