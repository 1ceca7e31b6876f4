"""
A member of your own
====================

`KernelEnsembleClassifier` takes any scikit-learn classifier as a further member. It is scored by
five folds and gets weight only if it helps. Here a quadratic discriminant joins, which is made for
these two Gaussian classes.
"""

import matplotlib.pyplot as plt
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression

from kernsemble import KernelEnsembleClassifier
from kernsemble.datasets import make_ringnorm

X, y = make_ringnorm(300, random_state=0)
new, truth = make_ringnorm(3000, random_state=1)
own = [QuadraticDiscriminantAnalysis(reg_param=0.05), LogisticRegression()]
clf = KernelEnsembleClassifier(["gaussian", "forest", "rvfl", *own], random_state=0).fit(X, y)
print(f"honest accuracy {clf.honest_accuracy_:.3f}, on new rows {clf.score(new, truth):.3f}")
clf.plot()
plt.show()
