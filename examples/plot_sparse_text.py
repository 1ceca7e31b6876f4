"""
Text with sparse kernels
========================

Word counts are sparse, and kernels take them as they are. The documents below are drawn from two
topics that share most of their words; a ridge with the cosine of the counts learns them from a few
documents each.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from kernsemble import KernelRidgeClassifier
from kernsemble.kernels import Linear, Normalized, Polynomial

rng = np.random.RandomState(0)
WORDS = np.array([f"word{number}" for number in range(2000)])
common = rng.dirichlet(np.full(2000, 0.3))
topics = [0.75 * common + 0.25 * rng.dirichlet(np.full(2000, 0.05)) for _ in range(2)]


def documents(n_documents):
    """Return documents of 40 words each and their topics."""
    y = rng.randint(0, 2, n_documents)
    return [" ".join(rng.choice(WORDS, 40, p=topics[topic])) for topic in y], y


new, truth = documents(1000)
MODELS = {
    "kernel ridge, cosine": KernelRidgeClassifier(Normalized(Linear())),
    "kernel ridge, squared cosine": KernelRidgeClassifier(Normalized(Polynomial(2, coef0=1.0))),
    "logistic regression": LogisticRegression(),
}
SIZES = (20, 50, 100, 200, 400)
curves = {name: [] for name in MODELS}
for size in SIZES:
    texts, y = documents(size)
    for name, model in MODELS.items():
        clf = make_pipeline(TfidfVectorizer(), model).fit(texts, y)
        curves[name].append(100 * clf.score(new, truth))

figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
for name, values in curves.items():
    axis.semilogx(SIZES, values, "o-", label=name)
axis.set_xticks(SIZES, SIZES)
axis.set(xlabel="training documents", ylabel="accuracy on 1,000 new documents, %")
axis.legend()
plt.show()
