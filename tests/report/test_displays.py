"""Displays draw what the classifier says."""

import matplotlib
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from kernsemble import KernelEnsembleClassifier, KernelRidgeClassifier
from kernsemble.report import (
    CoverageDisplay,
    ExplanationDisplay,
    ImportanceDisplay,
    LeaderboardDisplay,
    ReliabilityDisplay,
)

matplotlib.use("Agg")
DATA = load_iris(as_frame=True)
X, Y = DATA.data, np.array(["a", "b", "c"])[DATA.target]


@pytest.fixture(scope="module")
def clf():
    return KernelEnsembleClassifier(["gaussian", "ranks"], random_state=0).fit(X, Y)


@pytest.fixture(autouse=True)
def closed():
    yield
    matplotlib.pyplot.close("all")


def test_leaderboard(clf):
    shown = LeaderboardDisplay.from_estimator(clf)
    names = [text.get_text() for text in shown.ax_.get_yticklabels()]
    assert names == [row.member for row in clf.leaderboard_]
    with pytest.raises(ValueError, match="leaderboard_"):
        LeaderboardDisplay.from_estimator(KernelRidgeClassifier().fit(X, Y))


def test_reliability(clf):
    honest = ReliabilityDisplay.from_estimator(clf, n_bins=5)
    assert honest.said.shape == (5,) and honest.came.mean() == pytest.approx(clf.honest_accuracy_)
    new = ReliabilityDisplay.from_estimator(clf, X, Y, ax=honest.ax_)
    assert new.ax_ is honest.ax_ and new.came.mean() >= honest.came.mean() - 0.05


def test_importance(clf):
    shown = ImportanceDisplay.from_estimator(clf, X, Y, n_columns=2, n_folds=None, n_repeats=1)
    names = [text.get_text() for text in shown.ax_.get_yticklabels()]
    assert len(names) == 2 and "petal" in names[0]


def test_explanation_of_a_row(clf):
    shown = ExplanationDisplay.from_estimator(clf, X[:1], background=5, n_columns=2)
    names = [text.get_text() for text in shown.ax_.get_yticklabels()]
    assert "2 other columns" in names and any("= 1.4" in name for name in names)
    drawn = sum(bar.get_width() for bar in shown.ax_.patches)
    found = shown.explanation
    assert_allclose(drawn, found.scores[0] - found.mean_scores[0])
    grouped = ExplanationDisplay.from_estimator(clf, X[:1], background=5, groups={"all": range(4)})
    assert len(grouped.ax_.patches) == 1


@pytest.mark.parametrize("by_class", [False, True])
def test_coverage(clf, by_class):
    shown = CoverageDisplay.from_estimator(clf, X, Y, by_class=by_class)
    assert len(shown.lines_) == 4 and (np.diff(shown.coverage) >= 0).all()
    assert shown.coverage[-1] > 0.9
