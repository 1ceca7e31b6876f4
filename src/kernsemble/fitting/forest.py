"""What the forests share: bootstrap, growing in batches, class shares, out-of-bag scores."""

from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score
from sklearn.utils import gen_batches
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, validate_data

from ..members.tree import TreeMember
from ..targets import decode_scores, target_codes
from ..trees.engine import REGULARIZATIONS, Growth, SortedRows, grow, rotate
from ..trees.frame import fit_frame
from ..trees.rotation import draw_rotation
from ..validation import check_choice, check_count, check_instance, check_real, resolve_count
from .base import KernelEnsemble
from .dispatch import count_workers, run_tasks

__all__ = ["ObliqueForest"]

# Trees of a task: enough to hide what it costs to hand out, few enough to share evenly,
MAX_TREES, MIN_TASKS = 25, 4
# and no more than these copies of rows.
MAX_COPIES = 1 << 20
# Rows of a prediction that one worker takes at a time.
BLOCK_ROWS = 1 << 14
# Smallest decrease of the Gini impurity that is worth a split.
MIN_DECREASE = 1e-5


class ObliqueForest(KernelEnsemble):
    """Base class of the forests.

    A subclass sets the parameters `max_features`, `max_depth`, `min_samples_split` and
    `min_samples_leaf`; those below take these values where it has no such parameter.
    """

    regularization: str | None = None
    alpha = 0.01
    bootstrap = False
    oob_score: Any = False
    #: Features rotated together, and the share of the rows that decides how; None: no rotation.
    group_size: int | None = None
    sample_share = 0.75

    _coding = "one_hot"
    _accept_sparse = False

    def predict_proba(self, X):
        """Return the mean of the class shares of the leaves, or the share of votes.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
        """
        return self._shares(X)

    def apply(self, X):
        """Return the leaf every row ends in, of shape (n_samples, n_estimators)."""
        X = self._validated(X)
        Z = self._frame(X)
        return np.column_stack([member.apply_framed(Z) for member in self.estimators_])

    @property
    def feature_importances_(self):
        """Mean decrease of the Gini impurity by feature, summing to 1.

        A plane shares its decrease out to its features by their squared weights, in units of the
        columns' standard deviations.
        """
        check_is_fitted(self)
        total = np.zeros(self.n_features_in_)
        for member in self.estimators_:
            importances = member.importances()
            # Every tree counts alike, as far as it has splits at all.
            total += importances / max(importances.sum(), np.finfo(float).tiny)
        return total / total.sum() if total.any() else total

    @property
    def honest_scores(self):
        """Out-of-bag class shares of the training rows (with `oob_score`)."""
        return self.oob_decision_function_

    def _check_params(self, X):
        check_choice(self.combine, "combine", ("mean", "vote"))
        if self.regularization is not None:
            check_choice(self.regularization, "regularization", REGULARIZATIONS)
            check_real(self.alpha, "alpha", low=0.0, open_low=True)
        check_instance(self.bootstrap, "bootstrap", (bool, np.bool_), "a bool")
        if not callable(self.oob_score):
            check_instance(self.oob_score, "oob_score", (bool, np.bool_), "a bool or a callable")
        if self.oob_score and not self.bootstrap:
            raise ValueError("oob_score needs bootstrap=True: without it no row is out of a bag.")
        if self.group_size is not None:
            check_count(self.group_size, "group_size")
            check_real(self.sample_share, "sample_share", low=0.0, high=1.0, open_low=True)
        self._growth = self._resolve_growth(X.shape[1])

    def _resolve_growth(self, n_features):
        max_features = self.max_features
        if isinstance(max_features, str):
            check_choice(max_features, "max_features", ("sqrt", "log2"))
            root = np.sqrt(n_features) if max_features == "sqrt" else np.log2(n_features)
            n_drawn = min(n_features, max(1, round(root)))
        else:
            n_drawn = resolve_count(max_features, "max_features", n_features, of="the features")
        unlimited = self.max_depth is None
        split, leaf = self.min_samples_split, self.min_samples_leaf
        return Growth(
            n_drawn=n_drawn,
            max_depth=np.iinfo(np.int32).max
            if unlimited
            else check_count(self.max_depth, "max_depth"),
            min_samples_split=check_count(split, "min_samples_split", low=2),
            min_samples_leaf=check_count(leaf, "min_samples_leaf"),
            min_decrease=MIN_DECREASE,
            regularization=self.regularization,
            alpha=float(self.alpha),
            bootstrap=bool(self.bootstrap),
        )

    def _fit_members(self, X, T, sample_weight, rng):
        codes = target_codes(T, self._coding)
        self._frame = fit_frame(X, sample_weight)
        Z = self._frame(X)
        rows = SortedRows.of(Z, codes) if self.group_size is None else None
        seeds = rng.randint(np.iinfo(np.int32).max, size=self.n_estimators)
        share = len(seeds) // (MIN_TASKS * count_workers(self.n_jobs))
        together = max(1, min(MAX_TREES, share, MAX_COPIES // len(T)))
        batches = run_tasks(
            _grow_batch,
            (self, Z, codes, T.shape[1], sample_weight, rows),
            [(seeds[batch],) for batch in gen_batches(len(seeds), together)],
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            as_they_come=True,
        )
        self._oob_total, self._oob_trees = np.zeros(T.shape), np.zeros(len(T), dtype=int)
        members = list(self._progress.watch(self._collect(batches)))
        del self._growth
        return members

    def _collect(self, batches):
        """Yield the trees of every batch, adding up their out-of-bag scores in order."""
        for members, oob_total, oob_trees in batches:
            if self.oob_score:
                self._oob_total += oob_total
                self._oob_trees += oob_trees
            yield from members

    def _grow_trees(self, Z, codes, n_classes, sample_weight, rows, seeds):
        """Return members and the number of copies of each row that each was grown on."""
        if rows is not None:
            trees, copies = grow(rows, n_classes, sample_weight, self._growth, seeds)
            return [TreeMember(tree, self._frame, None) for tree in trees], copies
        members, copies = [], []
        for k, seed in enumerate(seeds):
            rng = np.random.RandomState(seed)
            turn = draw_rotation(Z, codes, n_classes, self.group_size, self.sample_share, rng)
            turned = SortedRows.of(rotate(turn, Z), codes)
            (tree,), counts = grow(turned, n_classes, sample_weight, self._growth, seeds[k : k + 1])
            members.append(TreeMember(tree, self._frame, turn))
            copies.append(counts[0])
        return members, copies

    def _fit_combination(self, codes, sample_weight):
        total, n_trees = self._oob_total, self._oob_trees
        del self._oob_total, self._oob_trees
        if not self.oob_score:
            return
        P = total / np.maximum(n_trees, 1)[:, None]
        # A row that was in every bag is scored as a tree without splits would score it.
        weights = np.ones(len(codes)) if sample_weight is None else sample_weight
        prior = np.bincount(codes, weights, minlength=P.shape[1]) / weights.sum()
        P[n_trees == 0] = prior
        self.oob_decision_function_ = P
        metric = self.oob_score if callable(self.oob_score) else accuracy_score
        self.oob_score_ = float(metric(self.classes_[codes], self.classes_[P.argmax(axis=1)]))

    def _class_scores(self, X):
        return decode_scores(self._shares(X), len(self.classes_), self._coding)

    def _shares(self, X):
        X = self._validated(X)
        n_workers = count_workers(self.n_jobs)
        n_rows = min(BLOCK_ROWS, max(256, -(-X.shape[0] // n_workers)))
        parallel = Parallel(n_jobs=self.n_jobs, require="sharedmem")
        blocks = gen_batches(X.shape[0], n_rows)
        return np.concatenate(parallel(delayed(self._block_shares)(X[rows]) for rows in blocks))

    def _block_shares(self, X):
        Z = self._frame(X)
        total = np.zeros((X.shape[0], len(self.classes_)))
        for member in self.estimators_:
            member.add_to(total, Z, vote=self.combine == "vote")
        return total / len(self.estimators_)

    def _validated(self, X):
        check_is_fitted(self)
        with _missing_columns_named(X):
            return validate_data(self, X, reset=False, dtype=[np.float64, np.float32])

    def _validate_training(self, X, y, sample_weight):
        with _missing_columns_named(X):
            return super()._validate_training(X, y, sample_weight)


def _grow_batch(forest, Z, codes, n_classes, sample_weight, rows, seeds):
    oob_total, oob_trees = np.zeros((len(codes), n_classes)), np.zeros(len(codes), dtype=int)
    members, copies = forest._grow_trees(Z, codes, n_classes, sample_weight, rows, seeds)
    if forest.oob_score:
        for member, counts in zip(members, copies):
            out = np.flatnonzero(counts == 0)
            scores = np.zeros((len(out), n_classes))
            member.add_to(scores, np.take(Z, out, axis=1), vote=forest.combine == "vote")
            oob_total[out] += scores
            oob_trees[out] += 1
    return members, oob_total, oob_trees


@contextmanager
def _missing_columns_named(X):
    """Let the error about missing values say in which columns they are."""
    try:
        yield
    except ValueError as error:
        if "NaN" not in str(error):
            raise
        try:
            missing = np.flatnonzero(np.isnan(np.asarray(X, dtype=np.float64)).any(axis=0))
        except (TypeError, ValueError):
            raise error from None
        names = [str(X.columns[j]) if hasattr(X, "columns") else str(j) for j in missing]
        if not names:
            raise
        shown = ", ".join(names[:10]) + (", …" if len(names) > 10 else "")
        raise ValueError(
            f"Input X contains NaN in {len(names)} of its columns ({shown}); "
            "fill them in first, for example with sklearn.impute.SimpleImputer."
        ) from error
