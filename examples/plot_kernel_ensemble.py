"""
Reading a leaderboard and a reliability plot
============================================

`KernelEnsembleClassifier` says of itself what each member is worth, and how far its probabilities
can be believed. Left, the weight and the honest accuracy of every member on the waveform data;
right, how often the predicted class came true for rows of like probability, by scores of members
that did not see them.
"""

import matplotlib.pyplot as plt

from kernsemble import KernelEnsembleClassifier
from kernsemble.datasets import make_waveform

X, y = make_waveform(600, random_state=0)
clf = KernelEnsembleClassifier(random_state=0).fit(X, y)
print(clf.leaderboard_)
clf.plot()
plt.show()
