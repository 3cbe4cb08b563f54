"""NaN and infinity must be on both sides; what is finite tells how far arrays are apart."""

from __future__ import annotations

import math
from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from msconvert.converter.proof.difference import difference as of_outputs
from msconvert.numerics.distance import apart, finite_of
from msconvert.numerics.rounding import Allowance
from msconvert.troubleshooter.sides.child.messages import Leaf, Tensor
from msconvert.troubleshooter.verify.judgement import difference

NAN, INF = math.nan, math.inf


def by_distance(a: np.ndarray, b: np.ndarray) -> bool:
    return math.isfinite(apart(a, b))


def by_verify(a: np.ndarray, b: np.ndarray) -> bool:
    sides = [Leaf("y", Tensor(side.dtype.name, side)) for side in (b, a)]
    return not difference(*sides, Allowance(), 0.0).problem


def by_conversion(a: np.ndarray, b: np.ndarray) -> bool:
    return math.isfinite(of_outputs("y", "", a, b, 1e-4).absolute)


@pytest.mark.parametrize("judge", [by_distance, by_verify, by_conversion])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize(
    ("a", "b", "comparable"),
    [
        ([1, NAN], [2, NAN], True),
        ([INF, 1], [INF, 3], True),
        ([-INF, NAN, 1], [-INF, NAN, 1], True),
        ([1, 2], [3, 4], True),
        ([NAN, 1], [1, NAN], False),
        ([1, NAN], [1, 1], False),
        ([1, 1], [1, NAN], False),
        ([INF, 1], [-INF, 1], False),
        ([INF, 1], [1e4, 1], False),
        ([1e4, 1], [INF, 1], False),
        ([NAN, 1], [INF, 1], False),
        ([INF, 1], [NAN, 1], False),
    ],
)
def test_what_is_not_finite_must_be_on_both_sides(
    a: list[float],
    b: list[float],
    comparable: bool,
    dtype: str,
    judge: Callable[[np.ndarray, np.ndarray], bool],
) -> None:
    assert judge(np.array(a, dtype), np.array(b, dtype)) is comparable


@pytest.mark.parametrize("dtype", ["float16", "float32", ml_dtypes.bfloat16, "int32", "bool"])
def test_the_finite_elements_are_given_flat_and_wide(dtype: object) -> None:
    a = np.array([[0, 1], [1, 0]], dtype)
    found = finite_of(a, a.T)
    assert found is not None
    assert [side.dtype for side in found] == [np.float64] * 2
    assert [side.tolist() for side in found] == [[0, 1, 1, 0]] * 2


def test_one_imaginary_side_is_seen() -> None:
    assert apart(np.array([1 + 1j]), np.array([1.0])) == 1.0
    assert apart(np.array([1.0]), np.array([1 + 0j])) == 0.0
    assert finite_of(np.array([complex(1, NAN)]), np.array([1.0])) is None


@pytest.mark.parametrize("shape", [(0,), (3, 0)])
def test_nothing_is_as_far_from_nothing_as_zero(shape: tuple[int, ...]) -> None:
    assert apart(np.empty(shape), np.empty(shape)) == 0.0
    assert apart(np.empty(shape), np.empty((1, 0, 2))) == INF
