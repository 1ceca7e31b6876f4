"""Every constant of the papers, compared with the code that `preset="paper"` runs.

"000" to "004" are the papers: Wang, Jie, Chen and Gao (2013), the kernel-PCA thesis, Nishida,
Fujiki and Kurita (2011), Zhang and Suganthan (2017), and Wang, Li and Wang (2019).
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import kernsemble as ks
from kernsemble.benchmark.experiments import list_experiments
from kernsemble.ensembles import kernel_pca, mrskl
from kernsemble.kernels import (
    GammaGrid,
    GammaRange,
    Linear,
    MeanDistance,
    MeanSquaredDistance,
    Normalized,
    RandomPolynomial,
    RandomRBF,
    RandomSigmoid,
)
from kernsemble.solvers.mhks import FIRST_MARGIN
from kernsemble.strengths import SCALES, STRENGTHS

HO_KASHYAP = [
    ks.KMHKSClassifier,
    ks.MultiKMHKSClassifier,
    ks.RPEMEKLClassifier,
    ks.MEKLLPCClassifier,
    ks.MEKLDLPClassifier,
]

#: Classifier, parameter, published value, where it is printed.
SETTINGS = [
    *((cls, "rho", 0.99, "000 section 3.1, 004 section 4.2") for cls in HO_KASHYAP),
    *((cls, "tol", 1e-3, "000 section 3.1") for cls in HO_KASHYAP),
    *((cls, "multi_class", "ovo", "000, 004: one against one") for cls in HO_KASHYAP),
    *((cls, "algorithm", "ho_kashyap", "000 Table 1, 004 Table 1") for cls in HO_KASHYAP),
    (ks.RPEMEKLClassifier, "n_estimators", 3, "000: H = 3"),
    (ks.RPEMEKLClassifier, "n_landmarks", 0.1, "000 section 3.1"),
    (ks.KernelPCAEnsembleClassifier, "n_estimators", 10, "001 chapter 5"),
    (ks.KernelPCAEnsembleClassifier, "n_components", 10, "001 chapter 5"),
    (ks.KernelPCAEnsembleClassifier, "combine", "vote", "001 algorithm 3"),
    (ks.MRSKLClassifier, "C_range", "paper", "002 section 4"),
    (ks.MRSKLClassifier, "combine", "linear_svm", "002 step 3"),
    (ks.CoKRRClassifier, "views", "projection", "003 section VI"),
    (ks.CoKRRClassifier, "n_views", 2, "003 section VI"),
    (ks.CoKRRClassifier, "combine", "max", "003 Table V, the best"),
    (ks.RVFLEnsembleClassifier, "n_estimators", 500, "003 section VII"),
    (ks.RVFLEnsembleClassifier, "perturbation", "one_sided", "003 Table III"),
    (ks.RVFLEnsembleClassifier, "direct_links", True, "003 section V"),
    (ks.RVFLEnsembleClassifier, "fit_intercept", True, "003 section V"),
    (ks.MPRaFClassifier, "regularization", "axis", "003: axis-parallel"),
    (ks.MPRaFClassifier, "bootstrap", True, "003 section IV"),
    (ks.MPRaFClassifier, "min_samples_split", 5, "released code: leaves of up to 4 rows"),
    (ks.MPRaFClassifier, "alpha", 0.01, "released code: Tikhonov"),
    (ks.MPRRoFClassifier, "bootstrap", False, "003 section IV"),
    (ks.MPRRoFClassifier, "group_size", 3, "released code"),
    (ks.MPRRoFClassifier, "max_samples", 0.75, "released code"),
    (ks.MPRRoFClassifier, "max_features", "sqrt", "released code"),
    (ks.RotationForestClassifier, "group_size", 3, "Rodriguez et al. 2006"),
    (ks.RotationForestClassifier, "max_samples", 0.75, "Rodriguez et al. 2006"),
    (ks.UFOMKLClassifier, "n_epochs", 5, "DOGMA"),
    (ks.UFOMKLClassifier, "sparsity", 0.01, "DOGMA"),
    (ks.KernelFDAClassifier, "penalty", "coefs", "Mika et al. 1999"),
    *((cls, "normalize", "trace", "EasyMKL, GLMKL") for cls in (ks.EasyMKLClassifier,)),
    (ks.GroupLassoMKLClassifier, "p", 1.0, "Xu et al. 2010"),
    (ks.AlignmentMKLClassifier, "method", "alignf", "Cortes et al. 2012"),
]


@pytest.mark.parametrize(
    ("cls", "parameter", "value", "where"),
    SETTINGS,
    ids=[f"{cls.__name__}-{parameter}" for cls, parameter, *_ in SETTINGS],
)
def test_the_published_setting_is_what_the_preset_runs(cls, parameter, value, where):
    has_preset = "preset" in cls().get_params()
    clf = cls(preset="paper")._settled() if has_preset else cls()
    assert clf.get_params(deep=False)[parameter] == value, where


POWERS = {
    "003, ridge 2^-14 … 2^5": (STRENGTHS, -14, 5),
    "003, randomisation range": (SCALES, -5, 2),
    "003, width 2^-16 … 2^8": ([k.gamma for k in GammaGrid().sample(None, 25, None)], -16, 8),
}


@pytest.mark.parametrize("name", POWERS)
def test_grids_are_the_published_powers_of_two(name):
    values, low, high = POWERS[name]
    assert_array_equal(np.log2(values), np.arange(low, high + 1))


def test_other_constants_of_the_rules():
    assert FIRST_MARGIN == 1e-6  # 000 Table 1
    assert mrskl.C_RANGES["paper"] == (2.0**-1, 2.0**10)  # 002 section 4
    assert mrskl.GAMMA_RANGES["paper"] == (2.0**-5, 2.0**2)
    assert (GammaRange().low, GammaRange().high) == (-5, 2)
    assert MeanDistance().multipliers == (1.0, 0.1) and MeanDistance().linear  # 000 section 3.1
    assert MeanSquaredDistance().multipliers == (0.25, 1.0, 4.0)  # 004 section 4.2
    assert (RandomRBF().low, RandomRBF().high) == (1.0, 3.0)  # 001 section 4.2.1
    polynomial = RandomPolynomial()  # 001 section 4.2.2
    assert (polynomial.degree, polynomial.low, polynomial.high) == (3, 0.5, 1.5)
    assert (RandomSigmoid().low, RandomSigmoid().high) == (-1.0, 0.0)  # 001 section 4.2.3
    assert not polynomial.unit_free and not RandomSigmoid().unit_free
    assert set(kernel_pca._PAPER) == {"rbf", "poly", "sigmoid"}


def test_the_kernels_of_the_ho_kashyap_papers(unscaled):
    X, y = np.random.RandomState(0).randn(30, 3), np.arange(30) % 2
    linear, wide, narrow = ks.RPEMEKLClassifier(preset="paper", random_state=0).fit(X, y).kernels_
    assert linear == Normalized(Linear())
    assert_allclose(narrow.gamma / wide.gamma, 100.0)
    gammas = [k.gamma for k in ks.MEKLDLPClassifier(preset="paper").fit(X, y).kernels_]
    assert_allclose(np.divide(gammas, gammas[1]), [4.0, 1.0, 0.25])


def test_couplings_are_the_published_strengths_between_pairs_of_views(unscaled):
    X, y = np.random.RandomState(0).randn(20, 2), np.arange(20) % 2
    for n_views in (2, 3):
        clf = ks.CoKRRClassifier(n_views, alpha=1.0, random_state=0).fit(X, y)
        expected = 2.0 * n_views * np.append(0.0, 2.0 ** np.arange(-14, 6))
        assert_array_equal(clf.coupling_candidates_, expected)


#: Experiment, method, parameter, published candidates.
GRIDS = [
    ("zhang-suganthan-2017/table-6", "MPRaF", "max_features", [2, 4, 6, 8]),
    ("wang-2019/table-3", "KMHKS", "alpha", [0.01, 0.1, 1, 10, 100]),
    ("wang-2019/table-3", "KFDA", "alpha", [0.01, 0.1, 1, 10, 100]),
    ("wang-2019/table-3", "SVM", "C", [0.01, 0.1, 1, 10, 100]),
]


@pytest.mark.parametrize(("target", "method", "parameter", "values"), GRIDS)
def test_experiments_compare_the_published_candidates(target, method, parameter, values):
    assert list_experiments()[target].methods[method]["grid"][parameter] == values


def test_rpemekl_compares_the_published_strengths_and_landmarks():
    published = [2.0**e for e in range(-4, 5)]  # 000 section 3.1, c and lambda
    methods = list_experiments()["wang-2013/table-2"].methods
    tuned = [m["params"] for m in methods.values() if m["base"] == "RPEMEKL"]
    assert all(m["alpha"] == published and m["coupling"] == published for m in tuned)
    assert [m["n_landmarks"] for m in tuned] == [0.1, [0.1, 0.2, 0.3, 0.4, 0.5]]


def test_forests_of_the_121_set_study_have_500_trees():
    methods = list_experiments()["zhang-suganthan-2017/table-6"].methods
    for name in ("MPRaF", "MPRRoF"):
        assert methods[name]["params"]["n_estimators"] == 500
