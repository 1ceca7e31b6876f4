"""
From a table of customers to an answer
======================================

Tables have words, missing values and numbers side by side. They go into `fit` as they are. The
same ensemble behind one-hot encoding and imputation, the usual preparation, is shown beside it.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from kernsemble import KernelEnsembleClassifier

rng = np.random.RandomState(0)
n = 1200
table = pd.DataFrame(
    {
        "contract": rng.choice(["monthly", "one year", "two years"], n, p=[0.55, 0.25, 0.2]),
        "payment": rng.choice(["card", "transfer", "cheque", "debit"], n),
        "months": rng.gamma(2.0, 12.0, n).round(),
        "charge": rng.normal(65.0, 25.0, n).clip(18).round(2),
        "calls": rng.poisson(1.2, n).astype(float),
    }
)
chance = (
    1.2 * (table.contract == "monthly")
    + 0.9 * (table.payment == "cheque")
    - 0.05 * table.months
    + 0.02 * (table.charge - 65)
    + 0.5 * table.calls
    - 0.8
)
leaves = np.where(rng.rand(n) < 1 / (1 + np.exp(-chance)), "leaves", "stays")
# Unhappy customers do not answer: that a value is missing tells something.
table.loc[rng.rand(n) < 0.25 + 0.3 * (table.calls > 2), "months"] = np.nan
table.loc[rng.rand(n) < 0.1, "payment"] = None

X, new, y, truth = train_test_split(table, leaves, test_size=0.5, random_state=0)
clf = KernelEnsembleClassifier(random_state=0).fit(X, y)
print(f"honest accuracy {clf.honest_accuracy_:.3f}, on new rows {clf.score(new, truth):.3f}")

# %%
# The usual preparation, for comparison.

words = make_column_selector(dtype_exclude="number")
numbers = make_column_selector(dtype_include="number")
prepare = make_column_transformer(
    (
        make_pipeline(
            SimpleImputer(strategy="most_frequent"),
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
        ),
        words,
    ),
    (SimpleImputer(strategy="median"), numbers),
)
prepared = make_pipeline(prepare, KernelEnsembleClassifier(random_state=0)).fit(X, y)

models = {"as it is": clf, "one-hot and imputed": prepared}
figure, axes = plt.subplots(1, 2, figsize=(9, 2.6), sharey=True, layout="constrained")
axes[0].barh(list(models), [100 * m.score(new, truth) for m in models.values()], color="#1f4e79")
axes[0].set(xlabel="accuracy on new rows, %", xlim=(60, 90))
losses = [log_loss(truth, m.predict_proba(new), labels=m.classes_) for m in models.values()]
axes[1].barh(list(models), losses, color="#8fbfe8")
axes[1].set(xlabel="log-loss on new rows")
plt.show()
