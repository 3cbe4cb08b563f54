"""Causes in any layer, seen in its inputs and outputs alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy import special

from ..layers.activation import FUNCTIONS
from ..layers.layer import Array, Layer
from .case import Case, Cause, Trial


def softmax(y: Array) -> Array:
    return np.asarray(special.softmax(y, axis=-1))


FOLLOWING: dict[str, Callable[[Array], Array]] = {
    **{
        name: FUNCTIONS[name]
        for name in (
            *("ReLU", "GELU", "GELU by tanh", "SiLU", "Sigmoid", "Tanh", "ReLU6", "Hardswish"),
            *("Hardsigmoid", "Softplus", "Exp", "Abs"),
        )
    },
    "softmax": softmax,
}
"""What may follow a layer."""


def not_applied(layer: Layer, case: Case) -> Iterator[Trial]:
    yield Trial("it is applied (here: the input comes out)", lambda: case.inputs[:1])


def applied_twice(layer: Layer, case: Case) -> Iterator[Trial]:
    text = "it is applied once (here: twice)"
    yield Trial(text, lambda: layer.outputs(case.plain[0], *case.inputs[1:]))


def exchanged_inputs(layer: Layer, case: Case) -> Iterator[Trial]:
    for order in itertools.islice(itertools.permutations(range(len(case.inputs))), 1, 24):
        text = f"inputs are in order (here: as {order})"
        yield case.fed(text, *(case.inputs[k] for k in order))


def followed(layer: Layer, case: Case) -> Iterator[Trial]:
    """Something more behind the layer."""
    for name, function in FOLLOWING.items():
        yield case.followed(f"nothing follows (here: {name})", function)


def not_followed(layer: Layer, case: Case) -> Iterator[Trial]:
    """Something less: the candidate's result with it is the reference's."""
    for name, function in FOLLOWING.items():
        yield Trial(f"{name} follows (here: nothing)", with_missing(function, case))


def with_missing(function: Callable[[Array], Array], case: Case) -> Callable[[], tuple[Array, ...]]:
    """The candidate's result, less what is between its image and the reference's."""
    y = case.wanted[0]

    def compute() -> tuple[Array, ...]:
        if y.shape != case.plain[0].shape:
            raise ValueError("of another shape")
        return (y + (case.plain[0] - function(y)), *case.plain[1:])

    return compute


def residual(layer: Layer, case: Case) -> Iterator[Trial]:
    x = case.inputs[0]
    yield case.followed("the input is not added (here: it is)", lambda y: y + x)
    yield case.followed("the input is added (here: it is not)", lambda y: y - x)


FEWEST = 5
"""Of fewer numbers any two are each other times something."""


def factor(layer: Layer, case: Case) -> Iterator[Trial]:
    ours, theirs = case.plain[0], case.wanted[0]
    if ours.shape != theirs.shape or ours.size < FEWEST:
        return
    size = float((ours * ours).sum())
    found = float((ours * theirs).sum()) / size if size else 0.0
    if found and np.isfinite(found):
        nearby = float(f"{found:.6g}")
        yield case.followed(f"the result is as it is (here: times {nearby:g})", lambda y: y * found)
    offset = float((theirs - ours).mean())
    if np.isfinite(offset):
        text = f"the result is as it is (here: {offset:+.6g})"
        yield case.followed(text, lambda y: y + offset)


def zeros(layer: Layer, case: Case) -> Iterator[Trial]:
    text = "it computes something (here: zeros come out)"
    yield case.followed(text, lambda y: np.zeros(y.shape))


def moved_output(layer: Layer, case: Case) -> Iterator[Trial]:
    """The result with axes in another order, mirrored or reshaped."""
    rank = case.plain[0].ndim
    for axes in itertools.islice(itertools.permutations(range(rank)), 1, 120):
        text = f"the result's axes are in order (here: as {axes})"
        yield case.followed(text, partial(np.transpose, axes=axes))
    for axis in range(rank):
        text = f"the result is in order (here: mirrored along axis {axis})"
        yield case.followed(text, partial(np.flip, axis=axis))
    shape = case.wanted[0].shape
    if shape != case.plain[0].shape and np.prod(shape) == case.plain[0].size:
        text = f"the result has the shape {case.plain[0].shape} (here: reshaped to {shape})"
        yield case.followed(text, lambda y: y.reshape(shape))


def moved_input(layer: Layer, case: Case) -> Iterator[Trial]:
    """The first input with axes in another order, as of images NHWC, or mirrored channels."""
    x = case.inputs[0]
    if x.ndim > 1:
        text = "the input's channels are in order (here: mirrored, as BGR for RGB)"
        yield case.fed(text, np.flip(x, 1), *case.inputs[1:])
    for axes in itertools.islice(itertools.permutations(range(x.ndim)), 1, 24):
        moved = x.transpose(axes)
        if moved.shape == x.shape:
            text = f"the input's axes are in order (here: as {axes})"
            yield case.fed(text, moved, *case.inputs[1:])
        text = f"the input's axes are in order (here: {axes} with the numbers' order kept)"
        yield case.fed(text, moved.reshape(x.shape), *case.inputs[1:])


def fewer_outputs(layer: Layer, case: Case) -> Iterator[Trial]:
    """One element of the first axes, or the last step of a sequence."""
    for axis in range(min(2, case.plain[0].ndim)):
        for place in (0, -1):
            text = f"all of axis {axis} comes out (here: only element {place})"
            yield case.followed(text, partial(np.take, indices=place, axis=axis))


EVERY = (Layer,)

CAUSES = (
    Cause("not-applied", "a layer that is left out", EVERY, not_applied),
    Cause("activation-added", "an activation behind the layer", EVERY, followed),
    Cause("activation-missing", "no activation behind the layer", EVERY, not_followed),
    Cause("residual", "an input that is added, or not", EVERY, residual),
    Cause("exchanged-inputs", "inputs exchanged", EVERY, exchanged_inputs),
    Cause(
        "applied-twice", "a layer applied twice, as one that works in place", EVERY, applied_twice
    ),
    Cause("factor", "a factor, sign or offset", EVERY, factor),
    Cause("zeros", "zeros", EVERY, zeros),
    Cause("moved-output", "axes of the result in another order, or mirrored", EVERY, moved_output),
    Cause(
        "moved-input",
        "axes of the input in another order, as NHWC, or channels mirrored",
        EVERY,
        moved_input,
    ),
    Cause("fewer-outputs", "a part of the result", EVERY, fewer_outputs),
)
