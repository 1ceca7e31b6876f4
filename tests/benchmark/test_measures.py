"""Measures equal their definitions, and what cannot be measured is missing."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernsemble.benchmark.measure_list import MEASURES, QUALITY, find_measure
from kernsemble.benchmark.measures import further_measures, probability_measures
from kernsemble.benchmark.resources import (
    cpu_seconds,
    forget_peak_memory,
    model_bytes,
    peak_memory_mb,
)
from kernsemble.errors import UserError
from tests.reference import measures as literal


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_measures_are_their_definitions(n_classes):
    rng = np.random.RandomState(n_classes)
    P = rng.dirichlet(np.ones(n_classes), size=60)
    # Some equal scores, and classes that follow the probabilities now and then.
    P[:10] = P[0]
    truth = np.where(rng.rand(60) < 0.6, P.argmax(axis=1), rng.randint(n_classes, size=60))
    found = probability_measures(P, truth)
    for name in ("log_loss", "brier", "auc", "calibration_error"):
        assert_allclose(found[name], getattr(literal, name)(P, truth), rtol=1e-9)
    assert set(found) < set(QUALITY)


@pytest.mark.parametrize("wrong", [[np.nan, 0.5], [0.0, 0.0], [np.inf, 1.0]])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_probabilities_that_are_no_numbers_are_a_failure(wrong):
    with pytest.raises(ValueError, match="no numbers"):
        probability_measures(np.array([wrong, [0.5, 0.5]]), np.array([0, 1]))


def test_a_class_that_training_did_not_have():
    P, truth = np.array([[0.5, 0.5], [0.9, 0.1], [0.2, 0.8]]), np.array([-1, 0, 1])
    found = probability_measures(P, truth)
    assert found["log_loss"] > 10 and np.isfinite(found["log_loss"])
    assert_allclose(found["brier"], (1.5 + 0.02 + 0.08) / 3)
    assert "auc" not in probability_measures(P[:1], np.array([0]))


class Shy(GaussianNB):
    def predict_proba(self, X):
        raise NotImplementedError


@pytest.mark.parametrize("classifier", [RidgeClassifier(), Shy()])
def test_without_probabilities_measures_are_missing(classifier):
    X, codes = np.random.RandomState(0).randn(30, 3), np.arange(30) % 2
    model = make_pipeline(StandardScaler(), classifier).fit(X, codes)
    assert not set(further_measures(model, X, codes, codes)) & set(QUALITY)


def test_resources():
    start = cpu_seconds()
    while cpu_seconds() == start:
        sum(range(10_000))
    if forget_peak_memory():
        before = peak_memory_mb()
        held = np.ones(8_000_000)
        assert peak_memory_mb() > before + 50
        del held
        assert forget_peak_memory() and peak_memory_mb() < before + 50
    assert model_bytes(np.ones(1000)) > 8000
    assert model_bytes(lambda: None) is None


def test_measures_by_name():
    assert find_measure("log_loss").scores(2.0) == -2.0
    assert find_measure("accuracy").shown(0.12345) == "12.35"
    assert MEASURES["model_bytes"].shown(2.5e6) == "2.5"
    with pytest.raises(UserError, match="no measure nonsense"):
        find_measure("nonsense")
    with pytest.raises(UserError, match="it has accuracy, fit_seconds"):
        find_measure("auc", ["fit_seconds", "accuracy"])
