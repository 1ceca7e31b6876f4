"""What the defaults of every kernel method cost, in fits with the values that they found.

    python benchmarks/speed/default_search.py [--rows 500] [METHOD ...]

Processor seconds of a fit with the defaults over those of a fit with everything given: the kernels,
strengths, couplings and numbers that the default fit chose. Both sides have honest scores. Medians
of three on rows of `make_classification` with 20 columns and three classes. Prints one JSON line.
"""

import argparse
import inspect
import json
import time
import warnings

import numpy as np
from sklearn.datasets import make_classification

import kernsemble
from kernsemble.fitting.kernel_method import KernelMethod

#: Fitted attribute → the parameter that takes its value.
GIVEN = {
    "kernel_": ("kernel", "kernels"),
    "kernels_": ("kernels", "views"),
    "alpha_": ("alpha",),
    "beta_": ("beta",),
    "gamma_": ("gamma",),
    "coupling_": ("coupling",),
    "C_": ("C",),
    "n_landmarks_": ("n_landmarks",),
    "n_components_": ("n_components",),
    "weight_scale_": ("weight_scale",),
    "subset_size_": ("subset_size",),
    "C_range_": ("C_range",),
    "gamma_range_": ("gamma_range",),
}


def methods():
    found = {name: getattr(kernsemble, name) for name in kernsemble.__all__}
    return {
        name: cls
        for name, cls in found.items()
        if inspect.isclass(cls) and issubclass(cls, KernelMethod)
    }


def given_parameters(fitted):
    """Return the parameters whose values a default fit chose."""
    known = fitted.get_params(deep=False)
    given = {}
    for attribute, names in GIVEN.items():
        own = [
            name for name in names if name in known and isinstance(known[name], (str, type(None)))
        ]
        if own and hasattr(fitted, attribute):
            given[own[0]] = getattr(fitted, attribute)
    if hasattr(fitted, "alphas_") and "alpha" in known:
        given["alpha"] = float(np.median(fitted.alphas_))
    if isinstance(given.get("views"), str):
        del given["views"]
    return given | of_members(fitted, known)


def of_members(fitted, known):
    """Return parameters whose values a default fit chose for every member by itself."""
    members = fitted.estimators_
    if "C_range" in known:
        costs, gammas = [m.C for m in members], [m.kernel.gamma for m in members]
        return {
            "C_range": (min(costs), max(costs)),
            "gamma_range": (min(gammas), max(gammas)),
            "subset_size": len(members[0].support),
        }
    if "n_components" in known:
        used = [np.flatnonzero(m.coefs[:-1].any(axis=1)).max() + 1 for m in members]
        kernel = members[len(members) // 2].feature_map.kernel_
        return {"kernels": kernel, "n_components": int(np.median(used))}
    if isinstance(fitted, kernsemble.LandmarkRidgeClassifier):
        return {"kernels": [m.kernel_terms()[0].kernel for m in members]}
    if "weight_scale" in known and not hasattr(fitted, "weight_scale_"):
        # Of stacked layers every one has a scale of its own; one of the candidates stands for all.
        return {"weight_scale": 1.0, "alpha": float(np.median([m.alpha for m in members]))}
    return {}


def seconds(classifier, X, y):
    start = time.process_time()
    classifier.fit(X, y)
    return time.process_time() - start


def measure(cls, X, y):
    known = inspect.signature(cls).parameters
    seeded = {"random_state": 0} if "random_state" in known else {}
    chosen = given_parameters(cls(**seeded).fit(X, y))
    default = np.median([seconds(cls(**seeded), X, y) for _ in range(3)])
    given = np.median([seconds(cls(**chosen, **seeded), X, y) for _ in range(3)])
    return {
        "ratio": round(float(default / given), 2),
        "default_s": round(float(default), 3),
        "given_s": round(float(given), 3),
        "given": sorted(chosen),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("methods", nargs="*")
    parser.add_argument("--rows", type=int, default=500)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    X, y = make_classification(
        options.rows, 20, n_informative=8, n_classes=3, flip_y=0.1, random_state=0
    )
    found = {
        name: measure(cls, X, y)
        for name, cls in methods().items()
        if not options.methods or name in options.methods
    }
    print(json.dumps({"benchmark": "default_search", "rows": options.rows, **found}))


if __name__ == "__main__":
    main()
