"""One tree as text and as a picture, in the units of the data."""

import numpy as np

from .tree import LEAF

__all__ = ["export_text", "plot_tree"]


def export_text(
    model, *, feature_names=None, class_names=None, max_depth=None, max_terms=6, decimals=2
):
    """Return a tree as indented text.

    Parameters
    ----------
    model : TreeMember or fitted ObliqueTreeClassifier
        One of a forest's `estimators_`, or the single tree.
    feature_names : sequence of str, default=None
        None means those the model was fitted with, or x0, x1, …
    class_names : sequence, default=None
        None means the model's classes, or numbers.
    max_depth : int, default=None
        Splits to show on the way to a leaf; None means all.
    max_terms : int, default=6
        Features to show of a split, those of the largest weights in units of standard deviations.
    decimals : int, default=2

    Returns
    -------
    text : str

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
    member, feature_names, class_names = _names(model, feature_names, class_names)
    rules = _rules(member, feature_names, max_terms, decimals)
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
    """Draw a tree with matplotlib: splits as text, leaves coloured by their largest class.

    Takes the parameters of `export_text`.

    Returns
    -------
    ax : matplotlib Axes
    """
    import matplotlib.pyplot as plt

    member, feature_names, class_names = _names(model, feature_names, class_names)
    rules = _rules(member, feature_names, max_terms, decimals)
    tree = member.tree
    ax = plt.gca() if ax is None else ax
    colours = plt.get_cmap("tab10")
    places, shown_leaves = {}, [0]

    def place(node, depth):
        """Put leaves side by side and every split above the middle of its children."""
        if tree.feature[node] == LEAF or depth == max_depth:
            x = float(shown_leaves[0])
            shown_leaves[0] += 1
        else:
            x = 0.5 * sum(place(tree.child[node] + side, depth + 1) for side in range(2))
        places[node] = (x, -depth)
        return x

    place(0, 0)
    for node, (x, y) in places.items():
        children = [tree.child[node], tree.child[node] + 1]
        inner = tree.feature[node] != LEAF and children[0] in places
        for child in children if inner else ():
            ax.plot([x, places[child][0]], [y, places[child][1]], color="0.6", lw=1, zorder=1)
        best = int(np.argmax(tree.shares[node]))
        ax.text(
            x,
            y,
            rules[node][0].replace(" + ", "\n+ ").replace(" - ", "\n- ").replace(" <=", "\n<=")
            if inner
            else _leaf(tree, node, class_names).replace(": ", "\n").replace(" of ", "\nof "),
            ha="center",
            va="center",
            fontsize=8,
            zorder=2,
            bbox={
                "boxstyle": "round",
                "facecolor": "white"
                if inner
                else tuple(0.65 + 0.35 * c for c in colours(best % 10)[:3]),
                "edgecolor": "0.5",
            },
        )
    depth = -min(y for _, y in places.values())
    ax.set(xlim=(-0.7, shown_leaves[0] - 0.3), ylim=(-depth - 0.5, 0.5))
    ax.set_axis_off()
    return ax


def _names(model, feature_names, class_names):
    member = model.estimators_[0] if hasattr(model, "estimators_") else model
    n_features, n_classes = len(member.frame.scale), member.tree.shares.shape[1]
    if feature_names is None:
        feature_names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(n_features)])
    if class_names is None:
        class_names = getattr(model, "classes_", np.arange(n_classes))
    for names, size, what in (
        (feature_names, n_features, "feature_names"),
        (class_names, n_classes, "class_names"),
    ):
        if len(names) != size:
            raise ValueError(f"{what} must have {size} entries, got {len(names)}.")
    return member, feature_names, class_names


def _rules(member, feature_names, max_terms, decimals):
    """Return for every split what is true on its left and on its right."""
    nodes, W, thresholds = member.splits()
    rules = {}
    for node, w, threshold in zip(nodes, W, thresholds):
        size = np.abs(w * member.frame.scale)
        shown = [j for j in np.argsort(-size, kind="stable")[:max_terms] if size[j] > 0]
        text = ""
        for j in shown:
            factor = "" if abs(w[j]) == 1.0 else f"{_number(abs(w[j]), decimals)} "
            sign = "-" if w[j] < 0 else "+"
            text += (
                f" {sign} {factor}{feature_names[j]}"
                if text or w[j] < 0
                else (f"{factor}{feature_names[j]}")
            )
        text = text.strip() + (" + …" if np.count_nonzero(size) > len(shown) else "")
        limit = _number(threshold, decimals)
        rules[node] = (f"{text} <= {limit}", f"{text} > {limit}")
    return rules


def _number(value, decimals):
    """Return the number with so many decimals, or digits where it is small."""
    small = 0 < abs(value) < 10.0 ** (1 - decimals)
    return f"{value:.{decimals}g}" if small else f"{value:.{decimals}f}"


def _leaf(tree, node, class_names):
    best = int(np.argmax(tree.shares[node]))
    return f"class {class_names[best]}: {tree.shares[node, best]:.2f} of {tree.samples[node]} rows"
