"""
One random network, and many
============================

A random vector functional link network draws its hidden layer and never trains it; a ridge on top
is solved in closed form, so leave-one-out scores cost nothing. An ensemble of perturbed copies is
better than one network, and honest accuracy tells so without test rows.
"""

import matplotlib.pyplot as plt
import numpy as np

from kernsemble import RVFLClassifier, RVFLEnsembleClassifier
from kernsemble.datasets import make_waveform

X, y = make_waveform(400, random_state=0)
new, truth = make_waveform(5000, random_state=1)
UNITS = (5, 10, 20, 40, 80, 160)
found = {"one network": [], "ensemble of 30": []}
for n_hidden in UNITS:
    models = {
        "one network": RVFLClassifier(n_hidden, random_state=0),
        "ensemble of 30": RVFLEnsembleClassifier(30, n_hidden=n_hidden, random_state=0),
    }
    for name, clf in models.items():
        clf.fit(X, y)
        found[name].append((clf.honest_accuracy_, clf.score(new, truth)))

figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, values), colour in zip(found.items(), ("tab:blue", "tab:orange")):
    honest, test = 100 * np.array(values).T
    axis.semilogx(UNITS, test, "o-", color=colour, label=f"{name}: 5,000 new rows")
    axis.semilogx(UNITS, honest, "s:", color=colour, label=f"{name}: honest, 400 training rows")
axis.set_xticks(UNITS, UNITS)
axis.set(xlabel="hidden units", ylabel="accuracy in %", title="Waveform data")
axis.legend(fontsize=8)
plt.show()
