"""Normalisations, softmax and unit length."""

from __future__ import annotations

import numpy as np

from ..graph.graph import Node
from ..graph.masks import may_mask_rows
from .edit import Array, Derived
from .pattern import Call, Exactly, MadeBy, Number, Pattern, Value, either, op, scalar
from .rule import MSCONVERT, Match, Rule, rule

x = Value("x")
eps = Number("eps")
ones, zeros = Value("ones", constant=True), Value("zeros", constant=True)
weight = Value("weight", constant=True)
NORMALIZATIONS = ("LayerNormalization", "RMSNormalization")


def root(of: Pattern) -> Pattern:
    return either(op.Sqrt(of), of**0.5)


def over_root(a: Pattern, of: Pattern) -> Pattern:
    """a / sqrt(of), as exporters write it."""
    inverse = either(op.Reciprocal(root(of)), 1 / root(of), of**-0.5)
    return either(a / root(of), a * inverse)


def square(of: Pattern) -> Pattern:
    return either(of**2, of * of)


def maybe_cast(of: Pattern) -> Pattern:
    return either(of, op.Cast(of))


def trailing(m: Match, *names: str) -> tuple[int, tuple[int, ...]]:
    """The first axis, counted from the end, and the sizes of the axes that nodes reduce.

    Raises: Refused if they are not the last axes, or not of known size
    """
    axes, shape = m.reduced(*names), m.shape(m["x"])
    m.require(axes == tuple(range(axes[0], len(shape))), "it does not reduce the last axes")
    sizes = tuple(size for size in shape[axes[0] :] if isinstance(size, int))
    m.require(len(sizes) == len(axes), "the size of the last axes is not known")
    return -len(axes), sizes


centred = x - op.ReduceMean(x).named("mean")
variance = op.ReduceMean(square(maybe_cast(centred))).named("variance")


@rule(over_root(centred, variance + eps))
def layer_norm(m: Match) -> Node:
    """(x - mean) / sqrt(variance + eps) over the last axes."""
    axis, sizes = trailing(m, "mean", "variance")
    scale = m.constant(f"{m.out}_scale", np.ones(sizes, m.dtype(m["x"])))
    attrs = {"axis": axis, "epsilon": m.number("eps"), "stash_type": 1}
    return m.node("LayerNormalization", 17, [m["x"], scale], **attrs)


@rule(over_root(x, op.ReduceMean(square(x)).named("mean") + eps))
def rms_norm(m: Match) -> Node:
    """x / sqrt(mean(x^2) + eps) over the last axes."""
    axis, sizes = trailing(m, "mean")
    scale = m.constant(f"{m.out}_scale", np.ones(sizes, m.dtype(m["x"])))
    attrs = {"axis": axis, "epsilon": m.number("eps"), "stash_type": 1}
    return m.node("RMSNormalization", 23, [m["x"], scale], **attrs)


inverse = either(weight * op.Reciprocal(root(variance + eps)), weight / root(variance + eps))


@rule(x * inverse + (Value("bias", constant=True) - op.ReduceMean(x).named("mean") * inverse))
def layer_norm_of_moments(m: Match) -> Node:
    """x s + (bias - mean s) where s = weight / sqrt(variance + eps): TensorFlow's form."""
    axis, sizes = trailing(m, "mean", "variance")
    for name in ("weight", "bias"):
        m.require(_trailing_sizes(m.array(name)) == sizes, f"{name} is not one per normalised size")
    inputs = [m["x"], m.reshaped("weight", sizes), m.reshaped("bias", sizes)]
    attrs = {"axis": axis, "epsilon": m.number("eps"), "stash_type": 1}
    return m.node("LayerNormalization", 17, inputs, **attrs)


def _trailing_sizes(array: Array) -> tuple[int, ...]:
    """The shape without the ones in front of the first larger size."""
    lead = next((i for i, size in enumerate(array.shape) if size != 1), max(0, array.ndim - 1))
    return tuple(int(size) for size in array.shape[lead:])


def normalized(of: Pattern) -> list[Pattern]:
    """A normalisation of `of` with a scale and no bias."""
    return [Call(name, (of, ones), "norm") for name in NORMALIZATIONS]


@rule(op.Cast(either(*normalized(op.Cast(x)))))
def norm_in_float32(m: Match) -> Node:
    """Cast to float32, normalise, cast back: what stash_type 1 means."""
    norm, dtype = m.call("norm"), m.dtype(m["x"])
    m.require(m.dtype(m.out) == dtype, "it is cast to another element type")
    m.require(m.dtype(norm.inputs[0]) == np.float32, "it is not computed in float32")
    m.require(bool((m.array("ones") == 1).all()), "it is scaled before the cast")
    scale = m.constant(f"{m.out}_scale", np.ones(m.array("ones").shape, dtype))
    return m.again(norm, [m["x"], scale], [m.out])


@rule(either(*(norm * weight for norm in normalized(x))))
def norm_scale(m: Match) -> Node:
    """A normalisation times a weight for each normalised position."""
    m.require(bool((m.array("ones") == 1).all()), "it has a scale already")
    sizes = m.array("ones").shape
    m.require(_fits(m, "weight", sizes), "the factor is not one per normalised position")
    return m.again(m.call("norm"), [m["x"], m.reshaped("weight", sizes)], [m.out])


@rule(op.LayerNormalization(x, Value("scale")).named("norm") + weight)
def norm_bias(m: Match) -> Node:
    """A layer normalisation plus a bias for each normalised position."""
    norm = m.call("norm")
    shape = m.shape(m["scale"])
    sizes = tuple(size for size in shape if isinstance(size, int))
    m.require(sizes == shape, "the size of the scale is not known")
    m.require(_fits(m, "weight", sizes), "the term is not one per normalised position")
    return m.again(norm, [m["x"], m["scale"], m.reshaped("weight", sizes)], [m.out])


def _fits(m: Match, name: str, sizes: tuple[object, ...]) -> bool:
    """Whether a constant is `sizes` behind ones, and no wider than x."""
    shape = m.array(name).shape
    lead = len(shape) - len(sizes)
    is_same = lead >= 0 and shape[lead:] == sizes and set(shape[:lead]) <= {1}
    return is_same and len(shape) <= len(m.shape(m["x"]))


grouped = op.Reshape(x, Value("split", constant=True))
flat_norm = op.InstanceNormalization(grouped, ones, zeros).named("norm")


@rule(op.Reshape(flat_norm, either(op.Shape(x), Value("back"))))
def group_norm(m: Match) -> Node:
    """Reshape to (n, groups, -1), InstanceNormalization, reshape back."""
    shape, groups = m.shape(m["x"]), m.array("ones").size
    m.require(len(shape) > 2 and shape[1:2] != (None,), "x is not (n, c, ...) with a known c")
    channels, target = shape[1], m.array("split")
    m.require(isinstance(channels, int) and channels % groups == 0, "c is no multiple of groups")
    inner = m.shape(m.call("norm").inputs[0])
    m.require(target.size == 3 and target[1] == groups, "it is not split into (n, groups, rest)")
    m.require(target[0] == 0 or inner[0] == shape[0], "the batch is split too")
    m.require("back" not in m.found.values or is_shape_of(m, m.out, shape), "the shape changes")
    is_plain = (m.array("ones") == 1).all() and not m.array("zeros").any()
    m.require(bool(is_plain), "groups are scaled")
    dtype = m.array("ones").dtype
    scale = m.constant(f"{m.out}_scale", np.ones(channels, dtype))
    bias = m.constant(f"{m.out}_bias", np.zeros(channels, dtype))
    attrs = {"epsilon": m.call("norm").attrs.get("epsilon", 1e-5), "num_groups": groups}
    return m.node("GroupNormalization", 21, [m["x"], scale, bias], **attrs, stash_type=1)


def is_shape_of(m: Match, value: str, shape: tuple[object, ...]) -> bool:
    """Whether the value is known to be of that shape; unknown sizes are equal to nothing."""
    return None not in shape and m.graph.type_of(value).shape == shape


per_channel = op.GroupNormalization(x, ones, zeros).named("norm")


@rule(per_channel * weight)
def group_norm_scale(m: Match) -> Node:
    """A group normalisation times a weight for each channel."""
    is_plain = (m.array("ones") == 1).all() and not m.array("zeros").any()
    m.require(bool(is_plain), "it has a scale already")
    scale = _per_channel(m)
    return m.again(m.call("norm"), [m["x"], scale, m["zeros"]], [m.out])


@rule(op.GroupNormalization(x, Value("scale"), zeros).named("norm") + weight)
def group_norm_bias(m: Match) -> Node:
    """A group normalisation plus a bias for each channel."""
    m.require(not m.array("zeros").any(), "it has a bias already")
    return m.again(m.call("norm"), [m["x"], m["scale"], _per_channel(m)], [m.out])


scale, bias = Value("scale", constant=True), Value("bias", constant=True)
batch_norm = Call("BatchNormalization", (x, scale, bias, ...), "norm")


@rule(batch_norm * weight)
def batch_norm_scale(m: Match) -> Node:
    """A batch normalisation times a weight for each channel, as Caffe's Scale layer follows."""
    factor = m.array("weight").reshape(-1)
    _per_channel(m, "scale")
    parts = [
        _joined(m, name, m.array(name) * factor, "multiplied by") for name in ("scale", "bias")
    ]
    return _with_affine(m, parts)


@rule(batch_norm + weight)
def batch_norm_bias(m: Match) -> Node:
    """A batch normalisation plus a bias for each channel."""
    _per_channel(m, "scale")
    moved = m.array("bias") + m.array("weight").reshape(-1)
    return _with_affine(m, [m["scale"], _joined(m, "bias", moved, "plus")])


def _joined(m: Match, name: str, array: Array, how: str) -> str:
    derived = Derived(m[name], f"{how} {m['weight']}")
    return m.constant(f"{m.out}_{name}", array.astype(m.array(name).dtype), derived)


def _with_affine(m: Match, affine: list[str]) -> Node:
    norm = m.call("norm")
    m.require(not norm.attrs.get("training_mode", 0), "it is in training mode")
    return m.again(norm, [m["x"], *affine, *norm.inputs[3:]], [m.out])


def _per_channel(m: Match, like: str = "zeros") -> str:
    """The weight as one number for each channel, as many as the constant `like` has."""
    rank, (channels,) = len(m.shape(m["x"])), m.array(like).shape
    shapes = [(1,) * ones + (channels,) + (1,) * (rank - 2) for ones in (0, 1)]
    m.require(m.array("weight").shape in shapes, "the constant is not one per channel")
    return m.reshaped("weight", (channels,))


shifted = either(x - op.ReduceMax(x).named("top"), x)
exponent = op.Exp(shifted)


@rule(exponent / op.ReduceSum(exponent).named("sum"))
def softmax(m: Match) -> Node:
    """exp(x - max) / sum(exp(x - max))."""
    return m.node("Softmax", 13, [m["x"]], axis=_single_axis(m))


@rule(
    either(
        shifted - op.Log(op.ReduceSum(exponent).named("sum")),
        x - op.ReduceLogSumExp(x).named("sum"),
    )
)
def log_softmax(m: Match) -> Node:
    """x - log(sum(exp(x)))."""
    return m.node("LogSoftmax", 13, [m["x"]], axis=_single_axis(m))


shares = MadeBy("Softmax", "x")


@rule(op.Where(op.IsNaN(shares), Exactly("zero", 0.0), shares))
def softmax_of_nothing(m: Match) -> Node:
    """A softmax, 0 where all was masked and it is NaN; it is never infinite.

    Rows that minus infinity may mask whole never reach the softmax: MindSpore's on the CPU spoils
    the rows behind one, and the gradient of such a row is NaN.
    """
    made = m.graph.producer(m["x"])
    assert made is not None
    scores = made.inputs[0]
    if made.version >= 13 and may_mask_rows(
        scores, m.graph.producer, m.graph.graph.constants, m.graph.graph.inputs
    ):
        attrs = {"axis": made.attrs.get("axis", -1)}
        of = [made, *m.nodes]
        out = [m.out]
        return m.like("MaskedSoftmax", [scores], out, of, attrs=attrs, domain=MSCONVERT, version=1)
    return m.like("NanToNum", [m["x"]], [m.out], domain=MSCONVERT, version=1)


def _single_axis(m: Match) -> int:
    """The one axis that is summed (and whose maximum is taken): -1 if it is the last."""
    axes = m.reduced("sum", *({"top"} & set(m.found.calls)))
    m.require(len(axes) == 1, "it goes over several axes")
    return -1 if axes[0] == len(m.shape(m["x"])) - 1 else axes[0]


length = either(
    op.ReduceL2(x).named("sum"),
    root(op.ReduceSum(square(x)).named("sum")),
    root(op.ReduceSumSquare(x).named("sum")),
)
floored = either(op.Clip(length).named("clip"), op.Max(length, eps), length + eps, length)


@rule(x / either(op.Expand(floored, ...), floored))
def unit_length(m: Match) -> Node:
    """x / max(|x|, eps) along one axis."""
    smallest = m.found.numbers.get("eps", 0.0)
    if "clip" in m.found.calls:
        least = m.graph.argument(m.call("clip"), "min")
        m.require(m.graph.argument(m.call("clip"), "max") is None, "the length has a maximum")
        known = None if isinstance(least, str) else scalar(least)
        smallest = known.value if known is not None else 1.0
    m.require(0 <= smallest <= 1e-6, "the smallest length is large enough to be seen")
    m.require(m.shape(m.out) == m.shape(m["x"]), "the result is expanded")
    axis = _single_axis(m)
    return m.node("LpNormalization", 1, [m["x"]], axis=axis, p=2, msconvert_epsilon=smallest)


RULES: tuple[Rule, ...] = (
    layer_norm_of_moments,
    layer_norm,
    rms_norm,
    norm_in_float32,
    norm_scale,
    norm_bias,
    group_norm,
    group_norm_scale,
    group_norm_bias,
    batch_norm_scale,
    batch_norm_bias,
    log_softmax,
    softmax,
    softmax_of_nothing,
    unit_length,
)
