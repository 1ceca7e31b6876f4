"""Members that share views and distances give the scores that each gives alone."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from kernsemble import KernelEnsembleClassifier
from kernsemble.ensembles import kernel_ensemble
from kernsemble.members.together import class_scores_together


@pytest.fixture(params=["exact", "landmarks"])
def fitted(request, monkeypatch):
    """Return a fitted ensemble, its members before they were made compact, and new rows."""
    n_rows = 150 if request.param == "exact" else 1100
    X, y = make_classification(
        n_rows + 50, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=0
    )
    before = []

    def keep(*args):
        standings = run_race(*args)
        before.extend(standings.runners)
        return standings

    run_race = kernel_ensemble.run_race
    monkeypatch.setattr(kernel_ensemble, "run_race", keep)
    clf = KernelEnsembleClassifier(random_state=0).fit(X[:n_rows], y[:n_rows])
    return clf, {runner.name: runner.member for runner in before}, X[n_rows:]


def test_scores_are_those_of_every_member_alone(fitted):
    clf, before, X = fitted
    alone = [before[member.name].class_scores(X) for member in clf.estimators_]
    together = class_scores_together(clf.estimators_, X)
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-10)
    compact = [member.class_scores(X) for member in clf.estimators_]
    np.testing.assert_allclose(compact, alone, rtol=0, atol=1e-10)
    expected = clf.combination_.probabilities(np.stack(alone))
    pooled = clf.combination_.probabilities(class_scores_together(clf.estimators_, X))
    np.testing.assert_allclose(pooled, expected, rtol=0, atol=1e-10)


def test_a_row_alone_is_scored_as_among_others(fitted):
    clf, _, X = fitted
    alone = np.concatenate([clf.predict_proba(X[i : i + 1]) for i in range(5)])
    np.testing.assert_allclose(alone, clf.predict_proba(X)[:5], rtol=0, atol=1e-10)
