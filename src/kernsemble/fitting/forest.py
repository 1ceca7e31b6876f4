"""What the forests share: bootstrap, growing in batches, class shares, out-of-bag scores."""

from dataclasses import KW_ONLY
from typing import Any, cast

import numpy as np
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from ..calibration import HonestScores, share_probabilities
from ..combine import Mean, Vote
from ..members.forest import (
    BLOCK_ROWS,
    MIN_DECREASE,
    ForestPlan,
    OutOfBag,
    grow_batch,
    mean_shares,
    prepare_rows,
    trees_together,
)
from ..seeds import draw_seeds
from ..targets import decode_scores
from ..trees.engine import REGULARIZATIONS, Growth
from ..validation import check_choice, check_count, check_instance, check_real, resolve_count
from .base import KernelEnsemble
from .dispatch import count_workers, run_tasks
from .found import Found
from .inputs import read_new
from .parameters import with_parameters


@with_parameters
class ObliqueForest(KernelEnsemble):
    """Base class of the forests.

    Parameters that a subclass does not declare take the values below.

    Parameters
    ----------
    alpha : float
        Strength of the "tikhonov" regularization.
    max_features : {"sqrt", "log2"}, int, float or None
        Features drawn at each node: a rule, a number, a share, or None for all features.
    max_depth : int
        Largest number of splits between the root and a leaf; None means no limit.
    min_samples_split : int
        Number of rows, copies counted, below which a node is a leaf.
    min_samples_leaf : int
        Number of rows, copies counted, that both sides of a split must keep.
    """

    _: KW_ONLY
    max_features: Any = None
    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    categorical_features: Any = "from_dtype"

    regularization = cast(Any, None)
    alpha = cast(Any, 0.01)
    bootstrap = False
    oob_score = False
    #: Number of features rotated together, and the share of the rows that decides how.
    group_size = cast(Any, None)
    max_samples = 0.75

    _coding = "one_hot"
    _combine_rules = ("mean", "vote")
    _accept_sparse = False
    _merge_copies = False
    _accept_mixed = True

    def apply(self, X):
        """Return the leaf every row ends in, in every tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        leaves : ndarray of shape (n_samples, n_estimators)
            Numbers of nodes.
        """
        check_is_fitted(self)
        framed = self.estimators_[0].frame(read_new(self, X))
        return np.column_stack([member.apply_framed(framed) for member in self.estimators_])

    @property
    def feature_importances_(self):
        """Mean decrease of the Gini impurity by feature of the data, summing to 1.

        A plane shares its decrease out to its features by their squared weights, in units of the
        columns' standard deviations.
        """
        check_is_fitted(self)
        total = np.zeros(len(self.estimators_[0].frame.scale))
        for member in self.estimators_:
            importances = member.importances()
            # Every tree counts alike, as far as it has splits at all.
            total += importances / max(importances.sum(), np.finfo(float).tiny)
        if self.encoder_ is not None:
            # A date or a text is several columns of the trees.
            of_feature = self.encoder_.origins
            total = np.bincount(of_feature, total, minlength=self.n_features_in_).astype(float)
        return total / total.sum() if total.any() else total

    def _check_params(self, table):
        super()._check_params(table)
        if self.regularization is not None:
            check_choice(self.regularization, "regularization", REGULARIZATIONS)
            check_real(self.alpha, "alpha", low=0.0, open_low=True)
        check_instance(self.bootstrap, "bootstrap", (bool, np.bool_), "a bool")
        check_instance(self.oob_score, "oob_score", (bool, np.bool_), "a bool")
        if self.oob_score and not self.bootstrap:
            raise ValueError("oob_score needs bootstrap=True: without it no row is out of a bag.")
        if self.group_size is not None:
            check_count(self.group_size, "group_size")
            check_real(self.max_samples, "max_samples", low=0.0, high=1.0, open_low=True)
        self._resolve_growth(table.shape[1])

    def _score_values(self, table):
        """Return the shares of all classes in all nodes, of trees that are grown without a limit.

        A leaf has few rows then, and a bootstrap draws more than half of them.
        """
        if self.max_depth is not None:
            return 0
        few = max(self.min_samples_split - 1, self.min_samples_leaf)
        return (table.n_classes // few) * table.n_classes * self.n_estimators

    def _why_not_honest(self):
        return "pass oob_score=True, which needs bootstrap=True"

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

    def _fit_members(self, table, rng):
        plan = ForestPlan(
            self._resolve_growth(table.shape[1]),
            self.group_size,
            self.max_samples,
            self.combine == "vote",
            bool(self.oob_score),
        )
        seeds = draw_seeds(rng, self.n_estimators)
        together = trees_together(len(seeds), table.n_rows, count_workers(self.n_jobs))
        batches = run_tasks(
            grow_batch,
            (prepare_rows(table, plan), plan),
            [(seeds[batch],) for batch in gen_batches(len(seeds), together)],
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        trees, out_of_bag = [], OutOfBag.zeros(table.n_rows, table.n_classes)
        for grown, found in batches:
            trees += grown
            if found is not None:
                out_of_bag = out_of_bag + found
        honest = None
        if self.oob_score:
            shares = out_of_bag.shares(table.class_weights)
            scores = decode_scores(shares, table.n_classes, self._coding)
            honest = HonestScores.of(scores, table.all, table.scored_numbers)
        return Found(trees, {}, honest, Vote() if plan.vote else Mean())

    def _probabilities(self, scores):
        return share_probabilities(scores)

    def _rows_per_block(self, n_rows):
        return min(BLOCK_ROWS, max(256, -(-n_rows // count_workers(self.n_jobs))))

    def _block_scores(self, X):
        shares = mean_shares(self.estimators_, X, vote=self.combine == "vote")
        return decode_scores(shares, len(self.classes_), self._coding)


@with_parameters
class ObliqueForestEnsemble(ObliqueForest):
    """Base class of the forests of many trees.

    Parameters
    ----------
    n_estimators : int
        Number of trees; the papers use 500.
    bootstrap : bool
        Whether each tree is grown on as many rows as there are, drawn with replacement.
    oob_score : bool
        Whether the training rows are scored by the trees that were grown without them, which
        gives honest scores. This needs `bootstrap`.
    combine : {"mean", "vote"}
        Whether the class shares of the leaves are averaged, or their majority classes counted as
        in the paper.
    """

    n_estimators: int = 100
    _: KW_ONLY
    bootstrap: bool = False
    oob_score: bool = False
    combine: str = "mean"
    n_jobs: int | None = None
    verbose: int = 0
