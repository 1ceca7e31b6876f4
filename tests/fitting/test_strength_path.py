"""The strength of a kernel learner is that of least honest log-loss on the way from the middle."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss

import kernsemble as ks
from kernsemble.fitting.strength_path import _walk, choose_strength, held_out_loss
from kernsemble.kernels import RBF
from kernsemble.members.kernel_ridge import fit_kernel_ridge_member
from kernsemble.members.kernel_width import find_gamma, gaussians_around
from kernsemble.tables import open_memory

LEARNERS = [
    ks.AlignmentMKLClassifier,
    ks.AverageMKLClassifier,
    ks.EasyMKLClassifier,
    ks.GroupLassoMKLClassifier,
    ks.KernelFDAClassifier,
    ks.MKDAClassifier,
    ks.SILPMKLClassifier,
    ks.SVM2KClassifier,
    ks.SimpleMKLClassifier,
    ks.UFOMKLClassifier,
]


def classes(n=90, n_classes=2):
    return make_classification(
        n, 5, n_informative=4, n_redundant=0, n_classes=n_classes, flip_y=0.1, random_state=0
    )


class Scored:
    """A problem whose learners are numbers and whose held-out scores are known."""

    def __init__(self, losses):
        self.losses, self.asked = losses, []
        self.tasks = None

    def held_out_scores(self, learner, grams):
        self.asked.append(learner)
        return learner


@pytest.mark.parametrize(
    ("losses", "best", "asked"),
    [
        ([9, 8, 5, 6, 1], 2, {1, 2, 3}),
        ([9, 8, 5, 4, 6], 3, {2, 3, 4}),
        ([1, 2, 5, 6, 7], 0, {0, 1, 2, 3}),
        ([9, 8, 5, 4, 3], 4, {2, 3, 4}),
    ],
)
def test_the_path_is_walked_downhill(monkeypatch, losses, best, asked):
    problem = Scored(losses)
    monkeypatch.setattr(
        "kernsemble.fitting.strength_path.held_out_loss", lambda _, scores, tasks: losses[scores]
    )
    found, _ = _walk(list(range(5)), 2, None, problem)
    assert found == best and set(problem.asked) == asked and len(problem.asked) == len(asked)


@pytest.mark.parametrize("cls", LEARNERS)
def test_a_given_strength_is_used_and_the_chosen_one_gives_the_same_model(cls):
    X, y = classes()
    clf = cls(random_state=0).fit(X, y)
    name = clf._strength
    chosen = getattr(clf, f"{name}_")
    assert chosen in clf._strengths_for(len(X))
    given = cls(random_state=0, **{name: chosen}).fit(X, y)
    assert getattr(given, f"{name}_") == chosen
    assert_allclose(given.decision_function(X), clf.decision_function(X), atol=1e-8)
    assert_allclose(given.honest_scores_, clf.honest_scores_, atol=1e-8)


@pytest.mark.parametrize("cls", LEARNERS)
def test_the_papers_setting_searches_nothing(cls, monkeypatch):
    X, y = classes()
    monkeypatch.setattr("kernsemble.fitting.strength_path._walk", None)
    monkeypatch.setattr("kernsemble.fitting.kernel_learner.find_gamma", None)
    clf = cls(preset="paper", random_state=0).fit(X, y)
    published = {"C": 1.0, "alpha": 1 / 90 if cls is ks.UFOMKLClassifier else 0.01}
    if cls is ks.EasyMKLClassifier:
        published["alpha"] = 0.1
    assert getattr(clf, f"{clf._strength}_") == published[clf._strength]


def test_the_loss_is_the_log_loss_of_the_classifiers_honest_probabilities():
    X, y = classes(n_classes=3)
    clf = ks.AverageMKLClassifier(C=4.0, random_state=0).fit(X, y)
    P = clf._probabilities(clf.honest_.scores)
    seen = []
    keep = choose_strength

    def watched(path, problem, honest):
        choice = keep(path, problem, honest)
        seen.append(held_out_loss(choice.learner, choice.scores, problem.tasks))
        return choice

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kernsemble.fitting.kernel_learner.choose_strength", watched)
        clf = ks.AverageMKLClassifier(C=4.0, random_state=0).fit(X, y)
    assert_allclose(seen[0], log_loss(y, P))


@pytest.mark.parametrize(("n_rows", "n_used"), [(300, 300), (700, 234)])
def test_the_width_is_found_on_few_rows(n_rows, n_used, monkeypatch):
    sizes = []

    def watched(table, *args):
        sizes.append(table.n_rows)
        return fit_kernel_ridge_member(table, *args)

    monkeypatch.setattr("kernsemble.members.kernel_width.fit_kernel_ridge_member", watched)
    find_gamma(open_memory(*classes(n_rows), None), np.random.RandomState(0))
    assert sizes == [n_used]


def test_the_width_is_that_of_the_kernel_ridge():
    X, y = classes(200)
    table = open_memory(X, y, None)
    gamma = find_gamma(table, np.random.RandomState(0))
    ridge = ks.KernelRidgeClassifier([RBF(gamma * 4.0**k) for k in range(-3, 4)], scale=None).fit(
        X, y
    )
    assert 0.2 <= ridge.kernel_.gamma / gamma <= 5.0
    assert [k.gamma for k in gaussians_around(1.0, 5)] == [16.0, 4.0, 1.0, 0.25, 0.0625]
    assert [k.gamma for k in gaussians_around(3.0, 1)] == [3.0]
