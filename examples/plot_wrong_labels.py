"""
Finding wrong labels
====================

Five per cent of the labels of the training rows are flipped. Every row has a score by models that
did not see it, so a label that these scores contradict stands out, without any cross-validation.
`suspects` ranks the rows and estimates how many labels are wrong.
"""

import matplotlib.pyplot as plt
import numpy as np

from kernsemble import KernelEnsembleClassifier
from kernsemble.datasets import make_ringnorm

rng = np.random.RandomState(0)
X, y = make_ringnorm(600, random_state=0)
classes = np.unique(y)
flipped = rng.choice(len(y), 30, replace=False)
noisy = y.copy()
noisy[flipped] = np.where(y[flipped] == classes[0], classes[1], classes[0])

clf = KernelEnsembleClassifier(["gaussian", "laplace_l1", "forest"], random_state=0).fit(X, noisy)
found = clf.suspects()
print(found)

# %%
# The curve follows the list from the most doubtful row on: most of the flipped labels come
# first.

hits = np.cumsum(np.isin(found.rows, flipped))
figure, axis = plt.subplots(figsize=(6.5, 4), layout="constrained")
axis.plot(np.arange(1, len(hits) + 1), hits, "o-", color="#1f4e79", markersize=3)
axis.plot([0, 30, len(hits)], [0, 30, 30], color="0.7", label="perfect list")
axis.axvline(found.n_wrong, color="#d9a441", label="estimated number of wrong labels")
axis.set(xlabel="rows looked at, most doubtful first", ylabel="flipped labels found, of 30")
axis.legend()
plt.show()
