"""Random numbers whose parameters are Tensors: drawn on the host.

The first input is a word, drawn anew for every run, that the numbers are made of: so that a
compiled graph and PyNative give the same ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.dtype import Array
from ..engine.host import host


def generator(word: Array) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(int(word)))


@host("RandomPoisson")
def poisson(word: Array, rate: Array, *, shape: tuple[int, ...]) -> Array:
    """(*shape, *rate.shape) counts, in the type of `rate`; -1 where that is negative."""
    drawn = generator(word).poisson(np.maximum(rate, 0), (*shape, *rate.shape))
    return np.where(rate < 0, -1, drawn).astype(rate.dtype)


@host("RandomGamma")
def gamma(word: Array, alpha: Array, *, shape: tuple[int, ...]) -> Array:
    """(*shape, *alpha.shape) numbers of the standard gamma distribution."""
    drawn = generator(word).standard_gamma(alpha, (*shape, *alpha.shape))
    return np.asarray(drawn).astype(alpha.dtype)


@host("Multinomial")
def multinomial(word: Array, weights: Array, *, count: int) -> Array:
    """`count` places for each row of weights, with replacement."""
    sums = np.cumsum(weights.astype(np.float64), -1)
    drawn = generator(word).random((*weights.shape[:-1], count)) * sums[..., -1:]
    places = (drawn[..., None] >= sums[..., None, :]).sum(-1)
    return np.asarray(np.minimum(places, weights.shape[-1] - 1), np.int64)


@host("MultinomialWithoutReplacement")
def multinomial_without_replacement(word: Array, weights: Array, *, count: int) -> Array:
    """`count` different places for each row: the first arrivals at these rates."""
    times = generator(word).standard_exponential(weights.shape) / (weights + 1e-6)
    return np.argsort(times, -1)[..., :count]


@host("RandomChoiceWithMask", outputs=2)
def choice_with_mask(word: Array, mask: Array, *, count: int) -> tuple[Array, Array]:
    """`count` different places where `mask` is true, and which of them there are."""
    places = generator(word).permutation(np.argwhere(mask))[:count]
    found = np.zeros((count, mask.ndim), np.int32)
    found[: len(places)] = places
    return found, np.arange(count) < len(places)


@host("TruncatedNormal")
def truncated_normal(word: Array, low: Array, high: Array, *, shape: tuple[int, ...]) -> Array:
    """Standard normal numbers between `low` and `high`, which are broadcast to `shape`."""
    from scipy import special  # slow to import

    ends = [special.ndtr(np.asarray(end, np.float64)) for end in (low, high)]
    drawn = ends[0] + generator(word).random(shape) * (ends[1] - ends[0])
    return np.asarray(special.ndtri(drawn)).astype(low.dtype)


def sampled(
    rng: np.random.Generator, weights: Array, count: int, unique: bool, excluded: Array
) -> tuple[Array, int]:
    """`count` classes by their weights, and how many were tried: more if all must differ."""
    weights = weights.copy()
    weights[excluded[excluded < len(weights)]] = 0
    p = weights / weights.sum()
    if not unique:
        return rng.choice(len(p), count, p=p), count
    found: dict[int, None] = {}
    tried = 0
    while len(found) < count:
        for k in rng.choice(len(p), count, p=p).tolist():
            tried += len(found) < count
            found.setdefault(k)
    return np.array([*found][:count]), tried


@host("CandidateSampler", outputs=3)
def candidates(
    word: Array,
    true_classes: Array,
    *,
    count: int,
    unique: bool,
    size: int,
    log: bool,
    strict: bool,
) -> tuple[Array, Array, Array]:
    """Sampled classes, and how often the true and the sampled ones are to be expected.

    `log`: class k by log((k + 2) / (k + 1)), not all alike. `strict`: no true class is sampled.
    """
    k = np.arange(size)
    weights = np.log((k + 2) / (k + 1)) / np.log(size + 1) if log else np.full(size, 1 / size)
    excluded = true_classes.ravel().astype(np.int64) if strict else np.empty(0, np.int64)
    found, tried = sampled(generator(word), weights, count, unique, excluded)

    def expected(classes: Array) -> Array:
        p = weights[np.clip(classes.astype(np.int64), 0, size - 1)]
        often: Any = -np.expm1(tried * np.log1p(-p)) if log and unique else p * count
        return np.asarray(often).astype(np.float32)

    return found.astype(true_classes.dtype), expected(true_classes), expected(found)
