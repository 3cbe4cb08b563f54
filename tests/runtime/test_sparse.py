"""Sparse matrices against dense ones; what MindSpore's CPU package computes is in the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.runtime import ops

RNG = np.random.default_rng(3)
DENSE = np.where(RNG.random((4, 5)) < 0.5, RNG.standard_normal((4, 5)), 0).astype(np.float32)
OTHER = np.where(RNG.random((5, 3)) < 0.5, RNG.standard_normal((5, 3)), 0).astype(np.float32)


def csr(array: np.ndarray = DENSE) -> ms.CSRTensor:
    return ms.Tensor(array).to_csr()


def coo(array: np.ndarray = DENSE) -> ms.COOTensor:
    return ms.Tensor(array).to_coo()


FULL = RNG.standard_normal((4, 5)).astype(np.float32) + 3
SAME: dict[str, tuple[Callable[[], Any], np.ndarray]] = {
    "coo to csr": (lambda: coo().to_csr().to_dense(), DENSE),
    "csr to coo": (lambda: csr().to_coo().to_dense(), DENSE),
    "times": (lambda: (csr() * ms.Tensor(FULL)).to_dense(), DENSE * FULL),
    "by": (lambda: (csr() / ms.Tensor(FULL)).to_dense(), DENSE / FULL),
    "times a row": (lambda: ops.csr_mul(csr(), ms.Tensor(FULL[:1])).to_dense(), DENSE * FULL[:1]),
    "mv": (lambda: csr().mv(ms.Tensor(OTHER[:, :1])), DENSE @ OTHER[:, :1]),
    "mm with dense": (lambda: csr().mm(ms.Tensor(OTHER)), DENSE @ OTHER),
    "mm with csr": (lambda: csr().mm(csr(OTHER)).to_dense(), DENSE @ OTHER),
    "csr_mm": (lambda: ops.csr_mm(csr(), csr(OTHER)).to_dense(), DENSE @ OTHER),
    "csr_mm, left": (lambda: ops.csr_mm(csr(), csr(FULL), trans_a=True).to_dense(), DENSE.T @ FULL),
    "csr_mm, right": (
        lambda: ops.csr_mm(csr(), csr(FULL), adjoint_b=True).to_dense(),
        DENSE @ FULL.T,
    ),
    "sum": (lambda: csr().sum(1), DENSE.sum(1, keepdims=True)),
    "coo2csr": (lambda: ops.coo2csr(ms.Tensor([0, 0, 2], ms.int32), 4), np.array([0, 2, 2, 3, 3])),
    "csr2coo": (lambda: ops.csr2coo(ms.Tensor([0, 2, 2, 3, 3]), 3), np.array([0, 0, 2])),
    "gather": (
        lambda: ops.csr_gather(csr().indptr, csr().indices, ms.Tensor(FULL), (4, 5)),
        FULL[DENSE != 0],
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_as_with_dense_matrices(name: str) -> None:
    made, expected = SAME[name]
    np.testing.assert_allclose(made().asnumpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("make", [coo, csr])
def test_graphs_take_and_give_them(make: Callable[[], Any]) -> None:
    kind = type(make()).__name__.lower()[:3]
    function = ms.jit(lambda x: (getattr(ops, f"{kind}_sin")(x), x.to_dense(), x.shape))
    made, dense, shape = function(make())
    assert type(made) is type(make())
    assert shape == (4, 5)
    np.testing.assert_allclose(made.to_dense().asnumpy(), np.sin(DENSE), rtol=1e-5)
    np.testing.assert_allclose(dense.asnumpy(), DENSE)


def test_graphs_make_them() -> None:
    places = ms.Tensor(np.argwhere(DENSE != 0))
    values = ms.Tensor(DENSE[DENSE != 0])
    made = ms.jit(lambda i, v: ms.COOTensor(i, v * 2, (4, 5)))(places, values)
    np.testing.assert_allclose(made.to_dense().asnumpy(), 2 * DENSE)


@pytest.mark.parametrize("graph", [False, True])
def test_gradients_are_those_of_dense_matrices(graph: bool) -> None:
    start = csr()

    def loss(values: Any, dense: Any) -> Any:
        return (ms.CSRTensor(start.indptr, start.indices, values, (4, 5)).mm(dense) ** 2).sum()

    found = ms.grad(loss, (0, 1))
    g_values, g_dense = (ms.jit(found) if graph else found)(start.values, ms.Tensor(OTHER))
    g = 2 * DENSE @ OTHER
    np.testing.assert_allclose(g_values.asnumpy(), (g @ OTHER.T)[DENSE != 0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(g_dense.asnumpy(), DENSE.T @ g, rtol=1e-4, atol=1e-5)


def test_the_gradient_of_a_sparse_matrix_is_that_of_its_values() -> None:
    found = ms.grad(lambda x: (x.values * x.values).sum())(coo())
    np.testing.assert_allclose(found.asnumpy(), 2 * DENSE[DENSE != 0], rtol=1e-6)


def test_older_names() -> None:
    row = ms.RowTensor(ms.Tensor([1]), ms.Tensor([[1.0, 2.0]]), (3, 2))
    assert (row.dense_shape, row.indices.asnumpy().tolist()) == ((3, 2), [1])
    old = ms.SparseTensor(ms.Tensor([[0, 1]]), ms.Tensor([5.0]), (2, 2))
    assert old.to_dense().asnumpy().tolist() == [[0, 5], [0, 0]]
    assert ops.coo_tensor_get_dense_shape(old) == (2, 2)
    assert ops.csr_tensor_get_indptr(csr()).shape == (5,)


def test_what_does_not_fit_is_named() -> None:
    with pytest.raises(ValueError, match=r"(?s)MS304 CSRTensor.mm.*\(4, 5\) and \(4, 5\)"):
        csr().mm(ms.Tensor(FULL))
    with pytest.raises(ValueError, match=r"MS304 CSRTensor\.sum: the axis must be 1"):
        csr().sum(0)
    with pytest.raises(TypeError, match="MS304 coo_add: 'indices' must be int64"):
        coo() + coo()
