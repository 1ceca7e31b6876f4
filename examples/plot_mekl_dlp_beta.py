"""
How much locality MEKL-DLP wants
================================

After figures 2 and 3 of Wang, Li and Wang (2019): five-fold accuracy over beta, the strength of
the discriminative locality, with the other parameters fixed. The paper's sets are used where the
data folder has them (at most 400 rows of each), else sets that need no folder. A little locality
does no harm or helps; beyond beta = 10 it costs accuracy, as the paper found.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernsemble import MEKLDLPClassifier
from kernsemble.datasets import list_datasets, load

PAPER = [
    ["iris", "ionosphere", "house-votes", "bcw", "segment"],
    ["liver-disorders", "mammographic", "hill-valley", "cmc", "semeion"],
]
PAPER = [[f"papers_raw/{name}" for name in panel] for panel in PAPER]
ANYWHERE = [["iris", "wine", "breast_cancer"], ["digits", "ringnorm", "spirals"]]
BETAS = (0.01, 0.1, 1.0, 10.0, 100.0)


def accuracies(name):
    data = load(name)
    rows = np.random.RandomState(0).permutation(len(data.y))[:400]
    model = MEKLDLPClassifier(alpha=0.1, gamma=0.01, multi_class="ovr", tol=1e-2, preset="paper")
    pipeline = make_pipeline(SimpleImputer(), StandardScaler(), model)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    found = []
    for beta in BETAS:
        pipeline.set_params(mekldlpclassifier__beta=beta)
        found.append(100 * cross_val_score(pipeline, data.X[rows], data.y[rows], cv=folds).mean())
    return found


known = {entry.name for entry in list_datasets()}
panels = PAPER if known.issuperset(PAPER[0] + PAPER[1]) else ANYWHERE
warnings.simplefilter("ignore", ConvergenceWarning)

figure, grid = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for axes, names in zip(grid, panels):
    for name in names:
        axes.semilogx(BETAS, accuracies(name), "o-", label=name.rpartition("/")[2])
    axes.set(xlabel="beta")
    axes.legend(frameon=False, fontsize="small")
grid[0].set_ylabel("accuracy in %")
figure.suptitle("MEKL-DLP: accuracy falls once locality outweighs the loss")

plt.show()
