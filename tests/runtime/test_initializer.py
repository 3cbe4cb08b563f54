"""Random initial weights: their distributions, and what decides them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.runtime import nn
from msconvert.runtime.engine import initializer as i

SHAPE = (200, 50, 2)
"""fan_in 100, fan_out 400"""
ROWS: list[tuple[i.Initializer, float, float]] = [
    (i.Normal(0.5, 2.0), 0.5, math.inf),
    (i.TruncatedNormal(0.5, a=-1.0, b=1.0), 0.5 * i.TRUNCATED, 1.0),
    (i.Uniform(0.3), 0.3 / math.sqrt(3), 0.3),
    (i.XavierUniform(2), 2 * math.sqrt(2 / 500), 2 * math.sqrt(6 / 500)),
    (i.XavierNormal(), math.sqrt(2 / 500), math.inf),
    (i.HeUniform(), math.sqrt(2 / 100), math.sqrt(6 / 100)),
    (i.HeUniform(math.sqrt(5)), math.sqrt(1 / 300), math.sqrt(1 / 100)),
    (i.HeNormal(mode="fan_out", nonlinearity="relu"), math.sqrt(2 / 400), math.inf),
    (i.VarianceScaling(2.0), math.sqrt(2 / 100), 2 * math.sqrt(2 / 100) / i.TRUNCATED),
    (i.VarianceScaling(2.0, "fan_avg", "uniform"), math.sqrt(2 / 250), math.sqrt(6 / 250)),
    (i.VarianceScaling(1.0, "fan_out", "untruncated_normal"), math.sqrt(1 / 400), math.inf),
]


@pytest.mark.parametrize(("init", "sigma", "bound"), ROWS, ids=lambda v: type(v).__name__)
def test_numbers_are_spread_as_they_should(init: Any, sigma: float, bound: float) -> None:
    ms.set_seed(0)
    drawn = i.initializer(init, SHAPE).asnumpy()
    mean = init.mean if isinstance(init, i.Normal) else 0.0
    assert drawn.dtype == np.float32
    assert abs(drawn.mean() - mean) < 0.03 * sigma
    assert drawn.std() == pytest.approx(sigma, rel=0.02)
    assert np.abs(drawn).max() <= bound + 1e-6
    if math.isfinite(bound):
        assert np.abs(drawn).max() > 0.9 * bound


def test_the_seed_decides_and_draws_differ() -> None:
    ms.set_seed(7)
    first = [i.initializer("normal", (3, 4)).asnumpy() for _ in range(2)]
    ms.set_seed(7)
    again = [i.initializer("normal", (3, 4)) for _ in range(2)]
    assert np.array_equal(again[1].asnumpy(), first[1])  # in whatever order they are needed
    assert np.array_equal(again[0].asnumpy(), first[0])
    assert not np.array_equal(*first)


class Halves(i.Initializer):
    """As users write them: a method that fills an array."""

    def _initialize(self, arr: Any) -> None:
        fan_in, _ = i._calculate_fan_in_and_fan_out(arr.shape)
        i._assignment(arr, np.full(arr.shape, 0.5 * fan_in))


def test_users_may_write_their_own() -> None:
    layer = nn.Dense(3, 2, Halves(), dtype=ms.float16)
    assert layer.weight.dtype is ms.float16
    assert set(layer.weight.asnumpy().ravel().tolist()) == {1.5}
    array = np.zeros((2, 2), np.float32)
    i.One()(array)
    assert array.min() == 1


def test_one_that_fills_nothing_says_so() -> None:
    with pytest.raises(NotImplementedError, match="Initializer defines no _initialize"):
        i.initializer(i.Initializer(), (2,))
