"""Numbers in a model that compiled code follows without looking: which child, row or column next.

Trees, neighbours and support vectors are walked by code that checks no bounds. In a model that was
fitted all of these numbers are right. A file can say anything, so they are checked after loading
and before the first prediction.
"""

from types import FunctionType

import numpy as np

from .model_archive import NotAModelError


def check_compiled_parts(value, holder=None):
    """Raise `NotAModelError` where a loaded model would lead compiled code out of its arrays.

    Parameters
    ----------
    value : object
        What was loaded, or a part of it.
    holder : object, default=None
        The object that holds the part, as an attribute or in lists.
    """
    is_object = hasattr(value, "__dict__") and not isinstance(value, type | FunctionType)
    if is_object:
        _require(not _hidden_methods(value), f"an attribute of {_name(value)} hides a method")
        for part in vars(value).values():
            check_compiled_parts(part, value)
    for part in _items(value):
        is_plain = type(value) is list or isinstance(value, np.ndarray)
        check_compiled_parts(part, holder if is_plain else None)
    if _name(value) in CHECKED:
        fitted, check = CHECKED[_name(value)]
        # Estimators also hold copies of others that were never fitted.
        if fitted is None or fitted in vars(value):
            check(value, holder)


def _items(value):
    """Return what a container holds."""
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, np.ndarray):
        return value.flat if value.dtype == object else ()
    return value if isinstance(value, list | tuple | set) else ()


def _hidden_methods(value):
    """Return the attributes that stand before a method or a property of the class."""
    cls = type(value)
    return [name for name in vars(value) if hasattr(getattr(cls, name, None), "__get__")]


def _name(value):
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _require(condition, reason):
    if not condition:
        raise NotAModelError(reason)


def _check_children(left, right, feature, inner, n_features, what):
    """Check a binary tree: children come after their parent, so every walk ends."""
    parents = np.flatnonzero(inner)
    for child in (left[inner].astype(np.int64), right[inner].astype(np.int64)):
        _require(np.all((child > parents) & (child < len(left))), f"{what} has no such node")
    columns = feature[inner].astype(np.int64)
    _require(np.all((columns >= 0) & (columns < n_features)), f"{what} reads no such column")


def _check_tree(tree, holder):
    what = "a decision tree"
    _require(tree.node_count == tree.capacity > 0, f"{what} has no such node")
    left, right = tree.children_left, tree.children_right
    _check_children(left, right, tree.feature, left != -1, tree.n_features, what)


def _check_tree_estimator(estimator, holder):
    _require(
        estimator.n_features_in_ == estimator.tree_.n_features, "a decision tree has other columns"
    )


def _check_gradient_boosting(model, holder):
    trees, width = model.estimators_, model.n_features_in_
    _require(isinstance(trees, np.ndarray) and trees.ndim == 2 and trees.size, "it has no trees")
    names = {_name(tree) for tree in trees.flat}
    _require(names == {"sklearn.tree._classes.DecisionTreeRegressor"}, "it boosts no trees")
    _require({tree.n_features_in_ for tree in trees.flat} == {width}, "its trees differ")
    _require(_name(model.init_) == "sklearn.dummy.DummyClassifier", "it starts from no shares")
    n_columns = model.init_.predict_proba(np.zeros((1, width))).shape[1]
    n_columns = n_columns if model._loss.is_multiclass else 1
    _require(trees.shape[1] == n_columns, "it has trees for other classes")


def _check_histogram_boosting(model, holder):
    # Rows that were binned or encoded would have other columns than those of the trees.
    plain = model._preprocessor is None and not getattr(model, "_in_fit", False)
    _require(plain, "it changes the columns of its trees")


def _check_histogram_tree(tree, holder):
    what, nodes = "a boosted tree", tree.nodes
    _require(_name(holder).endswith(".HistGradientBoostingClassifier"), f"{what} is alone")
    _require(nodes.ndim == 1 and len(nodes) > 0, f"{what} has no nodes")
    _require(not nodes["is_categorical"].any(), f"{what} splits by categories")
    inner = nodes["is_leaf"] == 0
    columns = nodes["feature_idx"]
    _check_children(nodes["left"], nodes["right"], columns, inner, holder.n_features_in_, what)


def _check_neighbours(model, holder):
    n_rows, n_features = model._fit_X.shape
    codes, n_classes = model._y, len(model.classes_)
    _require(n_features == model.n_features_in_, "its rows have other columns")
    _require(codes.shape == (n_rows,) and codes.dtype.kind == "i", "its rows have no classes")
    _require(np.all((codes >= 0) & (codes < n_classes)), "its rows have other classes")
    _require(type(model.n_neighbors) is int and 1 <= model.n_neighbors <= n_rows, "too few rows")
    _require(not model.outputs_2d_, "it has several outputs")
    _require(not model.metric_params and not model.effective_metric_params_, "a metric is odd")


def _check_neighbour_tree(tree, holder):
    what = "a tree of neighbours"
    data, rows, nodes, bounds, *_, metric, _ = tree.__getstate__()
    n_rows, n_features = data.shape
    n_nodes = len(nodes)
    start, stop = nodes["idx_start"], nodes["idx_end"]
    _require(rows.shape == (n_rows,) and np.all((rows >= 0) & (rows < n_rows)), f"{what}: rows")
    _require(bounds.shape == (2, n_nodes, n_features) and n_nodes > 0, f"{what}: bounds")
    _require(np.all((start >= 0) & (start <= stop) & (stop <= n_rows)), f"{what}: nodes")
    inner = np.flatnonzero(nodes["is_leaf"] == 0)
    _require(np.all(2 * inner + 2 < n_nodes), f"{what} has no such node")
    known = "sklearn.metrics._dist_metrics.EuclideanDistance64"
    _require(_name(metric) == known, f"{what} has no such metric")


def _check_svm(model, holder):
    what, n_classes = "a support vector machine", len(model.classes_)
    n_support, width = model.support_vectors_.shape
    pairs = n_classes * (n_classes - 1) // 2
    _require(model.kernel in ("linear", "poly", "rbf", "sigmoid"), f"{what}: kernel")
    _require("_impl" not in vars(model) and model._sparse is False, f"{what}: kind")
    _require(width == model.n_features_in_, f"{what} has other columns")
    counts = model._n_support
    _require(counts.shape == (n_classes,) and np.all(counts >= 0), f"{what}: counts")
    _require(counts.sum() == n_support == len(model.support_), f"{what}: rows")
    _require(model._dual_coef_.shape == (n_classes - 1, n_support), f"{what}: coefficients")
    _require(model._intercept_.shape == (pairs,), f"{what}: intercepts")
    for name in ("_probA", "_probB"):
        _require(getattr(model, name).shape in ((0,), (pairs,)), f"{what}: probabilities")


def _check_oblique_member(member, holder):
    what = "an oblique tree"
    tree, frame, rotation = member.tree, member.frame, member.rotation
    _require(_name(tree) == "kernsemble.trees.tree.Tree", f"{what} is none")
    # All trees of a forest read the columns that the first one has framed.
    first = (holder.trees if hasattr(holder, "trees") else holder.estimators_)[0]
    width, n_classes = len(first.frame.centre), first.tree.shares.shape[1]
    _require(_columns_in(holder, width) == width, f"{what}: frame")
    known = len(getattr(holder, "classes_", range(n_classes)))
    _require(known == n_classes, f"{what} has other classes")
    _require(_name(frame) == "kernsemble.trees.frame.Frame", f"{what}: frame")
    _require(frame.centre.shape == frame.scale.shape == (width,), f"{what}: frame")
    _require(frame.n_levels.shape == (width,), f"{what}: frame")
    _check_expectation(frame.expectation, width, what)
    if rotation is not None:
        _require(_name(rotation) == "kernsemble.trees.rotation.Rotation", f"{what}: rotation")
        _require(rotation.sources.shape == rotation.weights.shape, f"{what}: rotation")
        _require(len(rotation.sources) == width, f"{what}: rotation")
        _check_columns(rotation.sources, width, what)
    inner, on_plane = tree.feature != -1, tree.feature == -2
    parts = (tree.threshold, tree.child, tree.plane, tree.shares, tree.route)
    lengths = {len(part) for part in parts}
    _require(lengths == {len(tree.feature)} and len(tree.feature) > 0, f"{what}: nodes")
    _require(tree.shares.shape[1] == n_classes, f"{what} has other classes")
    _require(tree.plane_features.shape == tree.plane_weights.shape, f"{what}: planes")
    feature = np.where(on_plane, 0, tree.feature)
    _check_children(tree.child, tree.child + 1, feature, inner, width, what)
    _check_columns(tree.plane[on_plane], len(tree.plane_features), what)
    by_level = inner & (tree.route == 3)
    _check_columns(tree.plane[by_level], len(tree.level_words), what)
    _check_columns(tree.plane_features, width, what)


def _check_forest_member(forest, holder):
    if forest.roots is None:
        return
    what = "a merged forest"
    _require(len(forest.trees) == 1 and forest.trees[0].rotation is None, f"{what} has more trees")
    n_nodes, roots = len(forest.trees[0].tree.feature), forest.roots
    _require(roots.ndim == 1 and len(roots) > 0 and roots.dtype == np.int32, f"{what} has no roots")
    _require(roots[0] == 0 and np.all(np.diff(roots) > 0), f"{what}: roots")
    _require(roots[-1] < n_nodes, f"{what}: roots")
    _check_turns(forest, what)
    # No walk leaves the part of the nodes that is its own.
    children = forest.trees[0].tree.child[forest.trees[0].tree.feature != -1] + 1
    own = np.searchsorted(roots, np.flatnonzero(forest.trees[0].tree.feature != -1), side="right")
    _require(np.all(children < np.append(roots, n_nodes)[own]), f"{what}: nodes")


def _check_turns(forest, what):
    if forest.rotations is None:
        return
    _require(forest.turns is not None, f"{what}: rotations")
    _require(_name(forest.rotations) == "kernsemble.trees.rotation.Rotation", f"{what}: rotations")
    sources, weights = forest.rotations
    width = len(forest.trees[0].frame.centre)
    _require(sources.ndim == 3 and sources.shape[1] == width, f"{what}: rotations")
    _require(sources.shape == weights.shape, f"{what}: rotations")
    _check_columns(sources, width, what)
    turns = forest.turns
    _require(turns.shape == forest.roots.shape, f"{what}: rotations")
    _check_columns(turns, len(sources), what)


def _check_joined_trees(trees, holder):
    what, n_inputs, n_trees = "joined trees", len(trees.source), len(trees.target)
    numbers = trees.start, trees.cuts, trees.places, trees.value
    _require({part.dtype for part in numbers} == {np.dtype(np.float64)}, f"{what}: numbers")
    # The product of any bit with the multiplier of so many bits is a place in a row of as many.
    n_bits = 8 * trees.spared.dtype.itemsize
    _require(trees.spared.dtype.name in ("uint16", "uint32", "uint64"), f"{what}: leaves")
    _require(trees.rank.dtype.name == f"int{n_bits}", f"{what}: ranks")
    _require(trees.value.shape == (n_trees, n_bits), f"{what}: values")
    _require(trees.start.ndim == trees.source.ndim == trees.target.ndim == 1, f"{what}: nodes")
    _require(trees.seen.ndim == 1, f"{what}: nodes")
    _require(trees.rank.shape == trees.spared.shape == trees.seen.shape, f"{what}: nodes")
    _check_starts(trees.cut_starts, n_inputs, trees.cuts, f"{what}: cuts")
    _check_starts(trees.place_starts, n_inputs, trees.places, f"{what}: places")
    _check_starts(trees.tree_nodes, n_trees, trees.seen, f"{what}: trees")
    _check_columns(trees.source, trees.n_features_in_, what)
    _check_columns(trees.seen, 2 * n_inputs, what)
    _check_columns(trees.target, len(trees.start), what)


def _check_starts(starts, n_parts, whole, what):
    """Check where the parts of an array begin and where the last one ends."""
    _require(starts.shape == (n_parts + 1,) and starts.dtype == np.int64, what)
    _require(whole.ndim == 1 and starts[0] == 0 and starts[-1] == len(whole), what)
    _require(np.all(np.diff(starts) >= 0), what)


def _columns_in(holder, usual):
    """Return the number of columns of the rows that a classifier gives to its trees."""
    encoder = getattr(holder, "encoder_", None)
    if encoder is None:
        return getattr(holder, "n_features_in_", usual)
    _require(_name(encoder) == "kernsemble.frames.encoder.Encoder", "its encoder is none")
    return len(encoder.n_levels)


def _check_expectation(expectation, width, what):
    if expectation is None:
        return
    known = "kernsemble.trees.expected.Expectation"
    _require(_name(expectation) == known, f"{what}: expectation")
    columns, mean, precision, low, high, corrections = expectation
    _check_columns(columns, width, what)
    _require(mean.shape == low.shape == high.shape == columns.shape, f"{what}: expectation")
    _require(precision.shape == 2 * columns.shape, f"{what}: expectation")
    if corrections is not None:
        _check_corrections(corrections, len(columns), width, f"{what}: corrections")


def _check_corrections(corrections, n_numeric, width, what):
    _require(_name(corrections) == "kernsemble.trees.corrections.Corrections", what)
    nodes, roots = corrections.nodes, corrections.roots
    _require(_name(nodes) == "kernsemble.trees.tree.RegressionNodes", what)
    n_nodes = len(nodes.feature)
    _require(nodes.feature.shape == nodes.number.shape == nodes.child.shape == (n_nodes,), what)
    _require(roots.ndim == 2 and roots.shape[1] > 0, what)
    _require(corrections.columns.shape == roots.shape[:1], what)
    _check_columns(corrections.columns, n_numeric, what)
    _check_columns(roots, n_nodes, what)
    inner = nodes.feature != -1
    _check_children(nodes.child, nodes.child + 1, nodes.feature, inner, width, what)


def _check_columns(columns, n_columns, what):
    _require(columns.dtype.kind == "i", f"{what} reads no such column")
    _require(np.all((columns >= 0) & (columns < n_columns)), f"{what} reads no such column")


def _check_random_state(generator, holder):
    state = generator.get_state(legacy=False)["state"]
    _require(0 <= state["pos"] <= len(state["key"]), "a random generator is out of its numbers")


#: Full name of a type → the attribute that only a fitted one has, and what is checked.
CHECKED = {
    "kernsemble.members.forest.ForestMember": (None, _check_forest_member),
    "kernsemble.members.tree.TreeMember": (None, _check_oblique_member),
    "kernsemble.trees.joined.JoinedTrees": (None, _check_joined_trees),
    "numpy.random.mtrand.RandomState": (None, _check_random_state),
    "sklearn.ensemble._gb.GradientBoostingClassifier": ("estimators_", _check_gradient_boosting),
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting.HistGradientBoostingClassifier": (
        "_predictors",
        _check_histogram_boosting,
    ),
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor": (
        "nodes",
        _check_histogram_tree,
    ),
    "sklearn.neighbors._classification.KNeighborsClassifier": ("_fit_X", _check_neighbours),
    "sklearn.neighbors._kd_tree.KDTree": (None, _check_neighbour_tree),
    "sklearn.svm._classes.SVC": ("support_vectors_", _check_svm),
    "sklearn.tree._classes.DecisionTreeClassifier": ("tree_", _check_tree_estimator),
    "sklearn.tree._classes.DecisionTreeRegressor": ("tree_", _check_tree_estimator),
    "sklearn.tree._classes.ExtraTreeClassifier": ("tree_", _check_tree_estimator),
    "sklearn.tree._tree.Tree": (None, _check_tree),
}
