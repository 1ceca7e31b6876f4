"""xRFM as a scikit-learn classifier, for kernel-ensemble.toml: it needs validation rows."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import train_test_split


class XRFMClassifier(ClassifierMixin, BaseEstimator):
    """xRFM on its defaults; a stratified fifth of the rows validates."""

    def __init__(self, random_state=0):
        self.random_state = random_state

    def fit(self, X, y):
        from xrfm import xRFM

        self.classes_, codes = np.unique(y, return_inverse=True)
        T = np.eye(len(self.classes_), dtype=np.float32)[codes]
        strata = codes if np.bincount(codes).min() > 1 else None
        parts = train_test_split(
            X.astype(np.float32), T, test_size=0.2, stratify=strata, random_state=self.random_state
        )
        fit_X, choose_X, fit_T, choose_T = parts
        self.machine_ = xRFM(device="cpu", n_threads=1, random_state=self.random_state)
        self.machine_.fit(fit_X, fit_T, choose_X, choose_T)
        return self

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X):
        P = np.asarray(self.machine_.predict_proba(X.astype(np.float32)), dtype=float)
        return np.column_stack([1.0 - P, P]) if P.ndim == 1 or P.shape[1] == 1 else P
