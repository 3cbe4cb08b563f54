"""Causes in any layer, seen in its inputs and outputs alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy import special

from ..layers.activation import FUNCTIONS
from ..layers.layer import Array, Layer
from .case import Case, Cause, Fact, Trial


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
    yield Trial(Fact("it is", "applied", "left out: its input comes out"), lambda: case.inputs[:1])


def applied_twice(layer: Layer, case: Case) -> Iterator[Trial]:
    fact = Fact("it is", "applied once", "applied twice")
    yield Trial(fact, lambda: layer.outputs(case.plain[0], *case.inputs[1:]))


def exchanged_inputs(layer: Layer, case: Case) -> Iterator[Trial]:
    for order in itertools.islice(itertools.permutations(range(len(case.inputs))), 1, 24):
        fact = Fact("inputs are", "in order", f"as {order}")
        yield case.fed(fact, *(case.inputs[k] for k in order))


def followed(layer: Layer, case: Case) -> Iterator[Trial]:
    """Something more behind the layer."""
    for name, function in FOLLOWING.items():
        yield case.followed(Fact("what follows is", "nothing", name), function)


def not_followed(layer: Layer, case: Case) -> Iterator[Trial]:
    """Something less: the candidate's result with it is the reference's."""
    for name, function in FOLLOWING.items():
        yield Trial(Fact("what follows is", name, "nothing"), with_missing(function, case))


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
    yield case.followed(Fact("the input is", "not added", "added"), lambda y: y + x)
    yield case.followed(Fact("the input is", "added", "not added"), lambda y: y - x)


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
        yield case.followed(
            Fact("the result is", "as it is", f"times {nearby:g}"), lambda y: y * found
        )
    offset = float((theirs - ours).mean())
    if np.isfinite(offset):
        fact = Fact("the result is", "as it is", f"{offset:+.6g}")
        yield case.followed(fact, lambda y: y + offset)


def per_channel(layer: Layer, case: Case) -> Iterator[Trial]:
    """A number of its own added to each place along one axis, or a factor: a bias, a scale."""
    ours, theirs = case.plain[0], case.wanted[0]
    if ours.shape != theirs.shape:
        return
    for axis in range(ours.ndim):
        rest = tuple(k for k in range(ours.ndim) if k != axis)
        if ours.size < FEWEST * ours.shape[axis]:
            continue
        bias = (theirs - ours).mean(rest, keepdims=True)
        fact = Fact(f"what is added along axis {axis} is", "nothing", "a bias")
        yield case.followed(fact, partial(np.add, bias))
        scale = (theirs * ours).sum(rest, keepdims=True) / (ours * ours).sum(rest, keepdims=True)
        fact = Fact(f"what multiplies along axis {axis} is", "nothing", "a scale")
        yield case.followed(fact, partial(np.multiply, scale))


def zeros(layer: Layer, case: Case) -> Iterator[Trial]:
    fact = Fact("what comes out is", "computed", "zeros")
    yield case.followed(fact, lambda y: np.zeros(y.shape))


def moved_output(layer: Layer, case: Case) -> Iterator[Trial]:
    """The result with axes in another order, mirrored or reshaped."""
    rank = case.plain[0].ndim
    for axes in itertools.islice(itertools.permutations(range(rank)), 1, 120):
        fact = Fact("the result's axes are", "in order", f"as {axes}")
        yield case.followed(fact, partial(np.transpose, axes=axes))
    for axis in range(rank):
        fact = Fact("the result is", "in order", f"mirrored along axis {axis}")
        yield case.followed(fact, partial(np.flip, axis=axis))
    shape = case.wanted[0].shape
    if shape != case.plain[0].shape and np.prod(shape) == case.plain[0].size:
        fact = Fact(
            "the result has", f"the shape {case.plain[0].shape}", f"the shape {shape}, reshaped"
        )
        yield case.followed(fact, lambda y: y.reshape(shape))


def moved_input(layer: Layer, case: Case) -> Iterator[Trial]:
    """The first input with axes in another order, as of images NHWC, or mirrored channels."""
    x = case.inputs[0]
    if x.ndim > 1:
        fact = Fact("the input's channels are", "in order", "mirrored, as BGR for RGB")
        yield case.fed(fact, np.flip(x, 1), *case.inputs[1:])
    for axes in itertools.islice(itertools.permutations(range(x.ndim)), 1, 24):
        moved = x.transpose(axes)
        if moved.shape == x.shape:
            fact = Fact("the input's axes are", "in order", f"as {axes}")
            yield case.fed(fact, moved, *case.inputs[1:])
        fact = Fact("the input's axes are", "in order", f"{axes} with the numbers' order kept")
        yield case.fed(fact, moved.reshape(x.shape), *case.inputs[1:])


def fewer_outputs(layer: Layer, case: Case) -> Iterator[Trial]:
    """One element of the first axes, or the last step of a sequence."""
    for axis in range(min(2, case.plain[0].ndim)):
        for place in (0, -1):
            fact = Fact("what comes out is", f"all of axis {axis}", f"its element {place}")
            yield case.followed(fact, partial(np.take, indices=place, axis=axis))


EVERY = (Layer,)

CAUSES = (
    Cause("not-applied", "a layer that is left out", EVERY, not_applied),
    Cause(
        "activation-added",
        "an activation behind the layer",
        EVERY,
        followed,
        opposite="activation-missing",
    ),
    Cause(
        "activation-missing",
        "no activation behind the layer",
        EVERY,
        not_followed,
        opposite="activation-added",
    ),
    Cause("residual", "an input that is added, or not", EVERY, residual),
    Cause("exchanged-inputs", "inputs exchanged", EVERY, exchanged_inputs),
    Cause(
        "applied-twice", "a layer applied twice, as one that works in place", EVERY, applied_twice
    ),
    Cause("factor", "a factor, sign or offset", EVERY, factor),
    Cause("zeros", "zeros", EVERY, zeros),
    Cause(
        "per-channel",
        "a bias or scale of each channel where the reference has none, or other ones",
        EVERY,
        per_channel,
    ),
    Cause("moved-output", "axes of the result in another order, or mirrored", EVERY, moved_output),
    Cause(
        "moved-input",
        "axes of the input in another order, as NHWC, or channels mirrored",
        EVERY,
        moved_input,
    ),
    Cause("fewer-outputs", "a part of the result", EVERY, fewer_outputs),
)
