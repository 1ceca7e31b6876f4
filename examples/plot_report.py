"""
Comparing methods with a report
===============================

`kernsemble bench` compares classifiers over data sets and writes a page. The same statistics are
functions of one table, data sets by methods. Here four classifiers on five data sets, five folds
each.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from kernsemble import KernelRidgeClassifier, RVFLClassifier
from kernsemble.benchmark.statistics import average_ranks
from kernsemble.datasets import make_ringnorm, make_waveform

DATA = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "breast cancer": load_breast_cancer(return_X_y=True),
    "ringnorm": make_ringnorm(300, random_state=0),
    "waveform": make_waveform(300, random_state=0),
}
MODELS = {
    "KernelRidge": KernelRidgeClassifier(),
    "RVFL": RVFLClassifier(random_state=0),
    "RandomForest": RandomForestClassifier(200, random_state=0),
    "KNeighbors": KNeighborsClassifier(),
}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
table = pd.DataFrame(
    {
        name: [100 * cross_val_score(clf, X, y, cv=folds).mean() for X, y in DATA.values()]
        for name, clf in MODELS.items()
    },
    index=list(DATA),
)
ranks = average_ranks(table).sort_values(ascending=False)

figure, axes = plt.subplots(1, 2, figsize=(11, 3.6), layout="constrained")
for name in table:
    axes[0].plot(table[name], table.index, "o", label=name)
axes[0].set(xlabel="accuracy in five folds, %")
axes[0].legend(fontsize=8)
axes[1].barh(ranks.index, ranks, color="#1f4e79")
axes[1].set(xlabel="mean rank, 1 is best")
plt.show()
