"""
Kernel-PCA members see the same rows differently
================================================

Three of twenty views of the waveform data, and the vote of the members, which beats every one of
them.
"""

import matplotlib.pyplot as plt
import numpy as np

from kernsemble import KernelPCAEnsembleClassifier
from kernsemble.datasets import make_waveform

COLOURS = np.array(["#4477aa", "#ee6677", "#228833"])


X, y = make_waveform(2000, random_state=0)
X_test, y_test = make_waveform(3000, random_state=1)
clf = KernelPCAEnsembleClassifier(20, scale=None, random_state=0).fit(X, y)
members = clf.estimators_
accuracy = [np.mean(m.scores(X_test).argmax(axis=1) == y_test) for m in members]
order = np.argsort([m.feature_map.kernel_.gamma for m in members])
figure, axes = plt.subplots(1, 4, figsize=(12, 3.1), layout="constrained")
for axis, number in zip(axes[:3], order[[0, len(order) // 2, -1]]):
    feature_map = members[number].feature_map
    Z = feature_map.transform(X_test[:700])
    axis.scatter(Z[:, 0], Z[:, 1], c=COLOURS[y_test[:700]], s=6, linewidths=0)
    axis.set(xticks=[], yticks=[], xlabel="first coordinate", ylabel="second coordinate")
    axis.set_title(f"gamma = {feature_map.kernel_.gamma:.4f}: {accuracy[number]:.1%}")
votes = np.cumsum([np.eye(3)[m.scores(X_test).argmax(axis=1)] for m in members], axis=0)
together = [np.mean(counts.argmax(axis=1) == y_test) for counts in votes]
sizes = np.arange(1, len(members) + 1)
axes[3].plot(sizes, together, color="0.15", label="vote of the first members")
axes[3].scatter(sizes, accuracy, color="0.6", s=14, label="each member alone")
axes[3].set(xlabel="members", ylabel="test accuracy", title="waveform")
axes[3].legend(frameon=False, fontsize=8)
plt.show()
