"""Random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import ops
from ..engine import dtype as dtypes
from ..engine.element_types import REAL, check_element_types, check_ranks
from ..engine.failure import ShapeError
from ..ops import random
from .limits import FLOATS, NUMBERS, WHOLE, limits, seeded
from .operation import operation


def check_sampler(where: str) -> Callable[..., None]:
    """A check of the constructor of a sampler."""
    least = limits(where, num_true=1, num_sampled=1, range_max=1, seed=0)

    def check(**attrs: Any) -> None:
        least(**attrs)
        if attrs["unique"] and attrs["num_sampled"] > attrs["range_max"]:
            raise ShapeError(where, "not so many different classes", got=str(attrs["num_sampled"]))

    return check


def seed_of(seed: int, seed2: int) -> int | None:
    """One seed of MindSpore's two; None if both are 0."""
    return (seed + seed2) % 2**63 if seed or seed2 else None


@operation("StandardNormal", check=seeded("StandardNormal"))
def standard_normal(shape: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    return ops.standard_normal(shape, seed_of(seed, seed2))


@operation("StandardLaplace", check=seeded("StandardLaplace"))
def standard_laplace(shape: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    return ops.standard_laplace(shape, seed_of(seed, seed2))


@operation("UniformReal", check=seeded("UniformReal"))
def uniform_real(shape: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    sizes = random.shape_given("UniformReal", shape)
    return random.uniform_numbers(sizes, dtypes.float32, seed_of(seed, seed2))


@operation("UniformInt", check=seeded("UniformInt"))
def uniform_int(shape: Any, minval: Any, maxval: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    return random.uniform_int(shape, minval, maxval, seed_of(seed, seed2))


@operation("Gamma", check=seeded("Gamma"))
def gamma(shape: Any, alpha: Any, beta: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    return ops.gamma(shape, alpha, beta, seed_of(seed, seed2))


@operation("Poisson", check=seeded("Poisson"))
def poisson(shape: Any, mean: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    return ops.poisson(shape, mean, seed_of(seed, seed2))


@operation("RandomPoisson", check=limits("RandomPoisson", (*FLOATS, *WHOLE)))
def random_poisson(
    shape: Any, rate: Any, *, seed: int = 0, seed2: int = 0, dtype: Any = dtypes.int64
) -> Any:
    return ops.random_poisson(shape, rate, seed_of(seed, seed2), dtype)


@operation("RandomGamma", check=seeded("RandomGamma"))
def random_gamma(shape: Any, alpha: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    return ops.random_gamma(shape, alpha, seed_of(seed, seed2))


@operation("RandomShuffle", check=seeded("RandomShuffle"))
def random_shuffle(input_x: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    return ops.shuffle(input_x, seed_of(seed, seed2))


@operation("RandpermV2", check=limits("RandpermV2", NUMBERS))
def randperm(n: Any, *, seed: int = 0, offset: int = 0, dtype: Any = dtypes.int64) -> Any:
    return ops.randperm(n, seed, offset, dtype)


@operation("Randperm", check=limits("Randperm", NUMBERS, max_length=1))
def randperm_padded(
    n: Any, *, max_length: int = 1, pad: int = -1, dtype: Any = dtypes.int32
) -> Any:
    """0 to n - 1 in a random order, padded to `max_length`."""
    found = ops.randperm(n, dtype=dtype)
    if found.shape[0] > max_length:
        raise ShapeError("Randperm", "n is above max_length", got=f"{found.shape[0]}, {max_length}")
    return ops.concat((found, ops.full((max_length - found.shape[0],), pad, dtype=dtype)))


@operation("RandomChoiceWithMask", check=limits("RandomChoiceWithMask", count=1))
def random_choice_with_mask(
    input_x: Any, *, count: int = 256, seed: int = 0, seed2: int = 0
) -> Any:
    return ops.choice_with_mask(input_x, count, seed_of(seed, seed2))


@operation("RandomCategorical", check=limits("RandomCategorical", (dtypes.int16, *WHOLE)))
def random_categorical(
    logits: Any, num_sample: Any, seed: Any = 0, *, dtype: Any = dtypes.int64
) -> Any:
    return ops.random_categorical(logits, num_sample, seed, dtype)


@operation("Multinomial", check=seeded("Multinomial", WHOLE))
def multinomial(
    x: Any, num_samples: int, *, seed: int = 0, seed2: int = 0, dtype: Any = dtypes.int32
) -> Any:
    found = ops.multinomial(x, num_samples, True, seed_of(seed, seed2))
    return ops.cast(found, dtype)


@operation("MultinomialWithReplacement", check=limits("MultinomialWithReplacement", numsamples=0))
def multinomial_with_replacement(
    x: Any, seed: Any, offset: Any, *, numsamples: int, replacement: bool = False
) -> Any:
    return ops.multinomial_with_replacement(x, seed, offset, numsamples, replacement)


@operation("Bernoulli")
def bernoulli(x: Any, p: Any, *, seed: int = -1, offset: int = 0) -> Any:
    return ops.bernoulli(x, p, None if seed == -1 else (seed + offset) % 2**63)


@operation("Cauchy")
def cauchy(*, size: list[int], median: float = 0.0, sigma: float = 1.0) -> Any:
    return random.cauchy_numbers(tuple(size), median, sigma)


@operation("LogNormalReverse")
def log_normal_reverse(input: Any, *, mean: float = 1.0, std: float = 2.0) -> Any:
    return random.log_normal(input, mean, std)


@operation("TruncatedNormal", check=limits("TruncatedNormal", FLOATS))
def truncated_normal(
    shape: Any, *, dtype: Any = dtypes.float32, seed: int = 0, seed2: int = 0
) -> Any:
    """Standard normal numbers within two standard deviations."""
    check_element_types("TruncatedNormal", random.INTEGERS, shape)
    if shape.size < 2:
        raise ShapeError("TruncatedNormal", "needs two sizes or more", got=str(shape))
    low, high = (ops.full((), end, dtype=dtypes.float64) for end in (-2.0, 2.0))
    return ops.cast(random.truncated_normal(shape, low, high, seed_of(seed, seed2)), dtype)


@operation("ParameterizedTruncatedNormal")
def parameterized_truncated_normal(
    shape: Any, mean: Any, stdevs: Any, min: Any, max: Any, *, seed: int = 0, seed2: int = 0
) -> Any:
    """Normal numbers between `min` and `max`; parameters are one, or one for each of shape[0]."""
    where = "ParameterizedTruncatedNormal"
    check_element_types(where, REAL, mean, stdevs, min, max)
    sizes = random.shape_of(where, shape)
    column = (-1,) + (1,) * (len(sizes) - 1)
    for x in (mean, stdevs, min, max):
        check_ranks(where, 0, 1, x)
        if x.size not in (1, sizes[0]):
            raise ShapeError(where, "one parameter, or one for each row", got=str(x.shape))
    m, s, low, high = (ops.reshape(x, column) for x in (mean, stdevs, min, max))
    noise = random.truncated_normal(sizes, (low - m) / s, (high - m) / s, seed_of(seed, seed2))
    return noise * s + m


@operation("NonDeterministicInts", check=limits("NonDeterministicInts", WHOLE))
def non_deterministic_ints(shape: Any, *, dtype: Any = dtypes.int64) -> Any:
    check_element_types("NonDeterministicInts", random.INTEGERS, shape)
    sizes, limits = random.shape_of("NonDeterministicInts", shape), np.iinfo(dtype.numpy)
    low, high = int(limits.min), int(limits.max)
    return random.whole_numbers("NonDeterministicInts", sizes, low, high, dtype, None)


@operation("UniformCandidateSampler", check=check_sampler("UniformCandidateSampler"))
def uniform_candidate_sampler(
    true_classes: Any,
    *,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int = 0,
    remove_accidental_hits: bool = False,
) -> Any:
    return ops.uniform_candidate_sampler(
        true_classes, num_true, num_sampled, unique, range_max, seed, remove_accidental_hits
    )


@operation("LogUniformCandidateSampler", check=check_sampler("LogUniformCandidateSampler"))
def log_uniform_candidate_sampler(
    true_classes: Any,
    *,
    num_true: int = 1,
    num_sampled: int = 5,
    unique: bool = True,
    range_max: int = 5,
    seed: int = 0,
) -> Any:
    return ops.log_uniform_candidate_sampler(
        true_classes, num_true, num_sampled, unique, range_max, seed
    )
