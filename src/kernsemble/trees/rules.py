"""The splits of a tree in words, in the units of the data."""

import numpy as np

from .tree import BY_LEVEL, MISSING_LEFT, MISSING_RIGHT, PRESENT


def split_rules(member, feature_names, level_names, max_terms, decimals):
    """Return for every split the rules that hold for its left and for its right side.

    Parameters
    ----------
    member : TreeMember
    feature_names : sequence of str
    level_names : sequence of sequences
        Names of the levels of each feature.
    max_terms : int
        Largest number of features or levels that a rule shows.
    decimals : int

    Returns
    -------
    rules : dict of {int: (str, str)}
    """
    tree = member.tree
    rules = {}
    for node, w, threshold in zip(*member.splits()):
        if tree.route[node] == BY_LEVEL:
            f = int(np.argmax(np.abs(w)))
            rules[node] = _level_rules(tree, node, feature_names[f], level_names[f], max_terms)
        else:
            text = _sum(w, member.frame.scale, feature_names, max_terms, decimals)
            rules[node] = _number_rules(tree, node, text, _number(threshold, decimals))
    return rules


def _number_rules(tree, node, text, limit):
    if tree.threshold[node] == PRESENT:
        return f"{text} is present", f"{text} is missing"
    left = " or missing" if tree.route[node] == MISSING_LEFT else ""
    right = " or missing" if tree.route[node] == MISSING_RIGHT else ""
    return f"{text} <= {limit}{left}", f"{text} > {limit}{right}"


def _level_rules(tree, node, name, levels, max_terms):
    """Return the levels on either side; levels that training did not see go with missing ones."""
    right = tree.goes_right(node, np.arange(len(levels) + 1))
    words = []
    for side in (False, True):
        here = [str(level) for level, own in zip(levels, right) if own == side]
        shown = here[:max_terms] + (["…"] if len(here) > max_terms else [])
        words.append(", ".join(shown + (["missing"] if right[-1] == side else [])))
    return f"{name} is {words[0]}", f"{name} is {words[1]}"


def _sum(w, scale, feature_names, max_terms, decimals):
    """Return the weighted sum of a plane, or the name of the feature of a threshold."""
    size = np.abs(w * scale)
    shown = [j for j in np.argsort(-size, kind="stable")[:max_terms] if size[j] > 0]
    text = " ".join(_term(w[j], feature_names[j], decimals) for j in shown).removeprefix("+ ")
    return text + (" + …" if np.count_nonzero(size) > len(shown) else "")


def _term(weight, name, decimals):
    factor = "" if abs(weight) == 1.0 else f"{_number(abs(weight), decimals)} "
    return f"{'-' if weight < 0 else '+'} {factor}{name}"


def _number(value, decimals):
    """Return the number with `decimals` decimals, or as many digits if it is small."""
    small = 0 < abs(value) < 10.0 ** (1 - decimals)
    return f"{value:.{decimals}g}" if small else f"{value:.{decimals}f}"
