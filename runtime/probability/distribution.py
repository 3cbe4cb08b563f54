"""`mindspore.nn.probability.distribution`."""

from .basis import Distribution
from .continuous import (
    Cauchy,
    Exponential,
    HalfNormal,
    Laplace,
    Logistic,
    Normal,
    StudentT,
    Uniform,
)
from .discrete import Bernoulli, Categorical, Geometric
from .transformed import Gumbel, LogNormal, TransformedDistribution

__all__ = [
    "Bernoulli",
    "Categorical",
    "Cauchy",
    "Distribution",
    "Exponential",
    "Geometric",
    "Gumbel",
    "HalfNormal",
    "Laplace",
    "LogNormal",
    "Logistic",
    "Normal",
    "StudentT",
    "TransformedDistribution",
    "Uniform",
]
