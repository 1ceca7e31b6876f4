"""Classifiers of other libraries that are not scikit-learn's kind, as classifiers.

This file also runs in interpreters that do not have kernsemble: it needs numpy and scikit-learn.
"""

import importlib

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


class TabPFNClassifier(ClassifierMixin, BaseEstimator):
    """The first TabPFN on its defaults: a network that was trained on made tables.

    It reads the training rows anew for every prediction, so that the time of a fit says nothing.

    Parameters
    ----------
    n_threads : int, default=1
    random_state : int, default=0
    """

    #: What has to be installed; the weights are in its source archive alone.
    package = "tabpfn"

    #: The largest tables that it was trained for.
    max_rows, max_columns, max_classes = 1024, 100, 10

    def __init__(self, n_threads=1, random_state=0):
        self.n_threads = n_threads
        self.random_state = random_state

    def fit(self, X, y):
        """Keep the rows, if they are within the limits of the network."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        sizes = {"rows": len(X), "columns": X.shape[1], "classes": len(self.classes_)}
        for what, size in sizes.items():
            most = getattr(self, f"max_{what}")
            if size > most:
                raise ValueError(f"TabPFN takes at most {most} {what}, got {size}.")
        self.machine_ = _tabpfn()(device="cpu").fit(np.asarray(X, dtype=float), codes)
        return self

    def predict(self, X):
        """Return classes."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X):
        """Return probabilities."""
        import torch

        torch.set_num_threads(self.n_threads)
        # The order of columns and classes is drawn for every member of its ensemble.
        torch.manual_seed(self.random_state)
        P = self.machine_.predict_proba(np.asarray(X, dtype=float)).astype(float)
        return P / P.sum(axis=1, keepdims=True)


def _tabpfn():
    """Return the class, written for a torch of 2022, in whatever torch there is."""
    import os
    import typing

    from torch.nn.modules import transformer

    # It takes names from this module that newer versions no longer hand on.
    if hasattr(transformer, "__all__"):
        del transformer.__all__
    vars(transformer).update({name: getattr(typing, name) for name in ("Any", "Optional")})
    # Its weights are a pickle of the very package that reads them.
    os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"
    interface = "tabpfn.scripts.transformer_prediction_interface"
    return importlib.import_module(interface).TabPFNClassifier
