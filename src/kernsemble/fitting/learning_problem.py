"""What a kernel learner learns from: kernels, rows, two-class problems and folds."""

from typing import Any, NamedTuple

import numpy as np

from ..kernels import evaluate
from ..solvers.tasks import two_sided_columns


class Tasks(NamedTuple):
    """Two-class problems on the same rows.

    Attributes
    ----------
    T : ndarray of shape (n_rows, n_tasks)
        +1 and -1; 0 leaves the row out of that problem.
    codes : ndarray of int of shape (n_rows,)
    n_classes : int
    weight : ndarray of shape (n_rows,)
    """

    T: np.ndarray
    codes: np.ndarray
    n_classes: int
    weight: np.ndarray

    def take(self, rows, share):
        """Return the problems on some of the rows with a share of their weights."""
        weight = self.weight[rows] * share[rows]
        return self._replace(T=self.T[rows], codes=self.codes[rows], weight=weight)

    def each(self):
        """Yield (number, rows, problem) of every problem alone, with two classes of its own."""
        for column, rows, signs in two_sided_columns(self.T):
            alone = Tasks(signs[:, None], (signs > 0).astype(np.intp), 2, self.weight[rows])
            yield column, rows, alone


class Learned(NamedTuple):
    """Kernels with their weights and the machines on them.

    Attributes
    ----------
    parts : list of KernelPart
    bias : ndarray of shape (n_tasks,)
    solutions : list
        What the solvers returned.
    scored : list of list of Kernel
        The kernels whose machines score the held-out rows: one list for all problems together, or
        one for each problem.
    attributes : dict
        Fitted attributes.
    """

    parts: list
    bias: np.ndarray
    solutions: list
    scored: list
    attributes: dict[str, Any]


class LearningProblem(NamedTuple):
    """Kernels and rows with their two-class problems.

    Attributes
    ----------
    kernels : list of Kernel
    X : {ndarray, CSR matrix} of shape (n_rows, n_features)
    tasks : Tasks
    folds : ndarray of shape (n_folds, n_rows)
        How many copies of each row every fold has.
    seed : int
        Every learner draws from the same seed, so that only their strengths differ.
    """

    kernels: list
    X: Any
    tasks: Tasks
    folds: np.ndarray
    seed: int

    def learn(self, learner):
        """Return what a learner finds, as `Learned`."""
        shared = learner.shared_weights or self.tasks.T.shape[1] == 1
        fit = learner._fit_shared if shared else learner._fit_separate
        return fit(self.kernels, self.X, self.tasks, self._rng())

    def scored_grams(self, learned):
        """Return Gram matrices for `held_out_scores`, or kernels where they would be too many."""
        if len(learned.scored) > 1:
            return learned.scored
        return [evaluate(learned.scored[0], self.X)]

    def held_out_scores(self, learner, scored):
        """Return scores of every row by machines on the learned kernels that did not see it."""
        if len(scored) == 1:
            return self._score_folds(learner, scored[0], self.tasks)
        columns = [
            self._score_folds(learner, kernels, self.tasks._replace(T=self.tasks.T[:, [number]]))
            for number, kernels in enumerate(scored)
        ]
        return np.hstack(columns)

    def _score_folds(self, learner, scored, tasks):
        grams = scored if isinstance(scored[0], np.ndarray) else evaluate(scored, self.X)
        S, copies, rng = np.zeros(tasks.T.shape), self.folds.sum(axis=0), self._rng()
        for held_out in self.folds / copies:
            train, test = np.flatnonzero(held_out < 1.0), np.flatnonzero(held_out)
            if not test.size or not train.size:
                continue
            inner = [K[np.ix_(train, train)] for K in grams]
            coefs, bias = learner._fit_fixed(inner, tasks.take(train, 1.0 - held_out), rng)
            scores = bias + sum(K[np.ix_(test, train)] @ c for K, c in zip(grams, coefs))
            # Copies of a row may be in several folds; its score is the mean of theirs.
            S[test] += held_out[test, None] * scores
        return S

    def _rng(self):
        return np.random.RandomState(self.seed)
