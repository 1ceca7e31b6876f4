"""Warnings point to the line of the user that called into the library."""

import warnings

import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernsemble import MEKLDLPClassifier, MultiKMHKSClassifier, SimpleMKLClassifier
from kernsemble.kernels import RBF

X, Y = load_iris(return_X_y=True)


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


def test_a_pipeline_of_scikit_learn_does_not_hide_the_user():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make_pipeline(StandardScaler(), MultiKMHKSClassifier(max_iter=1)).fit(X, Y)
    assert {warning.filename for warning in caught} == {__file__}
