"""Kernels, which turn rows into Gram matrices, and samplers, which draw kernels from data."""

from .base import Constant, Kernel, Product, Scaled, Sum
from .columns import OnColumns
from .derived import Normalized, Precomputed
from .dot_product import Linear, Polynomial, Sigmoid
from .evaluation import evaluate
from .published_rules import (
    GammaGrid,
    GammaRange,
    MeanDistance,
    MeanSquaredDistance,
    RandomPolynomial,
    RandomRBF,
    RandomSigmoid,
)
from .samplers import KernelSampler, MedianGrid, MedianScale, resolve_kernels
from .stationary import RBF, Cauchy, GeneralizedExponential, Laplacian, Matern

__all__ = [
    "RBF",
    "Cauchy",
    "Constant",
    "GammaGrid",
    "GammaRange",
    "GeneralizedExponential",
    "Kernel",
    "KernelSampler",
    "Laplacian",
    "Linear",
    "Matern",
    "MeanDistance",
    "MeanSquaredDistance",
    "MedianGrid",
    "MedianScale",
    "Normalized",
    "OnColumns",
    "Polynomial",
    "Precomputed",
    "Product",
    "RandomPolynomial",
    "RandomRBF",
    "RandomSigmoid",
    "Scaled",
    "Sigmoid",
    "Sum",
    "evaluate",
    "resolve_kernels",
]
