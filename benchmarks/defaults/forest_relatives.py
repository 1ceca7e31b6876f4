"""Two relatives of the forests, grown with the parts of the library: which are worth keeping?

`python benchmarks/defaults/compare.py forest_relatives --draws 2` compares them with the forests.

A double forest grows every tree on all rows. A node of more than a tenth of them looks for its
split in a bootstrap sample of its rows, and then sends all of its rows to the two sides. A forest
with gradient rotations turns every group of features to the eigenvectors of the mean outer product
of the gradients of a kernel ridge, where a rotation forest takes principal components.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from kernsemble.kernels import RBF, MedianGrid
from kernsemble.members.forest import ForestPlan, prepare_rows
from kernsemble.members.kernel_ridge import fit_kernel_ridge_member
from kernsemble.members.mhks_search import ALPHAS, typical_part
from kernsemble.members.tree import TreeMember
from kernsemble.tables import MemoryTable, open_memory
from kernsemble.trees.engine import SortedRows, add_scores, grow, leaves_of, rotate
from kernsemble.trees.frame import FramedRows
from kernsemble.trees.rotation import Rotation, draw_rotation

# A node of a larger share of the rows finds its split in a bootstrap sample.
RESAMPLED_SHARE = 0.1
# Number of rows of the kernel ridge behind a rotation.
RIDGE_ROWS = 300


class _Branch(NamedTuple):
    """A split, as a tree of one, and what grows on its two sides: branches or trees."""

    split: Any
    left: Any
    right: Any

    def add_to(self, total, framed, rows):
        on_right = leaves_of(self.split, framed.take(rows)) == 2
        for side, part in ((self.left, rows[~on_right]), (self.right, rows[on_right])):
            if isinstance(side, _Branch):
                side.add_to(total, framed, part)
            elif len(part):
                found = np.zeros((len(part), total.shape[1]))
                add_scores(side, framed.take(part), False, found)
                total[part] += found


class _Forest(ClassifierMixin, BaseEstimator):
    """The common part: read rows as a forest does, grow trees, average the class shares."""

    def __init__(self, forest):
        self.forest = forest

    def fit(self, X, y):
        table = open_memory(np.asarray(X, dtype=np.float64), y)
        growth = self.forest._resolve_growth(table.shape[1])
        plan = ForestPlan(growth, self.forest.group_size, self.forest.max_samples)
        prepared = prepare_rows(table, plan)
        rng = np.random.RandomState(self.forest.random_state)
        self.classes_, self.frame_ = table.classes, prepared.frame
        self.trees_ = self._grow(table, prepared, plan, rng)
        return self

    def predict_proba(self, X):
        framed = self.frame_(np.asarray(X, dtype=np.float64))
        total = np.zeros((len(X), len(self.classes_)))
        for tree in self.trees_:
            self._add(tree, total, framed)
        return total / len(self.trees_)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class DoubleForest(_Forest):
    """Trees on all rows, whose large nodes are split by bootstrap samples of their rows."""

    def _grow(self, table, prepared, plan, rng):
        trees, growth = [], plan.growth._replace(bootstrap=False)
        for _ in range(self.forest.n_estimators):
            framed, turn = prepared.framed, None
            if plan.group_size is not None:
                arguments = prepared.codes, prepared.n_classes, prepared.frame.n_levels
                turn = draw_rotation(
                    framed.columns, *arguments, plan.group_size, plan.max_samples, rng
                )
                framed = rotate(turn, framed)
            every = np.arange(len(prepared.codes))
            trees.append((turn, self._branch(framed, prepared, growth, every, rng)))
        return trees

    def _branch(self, framed, prepared, growth, rows, rng):
        """Return the `_Branch` of some rows, or the tree of a node that is small."""

        def tree_of(some, growth):
            ranked = SortedRows.of(framed.take(some), prepared.codes[some], prepared.frame.n_levels)
            seeds = [rng.randint(np.iinfo(np.int32).max)]
            return grow(ranked, prepared.n_classes, None, growth, seeds)[0][0]

        if len(rows) > RESAMPLED_SHARE * len(prepared.codes):
            bag = rows[rng.randint(len(rows), size=len(rows))]
            split = tree_of(bag, growth._replace(max_depth=1))
            if len(split.feature) == 3:
                on_right = leaves_of(split, framed.take(rows)) == 2
                sides = [
                    self._branch(framed, prepared, growth, rows[side], rng)
                    for side in (~on_right, on_right)
                ]
                return _Branch(split, *sides)
        return tree_of(rows, growth)

    def _add(self, grown, total, framed):
        turn, branch = grown
        framed = framed if turn is None else rotate(turn, framed)
        if isinstance(branch, _Branch):
            branch.add_to(total, framed, np.arange(len(total)))
        else:
            add_scores(branch, framed, False, total)


class GradientForest(_Forest):
    """Trees on features rotated to the directions in which a kernel ridge changes most.

    `whole` rotates all features together, where `forest.group_size` of them are rotated otherwise.
    """

    def __init__(self, forest, whole=False):
        super().__init__(forest)
        self.whole = whole

    def _grow(self, table, prepared, plan, rng):
        X = np.ascontiguousarray(prepared.framed.columns.T)
        seen = MemoryTable(X, prepared.codes, table.classes)
        part = typical_part(seen, RIDGE_ROWS, rng)
        widths = MedianGrid().sample(seen, MedianGrid().n_default, rng)
        ridge = fit_kernel_ridge_member(part, widths, ALPHAS)
        trees = []
        for _ in range(self.forest.n_estimators):
            size = min(RIDGE_ROWS, max(2, round(plan.max_samples * len(X))))
            some = rng.choice(len(X), size, replace=False)
            T = seen.rows(some).targets("one_hot")
            M = gradient_product(X[some], T - T.mean(axis=0), ridge.kernel.gamma, ridge.alpha)
            turn = gradient_rotation(M, len(M) if self.whole else plan.group_size, rng)
            framed = FramedRows.complete(rotate(turn, prepared.framed).columns)
            ranked = SortedRows.of(framed, prepared.codes, prepared.frame.n_levels)
            seeds = [rng.randint(np.iinfo(np.int32).max)]
            (tree,), _ = grow(ranked, prepared.n_classes, None, plan.growth, seeds)
            trees.append(TreeMember(tree, prepared.frame, turn))
        return trees

    def _add(self, tree, total, framed):
        tree.add_to(total, framed)


def gradient_product(X, T, gamma, alpha):
    """Return the mean outer product of the gradients of a Gaussian kernel ridge at its rows."""
    K = RBF(gamma)(X)
    A = np.linalg.solve(K + alpha * np.eye(len(K)), T)
    M = np.zeros((X.shape[1], X.shape[1]))
    for a in A.T:
        gradients = K @ (a[:, None] * X) - (K @ a)[:, None] * X
        M += gradients.T @ gradients
    return M / len(X)


def gradient_rotation(M, group_size, rng):
    """Return the `Rotation` of random groups of features to the eigenvectors of their part of M."""
    n_features = len(M)
    width = min(group_size, n_features)
    turn = Rotation(np.zeros((n_features, width), dtype=np.int32), np.zeros((n_features, width)))
    shuffled = rng.permutation(n_features)
    for start in range(0, n_features, width):
        group = shuffled[start : start + width]
        own = slice(start, start + len(group))
        turn.sources[own] = group[0]
        turn.sources[own, : len(group)] = group
        turn.weights[own, : len(group)] = np.linalg.eigh(M[np.ix_(group, group)])[1].T
    return turn
