"""Random numbers: reproducible under `mindspore.set_seed`, and equal in both modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine import context
from ..engine import dtype as dtypes
from ..engine import trace as tracing
from ..engine.argument import check_int, check_range, check_type
from ..engine.dtype import Array, DType
from ..engine.element_types import REAL, SINGLE_DOUBLE, check_element_types, check_ranks
from ..engine.failure import ElementTypeError, RefusedError, ShapeError
from ..engine.promotion import as_tensor, constant
from ..engine.tape import detached
from ..engine.tensor import Tensor, wrap
from ..primitives import random as p
from ..primitives.activation import softmax
from .arithmetic import add, cast, div, equal, exp, less, log, mul, neg, sub
from .reduction import argmax
from .registry import op
from .shaping import broadcast_to, gather, reshape, sizes_of
from .state import stop_gradient

INTEGERS = (dtypes.int32, dtypes.int64)


def drawn(shape: tuple[int, ...], target: DType, make: Callable[[], Array]) -> Tensor:
    """A random Tensor; inside a graph it is drawn anew for every run."""
    trace = tracing.active()
    if trace is not None:
        return trace.source(shape, target.numpy, make)
    return wrap(np.asarray(make()).astype(target.numpy))


def source_of(seed: int | None) -> np.random.Generator:
    """The runtime's generator, or the one that belongs to `seed` since the last `set_seed`."""
    if seed is None:
        return context.generator
    check_int("random", "seed", seed, 0)
    return context.generator_of(seed)


def word(seed: int | None) -> Tensor:
    """What the primitives of `primitives/random.py` make their numbers of."""
    return drawn((), dtypes.int64, lambda: np.asarray(source_of(seed).integers(2**62)))


def shape_of(where: str, shape: Any) -> tuple[int, ...]:
    """A shape, given as a tuple or a Tensor. Raises: TypeError or ValueError (MS304)."""
    check_type(where, "shape", shape, tuple, Tensor)
    if isinstance(shape, Tensor):
        check_element_types(where, INTEGERS, shape)
        check_ranks(where, 1, 1, shape)
    sizes = sizes_of(shape)
    for size in sizes:
        check_range(where, "shape", size, 0)
    return sizes


def shape_given(where: str, shape: Any) -> tuple[int, ...]:
    """As `shape_of`, but another thing than a shape raises a RuntimeError (MS304)."""
    of_numbers = isinstance(shape, Tensor) and shape.ndim == 1 and shape.dtype in INTEGERS
    if not isinstance(shape, tuple) and not of_numbers:
        raise RefusedError(where, "the shape must be a tuple, or a Tensor", got=repr(shape))
    return shape_of(where, shape)


def uniform_numbers(shape: tuple[int, ...], target: DType, seed: int | None) -> Tensor:
    return drawn(shape, target, lambda: source_of(seed).random(shape, dtype=np.float32))


def normal_numbers(shape: tuple[int, ...], target: DType, seed: int | None) -> Tensor:
    return drawn(shape, target, lambda: source_of(seed).standard_normal(shape, dtype=np.float32))


def float_type(where: str, dtype: DType | None, natural: DType) -> DType:
    """Raises: ValueError (MS304) for what is not of floats."""
    target = natural if dtype is None else dtype
    if target not in dtypes.FLOATS:
        raise ShapeError(where, "dtype must be of floats", got=str(target))
    return target


def sizes_given(where: str, size: tuple[Any, ...]) -> tuple[int, ...]:
    """`f(2, 3)`, `f((2, 3))` and, for one number, `f()`."""
    given = size[0] if len(size) == 1 else size if size else (1,)
    check_type(where, "size", given, int, tuple, list)
    sizes = (given,) if isinstance(given, int) else tuple(given)
    for n in sizes:
        check_int(where, "size", n, 0)
    return sizes


@op
def rand(*size: Any, dtype: DType | None = None, seed: int | None = None) -> Tensor:
    """Uniform in [0, 1)."""
    target = float_type("rand", dtype, dtypes.float32)
    return uniform_numbers(sizes_given("rand", size), target, seed)


@op
def randn(*size: Any, dtype: DType | None = None, seed: int | None = None) -> Tensor:
    """Normal, mean 0, variance 1."""
    target = float_type("randn", dtype, dtypes.float32)
    return normal_numbers(sizes_given("randn", size), target, seed)


@op
def rand_like(input: Tensor, seed: int | None = None, *, dtype: DType | None = None) -> Tensor:
    check_type("rand_like", "input", input, Tensor)
    return uniform_numbers(input.shape, float_type("rand_like", dtype, input.dtype), seed)


@op
def randn_like(input: Tensor, seed: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """In float32, whatever `input` is, unless `dtype` is given."""
    check_type("randn_like", "input", input, Tensor)
    return normal_numbers(input.shape, float_type("randn_like", dtype, dtypes.float32), seed)


def whole_numbers(
    where: str, shape: tuple[int, ...], low: Any, high: Any, target: DType, seed: int | None
) -> Tensor:
    """In [low, high). Raises: TypeError, ValueError or RuntimeError (MS304)."""
    if target not in dtypes.INTEGERS:
        raise ShapeError(where, "dtype must be of integers", got=str(target))
    check_type(where, "low", low, int)
    check_type(where, "high", high, int)
    if low >= high:
        raise RefusedError(where, "there is nothing between low and high", got=f"{low}, {high}")
    return drawn(shape, target, lambda: source_of(seed).integers(low, high, shape))


@op
def randint(
    low: int, high: int, size: Any, seed: int | None = None, *, dtype: DType | None = None
) -> Tensor:
    """Whole numbers in [low, high)."""
    if not isinstance(size, tuple):
        raise ShapeError("randint", "size must be a tuple", got=repr(size))
    target = dtypes.int64 if dtype is None else dtype
    return whole_numbers("randint", sizes_of(size), low, high, target, seed)


@op
def randint_like(
    input: Tensor, low: int, high: int, seed: int | None = None, *, dtype: DType | None = None
) -> Tensor:
    check_type("randint_like", "input", input, Tensor)
    target = input.dtype if dtype is None else dtype
    return whole_numbers("randint_like", input.shape, low, high, target, seed)


@op
def randperm(n: Any, seed: int = 0, offset: int = 0, dtype: DType = dtypes.int64) -> Tensor:
    """0 to n - 1 in a random order."""
    if isinstance(n, Tensor) and n.size == 1 and n.dtype in INTEGERS:
        n = n.item()
    check_int("randperm", "n", n, 1)
    check_int("randperm", "offset", offset, 0)
    own = None if seed == 0 and offset == 0 else (seed + offset) % 2**63
    return drawn((n,), dtype, lambda: source_of(own).permutation(n))


@op
def bernoulli(input: Tensor, p: Any = 0.5, seed: int | None = None) -> Tensor:
    """1 with probability `p`, else 0, in the shape and element type of `input`."""
    check_element_types("bernoulli", (dtypes.bool_, *dtypes.INTEGERS, *SINGLE_DOUBLE), input)
    limit = p if isinstance(p, Tensor) else Tensor([p])
    check_element_types("bernoulli", SINGLE_DOUBLE, limit)
    if limit.size != 1 and limit.shape != input.shape:
        raise ShapeError("bernoulli", "the shapes differ", got=f"{input.shape}, {limit.shape}")
    if not limit.is_traced and not ((limit.asnumpy() >= 0) & (limit.asnumpy() <= 1)).all():
        raise ShapeError("bernoulli", "p must be in [0, 1]", got=str(limit))
    limit = reshape(limit, ()) if limit.size == 1 else limit
    return cast(less(uniform_numbers(input.shape, limit.dtype, seed), detached(limit)), input.dtype)


@op
def standard_normal(shape: Any, seed: int | None = None) -> Tensor:
    return normal_numbers(shape_of("standard_normal", shape), dtypes.float32, seed)


def laplace_numbers(shape: tuple[int, ...], seed: int | None) -> Tensor:
    return drawn(shape, dtypes.float32, lambda: source_of(seed).laplace(size=shape))


@op
def standard_laplace(shape: Any, seed: int | None = None) -> Tensor:
    return laplace_numbers(shape_of("standard_laplace", shape), seed)


def moved(noise: Tensor, scale: Any, centre: Any) -> Tensor:
    return add(mul(noise, scale), centre)


@op
def normal(shape: Any, mean: Any, stddev: Any, seed: int | None = None) -> Tensor:
    """Normal numbers of the shape that `shape`, `mean` and `stddev` are broadcast to."""
    check_type("normal", "mean", mean, int, float, Tensor)
    check_type("normal", "stddev", stddev, int, float, Tensor)
    check_type("normal", "shape", shape, tuple)
    return moved(normal_numbers(shape_of("normal", shape), dtypes.float32, seed), stddev, mean)


@op
def laplace(shape: Any, mean: Tensor, lambda_param: Tensor, seed: int | None = None) -> Tensor:
    check_element_types("laplace", (dtypes.float32,), mean, lambda_param)
    check_type("laplace", "shape", shape, tuple)
    return moved(laplace_numbers(shape_of("laplace", shape), seed), lambda_param, mean)


@op
def uniform(
    shape: Any, minval: Tensor, maxval: Tensor, seed: int | None = None,
    dtype: DType = dtypes.float32,
) -> Tensor:  # fmt: skip
    """In [minval, maxval), real or, with dtype int32, whole."""
    check_type("uniform", "minval", minval, Tensor)
    check_type("uniform", "maxval", maxval, Tensor)
    if dtype not in (dtypes.int32, dtypes.float32):
        raise ElementTypeError("uniform", "dtype must be int32 or float32", got=str(dtype))
    check_element_types("uniform", (dtype,), minval, maxval)
    if dtype is dtypes.int32:
        return uniform_int(shape, minval, maxval, seed)
    noise = uniform_numbers(shape_given("uniform", shape), dtype, seed)
    return moved(noise, sub(maxval, minval), minval)


def uniform_int(shape: Any, minval: Tensor, maxval: Tensor, seed: int | None) -> Tensor:
    """Behind `P.UniformInt`. Raises: RuntimeError (MS304) if there is nothing in between."""
    check_element_types("UniformInt", (dtypes.int32,), minval, maxval)
    check_ranks("UniformInt", 0, 0, minval, maxval)
    sizes, limits = shape_given("UniformInt", shape), (minval, maxval)
    if not any(x.is_traced for x in limits):
        low, high = (x.item() for x in limits)
        return whole_numbers("UniformInt", sizes, low, high, dtypes.int32, seed)
    noise = uniform_numbers(sizes, dtypes.float64, seed)
    span = cast(sub(maxval, minval), dtypes.float64)
    return add(cast(mul(noise, span), dtypes.int32), minval)


def poisson_numbers(shape: Any, rate: Any, seed: int | None, target: DType) -> Tensor:
    mean = detached(as_tensor(rate))
    check_element_types("random_poisson", (*REAL, *INTEGERS), mean)
    made = p.poisson(word(seed), mean, shape=shape_of("random_poisson", shape))
    return cast(made, target)


@op
def random_poisson(
    shape: Tensor, rate: Any, seed: int | None = None, dtype: DType = dtypes.float32
) -> Tensor:
    """(*shape, *rate.shape) counts of mean `rate`."""
    check_element_types("random_poisson", INTEGERS, shape)
    return poisson_numbers(shape, rate, seed, dtype)


@op
def poisson(shape: Any, mean: Tensor, seed: int | None = None) -> Tensor:
    """`shape` counts, to which `mean` is broadcast."""
    sizes = np.broadcast_shapes(shape_of("poisson", shape), mean.shape)
    return poisson_numbers((), broadcast_to(mean, sizes), seed, dtypes.int32)


@op
def random_gamma(shape: Tensor, alpha: Tensor, seed: int | None = None) -> Tensor:
    """(*shape, *alpha.shape) numbers of the gamma distribution."""
    check_element_types("random_gamma", INTEGERS, shape)
    check_element_types("random_gamma", REAL, alpha)
    return p.gamma(word(seed), detached(alpha), shape=shape_of("random_gamma", shape))


@op
def gamma(shape: Any, alpha: Tensor, beta: Tensor, seed: int | None = None) -> Tensor:
    """(*shape, *alpha.shape) numbers of the gamma distribution with the rate `beta`."""
    check_element_types("gamma", (dtypes.float32,), alpha, beta)
    sizes = np.broadcast_shapes(alpha.shape, beta.shape)
    a = detached(broadcast_to(alpha, sizes))
    return div(p.gamma(word(seed), a, shape=shape_of("gamma", shape)), beta)


@op
def multinomial(
    input: Tensor, num_samples: int, replacement: bool = True, seed: int | None = None
) -> Tensor:
    """`num_samples` places for each row of weights, as int32."""
    check_type("multinomial", "input", input, Tensor)
    check_ranks("multinomial", 1, 2, input)
    check_element_types("multinomial", REAL, input)
    check_int("multinomial", "num_samples", num_samples, 0)
    if not replacement and input.shape[-1] < num_samples:
        raise ShapeError("multinomial", "not so many without replacement", got=str(num_samples))
    draw = p.multinomial if replacement else p.multinomial_without_replacement
    return cast(draw(word(seed), detached(input), count=num_samples), dtypes.int32)


@op
def multinomial_with_replacement(
    x: Tensor, seed: Any, offset: Any, numsamples: int, replacement: bool = False
) -> Tensor:
    """`numsamples` places for each row of weights, as int64."""
    for name, given in (("seed", seed), ("offset", offset)):
        check_type("multinomial_with_replacement", name, given, int, Tensor)
        if isinstance(given, Tensor):
            check_element_types("multinomial_with_replacement", INTEGERS, given)
    check_element_types("multinomial_with_replacement", REAL, x)
    check_ranks("multinomial_with_replacement", 1, 2, x)
    check_int("multinomial_with_replacement", "numsamples", numsamples, 1)
    if not replacement and numsamples > x.shape[-1]:
        where = "multinomial_with_replacement"
        raise ShapeError(where, "not so many without replacement", got=str(numsamples))
    own = (int(as_tensor(seed).item()) + int(as_tensor(offset).item())) % 2**63
    draw = p.multinomial if replacement else p.multinomial_without_replacement
    return draw(word(own if own else None), detached(x), count=numsamples)


@op
def random_categorical(
    logits: Tensor, num_sample: int, seed: int = 0, dtype: DType = dtypes.int64
) -> Tensor:
    """`num_sample` places for each row of logarithms of weights."""
    check_element_types("random_categorical", REAL, logits)
    check_ranks("random_categorical", 2, 2, logits)
    check_int("random_categorical", "num_sample", num_sample, 1)
    if dtype not in (dtypes.int16, *INTEGERS):
        raise ElementTypeError("random_categorical", "dtype must be of integers", got=str(dtype))
    weights = detached(softmax(logits, axis=-1))
    own = seed % 2**63 if seed else None
    return cast(p.multinomial(word(own), weights, count=num_sample), dtype)


@op
def shuffle(x: Tensor, seed: int | None = None) -> Tensor:
    """`x` with its first axis in a random order."""
    check_type("shuffle", "x", x, Tensor)
    if not x.ndim:
        return x
    n = x.shape[0]
    return gather(x, drawn((n,), dtypes.int64, lambda: source_of(seed).permutation(n)), 0)


@op
def choice_with_mask(
    input_x: Tensor, count: int = 256, seed: int | None = None
) -> tuple[Tensor, Tensor]:
    """`count` places where `input_x` is true, and which of them are there."""
    check_element_types("choice_with_mask", (dtypes.bool_,), input_x)
    check_ranks("choice_with_mask", 1, 5, input_x)
    check_int("choice_with_mask", "count", count, 1)
    places, there = p.choice_with_mask(word(seed), input_x, count=count)
    return places, there


@op
def gumbel_softmax(logits: Tensor, tau: float = 1.0, hard: bool = False, dim: int = -1) -> Tensor:
    """The softmax of `logits` with Gumbel noise; `hard`: 1 at the largest, with its gradient."""
    check_type("gumbel_softmax", "logits", logits, Tensor)
    check_ranks("gumbel_softmax", 1, None, logits)
    check_element_types("gumbel_softmax", REAL[:2], logits)
    check_range("gumbel_softmax", "tau", check_type("gumbel_softmax", "tau", tau, float), 0,
                ends="neither")  # fmt: skip
    check_type("gumbel_softmax", "hard", hard, bool)
    check_int("gumbel_softmax", "dim", dim)
    check_range("gumbel_softmax", "dim", dim, -1 if hard else -logits.ndim, logits.ndim, "left")
    tiny = float(np.finfo(np.float32).tiny)
    noise = add(mul(uniform_numbers(logits.shape, dtypes.float32, None), 1 - 2e-7), tiny)
    gumbel = cast(neg(log(neg(log(noise)))), logits.dtype)
    soft = softmax(div(add(logits, gumbel), tau), axis=dim)
    return add(stop_gradient(sub(largest(soft, dim), soft)), soft) if hard else soft


def largest(x: Tensor, axis: int) -> Tensor:
    """1 where the largest element along `axis` is, else 0."""
    at = argmax(x, axis, True)
    sizes = [1] * x.ndim
    sizes[axis] = x.shape[axis]
    places = reshape(constant(np.arange(x.shape[axis])), sizes)
    return cast(equal(places, at), x.dtype)


def sampler(
    where: str, classes: Tensor, num_true: int, count: int, unique: bool, size: int, seed: int,
    log: bool, strict: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Candidates for a sampled loss, behind both samplers."""
    check_element_types(where, INTEGERS, classes)
    check_ranks(where, 2, 2, classes)
    for name, value in (("num_true", num_true), ("num_sampled", count), ("range_max", size)):
        check_int(where, name, value, 1)
    check_type(where, "unique", unique, bool)
    if classes.shape[1] != num_true:
        raise ShapeError(where, "num_true is not the second size", got=str(classes.shape))
    if unique and count > size:
        raise ShapeError(where, "not so many different classes", got=f"{count} of {size}")
    found, expected, of_sampled = p.candidates(
        word(seed if seed else None), classes, count=count, unique=unique, size=size, log=log,
        strict=strict,
    )  # fmt: skip
    return found, expected, of_sampled


@op
def uniform_candidate_sampler(
    true_classes: Tensor, num_true: int, num_sampled: int, unique: bool, range_max: int,
    seed: int = 0, remove_accidental_hits: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Classes of [0, range_max), and how often the true and the sampled ones are expected."""
    where = "uniform_candidate_sampler"
    return sampler(where, true_classes, num_true, num_sampled, unique, range_max, seed, False,
                   remove_accidental_hits)  # fmt: skip


@op
def log_uniform_candidate_sampler(
    true_classes: Tensor, num_true: int = 1, num_sampled: int = 5, unique: bool = True,
    range_max: int = 5, seed: int = 0,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """As `uniform_candidate_sampler`, but small classes come more often."""
    where = "log_uniform_candidate_sampler"
    return sampler(where, true_classes, num_true, num_sampled, unique, range_max, seed, True)


def log_normal(input: Tensor, mean: float = 1.0, std: float = 2.0) -> Tensor:
    """Numbers whose logarithms are normal, in the shape and type of `input`."""
    check_element_types("log_normal", REAL, input)
    noise = normal_numbers(input.shape, dtypes.float32, None)
    return cast(exp(moved(noise, float(std), float(mean))), input.dtype)


def cauchy(input: Tensor, median: float = 0.0, sigma: float = 1.0) -> Tensor:
    """Numbers of Cauchy's distribution in the shape of `input`, as float32."""
    return cauchy_numbers(input.shape, median, sigma)


def cauchy_numbers(shape: tuple[int, ...], median: float, sigma: float) -> Tensor:
    check_type("Cauchy", "median", median, float)
    check_type("Cauchy", "sigma", sigma, float)
    make = lambda: source_of(None).standard_cauchy(shape) * sigma + median  # noqa: E731
    return drawn(shape, dtypes.float32, make)


def truncated_normal(shape: Any, low: Tensor, high: Tensor, seed: int | None) -> Tensor:
    """Standard normal numbers between two bounds."""
    return p.truncated_normal(
        word(seed), detached(low), detached(high), shape=shape_of("TruncatedNormal", shape)
    )
