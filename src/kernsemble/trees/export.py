"""Show one tree as text or as a picture, in the units of the data."""

import numpy as np

from .rules import split_rules
from .tree import LEAF


def export_text(
    model, *, feature_names=None, class_names=None, max_depth=None, max_terms=6, decimals=2
):
    """Return a tree as indented text.

    Parameters
    ----------
    model : TreeMember or fitted ObliqueTreeClassifier
        One of a forest's `estimators_`, or the single tree.
    feature_names : sequence of str, default=None
        None means the names that the model was fitted with, or x0, x1 and so on.
    class_names : sequence, default=None
        None means the classes of the model, or their numbers.
    max_depth : int, default=None
        Largest number of splits to show on the path to a leaf; None means all.
    max_terms : int, default=6
        Largest number of features to show for a split. Those with the largest weights, in units of
        standard deviations, are shown.
    decimals : int, default=2
        Number of decimals of weights and thresholds.

    Returns
    -------
    text : str
        A line for each side of a split and for each leaf, indented by depth.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import ObliqueTreeClassifier
    >>> from kernsemble.trees import export_text
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = ObliqueTreeClassifier(max_depth=1).fit(X.iloc[:, 2:], y)
    >>> print(export_text(tree))
    1.11 petal length (cm) + 0.36 petal width (cm) <= 3.68
    |  class 0: 1.00 of 50 rows
    1.11 petal length (cm) + 0.36 petal width (cm) > 3.68
    |  class 1: 0.50 of 100 rows
    """
    member, feature_names, class_names, levels = _names(model, feature_names, class_names)
    rules = split_rules(member, feature_names, levels, max_terms, decimals)
    tree = member.tree
    lines = []

    def write(node, depth):
        indent = "|  " * depth
        if tree.feature[node] == LEAF or depth == max_depth:
            lines.append(f"{indent}{_leaf(tree, node, class_names)}")
            return
        left, right = rules[node]
        for rule, child in ((left, tree.child[node]), (right, tree.child[node] + 1)):
            lines.append(f"{indent}{rule}")
            write(child, depth + 1)

    write(0, 0)
    return "\n".join(lines)


def plot_tree(
    model,
    *,
    feature_names=None,
    class_names=None,
    max_depth=None,
    max_terms=3,
    decimals=2,
    ax=None,
):
    """Draw a tree with matplotlib.

    A split is shown by its rule, and a leaf has the colour of its largest class.

    Parameters
    ----------
    model : TreeMember or fitted ObliqueTreeClassifier
        One of a forest's `estimators_`, or the single tree.
    feature_names : sequence of str, default=None
        None means the names that the model was fitted with, or x0, x1 and so on.
    class_names : sequence, default=None
        None means the classes of the model, or their numbers.
    max_depth : int, default=None
        Largest number of splits to show on the path to a leaf; None means all.
    max_terms : int, default=3
        Largest number of features to show for a split.
    decimals : int, default=2
        Number of decimals of weights and thresholds.
    ax : matplotlib Axes, default=None
        None means the current axes.

    Returns
    -------
    ax : matplotlib Axes
        The axes with the tree.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import ObliqueTreeClassifier
    >>> from kernsemble.trees import plot_tree
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ax = plot_tree(ObliqueTreeClassifier(max_depth=2).fit(X, y))
    """
    import matplotlib.pyplot as plt

    member, feature_names, class_names, levels = _names(model, feature_names, class_names)
    rules = split_rules(member, feature_names, levels, max_terms, decimals)
    tree = member.tree
    ax = plt.gca() if ax is None else ax
    colours = plt.get_cmap("tab10")
    places = _lay_out(tree, max_depth)
    for node, (x, y) in places.items():
        children = [tree.child[node], tree.child[node] + 1]
        if tree.feature[node] != LEAF and children[0] in places:
            for child in children:
                ax.plot([x, places[child][0]], [y, places[child][1]], color="0.6", lw=1, zorder=1)
            rule = rules[node][0].replace(" + ", "\n+ ").replace(" - ", "\n- ")
            _draw_box(ax, x, y, rule.replace(" <=", "\n<=").replace(" is ", "\nis "), "white")
        else:
            best = int(np.argmax(tree.shares[node]))
            pale = tuple(0.65 + 0.35 * part for part in colours(best % 10)[:3])
            leaf = _leaf(tree, node, class_names)
            _draw_box(ax, x, y, leaf.replace(": ", "\n").replace(" of ", "\nof "), pale)
    xs, ys = zip(*places.values())
    ax.set(xlim=(-0.7, max(xs) + 0.7), ylim=(min(ys) - 0.5, 0.5))
    ax.set_axis_off()
    return ax


def _lay_out(tree, max_depth):
    """Return the place (x, y) of every node that is drawn.

    Leaves lie side by side, and a split lies above the middle of its children.
    """
    places = {}
    n_leaves = 0

    def place(node, depth):
        nonlocal n_leaves
        if tree.feature[node] == LEAF or depth == max_depth:
            x = float(n_leaves)
            n_leaves += 1
        else:
            x = 0.5 * sum(place(tree.child[node] + side, depth + 1) for side in range(2))
        places[node] = (x, -depth)
        return x

    place(0, 0)
    return places


def _draw_box(ax, x, y, text, colour):
    box = {"boxstyle": "round", "facecolor": colour, "edgecolor": "0.5"}
    ax.text(x, y, text, ha="center", va="center", fontsize=8, zorder=2, bbox=box)


def _names(model, feature_names, class_names):
    """Return the tree of a model, the names of its features and classes, and of its levels."""
    member = model.estimators_[0] if hasattr(model, "estimators_") else model
    n_features, n_classes = len(member.frame.scale), member.tree.shares.shape[1]
    if feature_names is None:
        feature_names = _feature_names(model, n_features)
    if class_names is None:
        class_names = getattr(model, "classes_", np.arange(n_classes))
    _check_length(feature_names, "feature_names", n_features)
    _check_length(class_names, "class_names", n_classes)
    return member, feature_names, class_names, _level_names(model, member.frame.n_levels)


def _feature_names(model, n_features):
    encoder = getattr(model, "encoder_", None)
    if encoder is not None:
        return encoder.names_out
    return getattr(model, "feature_names_in_", [f"x{j}" for j in range(n_features)])


def _level_names(model, n_levels):
    """Return the names of the levels of every column; without an encoder they are codes."""
    names = [np.arange(count) for count in n_levels]
    encoder = getattr(model, "encoder_", None)
    if encoder is not None:
        start = 0
        for codec in encoder.codecs:
            if codec.n_levels and codec.n_levels[0]:
                names[start] = codec.levels
            start += len(codec.n_levels)
    return names


def _check_length(names, parameter, size):
    if len(names) != size:
        raise ValueError(f"{parameter} must have {size} entries, got {len(names)}.")


def _leaf(tree, node, class_names):
    best = int(np.argmax(tree.shares[node]))
    return f"class {class_names[best]}: {tree.shares[node, best]:.2f} of {tree.samples[node]} rows"
