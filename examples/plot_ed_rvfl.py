"""
Stacked random layers
=====================

A layer of an ensemble deep random vector functional link network sees the inputs and the random
units of the layer before it. Only the ridge on top of each layer is trained, and every layer is a
member: the classifier is the mean of its layers. On both tables every further layer helps, and
honest accuracy says so without test rows.
"""

import matplotlib.pyplot as plt
import numpy as np

from kernsemble import EdRVFLClassifier
from kernsemble.datasets import make_ringnorm, make_xor

LAYERS = (1, 2, 4, 8)
tables = {
    "a sphere in 20 columns (ringnorm)": [make_ringnorm(n, random_state=n) for n in (600, 4000)],
    "the sign of a product (xor)": [make_xor(n, n_noise=3, random_state=n) for n in (600, 4000)],
}
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for axis, (name, parts) in zip(axes, tables.items()):
    (X, y), (new, truth) = parts
    nets = [EdRVFLClassifier(n, n_hidden=40, random_state=0).fit(X, y) for n in LAYERS]
    test = 100 * np.array([clf.score(new, truth) for clf in nets])
    honest = 100 * np.array([clf.honest_accuracy_ for clf in nets])
    axis.semilogx(LAYERS, test, "o-", label=f"{len(new):,} new rows")
    axis.semilogx(LAYERS, honest, "s:", label="honest, 600 training rows")
    axis.set_xticks(LAYERS, LAYERS, minor=False)
    axis.minorticks_off()
    axis.set(xlabel="layers", ylabel="accuracy in %", title=name)
    axis.legend(fontsize=8)
plt.show()
