import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.svm import SVC

from kernsemble.kernels import (
    RBF,
    Cauchy,
    Constant,
    GeneralizedExponential,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Normalized,
    OnColumns,
    Polynomial,
    Precomputed,
    Product,
    Scaled,
    Sigmoid,
    Sum,
    evaluate,
)
from kernsemble.kernels.dot_product import DotProduct
from kernsemble.kernels.stationary import Radial, Stationary
from tests.reference import kernels as reference

RNG = np.random.RandomState(0)
X, Y = RNG.randn(7, 3), RNG.randn(5, 3)

LITERAL = [
    (RBF(0.3), reference.rbf, {"gamma": 0.3}),
    (Cauchy(0.7), reference.cauchy, {"gamma": 0.7}),
    (Laplacian(0.4), reference.laplacian, {"gamma": 0.4, "p": 1}),
    (Laplacian(0.4, "l2"), reference.laplacian, {"gamma": 0.4, "p": 2}),
    (
        GeneralizedExponential(2.0, 1.5, 0.7),
        reference.generalized_exponential,
        {"scale": 2.0, "p": 1.5, "q": 0.7},
    ),
    (
        GeneralizedExponential(2.0, 2, 2),
        reference.generalized_exponential,
        {"scale": 2.0, "p": 2, "q": 2},
    ),
    (Matern(1.3, 0.5), reference.matern, {"scale": 1.3, "nu": 0.5}),
    (Matern(1.3, 1.5), reference.matern, {"scale": 1.3, "nu": 1.5}),
    (Matern(1.3, 2.5), reference.matern, {"scale": 1.3, "nu": 2.5}),
    (Linear(), reference.linear, {}),
    (Polynomial(3, 0.5, 1.5), reference.polynomial, {"degree": 3, "gamma": 0.5, "coef0": 1.5}),
    (Sigmoid(0.2, -0.5), reference.sigmoid, {"gamma": 0.2, "coef0": -0.5}),
]
PLAIN = [kernel for kernel, _, _ in LITERAL]
COMPOSED = [
    0.5 * RBF(0.3) + Linear() * Cauchy(2.0),
    Normalized(Linear() + 1),
    Normalized(Polynomial(2)),
    2 * (RBF(1.0) + Laplacian(0.1)) * Linear(),
    OnColumns(RBF(0.3), [0, 2]) + OnColumns(Laplacian(0.1), slice(1, 3)),
]


@pytest.mark.parametrize(
    ("kernel", "function", "parameters"), LITERAL, ids=[repr(kernel) for kernel in PLAIN]
)
def test_a_kernel_equals_its_formula(kernel, function, parameters):
    assert_allclose(kernel(X, Y), reference.gram(function, X, Y, **parameters), rtol=1e-12)
    assert_allclose(kernel(X), reference.gram(function, X, X, **parameters), rtol=1e-12)


@pytest.mark.parametrize("kernel", PLAIN + COMPOSED, ids=repr)
def test_the_diagonal_is_that_of_the_gram_matrix(kernel):
    assert_allclose(kernel.diag(X), np.diag(kernel(X)))


@pytest.mark.parametrize("kernel", PLAIN + COMPOSED, ids=repr)
def test_float32_stays_float32(kernel):
    narrow = kernel(X.astype(np.float32), Y.astype(np.float32))
    assert narrow.dtype == np.float32
    assert kernel.diag(X.astype(np.float32)).dtype == np.float32
    assert_allclose(narrow, kernel(X, Y), rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("kernel", PLAIN + COMPOSED, ids=repr)
def test_sparse_rows_give_the_same_matrix(kernel):
    A = np.where(X > 0, X, 0.0)
    assert_allclose(kernel(sparse.csr_array(A)), kernel(A), atol=1e-12)
    assert_allclose(kernel(sparse.csr_array(A), Y), kernel(A, Y), atol=1e-12)


@pytest.mark.parametrize("kernel", PLAIN + COMPOSED, ids=repr)
def test_a_kernel_is_a_value(kernel):
    copy = clone(kernel)
    assert copy == kernel and hash(copy) == hash(kernel) and copy is not kernel
    assert copy != RBF(12.0)
    assert eval(repr(kernel)) == kernel


def test_operators_are_those_of_matrices():
    a, b = RBF(0.3), Linear()
    assert_allclose((a + b)(X, Y), a(X, Y) + b(X, Y))
    assert_allclose((a * b)(X, Y), a(X, Y) * b(X, Y))
    assert_allclose((2 * a)(X, Y), 2 * a(X, Y))
    assert_allclose((a * 2)(X, Y), 2 * a(X, Y))
    assert_allclose((a + 1.5)(X, Y), a(X, Y) + 1.5)
    assert_allclose((1.5 + a)(X, Y), a(X, Y) + 1.5)
    with pytest.raises(TypeError):
        a + "rbf"


def test_each_operator_has_a_class_of_its_own():
    a, b = RBF(0.3), Linear()
    assert type(a + b) is Sum and type(a * b) is Product and type(2 * a) is Scaled
    assert not issubclass(Product, Sum) and not issubclass(Sum, Product)


@pytest.mark.parametrize("base", [Kernel, Stationary, Radial, DotProduct])
def test_a_base_class_without_its_methods_cannot_be_made(base):
    class Incomplete(base):
        pass

    with pytest.raises(TypeError, match=r"abstract.*(_gram|_profile)"):
        Incomplete()


def test_nested_parameters_can_be_set():
    kernel = (0.5 * RBF(0.3)).set_params(kernel__gamma=0.9)
    assert kernel == 0.5 * RBF(0.9)


def test_the_repr_reads_like_the_formula():
    assert repr(0.5 * Cauchy(2.0) + Linear() * RBF(0.1)) == (
        "0.5 * Cauchy(gamma=2) + Linear() * RBF(gamma=0.1)"
    )
    assert repr((RBF(1) + 1) * Linear()) == "(RBF(gamma=1) + 1) * Linear()"


@pytest.mark.parametrize("kernel", PLAIN, ids=repr)
def test_positive_definite_kernels_are(kernel):
    if kernel.positive_definite:
        assert np.linalg.eigvalsh(kernel(RNG.randn(40, 2))).min() > -1e-10


def test_definiteness_follows_the_composition():
    assert not (RBF() + Sigmoid()).positive_definite
    assert not (2 * Sigmoid()).positive_definite
    assert not GeneralizedExponential(1.0, p=1.0, q=2.0).positive_definite
    assert not Polynomial(3, coef0=-1.0).positive_definite
    assert Normalized(RBF() * Linear()).positive_definite
    numbers = Precomputed(np.eye(3))
    for kernel in (numbers + 1, 2 * numbers, numbers * numbers, Normalized(numbers)):
        assert not kernel.positive_definite and not kernel.takes_coordinates
    assert (RBF() * Linear() + 1).takes_coordinates


def test_many_kernels_share_blocks_and_match_single_calls():
    A, B = RNG.randn(300, 4), RNG.randn(2000, 4)
    kernels = [RBF(0.1), RBF(2.0), Laplacian(0.3), Linear(), Sigmoid(0.1)]
    for kernel, K in zip(kernels, evaluate(kernels, A, B)):
        assert_allclose(K, kernel(A, B), rtol=1e-12)
    for kernel, K in zip(kernels, evaluate(kernels, B)):
        assert_array_equal(K, K.T)
        assert_allclose(K, kernel(B, B.copy()), atol=1e-7)


def test_kernels_that_are_powers_of_others_are_as_exact():
    A = np.random.RandomState(0).randn(50, 3)
    gammas = [0.001, 0.003, 0.01, 0.064, 0.065, 0.5, 1.0, 2.0, 7.0, 128.0]
    d2 = ((A[:, None] - A[None]) ** 2).sum(axis=2)
    for gamma, K in zip(gammas, evaluate([RBF(gamma) for gamma in gammas], A)):
        assert_allclose(K, np.exp(-gamma * d2), rtol=1e-11, atol=1e-300)


def test_distances_survive_data_far_from_the_origin():
    assert_allclose(RBF(0.3)(X + 1e6, Y + 1e6), RBF(0.3)(X, Y), rtol=1e-8)


def test_equal_rows_have_kernel_one():
    A = np.repeat(RNG.randn(3, 2) * 1e3, 4, axis=0)
    assert_array_equal(np.diag(Laplacian(5.0, "l2")(A)), 1.0)
    assert_allclose(RBF(1.0)(A)[:4, :4], 1.0, atol=1e-6)


def test_normalized_gives_rows_without_direction_zero():
    K = Normalized(Linear())(np.array([[0.0, 0.0], [3.0, 4.0]]))
    assert_array_equal(K, [[0.0, 0.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match="cannot be normalised"):
        Normalized(Sigmoid(1.0, -5.0))(X)


def test_a_large_sum_of_matrices_is_their_weighted_sum():
    grams = RNG.uniform(size=(3, 300, 300))
    grams += grams.transpose(0, 2, 1)
    summed = 0.5 * Precomputed(grams[0]) + 2.0 * Precomputed(grams[1]) + Precomputed(grams[2])
    literal, before = 0.5 * grams[0] + 2.0 * grams[1] + grams[2], grams.copy()
    for numbers in (np.arange(300), RNG.permutation(300)):
        rows = numbers[:, None].astype(float)
        assert_allclose(summed(rows), literal[np.ix_(numbers, numbers)])
        assert_allclose(summed(rows, rows[:260]), literal[np.ix_(numbers, numbers[:260])])
        assert_allclose(summed.diag(rows), literal[numbers, numbers])
        assert_allclose(summed._prepared().diag(rows), literal[numbers, numbers])
    with pytest.raises(ValueError, match="row numbers"):
        summed([[300.0]] * 300)
    assert_array_equal(grams, before)


def test_precomputed_rows_are_row_numbers():
    K = RBF(0.5)(X)
    kernel = Precomputed(K)
    numbers = np.array([[4], [0], [6]])
    assert_allclose(kernel(numbers, np.arange(7)[:, None]), K[[4, 0, 6]])
    assert_allclose(kernel.diag(numbers), 1.0)
    assert clone(kernel) == kernel
    assert repr(kernel) == "Precomputed(gram=<7×7 float64>)"
    for bad in ([[7]], [[-1]], [[0.5]], [[0, 1]]):
        with pytest.raises(ValueError, match="row numbers"):
            kernel(bad)
    with pytest.raises(ValueError, match="gram must be a matrix"):
        Precomputed(np.ones(3))([[0]])


def test_a_kernel_works_inside_scikit_learn():
    y = np.arange(len(X)) % 2
    by_kernel = SVC(kernel=RBF(0.5)).fit(X, y).decision_function(Y)
    assert_allclose(by_kernel, SVC(gamma=0.5).fit(X, y).decision_function(Y))


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (RBF(0.0), "gamma"),
        (RBF(-1.0), "gamma"),
        (RBF(np.nan), "gamma"),
        (Laplacian(1.0, "l3"), "metric"),
        (GeneralizedExponential(p=0.5), "p must"),
        (Matern(nu=2.0), "nu"),
        (Polynomial(degree=0), "degree"),
        (Constant(-1.0), "value"),
        (-1.0 * RBF(), "factor"),
    ],
    ids=str,
)
def test_a_bad_parameter_is_named(kernel, message):
    with pytest.raises(ValueError, match=message):
        kernel(X)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (RBF("scale"), "gamma"),
        (Polynomial(degree=2.5), "degree"),
        (Normalized("rbf"), "kernel"),
        (Scaled("rbf"), "kernel"),
        (Sum(RBF(), "rbf"), "right"),
        (Product("rbf", RBF()), "left"),
    ],
    ids=str,
)
def test_a_parameter_of_the_wrong_type_is_named(kernel, message):
    with pytest.raises(TypeError, match=message):
        kernel(X)


def test_a_kernel_that_misbehaves_is_named():
    class Wrong(Radial):
        def __init__(self, what="nan"):
            self.what = what

        def _profile(self, d2):
            return np.full_like(d2, np.nan) if self.what == "nan" else d2[:, :1]

    with pytest.raises(ValueError, match=r"Wrong\(what='nan'\) returned NaN"):
        Wrong()(X)
    with pytest.raises(ValueError, match="returned shape"):
        Wrong("shape")(X)
    with pytest.raises(ValueError, match="NaN or infinity"):
        Polynomial(3)(X * 1e150)


def test_rows_of_different_precision_give_double_precision():
    narrow = X.astype(np.float32)
    for K in (RBF(0.5)(narrow, Y), RBF(0.5)(Y, narrow).T):
        assert K.dtype == np.float64
        assert_allclose(K, RBF(0.5)(X, Y), rtol=1e-5)


def test_rows_of_different_width_are_an_error():
    with pytest.raises(ValueError, match="X has 3 features, but Y has 2"):
        RBF()(X, Y[:, :2])


@pytest.mark.parametrize("coef0", [-30.0, -1.0, 0.0, 0.5, 30.0])
def test_up_to_a_constant_a_sigmoid_is_itself(coef0):
    A = np.array([[1e-9], [-1e-3], [0.1], [2.0], [-30.0]])
    kernel = Sigmoid(1.0, coef0)
    shifted = kernel._up_to_constant()(A)
    assert_allclose(shifted + np.tanh(coef0), kernel(A), atol=1e-15)
    slope = 1 - np.tanh(coef0) ** 2
    assert_allclose(shifted[0, 0], slope * 1e-18, rtol=1e-9)


def test_a_kernel_on_columns_is_the_kernel_of_the_narrow_rows():
    on_two = OnColumns(RBF(0.3) * Linear(), [2, 0])
    assert_allclose(on_two(X, Y), (RBF(0.3) * Linear())(X[:, [2, 0]], Y[:, [2, 0]]))
    assert_allclose(OnColumns(RBF(0.3), slice(1, None))(X), RBF(0.3)(X[:, 1:]))


@pytest.mark.parametrize("columns", [[], [0.5], [[0]], "a"])
def test_columns_must_be_positions(columns):
    with pytest.raises(ValueError, match="columns must be positions"):
        OnColumns(RBF(), columns)(X)


def test_columns_must_be_in_the_rows():
    with pytest.raises(ValueError, match=r"columns must be between 0 and \d"):
        OnColumns(RBF(), [0, 99])(X)
