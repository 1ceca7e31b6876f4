"""
Label sets for a medical triage
===============================

A yes or no is not what a triage needs: it needs to know which patients are clear and which a
person has to see. `predict_set` returns, for each row, the classes that cannot be ruled out at a
chosen confidence. Rows with one class are decided, rows with both go to a person.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from kernsemble import KernelEnsembleClassifier

X, y = load_breast_cancer(return_X_y=True)
X, new, y, truth = train_test_split(X, y, test_size=0.4, stratify=y, random_state=0)
clf = KernelEnsembleClassifier(random_state=0).fit(X, y)

# %%
# The more confidence is asked for, the more rows keep both classes. The share of rows whose set
# holds the true class should follow the diagonal.

levels = np.linspace(0.8, 0.995, 14)
covered, decided, empty = [], [], []
for confidence in levels:
    sets = clf.predict_set(new, confidence=confidence)
    covered.append(sets[np.arange(len(new)), truth].mean())
    decided.append((sets.sum(axis=1) == 1).mean())
    empty.append((sets.sum(axis=1) == 0).mean())

figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
axes[0].plot(levels, levels, color="0.7")
axes[0].plot(levels, covered, "o-", color="#1f4e79")
axes[0].set(xlabel="confidence asked for", ylabel="share of sets with the true class")
to_see = 1 - np.array(decided) - np.array(empty)
parts = {
    "decided": decided,
    "both classes: a person looks": to_see,
    "neither class is typical": empty,
}
axes[1].stackplot(levels, *parts.values(), labels=parts, colors=["#8fbfe8", "#1f4e79", "#d9a441"])
axes[1].set(xlabel="confidence asked for", ylabel="share of new rows", ylim=(0, 1))
axes[1].legend(loc="lower left")
plt.show()
