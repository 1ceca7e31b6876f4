"""The rows of one node as compiled code reads them: sorted by class, with weights and copies."""

from typing import NamedTuple

import numpy as np

from ..compiled import compiled


class Bag(NamedTuple):
    """How much each training row counts in one tree.

    Attributes
    ----------
    copies : ndarray of int of shape (n_samples,)
        How often the row was drawn; a row that was not drawn is left out.
    weights : ndarray of shape (n_samples,)
        Weight of all copies together.
    """

    copies: np.ndarray
    weights: np.ndarray


class Node(NamedTuple):
    """The rows of a node, sorted by class.

    All nodes of a tree use the same arrays, so only the first entries belong to the present node.

    Attributes
    ----------
    labels : ndarray of int of shape (>= n_rows,)
        Class of each row, where 0 … n_present - 1 number the classes that occur in the node.
    weights : ndarray of shape (>= n_rows,)
        Weight of each row, all copies together.
    copies : ndarray of int of shape (>= n_rows,)
        Number of copies of each row.
    bounds : ndarray of int of shape (>= n_present + 1,)
        Class k has the rows bounds[k] to bounds[k + 1].
    totals : ndarray of shape (>= n_present,)
        Weight of each class.
    """

    labels: np.ndarray
    weights: np.ndarray
    copies: np.ndarray
    bounds: np.ndarray
    totals: np.ndarray


class Size(NamedTuple):
    """The number of classes that occur in a node, and the number of copies of its rows."""

    n_present: int
    n_copies: int


@compiled
def reserve_node(n_rows, n_classes):
    """Return a node with arrays for at most `n_rows` rows, which `read_node` writes."""
    return Node(
        np.empty(n_rows, dtype=np.int32),
        np.empty(n_rows),
        np.empty(n_rows, dtype=np.int32),
        np.empty(n_classes + 1, dtype=np.int64),
        np.empty(n_classes),
    )


@compiled
def read_node(rows, codes, bag, node, shares):
    """Write the node of some rows, and the share of each class in its weight; return its size.

    Parameters
    ----------
    rows : ndarray of int of shape (n_rows,)
        Numbers of training rows, which are sorted by class.
    codes : ndarray of int of shape (n_samples,)
        Class of each training row.
    bag : Bag
    node : Node
    shares : ndarray of shape (n_classes,)
    """
    labels, weights, copies = node.labels, node.weights, node.copies
    bounds, totals = node.bounds, node.totals
    bag_weights, bag_copies = bag.weights, bag.copies
    shares[:] = 0.0
    n_present, n_copies, total = 0, 0, 0.0
    code = -1
    for i in range(rows.shape[0]):
        row = rows[i]
        if codes[row] != code:
            code = codes[row]
            bounds[n_present] = i
            totals[n_present] = 0.0
            n_present += 1
        labels[i] = n_present - 1
        weight = bag_weights[row]
        weights[i] = weight
        copies[i] = bag_copies[row]
        n_copies += bag_copies[row]
        totals[n_present - 1] += weight
        shares[code] += weight
        total += weight
    bounds[n_present] = rows.shape[0]
    for k in range(shares.shape[0]):
        shares[k] /= total
    return Size(n_present, n_copies)
