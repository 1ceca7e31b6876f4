"""Expectation and maximisation of a mixture's weights, literally, with loops."""


def mixture_weights(likelihoods, pseudo_count, sample_weight, n_iter=20_000):
    """Return the weights of the maximum, after so many steps of expectation and maximisation."""
    n_components, n_rows = len(likelihoods), len(likelihoods[0])
    weights = [1.0 / n_components] * n_components
    for _ in range(n_iter):
        counts = [pseudo_count] * n_components
        for i in range(n_rows):
            mixed = sum(weights[m] * likelihoods[m][i] for m in range(n_components))
            for m in range(n_components):
                counts[m] += sample_weight[i] * weights[m] * likelihoods[m][i] / mixed
        weights = [count / sum(counts) for count in counts]
    return weights
