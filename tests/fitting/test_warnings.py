"""Warnings point to the line of the user that called into the library."""

import inspect
import warnings

import pytest
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernsemble
from kernsemble import MEKLDLPClassifier, MultiKMHKSClassifier, SimpleMKLClassifier
from kernsemble.fitting.kernel_method import KernelMethod
from kernsemble.kernels import RBF

X, Y = load_iris(return_X_y=True)
METHODS = [
    cls
    for cls in map(kernsemble.__getattr__, kernsemble.__all__)
    if inspect.isclass(cls) and issubclass(cls, KernelMethod)
]


@pytest.mark.parametrize(
    "clf",
    [
        MultiKMHKSClassifier(max_iter=1),
        MEKLDLPClassifier(alpha=0.01, beta=100.0, gamma=100.0),
        SimpleMKLClassifier([RBF(0.01), RBF(1.0), RBF(10.0)], max_iter=1, tol=1e-9),
        SimpleMKLClassifier(
            [RBF(0.01), RBF(1.0), RBF(10.0)], max_iter=1, tol=1e-9, shared_weights=False
        ),
    ],
    ids=lambda clf: type(clf).__name__,
)
def test_warnings_name_the_file_that_called_fit(clf):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clf.fit(X, Y)
    assert caught
    assert {warning.filename for warning in caught} == {__file__}


EASY = {
    "two blobs": make_blobs(60, centers=2, cluster_std=0.3, random_state=0),
    "three blobs": make_blobs(120, centers=3, cluster_std=0.5, random_state=0),
    "moons": make_moons(150, noise=0.1, random_state=0),
}


@pytest.mark.parametrize("data", EASY)
@pytest.mark.parametrize("cls", METHODS, ids=lambda cls: cls.__name__)
def test_a_default_fit_of_easy_data_warns_of_nothing(cls, data):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cls(random_state=0).fit(*EASY[data])


def test_a_pipeline_of_scikit_learn_does_not_hide_the_user():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make_pipeline(StandardScaler(), MultiKMHKSClassifier(max_iter=1)).fit(X, Y)
    assert {warning.filename for warning in caught} == {__file__}
