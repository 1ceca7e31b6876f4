"""
A dask cluster on one machine
=============================

Rows that do not fit in memory are fitted where they are: the chunks of a dask array are never
brought together, and the model is the same as in memory. The picture shows both models' scores.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from distributed import Client, LocalCluster

from kernsemble import RVFLClassifier
from kernsemble.datasets import make_waveform

X, y = make_waveform(6000, random_state=0)
new, _ = make_waveform(300, random_state=1)
alone = RVFLClassifier(50, random_state=0).fit(X, y)

cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0")
with cluster, Client(cluster):
    rows, labels = da.from_array(X, chunks=(1000, -1)), da.from_array(y, chunks=1000)
    together = RVFLClassifier(50, random_state=0).fit(rows, labels)

figure, axis = plt.subplots(figsize=(4.5, 4.5), layout="constrained")
axis.scatter(alone.decision_function(new), together.decision_function(new), s=6, color="#1f4e79")
difference = np.abs(alone.decision_function(new) - together.decision_function(new)).max()
axis.set(
    xlabel="score of the model from memory",
    ylabel="score of the model from six chunks",
    title=f"largest difference {difference:.0e}",
    aspect="equal",
)
plt.show()
