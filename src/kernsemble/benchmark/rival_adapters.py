"""Classifiers of other libraries that are not scikit-learn's kind, as classifiers.

This file also runs in interpreters that do not have kernsemble: it needs numpy and scikit-learn.
"""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import train_test_split


class XRFMClassifier(ClassifierMixin, BaseEstimator):
    """xRFM on its defaults; a stratified part of the rows validates.

    Parameters
    ----------
    validation_share : float, default=0.2
        Share of the rows by which xRFM chooses.
    n_threads : int, default=1
    random_state : int, default=0
    """

    #: What has to be installed.
    package = "xrfm"

    def __init__(self, validation_share=0.2, n_threads=1, random_state=0):
        self.validation_share = validation_share
        self.n_threads = n_threads
        self.random_state = random_state

    def fit(self, X, y):
        """Fit to the rows."""
        from xrfm import xRFM

        X = np.asarray(X, dtype=np.float32)
        self.classes_, codes = np.unique(y, return_inverse=True)
        T = np.eye(len(self.classes_), dtype=np.float32)[codes]
        strata = codes if np.bincount(codes).min() > 1 else None
        fit_X, choose_X, fit_T, choose_T = train_test_split(
            X, T, test_size=self.validation_share, stratify=strata, random_state=self.random_state
        )
        self.machine_ = xRFM(
            **{"device": "cpu", "verbose": False},
            **{"n_threads": self.n_threads, "random_state": self.random_state},
        )
        self.machine_.fit(fit_X, fit_T, choose_X, choose_T)
        return self

    def predict(self, X):
        """Return classes."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X):
        """Return probabilities."""
        P = np.asarray(self.machine_.predict_proba(np.asarray(X, dtype=np.float32)), dtype=float)
        return np.column_stack([1.0 - P, P]) if P.ndim == 1 or P.shape[1] == 1 else P
