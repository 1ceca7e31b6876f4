"""What a cell measures beside accuracy and time, where a classifier can tell it."""

import numpy as np
from scipy.stats import rankdata

from ..calibration import mean_log_loss
from ..fitting.answers import AnswersMixin, label_sets

#: Confidence of the label sets whose coverage is measured.
CONFIDENCE = 0.9
#: Number of bins of equal width over the confidence, for the calibration error.
N_BINS = 15


def further_measures(model, X, truth, codes):
    """Return measures of probabilities, what a classifier says of itself, coverage of label sets.

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
        Those of `probability_measures`, and any of "honest_accuracy", "honest_log_loss",
        "honest_matched" (the honest accuracy of training rows whose classes had the shares of the
        test part) and "coverage".
    """
    classifier, found = model[-1], {}
    P = _probabilities(model, X)
    if P is not None:
        found.update(probability_measures(P, truth))
    if hasattr(classifier, "honest_accuracy_"):
        found["honest_accuracy"] = float(classifier.honest_accuracy_)
        found["honest_log_loss"] = float(classifier.honest_log_loss_)
        honest = getattr(classifier, "honest_scores_", ())
        if len(honest) == len(codes):
            found["honest_matched"] = _matched_accuracy(np.asarray(honest), codes, truth)
    if isinstance(classifier, AnswersMixin) and hasattr(classifier, "predict_set"):
        sets = label_sets(classifier, P, CONFIDENCE)
        holds = sets & (np.arange(sets.shape[1]) == truth[:, None])
        found["coverage"] = float(holds.any(axis=1).mean())
    return found


def _probabilities(model, X):
    """Return the probabilities of a classifier, or None if it has none."""
    if not hasattr(model[-1], "predict_proba"):
        return None
    try:
        return np.asarray(model.predict_proba(X), dtype=float)
    except (AttributeError, NotImplementedError):
        # Some wrappers have the method and learn only here that what they wrap has not.
        return None


def probability_measures(P, truth):
    """Return what predicted probabilities are worth.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_classes)
    truth : ndarray of int of shape (n_samples,)
        Classes, -1 for one that the training part does not have: its probability is 0.

    Returns
    -------
    dict
        "log_loss"; "brier", the mean of the sum of squared errors over the classes, from 0 to 2;
        "calibration_error", the mean difference of confidence and accuracy in 15 bins of equal
        width over the largest probability; and "auc", the mean area under the ROC curve of each
        class against the rest, for two classes that of the second, if the test part has any pair.
    """
    full = np.column_stack([np.clip(P, 0.0, None), np.zeros(len(P))])
    full /= full.sum(axis=1, keepdims=True)
    if not np.isfinite(full).all():
        raise ValueError("The classifier gave probabilities that are no numbers.")
    # The last column stands for all classes that are coded -1.
    truth = truth % full.shape[1]
    target = truth[:, None] == np.arange(full.shape[1])
    found = {
        "log_loss": mean_log_loss(full, truth),
        "brier": float(np.mean(np.sum((full - target) ** 2, axis=1))),
        "calibration_error": _calibration_error(full, truth),
    }
    classes = range(1, 2) if full.shape[1] == 3 else range(full.shape[1] - 1)
    areas = [_area(full[:, k], target[:, k]) for k in classes if 0 < target[:, k].mean() < 1]
    return {**found, "auc": float(np.mean(areas))} if areas else found


# Scikit-learn's functions give the same numbers, but their checks take longer than many a cell.


def _area(scores, positive):
    """Return the area under the ROC curve: the share of pairs in the right order."""
    n_positive, n_negative = positive.sum(), (~positive).sum()
    above = rankdata(scores)[positive].sum() - n_positive * (n_positive + 1) / 2
    return above / (n_positive * n_negative)


def _calibration_error(P, truth):
    confidence, right = P.max(axis=1), P.argmax(axis=1) == truth
    # A confidence on the edge of two bins belongs to the lower one.
    bins = np.clip(np.ceil(confidence * N_BINS).astype(int) - 1, 0, N_BINS - 1)
    gaps = np.bincount(bins, right - confidence, minlength=N_BINS)
    return float(np.abs(gaps).sum() / len(truth))


def _matched_accuracy(scores, codes, truth):
    best = scores.ravel() > 0 if scores.ndim == 1 or scores.shape[1] == 1 else scores.argmax(axis=1)
    right = best == codes
    # A class that no training row shows is never predicted.
    return float(
        sum(np.mean(truth == code) * right[codes == code].mean() for code in np.unique(codes))
    )
