"""Causes that are rounding: half precision, TensorFloat-32, quantised weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import ml_dtypes
import numpy as np

from ....numerics.distance import distance
from ....numerics.rounding import step_of
from ..layers.arrays import arrays, replaced
from ..layers.layer import Array, Layer, Outputs
from .case import Case, Cause, Fact, Trial


def through(kind: object) -> Callable[[Array], Array]:
    """To a type and back."""
    return lambda x: x.astype(np.float32).astype(kind).astype(np.float64)  # type: ignore[call-overload]  # a type of ml_dtypes'


def to_tensor_float(x: Array) -> Array:
    """To the 10 bits of mantissa that tensor cores take of float32."""
    bits = x.astype(np.float32).view(np.uint32)
    rounded = (bits + 0xFFF + ((bits >> 13) & 1)) & np.uint32(0xFFFFE000)
    return rounded.view(np.float32).astype(np.float64)


ROUNDINGS: dict[str, Callable[[Array], Array]] = {
    "float16": through(np.float16),
    "bfloat16": through(ml_dtypes.bfloat16),
    "TensorFloat-32": to_tensor_float,
}

STEPS = {
    "float16": step_of("float16"),
    "bfloat16": step_of("bfloat16"),
    "TensorFloat-32": 2.0**-10,
}
"""The step of each at 1."""


def rounded_layer(layer: Layer, rounded: Callable[[Array], Array]) -> Layer:
    for place, array in arrays(layer).items():
        if array.dtype.kind == "f":
            layer = replaced(layer, place, rounded(array))
    return layer


def half_precision(layer: Layer, case: Case) -> Iterator[Trial]:
    """Weights, inputs or both rounded and the rest exact; then everything, result included."""
    for name, rounded in ROUNDINGS.items():
        coarse = rounded_layer(layer, rounded)
        inputs = [rounded(x) if x.dtype.kind == "f" else x for x in case.inputs]
        if arrays(layer):
            yield case.varied(Fact("weights are", "of float32", f"rounded to {name}"), coarse)
            yield case.of(coarse).fed(
                Fact("it computes with", "all in float32", f"inputs and weights of {name}"), *inputs
            )
        yield case.fed(Fact("inputs are", "of float32", f"rounded to {name}"), *inputs)
        fact = Fact("its result is", "of float32", f"rounded to {name}")
        yield case.followed(fact, rounded)
        if holds(case, rounded):
            fact = Fact("it computes in", "float32", f"{name}, as all of its outputs are")
            yield Trial(fact, result_of(coarse, inputs, rounded), 2 * STEPS[name])


def holds(case: Case, rounded: Callable[[Array], Array]) -> bool:
    """Whether the candidate's numbers are all of a coarser type, and the reference's are not."""
    ours = [y for y in case.reference.outputs if y.dtype.kind == "f" and y.size]
    theirs = [y for y in case.wanted if y.dtype.kind == "f" and y.size]
    if not ours or not theirs:
        return False
    return distance([rounded(y) for y in theirs], theirs) == 0 and any(
        distance([rounded(y)], [y]) > 0 for y in ours
    )


def result_of(
    layer: Layer, inputs: list[Array], rounded: Callable[[Array], Array]
) -> Callable[[], Outputs]:
    return lambda: tuple(rounded(y) for y in layer.outputs(*inputs))


def quantised_weights(layer: Layer, case: Case) -> Iterator[Trial]:
    """The largest weight to 8 bits: of all, or of each row; around zero, or from least to most."""
    for place, weight in arrays(layer).items():
        if weight.ndim < 2 or weight.dtype.kind != "f":
            continue
        for rows in (False, True):
            for signed in (True, False):
                how = f"8 bits {'for each row' if rows else 'for all'}"
                fact = Fact(f"{place[-1]} is", "of float32", f"quantised to {how}")
                changed = quantised(weight, rows=rows, signed=signed)
                yield case.varied(fact, replaced(layer, place, changed))


def quantised(weight: Array, *, rows: bool, signed: bool) -> Array:
    axes = tuple(range(1, weight.ndim)) if rows else None
    if signed:
        step = np.abs(weight).max(axes, keepdims=True) / 127
        return np.asarray(np.round(weight / step) * step)
    low = np.minimum(weight.min(axes, keepdims=True), 0.0)
    step = (np.maximum(weight.max(axes, keepdims=True), 0.0) - low) / 255
    zero = np.round(-low / step)
    return np.asarray((np.clip(np.round(weight / step) + zero, 0, 255) - zero) * step)


CAUSES = (
    Cause(
        "half-precision", "inputs, weights or all of it in half precision", (Layer,), half_precision
    ),
    Cause("quantised", "quantised weights", (Layer,), quantised_weights, in_weights=True),
)
