"""The vjp of every primitive against finite differences; graph mode, and second order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.runtime.engine.compiler import jit
from msconvert.runtime.engine.gradient import grad
from msconvert.runtime.engine.primitive import REGISTRY
from msconvert.tests.runtime.gradient_rows import SAMPLES as OPERATORS
from msconvert.tests.runtime.gradient_rows import WITHOUT_NUMBERS, Sample
from msconvert.tests.runtime.host_gradient_rows import COMPOSED, HOST_SAMPLES

SAMPLES = [*OPERATORS, *HOST_SAMPLES]

STEP = {np.float64: 1e-6, np.float32: 1e-2}
"""Of central differences: small against the curvature, large against rounding."""
ROUNDING = {np.float64: 1e-6, np.float32: 5e-3}
"""What the difference of two numbers of this type can be off by, relative to the largest."""

PLACES = 12
"""Elements of each input that are moved."""


def kind_of(sample: Sample) -> type:
    return np.float32 if sample.single else np.float64


def tensors(sample: Sample) -> tuple[list[Any], list[int]]:
    """The inputs, and which of them are differentiated."""
    made, places = [], []
    for k, (array, given) in enumerate(zip(sample.arrays(), sample.inputs, strict=True)):
        if isinstance(given, tuple):
            places.append(k)
        if array is None:
            made.append(None)
        else:
            floating = array.dtype.kind == "f" and array.dtype != np.float32
            made.append(ms.Tensor(array.astype(kind_of(sample)) if floating else array))
    return made, places


def weighted(y: Any) -> Any:
    """A number made of y with weights that are all different."""
    state = np.random.RandomState(7)
    parts = y if isinstance(y, tuple) else (y,)
    floating = [p for p in parts if p.dtype in (ms.float32, ms.float64)]
    return sum(
        (p * ms.Tensor(np.asarray(state.rand(*p.shape), p.content.dtype))).sum() for p in floating
    )


def gradients_of(function: Any, count: int) -> Any:
    """`grad` for the first `count` arguments: a tuple, of one too."""
    found = grad(function, tuple(range(count)))
    return found if count > 1 else lambda *given: (found(*given),)


def loss_of(sample: Sample, inputs: list[Any], places: list[int]) -> Any:
    primitive = REGISTRY[sample.op]
    options = sample.attrs | ({"outputs": sample.outputs} if sample.outputs else {})

    def loss(*given: Any) -> Any:
        every = list(inputs)
        for place, x in zip(places, given, strict=True):
            every[place] = x
        return weighted(primitive(*every, **options))

    return loss


def places_of(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """At most `PLACES` elements, the same every time."""
    every = list(np.ndindex(shape))
    chosen = np.random.RandomState(len(every)).permutation(len(every))[:PLACES]
    return [every[k] for k in chosen]


def differences(loss: Any, xs: list[Any], k: int, step: float) -> list[float]:
    """Central differences of `loss` with respect to some elements of input k."""
    base = xs[k].asnumpy()
    found = []
    for place in places_of(base.shape):
        values = []
        for sign in (1, -1):
            moved = base.copy()
            moved[place] += sign * step
            values.append(float(loss(*xs[:k], ms.Tensor(moved), *xs[k + 1 :]).asnumpy()))
        found.append((values[0] - values[1]) / (2 * step))
    return found


def check(loss: Any, gradients: Any, xs: list[Any], kind: Any, tolerance: float) -> None:
    for k, gradient in enumerate(gradients):
        assert gradient.shape == xs[k].shape
        expected = np.array(differences(loss, xs, k, STEP[kind]))
        got = np.array([gradient.asnumpy()[place] for place in places_of(gradient.shape)])
        scale = max(np.abs(expected).max(initial=0), 1.0)
        limit = max(tolerance, ROUNDING[kind]) * scale
        assert np.allclose(got, expected, rtol=0, atol=limit)


def test_every_rule_has_a_sample() -> None:
    with_vjp = {op for op, primitive in REGISTRY.items() if primitive.has_vjp}
    rows = {sample.op for sample in SAMPLES} | {name.split()[0] for name in COMPOSED}
    assert with_vjp - WITHOUT_NUMBERS == rows
    assert len(with_vjp) > 90


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_gradient(sample: Sample) -> None:
    inputs, places = tensors(sample)
    loss = loss_of(sample, inputs, places)
    xs = [inputs[k] for k in places]
    gradient = gradients_of(loss, len(xs))
    eager = gradient(*xs)
    check(loss, eager, xs, kind_of(sample), sample.tolerance)
    for a, b in zip(jit(gradient)(*xs), eager, strict=True):
        assert a.dtype is b.dtype
        limit = 1e-4 * max(np.abs(b.asnumpy()).max(initial=0), 1.0)
        assert np.allclose(a.asnumpy(), b.asnumpy(), rtol=0, atol=limit)


@pytest.mark.parametrize("name", COMPOSED)
def test_composed(name: str) -> None:
    x = ms.Tensor(np.random.RandomState(3).rand(3, 3))
    loss = lambda x: weighted(COMPOSED[name](x))  # noqa: E731
    for slope in (grad(loss), jit(grad(loss))):
        check(loss, [slope(x)], [x], np.float64, 1e-5)


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.twice], ids=str)
def test_second_order(sample: Sample) -> None:
    inputs, places = tensors(sample)
    loss = loss_of(sample, inputs, places)
    xs = [inputs[k] for k in places]

    def slope(*given: Any) -> Any:
        return sum(weighted(g * g) for g in gradients_of(loss, len(xs))(*given))

    check(
        slope, gradients_of(slope, len(xs))(*xs), xs, kind_of(sample), max(sample.tolerance, 5e-3)
    )


@pytest.mark.parametrize("shape", [(4, 3), (2, 3, 2, 2)])
def test_batch_norm_in_training(shape: tuple[int, ...]) -> None:
    sample = Sample("BatchNormalization", (shape, (3,), (3,)), low=0.5)
    xs, _ = tensors(sample)
    centre = [ms.Parameter(ms.Tensor(v)) for v in (np.zeros(3), np.ones(3))]

    def loss(x: Any, w: Any, b: Any) -> Any:
        return weighted(ms.ops.batch_norm(x, *centre, w, b, True, 0.1, 0.01))

    def slope(*given: Any) -> Any:
        return sum(weighted(g * g) for g in grad(loss, (0, 1, 2))(*given))

    for function in (loss, slope):
        found = grad(function, (0, 1, 2))
        check(function, found(*xs), xs, np.float64, 1e-6 if function is loss else 5e-3)
        for a, b in zip(jit(found)(*xs), found(*xs), strict=True):
            assert np.allclose(a.asnumpy(), b.asnumpy(), rtol=1e-4, atol=1e-6)
