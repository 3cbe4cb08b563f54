"""Random numbers: their moments, and the same ones for the same seed in both modes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.runtime import mint, ops
from msconvert.runtime import operations as P

N = 20000
SIZE = ms.Tensor([N])
TWO_SIZES = ms.Tensor([N, 1])


def T(*numbers: float) -> ms.Tensor:  # as short as in the rows
    return ms.Tensor(np.array(numbers[0] if len(numbers) == 1 else numbers, np.float32))


MOMENTS: dict[str, tuple[Callable[[], Any], float, float]] = {
    "rand": (lambda: ops.rand(N), 0.5, 1 / 12),
    "randn": (lambda: ops.randn(N), 0, 1),
    "mint.bernoulli": (lambda: mint.bernoulli(ops.full((N,), 0.3, dtype=ms.float32)), 0.3, 0.21),
    "mint.multinomial": (lambda: mint.multinomial(T(1, 3), N, True), 0.75, 3 / 16),
    "mint.normal": (lambda: mint.normal(ops.full((N,), 2.0, dtype=ms.float32), 3.0), 2, 9),
    "mint.normal of a size": (lambda: mint.normal(1.0, 2.0, [N]), 1, 4),
    "mint.randint": (lambda: mint.randint(5, [N]), 2, 2),
    "mint.randint from low": (lambda: mint.randint(1, 6, (N,)), 3, 2),
    "standard_normal": (lambda: ops.standard_normal((N,)), 0, 1),
    "standard_laplace": (lambda: ops.standard_laplace((N,)), 0, 2),
    "normal": (lambda: ops.normal((N,), 3.0, 2.0), 3, 4),
    "laplace": (lambda: ops.laplace((N,), T(1.0), T(0.5)), 1, 0.5),
    "uniform": (lambda: ops.uniform((N,), T(2.0), T(4.0)), 3, 1 / 3),
    "uniform int": (lambda: ops.randint(0, 5, (N,)), 2, 2),
    "UniformInt": (lambda: P.UniformInt()((N,), *map(int32, (1, 4))), 2, 2 / 3),
    "bernoulli": (lambda: ops.bernoulli(ops.zeros((N,)), 0.3), 0.3, 0.21),
    "bernoulli p": (lambda: ops.bernoulli(ops.zeros((N,)), ops.full((N,), 0.8)), 0.8, 0.16),
    "random_poisson": (lambda: ops.random_poisson(SIZE, T(4.0)), 4, 4),
    "random_gamma": (lambda: ops.random_gamma(SIZE, T(3.0)), 3, 3),
    "gamma": (lambda: ops.gamma((N,), T(3.0), T(2.0)), 1.5, 0.75),
    "poisson": (lambda: ops.poisson((N,), T(2.5)), 2.5, 2.5),
    "multinomial": (lambda: ops.multinomial(T(1.0, 0.0, 3.0), N), 1.5, 0.75),
    "categorical": (
        lambda: ops.random_categorical(ops.log(T(1.0, 1.0)).reshape(1, 2), N), 0.5, 0.25),
    "TruncatedNormal": (lambda: P.TruncatedNormal()(TWO_SIZES), 0, 0.774),
    "ParameterizedTruncatedNormal": (
        lambda: P.ParameterizedTruncatedNormal()(SIZE, T([1.0]), T([2.0]), T([1.0]), T([1e9])),
        1 + 2 * math.sqrt(2 / math.pi), 4 * (1 - 2 / math.pi)),
    "log_normal": (lambda: ops.log(ops.zeros((N,)).log_normal(1.0, 0.5)), 1, 0.25),
    "cauchy": (lambda: ops.atan(ops.zeros((N,)).cauchy(0.0, 1.0)), 0, math.pi**2 / 12),
    "gumbel_softmax": (lambda: ops.gumbel_softmax(ops.zeros((N, 2)), hard=True)[:, 0], 0.5, 0.25),
    "dropout": (lambda: ops.dropout(ops.ones((N,)), 0.25), 1, 1 / 3),
    "randperm": (lambda: ops.randperm(N) / N, 0.5, 1 / 12),
    "shuffle": (lambda: (ops.shuffle(ops.arange(N)) > ops.arange(N)).float(), 0.5, 0.25),
}  # fmt: skip
"""What is drawn, its mean and its variance."""


def int32(n: int) -> ms.Tensor:
    return ms.Tensor(n, ms.int32)


def drawn(name: str) -> np.ndarray:
    y: np.ndarray = MOMENTS[name][0]().asnumpy().astype(np.float64)
    return y


@pytest.mark.parametrize("name", MOMENTS)
def test_moments(name: str) -> None:
    ms.set_seed(1)
    y, (_, mean, variance) = drawn(name), MOMENTS[name]
    assert abs(y.mean() - mean) < 5 * math.sqrt(variance / N)
    assert abs(y.var() - variance) < 0.1 * variance


@pytest.mark.parametrize("name", MOMENTS)
def test_the_seed_decides_in_both_modes(name: str) -> None:
    draw = MOMENTS[name][0]
    ms.set_seed(3)
    first, second = drawn(name), drawn(name)
    assert not np.array_equal(first, second)
    for function in (draw, ms.jit(draw)):
        ms.set_seed(3)
        for expected in (first, second):
            np.testing.assert_allclose(function().asnumpy().astype(np.float64), expected, rtol=1e-5)


def test_an_operators_own_seed() -> None:
    """It goes on from call to call, and starts anew with `set_seed`."""

    def draw() -> list[list[float]]:
        ms.set_seed(5)
        return [ops.rand(3, seed=s).asnumpy().tolist() for s in (1, 1, 2)]

    found = draw()
    assert found == draw()
    assert found[0] != found[1]
    assert found[0] != found[2]


def test_candidates_are_expected_as_often_as_they_come() -> None:
    ms.set_seed(2)
    classes = ms.Tensor(np.arange(10).reshape(5, 2))
    found, true, of_sampled = ops.log_uniform_candidate_sampler(classes, 2, N, False, 10)
    counts = np.bincount(found.asnumpy(), minlength=10)
    np.testing.assert_allclose(counts, true.asnumpy().ravel(), rtol=0.1)
    np.testing.assert_allclose(of_sampled.asnumpy(), true.asnumpy().ravel()[found.asnumpy()])
    unique, *_ = ops.uniform_candidate_sampler(classes[:2, :], 2, 6, True, 10, 0, True)
    assert sorted(unique.asnumpy().tolist()) == [4, 5, 6, 7, 8, 9]


def test_chosen_places_are_true_and_differ() -> None:
    mask = ms.Tensor(np.eye(4, dtype=bool))
    places, there = ops.choice_with_mask(mask, 6)
    assert there.asnumpy().tolist() == [True] * 4 + [False] * 2
    assert sorted(map(tuple, places.asnumpy()[:4].tolist())) == [(k, k) for k in range(4)]
    assert places.asnumpy()[4:].max() == 0


def test_the_hard_gumbel_softmax_has_the_gradient_of_the_soft_one() -> None:
    x, w = ms.Tensor(np.array([[0.5, 1.0, 2.0]], np.float32)), T(1.0, 2.0, 4.0)
    found = []
    for hard in (False, True):
        ms.set_seed(1)
        found.append(ms.grad(lambda x, h=hard: (ops.gumbel_softmax(x, hard=h) * w).sum())(x))
    np.testing.assert_allclose(found[0].asnumpy(), found[1].asnumpy(), rtol=1e-5)


def test_the_state_of_the_generator() -> None:
    assert ms.manual_seed(13).initial_seed() == ms.initial_seed() == 13
    ops.rand(3)
    state = ms.get_rng_state()
    first = ops.rand(3).asnumpy().tolist()
    ms.seed()
    assert ms.initial_seed() != 13
    ms.set_rng_state(state)
    assert ops.rand(3).asnumpy().tolist() == first
    assert ms.initial_seed() == 13
    own = ms.Generator().manual_seed(-5)
    assert (own.initial_seed(), own.get_state().dtype) == (-5, ms.uint8)
    with pytest.raises(TypeError, match="MS304 manual_seed"):
        ms.manual_seed(5.0)
    with pytest.raises(RuntimeError, match="MS304 set_state"):
        ms.set_rng_state(ms.Tensor([1, 2]))
