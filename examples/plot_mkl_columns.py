"""
Which group of columns matters?
===============================

The breast cancer table has ten measurements in three groups: their mean, their standard error and
their largest values. One kernel for each group, and multiple kernel learning says how much each
group is worth.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from kernsemble import EasyMKLClassifier, GroupLassoMKLClassifier, SimpleMKLClassifier
from kernsemble.kernels import RBF, OnColumns

GROUPS = {"means": slice(0, 10), "errors": slice(10, 20), "largest": slice(20, 30)}
kernels = [OnColumns(RBF(0.05), columns) for columns in GROUPS.values()]
X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
X, new, y, truth = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)

MODELS = {
    "sparse (SimpleMKL)": SimpleMKLClassifier(kernels),
    "in between (p = 2)": GroupLassoMKLClassifier(kernels, p=2.0),
    "margins (EasyMKL)": EasyMKLClassifier(kernels),
}
figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), sharey=True, layout="constrained")
for axis, (name, clf) in zip(axes, MODELS.items()):
    clf.fit(X, y)
    weights = np.asarray(clf.kernel_weights_)
    axis.bar(list(GROUPS), weights / weights.sum(), color="#1f4e79")
    axis.set_title(f"{name}\n{clf.score(new, truth):.1%} of new rows")
axes[0].set_ylabel("share of the weight")
plt.show()
