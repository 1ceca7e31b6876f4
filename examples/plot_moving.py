"""
Moving from SVC, RandomForest or CatBoost
=========================================

The code that people have, beside the code that replaces it. What goes away is the scaling, the
grid and the calibration; what comes is the accuracy without a test set.
"""

import matplotlib.pyplot as plt
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kernsemble import KernelEnsembleClassifier

X, y = load_breast_cancer(return_X_y=True)
X, new, y, truth = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)

# %%
# **Before, with an SVM**: scale, search, and calibrate, which repeats the search five times.

grid = {"svc__C": [0.5, 2, 8, 32], "svc__gamma": [0.001, 0.01, 0.1]}
search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid)
svm = CalibratedClassifierCV(search, ensemble=False).fit(X, y)

# %%
# **Before, with a forest**: no scaling, and an accuracy out of bag.

forest = RandomForestClassifier(500, oob_score=True, random_state=0).fit(X, y)

# %%
# **After**. For a model of CatBoost it is the same line: categories and missing values go in as
# they are.

clf = KernelEnsembleClassifier(random_state=0).fit(X, y)

models = {"SVM, grid of 12": svm, "random forest": forest, "kernel ensemble": clf}
accuracies = [100 * model.score(new, truth) for model in models.values()]
losses = [log_loss(truth, model.predict_proba(new)) for model in models.values()]
figure, axes = plt.subplots(1, 2, figsize=(9, 3), sharey=True, layout="constrained")
axes[0].barh(list(models), accuracies, color="#1f4e79")
axes[0].set(xlabel="accuracy on new rows, %", xlim=(90, 100))
axes[1].barh(list(models), losses, color="#8fbfe8")
axes[1].set(xlabel="log-loss on new rows")
plt.show()
