"""
Why this row?
=============

`explain` splits the score of a row into contributions of the columns, which add up to the
difference between the row's score and the mean score, and names the training rows that speak for
and against it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from kernsemble import KernelRidgeClassifier

data = load_wine(as_frame=True)
X, new, y, truth = train_test_split(data.data, data.target, random_state=0, stratify=data.target)
clf = KernelRidgeClassifier(random_state=0).fit(X, y)
explanation = clf.explain(new[:3])

figure, axes = plt.subplots(1, 3, figsize=(13, 4), sharey=True, layout="constrained")
for number, axis in enumerate(axes):
    parts = explanation.contributions[number]
    axis.barh(list(X.columns), parts, color=np.where(parts > 0, "#1f4e79", "#d9a441"))
    axis.axvline(0, color="black", linewidth=0.8)
    axis.set_title(f"row {number}: class {clf.predict(new[:3])[number]}")
axes[1].set_xlabel("contribution to the score of the predicted class")
plt.show()
