"""Splits are those that the protocols promise."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from kernsemble.benchmark.cell import evaluate_cell
from kernsemble.benchmark.methods import resolve_method
from kernsemble.benchmark.protocols import PROTOCOLS, resolve_protocol
from kernsemble.datasets import Dataset, load
from kernsemble.errors import UserError
from kernsemble.frames.features import make_model


def test_folds_partition_the_rows_and_keep_class_shares():
    data = load("wine")
    splits = resolve_protocol("kfold").splits(data, seed=0)
    tested = np.concatenate([test for _, test in splits])
    assert sorted(tested) == list(range(len(data.y)))
    for train, test in splits:
        assert not set(train) & set(test)
        assert np.abs(np.bincount(data.y[test]) - np.bincount(data.y) / 10).max() < 1


def test_folds_in_the_order_of_the_file_and_shuffles_without_strata():
    data = load("iris")
    ordered = resolve_protocol("kfold", {"shuffle": False}).splits(data, seed=0)
    assert ordered[0][1].tolist() == [*range(5), *range(50, 55), *range(100, 105)]
    drawn = resolve_protocol("monte-carlo", {"stratified": False}).splits(data, seed=0)
    assert any(len(set(np.bincount(data.y[test]))) > 1 for _, test in drawn)


def test_some_rows_are_enough_to_tune():
    y = load("digits").y
    pairs = resolve_protocol("nested", {"tuning_rows": 300}).inner_pairs(y, seed=0)
    assert len(pairs) == 3
    for train, test in pairs:
        assert len(train) + len(test) == 300 and not set(train) & set(test)
    with pytest.raises(UserError, match="tuning_rows must be 0"):
        resolve_protocol("nested", {"tuning_rows": 5})


def test_a_variant_has_a_name_of_its_own():
    assert resolve_protocol("kfold", {"name": "five", "n_splits": 5}).name == "five"


def test_seeds_move_the_splits_and_repeat_them():
    data, protocol = load("iris"), PROTOCOLS["monte-carlo"]
    first, again, other = (protocol.splits(data, seed) for seed in (0, 0, 1))
    assert len(first) == 10 and all(len(test) == 45 for _, test in first)
    assert all((a[1] == b[1]).all() for a, b in zip(first, again))
    assert any((a[1] != b[1]).any() for a, b in zip(first, other))


def test_a_class_with_one_row_can_be_split():
    y = np.array([0] * 10 + [1] * 10 + [2])
    data = Dataset("tiny", "table", np.zeros((21, 1)), y, ("a",))
    for name in ("nested", "monte-carlo"):
        for train, test in PROTOCOLS[name].splits(data, 0):
            assert len(train) + len(test) == 21


def test_published_partitions_are_used_as_they_are(data_folder):
    data, protocol = load("jmlr121/iris"), PROTOCOLS["published"]
    assert protocol.split_names(data) == ["0", "1", "2", "3"]
    for number, (train, test) in enumerate(data.splits):
        found = protocol.split(data, str(number), seed=5)
        assert (found[0] == train).all() and (found[1] == test).all()
    assert protocol.tuning_pairs(data, 0)[0] is data.tuning
    assert not protocol.standardize


def job(method, protocol, split="0", choice=None):
    return {
        "dataset": "wine",
        "method": resolve_method(method).definition(),
        "protocol": resolve_protocol(protocol).definition(),
        "split": split,
        "seed": 0,
        "choice": choice,
    }


def test_untuned_methods_run_on_their_own_parameters():
    outcome = evaluate_cell(job("SVM", "kfold"))
    assert outcome["params"] == {} and outcome["choice"] is None
    assert outcome["accuracy"] > 0.9 and outcome["n_train"] + outcome["n_test"] == 178


def test_a_choice_is_a_point_of_the_grid():
    outcome = evaluate_cell(job("NearestNeighbours", "five-fold", choice=3))
    assert outcome["params"] == {"n_neighbors": 9}


def test_nested_tuning_sees_training_rows_only(monkeypatch):
    data = load("wine")
    protocol = resolve_protocol("nested")
    train, test = protocol.split(data, "0", 0)
    seen = set()
    from kernsemble.benchmark import cell

    measure = cell._measure

    def spy(data, method, protocol, seed, params, fit, score, **options):
        if len(fit) + len(score) == len(train):
            seen.update(fit, score)
        return measure(data, method, protocol, seed, params, fit, score, **options)

    monkeypatch.setattr(cell, "_measure", spy)
    evaluate_cell(job("NearestNeighbours", "nested"))
    assert seen == set(train) and not seen & set(test)


def test_scaling_is_learnt_from_training_rows():
    """A test row a million times larger must not change how training rows are scaled."""
    X = np.random.RandomState(0).randn(20, 2)
    features = make_model(X, DummyClassifier())[0].fit(X[:10])
    spoiled = X.copy()
    spoiled[10:] *= 1e6
    assert np.array_equal(features.transform(X[:10]), features.transform(spoiled[:10]))
    assert np.allclose(features.transform(X[:10]).mean(axis=0), 0)


def test_unknown_settings():
    with pytest.raises(Exception, match="no splitter 'fold'"):
        resolve_protocol("kfold", {"splitter": "fold"})
