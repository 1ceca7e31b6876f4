"""Peak memory of EasyMKL with 300 kernels on 2,000 rows, whose Gram matrices would take 9.6 GB.

    python benchmarks/speed/easy_mkl_memory.py

Prints one JSON line: the process's largest resident size after the imports and after the fit.
"""

import json
import resource

from sklearn.datasets import make_classification

from kernsemble import EasyMKLClassifier
from kernsemble.kernels import MedianScale


def megabytes():
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


if __name__ == "__main__":
    X, y = make_classification(2000, 20, n_informative=6, random_state=0)
    before = megabytes()
    EasyMKLClassifier(MedianScale(), n_kernels=300, random_state=0).fit(X, y)
    line = {"claim": "peak below 500 MB", "before_mb": before, "peak_mb": megabytes()}
    print(json.dumps(line))
