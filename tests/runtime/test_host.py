"""Host primitives and complex numbers: the functions of NumPy, in both modes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.runtime import ops
from msconvert.runtime.engine.failure import ShapeError
from msconvert.runtime.engine.host import HostPrimitive, host
from msconvert.runtime.engine.primitive import REGISTRY

X = np.array([[2.0, 0.5], [0.5, 1.0]], np.float32)
Z = np.array([1 + 2j, 3 - 1j], np.complex64)


@pytest.fixture
def made() -> Iterator[Callable[..., HostPrimitive]]:
    """`host`, whose primitives are gone after the test."""
    before = set(REGISTRY)
    yield host
    for name in REGISTRY.keys() - before:
        del REGISTRY[name]


def modes(function: Callable[..., Any], *arrays: np.ndarray) -> list[Any]:
    """What `function` gives in PyNative and in graph mode."""
    inputs = [ms.Tensor(a) for a in arrays]
    return [function(*inputs), ms.jit(function)(*inputs)]


def test_a_function_runs_between_two_sessions(made: Any) -> None:
    inverse = made("TestInverse")(np.linalg.inv)
    for y in modes(lambda x: ops.relu(inverse(x * 2) + 1) @ inverse(x), X):
        inner = np.maximum(np.linalg.inv(X * 2) + 1, 0)
        np.testing.assert_allclose(y.asnumpy(), inner @ np.linalg.inv(X), rtol=1e-5)


def test_parameters_are_read_and_assigned_around_it(made: Any) -> None:
    sine = made("TestSine")(np.sin)
    w = ms.Parameter(ms.Tensor(X), name="w")

    @ms.jit
    def step(x: ms.Tensor) -> ms.Tensor:
        ops.assign(w, sine(w + x))
        return w * 2

    first, second = step(ms.Tensor(X)), step(ms.Tensor(X))
    np.testing.assert_allclose(first.asnumpy(), 2 * np.sin(2 * X), rtol=1e-6)
    np.testing.assert_allclose(second.asnumpy(), 2 * np.sin(np.sin(2 * X) + X), rtol=1e-6)


def test_sizes_that_the_data_decide(made: Any) -> None:
    unique = made("TestUnique", outputs=2, dynamic=(0,))(
        lambda x: np.unique(x, return_inverse=True)
    )
    for y, k in modes(lambda x: unique(ops.abs(x)), np.array([3, -3, 1], np.int32)):
        assert (y.asnumpy().tolist(), k.asnumpy().tolist()) == ([1, 3], [1, 1, 0])


def test_its_vjp_is_used_to_any_order(made: Any) -> None:
    cube = made("TestCube")(lambda x: x**3)
    cube.vjp(lambda g, y, x: g * 3 * x * x)
    second = ms.grad(lambda x: ms.grad(lambda v: cube(v).sum())(x).sum())
    for y in modes(second, X):
        np.testing.assert_allclose(y.asnumpy(), 6 * X, rtol=1e-6)


@pytest.mark.parametrize("narrow", [ms.float16, ms.bfloat16])
def test_narrow_floats_stay_narrow(made: Any, narrow: Any) -> None:
    inverse = made("TestInverse")(np.linalg.inv)
    y = inverse(ms.Tensor(X).astype(narrow))
    assert y.dtype is narrow
    np.testing.assert_allclose(
        y.astype(ms.float32).asnumpy(), np.linalg.inv(X), rtol=1e-2, atol=1e-2
    )


def test_a_refusal_names_the_primitive(made: Any) -> None:
    inverse = made("TestInverse")(np.linalg.inv)
    with pytest.raises(ShapeError, match=r"MS304 TestInverse: .*\n.*float32\[2\]"):
        inverse(ms.Tensor(X[0]))


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda z: z * z + 1, Z * Z + 1),
        (ops.abs, np.abs(Z).astype(Z.dtype)),
        (lambda z: ops.concat((z, z[1:])), np.concatenate((Z, Z[1:]))),
        (lambda z: z, Z),
    ],
)
def test_complex_numbers(function: Any, expected: np.ndarray) -> None:
    for y in modes(function, Z):
        assert y.asnumpy().dtype == expected.dtype
        np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0, [0.25, 0.5]])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_quantiles_as_numpys(share: Any, axis: int | None) -> None:
    x = np.random.RandomState(0).rand(3, 4, 5).astype(np.float32)
    x[0, 1, 2] = np.nan
    q = ms.Tensor(np.array(share, np.float32)) if isinstance(share, list) else share
    for function, oracle in ((ops.quantile, np.quantile), (ops.nanquantile, np.nanquantile)):
        expected = oracle(x, share, axis=axis, keepdims=True)
        for y in (function(ms.Tensor(x), q, axis, True),
                  ms.jit(lambda x, f=function: f(x, q, axis, True))(ms.Tensor(x))):  # fmt: skip
            np.testing.assert_allclose(y.asnumpy(), expected, atol=1e-6)


@pytest.mark.parametrize("number", [np.inf, np.nan])
@pytest.mark.parametrize("op", ["svd", "pinv", "eigh", "eigvals", "matrix_norm"])
def test_matrices_that_lapack_never_ends_with_are_refused(op: str, number: float) -> None:
    x = np.eye(3, dtype=np.float32)
    x[1, 0] = -number
    settings = {"ord": "nuc"} if op == "matrix_norm" else {}
    with pytest.raises(RuntimeError, match=r"MS304 .*NaN or infinities"):
        getattr(ops, op)(ms.Tensor(x), **settings)


@pytest.mark.parametrize("op", ["svd", "qr", "eigh"])
def test_decompositions_have_no_gradient_of_complex_numbers(op: str) -> None:
    x = ms.Tensor(np.eye(3).astype(np.complex64))
    with pytest.raises(RuntimeError, match="MS307"):
        ms.grad(lambda x: ops.real(getattr(ops, op)(x)[0]).sum())(x)


OF_COMPLEX: list[Callable[[Any], Any]] = [
    ops.det, ops.inverse, ops.matrix_exp, lambda x: ops.slogdet(x)[1], ops.abs, ops.conj,
    ops.reciprocal, ops.tanh, ops.acos, ops.acosh, ops.rsqrt, ops.sinc, ops.exp2, ops.expm1,
    ops.norm,
    lambda x: x * (1 + 2j), lambda x: x**3, lambda x: ops.pow(x, x), lambda x: x.prod(1),
    lambda x: x.mean(1) ** 2, lambda x: x @ x.T, lambda x: ops.fft(x) ** 2, ops.adjoint,
    lambda x: ops.concat((x, x * x)), lambda x: ops.where(ops.real(x) > 0.5, x * x, x),
    lambda x: ops.einsum("ij,kj->ik", x, x), lambda x: ops.vecdot(x, x * 2), lambda x: x[1] * x[0],
]  # fmt: skip


@pytest.mark.parametrize("function", OF_COMPLEX)
def test_gradients_of_complex_numbers(function: Callable[[Any], Any]) -> None:
    """Against differences in the real and in the imaginary direction."""
    state = np.random.RandomState(1)
    x = state.rand(3, 3) + 1j * state.rand(3, 3)

    def loss(x: Any) -> Any:
        y = function(x)
        return (ops.real(y) + ops.imag(y) * 2).sum()

    found = ms.grad(loss)(ms.Tensor(x)).asnumpy()
    for place in ((0, 0), (1, 2)):
        parts = []
        for step in (1e-6, 1e-6j):
            moved = np.zeros((3, 3), complex)
            moved[place] = step
            ends = [loss(ms.Tensor(x + k * moved)).asnumpy() for k in (1, -1)]
            parts.append((ends[0] - ends[1]) / 2e-6)
        assert abs(found[place] - (parts[0] + 1j * parts[1])) < 1e-4
