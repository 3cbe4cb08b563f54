"""Tensors: what NumPy says of indexing and assignment; construction; types."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.runtime.engine.dtype import DTYPES, as_dtype

ARRAY = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
MASK = ARRAY[:, :, 0] % 2 == 0

INDICES: list[Any] = [
    0, -3, (1, 2, 3), slice(None, None, -1), (slice(2, None, -2), ...), (..., slice(-2, None)),
    (None, ..., None), (slice(5, 9),), (slice(0, 0),), ([2, 0, 0],), (slice(None), [3, 1]),
    ([0, 1], [1, 2], [3, 4]), ([[0], [1]], [[2, 3]]), ([0, 1], slice(None), [1, 2]),
    (0, slice(None), [1, 2]), (slice(None), 1, [0, 2]), (None, [0, 1], None, slice(1, 3)),
    MASK, (slice(None), [True, False, True, False]), (MASK[:, 0],), (..., [0, -1]), True,
]  # fmt: skip


def as_index(index: Any) -> Any:
    """The index with its lists and arrays as Tensors."""
    if isinstance(index, tuple):
        return tuple(as_index(i) for i in index)
    return ms.Tensor(index) if isinstance(index, (list, np.ndarray)) else index


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indexing_is_numpys(index: Any) -> None:
    expected = ARRAY[np.asarray(index) if isinstance(index, list) else index]
    for given in (index, as_index(index)):
        got = ms.Tensor(ARRAY)[given].asnumpy()
        assert got.shape == expected.shape
        assert (got == expected).all()


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_assignment_is_numpys(index: Any) -> None:
    expected = ARRAY.copy()
    expected[index] = 7
    x = ms.Tensor(ARRAY)
    x[as_index(index)] = 7
    assert (x.asnumpy() == expected).all()
    assert ARRAY[0, 0, 1] == 1  # the source is left alone


def test_assignment_inside_a_graph() -> None:
    @ms.jit
    def change(x: Any, v: Any) -> Any:
        x[1:, 0] = v
        x[x > 50.0] = -1.0
        return x

    expected = ARRAY.copy()
    expected[1:, 0] = [1, 2, 3, 4, 5]
    expected[expected > 50] = -1
    x = ms.Tensor(ARRAY)
    assert (change(x, ms.Tensor([1.0, 2, 3, 4, 5])).asnumpy() == expected).all()


@pytest.mark.parametrize("index", [3, -4, (0, 4), (0, 0, 0, 0), "a"], ids=str)
def test_indices_that_do_not_fit(index: Any) -> None:
    with pytest.raises(IndexError):
        ms.Tensor(ARRAY)[index]


def test_iteration_and_truth() -> None:
    assert [row.shape for row in ms.Tensor(ARRAY)] == [(4, 5)] * 3
    assert 59.0 in ms.Tensor(ARRAY)
    assert not ms.Tensor([0.0])
    assert {ms.Tensor([1]): 1}
    with pytest.raises(ValueError, match="ambiguous"):
        bool(ms.Tensor([1, 2]))


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
def test_types_convert_there_and_back(dtype: Any) -> None:
    x = ms.Tensor(np.ones(3, dtype.numpy))
    assert x.dtype is dtype
    assert as_dtype(dtype.numpy) is dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert repr(dtype) == f"mindspore.{dtype.name}"


def test_types_without_a_counterpart_are_refused() -> None:
    for array in (np.array(["a"]), np.ones(2, ml_dtypes.float8_e4m3fn)):
        with pytest.raises(TypeError, match="MS304"):
            ms.Tensor(array)


def test_construction_copies_and_from_numpy_shares() -> None:
    array = np.zeros(2, np.float32)
    copied, shared = ms.Tensor(array), ms.Tensor.from_numpy(array)
    array[0] = 1
    assert copied.asnumpy().tolist() == [0, 0]
    assert shared.asnumpy().tolist() == [1, 0]
    twin = copy.deepcopy(shared)
    array[0] = 2
    assert twin.asnumpy().tolist() == [1, 0]


def test_unsigned_types_that_mindspore_does_not_promote_are_refused() -> None:
    x = ms.Tensor(np.ones(2, np.uint32))
    with pytest.raises(TypeError, match=r"(?s)MS304.*uint32 and int64"):
        _ = x + ms.Tensor([1, 2])
