"""Further columns of predictions: label sets, novelty, and what speaks for the predicted class.

Each function takes the fitted pipeline, the name of the target and the rows, and returns a dict of
columns. A classifier that cannot answer says why.
"""

import numpy as np

from ..errors import UserError

# Columns that are named for every row, and training rows that stand for "not known": enough for
# the order of the strongest columns, and a third of the time of the usual number.
_STRONGEST, _N_BACKGROUND = 3, 16


def label_sets(confidence):
    """Return the function for the classes that cannot be ruled out at this confidence."""

    def column(model, target, rows):
        features, classifier = _parts(model, rows, "predict_set", "--set")
        sets = classifier.predict_set(features, confidence=confidence)
        texts = [" | ".join(map(str, classifier.classes_[chosen])) for chosen in sets]
        return {f"{target} with confidence {confidence:g}": texts}

    return column


def novelty(model, target, rows):
    """Return how unlike the training rows each row is: a p-value, small for strange rows."""
    features, classifier = _parts(model, rows, "novelty", "--novelty")
    return {"novelty p-value": _asked(lambda: classifier.novelty(features), "--novelty")}


def explanation(model, target, rows):
    """Return the columns that add most to the score of the predicted class, or take most away."""
    features, classifier = _parts(model, rows, "explain", "--explain")
    found = _asked(lambda: classifier.explain(features, _N_BACKGROUND), "--explain")
    names = _names_out(model, found.names)
    strongest = np.argsort(-np.abs(found.contributions), axis=1, kind="stable")[:, :_STRONGEST]
    texts = [
        "; ".join(f"{names[j]} {found.contributions[row, j]:+.3g}" for j in columns)
        for row, columns in enumerate(strongest)
    ]
    return {"explanation": texts}


def _parts(model, rows, method, option):
    """Return the rows as the classifier takes them, and the classifier."""
    classifier = model[-1]
    if not hasattr(classifier, method):
        name = type(classifier).__name__
        raise UserError(f"{name} has no {method}, which {option} needs; leave the option out.")
    return model[:-1].transform(rows), classifier


def _asked(question, option):
    try:
        return question()
    except ValueError as error:
        raise UserError(f"{option} is not possible with this model: {error}") from None


def _names_out(model, names):
    """Return the names of the columns that were explained; those of a pipeline come from it."""
    if model[0] == "passthrough":
        return names
    return model[:-1].get_feature_names_out()
