"""Logistic regression by L-BFGS, as scikit-learn minimises it, for many small fits one by one.

scikit-learn checks its arrays at every step of the minimisation, which takes longer than the step
itself where rows are few.
"""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

# Settings of scikit-learn: the most steps of a line search, and the gain in units of rounding below
# which the minimisation ends.
LINE_STEPS, LEAST_GAIN = 50, 64 * np.finfo(float).eps


def solve_logistic(X, codes, n_classes, strength, start=None, sample_weight=None, *, tol, max_iter):
    """Minimise the weighted mean log-loss + strength / 2 |W|² over linear scores.

    The bias is not in the penalty. A minimisation that ends early returns what it has.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_samples, n_columns)
    codes : ndarray of int of shape (n_samples,)
        Every class has a row.
    n_classes : int
        At least 2.
    strength : float
    start : ndarray of shape (n_outputs, n_columns + 1), default=None
        Where the minimisation starts; None means zeros.
    sample_weight : ndarray of shape (n_samples,), default=None
    tol : float
        The minimisation ends where no entry of the gradient is larger.
    max_iter : int

    Returns
    -------
    W : ndarray of shape (n_outputs, n_columns + 1)
        The last column is the bias. Two classes have one output, the log-odds of class 1.
    """
    n_rows, n_columns = X.shape
    shape = (1 if n_classes == 2 else n_classes, n_columns + 1)
    weights = np.ones(n_rows) if sample_weight is None else sample_weight
    shares = weights / weights.sum()
    misses_of = _misses_of_two if n_classes == 2 else _misses_of_several
    # Sums over few classes are fastest where the rows of a class are neighbours.
    columns, own = X.T, (codes, np.arange(n_rows))
    start = np.zeros(shape) if start is None else start

    def objective(point):
        W = point.reshape(shape)
        S = np.ascontiguousarray(W[:, :-1] @ columns)
        S += W[:, -1:]
        losses, misses = misses_of(S, codes, own)
        misses *= shares
        gradient = np.empty(shape)
        gradient[:, :-1] = misses @ X + strength * W[:, :-1]
        gradient[:, -1] = misses.sum(axis=1)
        penalty = 0.5 * strength * np.sum(W[:, :-1] ** 2)
        return float(shares @ losses + penalty), gradient.ravel()

    options = {"maxiter": max_iter, "maxls": LINE_STEPS, "gtol": tol, "ftol": LEAST_GAIN}
    found = minimize(objective, start.ravel(), method="L-BFGS-B", jac=True, options=options)
    return found.x.reshape(shape)


def _misses_of_two(S, codes, own):
    """Return the log-loss of every row, and its derivatives by the scores."""
    log_odds = S[0]
    losses = np.logaddexp(0.0, log_odds) - codes * log_odds
    return losses, (expit(log_odds) - codes)[None]


def _misses_of_several(S, codes, own):
    """Do the same for three classes or more; S is overwritten."""
    # The largest score 0 keeps the exponentials below 1.
    S -= S.max(axis=0)
    chosen = S[own]
    P = np.exp(S, out=S)
    total = P.sum(axis=0)
    P /= total
    P[own] -= 1.0
    return np.log(total) - chosen, P
