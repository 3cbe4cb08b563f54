"""Causes in activations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ..layers.activation import (
    FUNCTIONS,
    Activation,
    Clip,
    Elu,
    Glu,
    HardSigmoid,
    LeakyReLU,
    PReLU,
    Shrink,
    Softmax,
    Softplus,
    Threshold,
)
from ..layers.layer import Array, Layer, Outputs
from .case import Case, Cause, Fact, Trial

NAMES: dict[type[Layer], str] = {
    Clip: "Hardtanh", Elu: "ELU", HardSigmoid: "Hardsigmoid",
}  # fmt: skip
"""Where the layer is not called as its class here."""


def name_of(layer: Layer) -> str:
    if isinstance(layer, Activation):
        return layer.function
    return NAMES.get(type(layer), type(layer).__name__)


def gelu(layer: Activation, case: Case) -> Iterator[Trial]:
    ways = {"GELU": "erf, approximate='none'", "GELU by tanh": "tanh, approximate='tanh'"}
    if layer.function in ways:
        (other,) = ways.keys() - {layer.function}
        fact = Fact("GELU is by", ways[layer.function], ways[other])
        yield case.varied(fact, Activation(other))


def another_activation(layer: Layer, case: Case) -> Iterator[Trial]:
    own = name_of(layer)
    for function in FUNCTIONS:
        if function not in (own, "Identity") and {own, function} != {"GELU", "GELU by tanh"}:
            yield case.varied(Fact("it is", own, function), Activation(function))
    slope = solved_slope(case)
    if not isinstance(layer, (LeakyReLU, PReLU)) and slope not in (None, 0.0, 1.0):
        fact = Fact("it is", own, f"LeakyReLU of slope {slope:g}")
        yield case.varied(fact, LeakyReLU(slope))


def negative_part(case: Case) -> tuple[Array, Array] | None:
    """x and y where x is negative."""
    x, y = case.inputs[0], case.wanted[0]
    if x.shape != y.shape or not (x < 0).any():
        return None
    return x[x < 0], y[x < 0]


def solved_slope(case: Case) -> float | None:
    """The slope that negative elements have in the candidate."""
    parts = negative_part(case)
    if parts is None:
        return None
    x, y = parts
    return float(f"{(x * y).sum() / (x * x).sum():.4g}")


def slope(layer: LeakyReLU, case: Case) -> Iterator[Trial]:
    found = solved_slope(case)
    if found is not None and found != layer.slope:
        fact = Fact("the slope is", f"{layer.slope:g}", f"{found:g}")
        yield case.varied(fact, replace(layer, slope=found))


def alpha(layer: Elu, case: Case) -> Iterator[Trial]:
    parts = negative_part(case)
    if parts is None:
        return
    x, y = parts
    curve = np.expm1(x / layer.spread)
    found = float(f"{(curve * y).sum() / (curve * curve).sum():.4g}")
    yield case.varied(
        Fact("alpha is", f"{layer.alpha:g}", f"{found:g}"), replace(layer, alpha=found)
    )
    other = layer.alpha if layer.spread == 1 else 1.0
    if layer.alpha != 1:
        ways = ("a factor only, as in ELU", "also a divisor of x, as in CELU")
        fact = Fact("alpha is", ways[layer.spread != 1], ways[layer.spread == 1])
        yield case.varied(fact, replace(layer, spread=other))


def softplus(layer: Softplus, case: Case) -> Iterator[Trial]:
    for beta in (1.0, 2.0, 0.5):
        if beta != layer.beta:
            fact = Fact("beta is", f"{layer.beta:g}", f"{beta:g}")
            yield case.varied(fact, replace(layer, beta=beta))
    fact = Fact("the threshold is", f"{layer.threshold:g}", "none")
    yield case.varied(fact, replace(layer, threshold=np.inf))


def bounds(layer: Clip, case: Case) -> Iterator[Trial]:
    """The smallest and largest number of the candidate's output."""
    y = case.wanted[0]
    if not y.size:
        return
    low, high = float(y.min()), float(y.max())
    for changed in (replace(layer, low=low), replace(layer, high=high), Clip(low, high)):
        found = f"{changed.low:g} to {changed.high:g}"
        yield case.varied(Fact("it is from", f"{layer.low:g} to {layer.high:g}", found), changed)


def hard_sigmoid(layer: HardSigmoid, case: Case) -> Iterator[Trial]:
    for slope in (1 / 6, 0.2):
        if abs(slope - layer.slope) > 1e-6:
            fact = Fact("the slope is", f"{layer.slope:g}", f"{slope:g}")
            yield case.varied(fact, replace(layer, slope=slope))


def shrink(layer: Shrink, case: Case) -> Iterator[Trial]:
    other = 0.0 if layer.bias else layer.bound
    names = ("hard", "soft")
    fact = Fact("it shrinks", names[bool(layer.bias)], names[bool(other)])
    yield case.varied(fact, replace(layer, bias=other))
    x, y = case.inputs[0], case.wanted[0]
    if x.shape == y.shape and (y == 0).any():
        bound = float(f"{np.abs(x[y == 0]).max():.3g}")
        for nearby in (bound, float(f"{bound:.2g}"), float(f"{bound:.1g}")):
            fact = Fact("lambd is", f"{layer.bound:g}", f"about {nearby:g}")
            bias = nearby if layer.bias else 0.0
            yield case.varied(fact, replace(layer, bound=nearby, bias=bias))


def threshold(layer: Threshold, case: Case) -> Iterator[Trial]:
    fact = Fact("threshold and value are", f"{layer.threshold:g} and {layer.value:g}", "exchanged")
    yield case.varied(fact, Threshold(layer.value, layer.threshold))


def softmax_axis(layer: Softmax, case: Case) -> Iterator[Trial]:
    rank = case.inputs[0].ndim
    for axis in reversed(range(rank)):
        if axis != layer.axis % rank:
            fact = Fact("the axis is", layer.axis, axis)
            yield case.varied(fact, replace(layer, axis=axis))
    for axis in range(rank - 1):
        fact = Fact("the axis is", layer.axis, f"all from {axis} on as one, as before opset 13")
        yield Trial(fact, over_all_from(axis, layer, case.inputs[0]))


def over_all_from(axis: int, layer: Softmax, x: Array) -> Callable[[], Outputs]:
    def compute() -> Outputs:
        flat = x.reshape(*x.shape[:axis], -1)
        return (replace(layer, axis=-1).outputs(flat)[0].reshape(x.shape),)

    return compute


def softmax_kind(layer: Softmax, case: Case) -> Iterator[Trial]:
    names = ("the probabilities", "their logarithms")
    fact = Fact("it gives", names[layer.log], names[not layer.log])
    yield case.varied(fact, replace(layer, log=not layer.log))
    sign = "-x" if layer.negative else "x"
    other = "x" if layer.negative else "-x"
    fact = Fact("it is", f"of {sign}", f"of {other}")
    yield case.varied(fact, replace(layer, negative=not layer.negative))


def glu_axis(layer: Glu, case: Case) -> Iterator[Trial]:
    rank = case.inputs[0].ndim
    for axis in reversed(range(rank)):
        if axis != layer.axis % rank:
            yield case.varied(Fact("the axis is", layer.axis, axis), Glu(axis))


def glu_halves(layer: Glu, case: Case) -> Iterator[Trial]:
    x = case.inputs[0]
    swapped = np.roll(x, x.shape[layer.axis] // 2, layer.axis)
    yield case.fed(Fact("the gate is", "the second half", "the first half"), swapped)


FAMILY = (
    Activation,
    Clip,
    Elu,
    HardSigmoid,
    LeakyReLU,
    PReLU,
    Shrink,
    Softplus,
    Threshold,
)

CAUSES = (
    Cause(
        "gelu",
        "GELU by tanh for GELU by erf, or the other way round",
        (Activation,),
        gelu,
        ("function",),
    ),
    Cause(
        "slope",
        "another slope of LeakyReLU: MindSpore's default is 0.2",
        (LeakyReLU,),
        slope,
        ("slope",),
    ),
    Cause("alpha", "another alpha of ELU or CELU", (Elu,), alpha, ("alpha",)),
    Cause(
        "softplus",
        "another beta or threshold of Softplus",
        (Softplus,),
        softplus,
        ("beta", "threshold"),
    ),
    Cause("bounds", "other bounds of Hardtanh or Clip", (Clip,), bounds, ("low", "high")),
    Cause(
        "hard-sigmoid",
        "another slope of HardSigmoid: 1/6 or 0.2",
        (HardSigmoid,),
        hard_sigmoid,
        ("slope",),
    ),
    Cause(
        "shrink",
        "another bound of Hardshrink or Softshrink, or one for the other",
        (Shrink,),
        shrink,
        ("bound", "bias"),
    ),
    Cause("threshold", "threshold and value exchanged", (Threshold,), threshold),
    Cause("another-activation", "another activation", FAMILY, another_activation, ("function",)),
    Cause("softmax-axis", "another axis of softmax", (Softmax,), softmax_axis, ("axis",)),
    Cause("softmax-kind", "softmax for its logarithm or of -x", (Softmax,), softmax_kind, ("log",)),
    Cause("glu-axis", "another axis of GLU", (Glu,), glu_axis, ("axis",)),
    Cause("glu-halves", "the halves of GLU exchanged", (Glu,), glu_halves),
)
