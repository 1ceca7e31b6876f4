"""
Accuracy without a test set
===========================

Every point is a random split of a data set: what the classifier says of itself after training on
half of the rows, against its accuracy on the other half. No rows were held out to know the first.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import train_test_split

from kernsemble import KernelRidgeClassifier, MPRaFClassifier, RVFLClassifier
from kernsemble.datasets import make_waveform

DATA = {
    "breast cancer": load_breast_cancer(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "waveform": make_waveform(500, random_state=0),
}
MODELS = {
    "kernel ridge, leave-one-out": KernelRidgeClassifier(),
    "RVFL, leave-one-out": RVFLClassifier(random_state=0),
    "MPRaF, out of bag": MPRaFClassifier(50, oob_score=True, random_state=0),
}

figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
for axis, (title, clf) in zip(axes, MODELS.items()):
    for name, (X, y) in DATA.items():
        pairs = []
        for seed in range(6):
            A, B, a, b = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
            clf.fit(A, a)
            pairs.append((100 * clf.honest_accuracy_, 100 * clf.score(B, b)))
        axis.scatter(*zip(*pairs), s=25, label=name)
    axis.plot([75, 100], [75, 100], color="0.7", zorder=0)
    axis.set(title=title, xlabel="honest accuracy, %", aspect="equal")
axes[0].set_ylabel("accuracy on the other half, %")
axes[0].legend()
plt.show()
