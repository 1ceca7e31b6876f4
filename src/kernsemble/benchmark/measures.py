"""What a cell measures beside accuracy and time, where a classifier can tell it."""

import numpy as np
from sklearn.metrics import log_loss

#: Confidence of the label sets whose coverage is measured.
CONFIDENCE = 0.9


def further_measures(model, X, truth, codes):
    """Return log-loss, what the classifier says of itself, and the coverage of its label sets.

    Parameters
    ----------
    model : Pipeline
        Fitted to codes 0, 1, … without gaps; its last step is the classifier.
    X : rows of the test part
    truth : ndarray of int
        Codes of the test part, -1 for a class that the training part does not have.
    codes : ndarray of int
        Codes of the training part.

    Returns
    -------
    dict
        Any of "log_loss", "honest_accuracy", "honest_log_loss", "honest_matched" (the honest
        accuracy of training rows whose classes had the shares of the test part) and "coverage".
    """
    classifier, found = model[-1], {}
    if hasattr(classifier, "predict_proba"):
        found["log_loss"] = _log_loss(np.asarray(model.predict_proba(X), dtype=float), truth)
    if hasattr(classifier, "honest_accuracy_"):
        found["honest_accuracy"] = float(classifier.honest_accuracy_)
        found["honest_log_loss"] = float(classifier.honest_log_loss_)
        honest = getattr(classifier, "honest_scores_", ())
        if len(honest) == len(codes):
            found["honest_matched"] = _matched_accuracy(np.asarray(honest), codes, truth)
    if hasattr(classifier, "predict_set"):
        sets = classifier.predict_set(model[:-1].transform(X), confidence=CONFIDENCE)
        holds = sets & (np.arange(sets.shape[1]) == truth[:, None])
        found["coverage"] = float(holds.any(axis=1).mean())
    return found


def _log_loss(P, truth):
    """Return the log-loss; a class that was not in the training part has probability 0."""
    full = np.column_stack([np.clip(P, 0.0, None), np.zeros(len(P))])
    full /= full.sum(axis=1, keepdims=True)
    # The last column stands for all classes that are coded -1.
    return float(log_loss(truth % full.shape[1], full, labels=np.arange(full.shape[1])))


def _matched_accuracy(scores, codes, truth):
    best = scores.ravel() > 0 if scores.ndim == 1 or scores.shape[1] == 1 else scores.argmax(axis=1)
    right = best == codes
    # A class that no training row shows is never predicted.
    return float(
        sum(np.mean(truth == code) * right[codes == code].mean() for code in np.unique(codes))
    )
