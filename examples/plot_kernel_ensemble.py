"""What KernelEnsembleClassifier says of itself: the leaderboard, and probabilities to believe.

Left, the weight and the honest accuracy of every member on the waveform data; right, how often the
predicted class came true for rows of like probability, by scores of members that did not see them.
Run `python examples/plot_kernel_ensemble.py ensemble.png`, or without a path to look at the window.
"""

import sys

import matplotlib.pyplot as plt

from kernsemble import KernelEnsembleClassifier
from kernsemble.datasets import make_waveform


def main():
    X, y = make_waveform(600, random_state=0)
    clf = KernelEnsembleClassifier(random_state=0).fit(X, y)
    print(clf.leaderboard_)
    figure = clf.plot()
    if len(sys.argv) > 1:
        figure.savefig(sys.argv[1], dpi=120)
    else:
        plt.show()


if __name__ == "__main__":
    main()
