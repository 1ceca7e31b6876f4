"""Models whose numbers would lead compiled code out of its arrays: refused before they predict."""

from copy import copy, deepcopy
from dataclasses import replace

import numpy as np
import pytest
from crafted import array_bytes, edit, part, plain
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from kernsemble import KernelEnsembleClassifier, MPRaFClassifier, MPRRoFClassifier
from kernsemble.errors import UserError
from kernsemble.frames.compiled_parts import CHECKED, check_compiled_parts
from kernsemble.frames.model_archive import NotAModelError
from kernsemble.frames.model_files import load_model, save_model
from kernsemble.frames.models import fit_table
from kernsemble.frames.trusted_types import TRUSTED
from kernsemble.kernels import RBF
from kernsemble.trees.frame import Frame


def refuse(path):
    with pytest.raises(UserError, match="is not a model file"):
        load_model(path)


def _set_tree(tree, field, value, node=0):
    state = tree.__getstate__()
    state["nodes"][field][node] = value
    tree.__setstate__(state)


def _split_node(tree):
    return int(np.flatnonzero(tree.feature != -1)[0])


def _tree_column(model):
    _set_tree(model.estimators_[0].tree_, "feature", 10**6)


def _tree_cycle(model):
    _set_tree(model.estimators_[0].tree_, "left_child", 0)


def _tree_outside(model):
    _set_tree(model.estimators_[0].tree_, "right_child", 10**6)


def _tree_columns_in_all(model):
    del model.estimators_[0].n_features_in_


def _tree_of_other_columns(model):
    model.estimators_[0] = DecisionTreeClassifier().fit(np.eye(50), np.arange(50) % 2)
    model.estimators_[0].n_features_in_ = 6


def _boosted_outputs(model):
    model.estimators_ = np.hstack([model.estimators_] * 4)


def _boosted_start(model):
    model.init_ = KNeighborsClassifier(1).fit(np.eye(6), list("abcdef"))


def _boosted_columns(model):
    model.n_features_in_ = 3


def _histogram_column(model):
    model._predictors[0][0].nodes["feature_idx"] = 10**6


def _histogram_cycle(model):
    model._predictors[0][0].nodes["left"] = 0


def _histogram_category(model):
    model._predictors[0][0].nodes["is_categorical"] = 1


def _neighbour_classes(model):
    model._y = model._y + 10**6


def _neighbour_rows(model):
    model._y = model._y[:1]


def _neighbour_number(model):
    model.n_neighbors = 10**6


def _change_neighbour_tree(model, number, value):
    state = list(model._tree.__getstate__())
    state[number] = value(copy(state[number]))
    model._tree.__setstate__(tuple(state))


def _neighbour_tree_rows(model):
    _change_neighbour_tree(model, 1, lambda rows: rows + 10**9)


def _neighbour_tree_nodes(model):
    def grow(nodes):
        nodes["idx_end"] = 10**9
        return nodes

    _change_neighbour_tree(model, 2, grow)


def _neighbour_tree_leaves(model):
    def open_leaves(nodes):
        nodes["is_leaf"] = 0
        return nodes

    _change_neighbour_tree(model, 2, open_leaves)


def _neighbour_tree_bounds(model):
    _change_neighbour_tree(model, 3, lambda bounds: np.ascontiguousarray(bounds[:, :1]))


def _neighbour_tree_metric(model):
    _change_neighbour_tree(model, 11, lambda metric: None)


def _draws(model):
    model.random_state = np.random.RandomState(0)
    state = model.random_state.get_state(legacy=False)
    state["state"]["pos"] = 10**6
    model.random_state.set_state(state)


def _support_counts(model):
    model._n_support = (model._n_support * 0 + 10**6).astype(np.int32)


def _support_coefficients(model):
    model._dual_coef_ = model._dual_coef_[:, :1].copy()


def _support_intercepts(model):
    model._intercept_ = np.empty(0)


def _support_columns(model):
    model.support_vectors_ = model.support_vectors_[:, :1].copy()


def _support_kind(model):
    model._impl = "one_class"


def _support_kernel(model):
    model.kernel = "precomputed"


def _oblique(name, value):
    def change(model):
        tree = model.estimators_[0].tree
        getattr(tree, name)[_split_node(tree)] = value

    return change


def _replace_oblique(**parts):
    def change(model):
        model.estimators_[0] = replace(model.estimators_[0], **parts)

    return change


def _oblique_classes(model):
    member = model.estimators_[0]
    tree = member.tree._replace(shares=member.tree.shares[:, :1].copy())
    model.estimators_[0] = replace(member, tree=tree)


def _wide_frame():
    return Frame(np.zeros(50), np.ones(50), np.zeros(50, int))


def _oblique_levels(model):
    member = model.estimators_[0]
    member.tree.feature[0], member.tree.route[0], member.tree.plane[0] = 0, 3, 10**6


def _oblique_frame(model):
    model.estimators_[1] = replace(model.estimators_[1], frame=_wide_frame())


def _oblique_rotation(model):
    model.estimators_[0].rotation.sources[0] = 10**6


def _oblique_elsewhere(model):
    model.estimators_ = [tuple(model.estimators_)]


FOREST = RandomForestClassifier(2, random_state=0)
BOOSTING = GradientBoostingClassifier(n_estimators=2, random_state=0)
HISTOGRAM = HistGradientBoostingClassifier(max_iter=2, random_state=0)
NEAREST = KNeighborsClassifier(algorithm="kd_tree", leaf_size=5)
OBLIQUE = MPRaFClassifier(2, random_state=0)
ROTATED = MPRRoFClassifier(2, random_state=0)
HOSTILE = [
    (FOREST, _tree_column),
    (FOREST, _tree_cycle),
    (FOREST, _tree_outside),
    (FOREST, _tree_columns_in_all),
    (FOREST, _tree_of_other_columns),
    (AdaBoostClassifier(n_estimators=2, random_state=0), _tree_column),
    (BOOSTING, _boosted_outputs),
    (BOOSTING, _boosted_start),
    (BOOSTING, _boosted_columns),
    (HISTOGRAM, _histogram_column),
    (HISTOGRAM, _histogram_cycle),
    (HISTOGRAM, _histogram_category),
    (NEAREST, _neighbour_classes),
    (NEAREST, _neighbour_rows),
    (NEAREST, _neighbour_number),
    (NEAREST, _neighbour_tree_rows),
    (NEAREST, _neighbour_tree_nodes),
    (NEAREST, _neighbour_tree_leaves),
    (NEAREST, _neighbour_tree_bounds),
    (NEAREST, _neighbour_tree_metric),
    (DummyClassifier(strategy="uniform"), _draws),
    (SVC(), _support_counts),
    (SVC(), _support_coefficients),
    (SVC(), _support_intercepts),
    (SVC(), _support_columns),
    (SVC(), _support_kind),
    (SVC(), _support_kernel),
    (OBLIQUE, _oblique("feature", 10**6)),
    (OBLIQUE, _oblique("feature", -3)),
    (OBLIQUE, _oblique("child", 0)),
    (OBLIQUE, _oblique("child", 10**6)),
    (OBLIQUE, _oblique("plane", 10**6)),
    (OBLIQUE, _oblique_classes),
    (OBLIQUE, _oblique_frame),
    (OBLIQUE, _oblique_levels),
    (OBLIQUE, _oblique_elsewhere),
    (OBLIQUE, _replace_oblique(tree=RBF())),
    (OBLIQUE, _replace_oblique(frame=None)),
    (ROTATED, _oblique_rotation),
]


@pytest.mark.parametrize("classifier, change", HOSTILE)
def test_numbers_that_lead_out_of_an_array(classifier, change, mixed_table, tmp_path):
    fitted = fit_table(mixed_table, clone(classifier), "label")
    path = save_model(fitted, tmp_path / "m.skops")
    load_model(path)
    change(fitted["model"][-1])
    refuse(save_model(fitted, path))


def test_an_expectation_reads_the_columns_of_its_frame():
    X = np.random.RandomState(0).randn(40, 3)
    X[:5, 0] = np.nan
    model = MPRaFClassifier(2, random_state=0).fit(X, np.arange(40) % 2)
    check_compiled_parts(model)
    member = model.estimators_[0]
    wrong = member.frame.expectation._replace(columns=np.arange(3) + 10**6)
    model.estimators_[0] = replace(member, frame=member.frame._replace(expectation=wrong))
    with pytest.raises(NotAModelError, match="reads no such column"):
        check_compiled_parts(model)


@pytest.mark.parametrize(
    "part, value, message",
    [
        ("columns", [3], "reads no such column"),
        ("roots", [[10**6]], "reads no such column"),
        ("roots", [[]], "corrections"),
        ("feature", 3, "reads no such column"),
        ("child", 0, "has no such node"),
        ("number", None, "corrections"),
    ],
)
def test_corrections_stay_in_their_arrays(part, value, message):
    X = np.random.RandomState(0).randn(300, 3)
    y = (X[:, 0] > 0).astype(int)
    X[:, 2] = np.abs(X[:, 0])
    X[::9, 2] = np.nan
    model = MPRaFClassifier(2, random_state=0).fit(X, y)
    member = model.estimators_[0]
    expectation = member.frame.expectation
    corrections = expectation.corrections._replace(columns=np.array([2]))
    corrections = corrections._replace(roots=corrections.roots[:1])
    nodes = corrections.nodes
    if part in ("columns", "roots"):
        wrong = corrections._replace(**{part: np.array(value, dtype=np.int32)})
    else:
        changed = nodes.number[:-1] if value is None else getattr(nodes, part).copy()
        changed[0] = 0 if value is None else value
        wrong = corrections._replace(nodes=nodes._replace(**{part: changed}))
    for found in (corrections, wrong):
        frame = member.frame._replace(expectation=expectation._replace(corrections=found))
        model.estimators_[0] = replace(member, frame=frame)
        if found is wrong:
            with pytest.raises(NotAModelError, match=message):
                check_compiled_parts(model)
        else:
            check_compiled_parts(model)


@pytest.fixture(scope="module")
def flagship():
    X = np.random.RandomState(0).randn(60, 3)
    members = ["boosted", "forest"]
    return KernelEnsembleClassifier(members, random_state=0).fit(X, (X[:, 0] > 0).astype(int))


def _joined(model):
    return model.estimators_[0].member.member.trees


def _merged(model):
    return model.estimators_[1].member.member


@pytest.mark.parametrize(
    "array, value",
    [
        (lambda model: _joined(model).source, 10**6),
        (lambda model: _joined(model).seen, -1),
        (lambda model: _joined(model).tree_nodes, 10**6),
        (lambda model: _joined(model).target, -1),
        (lambda model: _merged(model).roots, 10**6),
        (lambda model: _merged(model).roots, -1),
        (lambda model: _merged(model).trees[0].tree.child, 10**6),
        (lambda model: _merged(model).trees[0].tree.child, 50),
        (lambda model: _merged(model).turns, 10**6),
        (lambda model: _merged(model).turns, -1),
        (lambda model: _merged(model).rotations.sources, 10**6),
        (lambda model: _merged(model).rotations.sources, -1),
    ],
)
def test_numbers_of_compact_members(flagship, array, value):
    check_compiled_parts(flagship)
    broken = deepcopy(flagship)
    array(broken)[0] = value
    with pytest.raises(NotAModelError):
        check_compiled_parts(broken)


def test_rotations_without_their_numbers_are_refused(flagship):
    broken = deepcopy(flagship)
    object.__setattr__(_merged(broken), "turns", None)
    with pytest.raises(NotAModelError):
        check_compiled_parts(broken)


def test_compact_trees_of_other_columns_do_not_predict(flagship):
    broken = deepcopy(flagship)
    member = broken.estimators_[0].member.member
    object.__setattr__(member, "trees", member.trees._replace(n_features_in_=7))
    with pytest.raises(ValueError, match="X has 3 columns, the trees 7"):
        broken.predict(np.zeros((1, 3)))


def _set_outputs(tree):
    tree["__reduce__"]["args"]["content"][2] = plain(10**6)


def _set_outputs_unseen(tree):
    array = part("NdArrayNode", "numpy.int64", type="numpy", file="many.npy", content="1")
    tree["__reduce__"]["args"]["content"][2] = array


def _set_count(tree):
    tree["content"]["content"]["node_count"] = plain(1)


def _leave_out_nodes(tree):
    tree["content"] = plain({})


@pytest.mark.parametrize(
    "change", [_set_outputs, _set_outputs_unseen, _set_count, _leave_out_nodes]
)
def test_a_tree_that_is_not_as_large_as_it_says(change, mixed_table, tmp_path):
    fitted = fit_table(mixed_table, DecisionTreeClassifier(), "label")
    path = save_model(fitted, tmp_path / "m.skops")

    def visit(value):
        if isinstance(value, dict):
            if value.get("__loader__") == "TreeNode":
                change(value)
            list(map(visit, value.values()))
        elif isinstance(value, list):
            list(map(visit, value))

    edit(path, visit, **{"many.npy": array_bytes(np.int64(10**6))})
    refuse(path)


def test_every_type_with_a_check_is_one_that_can_be_loaded():
    assert set(CHECKED) <= set().union(*TRUSTED.values())
