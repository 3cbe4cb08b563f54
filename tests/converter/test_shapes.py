"""Arithmetic on sizes, named ones among them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from msconvert.converter.graph.graph import Dim
from msconvert.converter.graph.shapes import numbers, reshaped
from msconvert.converter.graph.sizes import product, quotient

QUOTIENTS: tuple[tuple[Sequence[Dim], Sequence[Dim], Dim], ...] = (
    ((2, 3), (), 6),
    ((), (), 1),
    ((6, 4), (8,), 3),
    ((7,), (2,), None),
    ((7,), (0,), None),
    (("n", 4), (), "4*n"),
    (("4*n",), (4,), "n"),
    (("4*n",), (2,), "2*n"),
    (("n",), (2,), None),
    (("n", "t"), ("t",), "n"),
    (("t", "n"), (), "n*t"),
    (("n", "n"), ("n",), "n"),
    (("n",), ("t",), None),
    ((None, 4), (4,), None),
    (("n + 1", 3), ("n + 1",), 3),
    (("2*n + 1",), (2,), None),
    ((0, "n"), (), 0),
)


@pytest.mark.parametrize(("above", "below", "result"), QUOTIENTS, ids=str)
def test_quotients(above: Sequence[Dim], below: Sequence[Dim], result: Dim) -> None:
    assert quotient(above, below) == result
    if not below:
        assert product(above) == result


RESHAPED: tuple[tuple[tuple[Dim, ...], Sequence[Dim], tuple[Dim, ...]], ...] = (
    ((2, 12), (0, -1, 4), (2, 3, 4)),
    (("n", 12), (0, -1, 4), ("n", 3, 4)),
    (("n", 12), (-1, 4), ("3*n", 4)),
    (("n", 12), (-1, 12), ("n", 12)),
    (("n", 5), (-1, 2), (None, 2)),
    ((None, 5), (-1, 5), (None, 5)),
    (("n", "t", 8), ("n", -1, 2), ("n", "4*t", 2)),
    ((2,), (0, 0), (2, None)),
    ((), (), ()),
)


@pytest.mark.parametrize(("before", "target", "after"), RESHAPED, ids=str)
def test_reshapes(before: tuple[Dim, ...], target: Sequence[Dim], after: tuple[Dim, ...]) -> None:
    assert reshaped(before, target) == after


def test_zero_may_mean_zero() -> None:
    assert reshaped((0, 3), (3, 0), allowzero=True) == (3, 0)


def test_only_known_numbers_that_fit_become_constants() -> None:
    def vector(*items: object) -> np.ndarray:
        return np.array(items, object)

    assert numbers(vector(2, "n")) is None
    assert numbers(vector(2, None)) is None
    assert numbers(vector(1 << 80)) is None
    assert numbers(vector(2, 3)).dtype == np.int64
    assert numbers(vector(True), np.dtype(bool)).dtype == bool
