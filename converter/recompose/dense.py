"""Dense layers: x times a constant matrix, plus a bias."""

from __future__ import annotations

import numpy as np

from ..graph.graph import Node, ValueType
from .edit import Array, Derived
from .pattern import Call, Number, Value, either, op
from .rule import MSCONVERT, Match, Refused, Rule, rule

x = Value("x")
w, b = Value("w", constant=True), Value("b", constant=True)


@rule(op.MatMul(x, w))
def dense(m: Match) -> Node:
    """x @ w."""
    _check_weight(m)
    return m.node("Dense", 1, [m["x"], m["w"]], transB=0)


@rule(either(op.Gemm(x, w), op.Gemm(x, w, b)))
def dense_of_gemm(m: Match) -> Node:
    """alpha x @ w + beta b; numbers other than 1 go into the constants."""
    attrs = m.root.attrs
    _check_weight(m)
    m.require(not attrs.get("transA", 0), "x is transposed")
    inputs = [m["x"], _times(m, "w", attrs.get("alpha", 1.0))]
    transposed = int(attrs.get("transB", 0))
    if "b" in m.found.values:
        units = m.array("w").shape[0 if transposed else 1]
        inputs.append(_bias(m, units, attrs.get("beta", 1.0)))
    return m.node("Dense", 1, inputs, transB=transposed)


@rule(Call("Dense", (x, w), "dense", MSCONVERT) + b)
def dense_bias(m: Match) -> Node:
    """A Dense without bias, plus one."""
    layer = m.call("dense")
    units = m.array("w").shape[0 if layer.attrs["transB"] else 1]
    rank = m.graph.type_of(layer.outputs[0]).rank
    is_no_wider = m.array("b").ndim <= (2 if rank is None else rank)
    m.require(is_no_wider, "the term has more dimensions than x")
    m.require(m.array("b").size == units, "the term is not one per unit")
    return m.node("Dense", 1, [m["x"], m["w"], _bias(m, units)], **layer.attrs)


outer, within = Value("outer", constant=True), Value("within")
layers = [
    Call("Dense", args, "dense", MSCONVERT)
    for args in ((op.Reshape(x, within), w), (op.Reshape(x, within), w, b))
]


@rule(either(*(op.Reshape(layer, outer).named("back") for layer in layers)))
def reshape_before_dense(m: Match) -> list[Node]:
    """Rows to 2-D, Dense, back: Dense works on the last axis of any rank."""
    layer, target = m.call("dense"), m.array("outer").reshape(-1)
    fan_in, units = m.array("w").shape[:: -1 if layer.attrs["transB"] else 1]
    size = int(target[-1]) if target.size else 0
    if size == -1:
        size = _known(m.shape(m.out)[-1])
    m.require(size == units and target.size > 1, "the last axis does not stay")
    m.require(not (target[:-1] == 0).any(), "it copies sizes of the rows")
    m.require(bool((target[:-1] == -1).sum() <= 1), "the shape is not valid")
    inner = np.array([*target[:-1], fan_in], target.dtype)
    shape = m.constant(f"{m['outer']}_rows", inner)
    known = ValueType(m.graph.type_of(m["x"]).dtype, (*m.shape(m.out)[:-1], int(fan_in)))
    value = m.value(f"{layer.inputs[0]}_rows", known)
    back = m.call("back")
    before = m.again(back, [m["x"], shape], [value], of=[back])
    rest = [node for node in m.nodes if node is not back]
    return [before, m.again(layer, [value, *layer.inputs[1:]], [m.out], of=rest)]


def _known(size: object) -> int:
    if not isinstance(size, int):
        raise Refused("the last size is not known")
    return size


def _check_weight(m: Match) -> None:
    weight = m.array("w")
    m.require(weight.ndim == 2, "the constant is not a matrix")
    m.require(weight.dtype.kind in "fV", "it is not floating point")


def _times(m: Match, name: str, factor: float) -> str:
    if factor == 1:
        return m[name]
    array: Array = m.array(name)
    scaled = (array * np.array(factor, array.dtype)).astype(array.dtype)
    return m.constant(f"{m[name]}_scaled", scaled, Derived(m[name], f"multiplied by {factor}"))


def _bias(m: Match, units: int, factor: float = 1.0) -> str:
    """The bias as (units,): given so, as (1, ..., units), or as one number for all."""
    bias = m.array("b")
    is_row = bias.size == units and bias.shape[-1:] == (units,)
    m.require(is_row or bias.size == 1, "the bias is not one per unit")
    if bias.shape == (units,):
        return _times(m, "b", factor)
    row = np.broadcast_to(bias.reshape(-1), (units,)) * np.array(factor, bias.dtype)
    how = Derived(m["b"], f"reshaped to ({units},), multiplied by {factor}")
    return m.constant(f"{m['b']}_row", row.astype(bias.dtype), how)


conv = op.Conv(x, Value("kernel", constant=True)).named("conv")


@rule(conv + b)
def conv_bias(m: Match) -> Node:
    """A convolution without bias, plus one number for each channel."""
    channels = m.graph.type_of(m["kernel"]).shape or (0,)
    rank = len(m.shape(m["x"]))
    shapes = [(1,) * ones + (channels[0],) + (1,) * (rank - 2) for ones in (0, 1)]
    m.require(m.array("b").shape in shapes, "the term is not one per channel")
    bias = m.reshaped("b", m.array("b").reshape(-1).shape)
    return m.again(m.call("conv"), [m["x"], m["kernel"], bias], [m.out])


left = Call("Mul", (x, Number("first")), "left")


@rule(op.MatMul(left, Value("y") * Number("second")))
def scale_once(m: Match) -> list[Node]:
    """(x a) @ (y b): PyTorch's attention scales both sides by the root of the scale."""
    both = float(np.float32(m.number("first") * m.number("second")))
    dtype, known = m.dtype(m["x"]), m.graph.type_of(m.root.inputs[0])
    m.require(dtype.kind in "fV", "it is not floating point")
    scale = m.constant(f"{m.out}_scale", np.array(both, dtype))
    value = m.value(f"{m.out}_scaled", known)
    before = m.like("Mul", [m["x"], scale], [value], of=[m.call("left")], version=14)
    rest = [node for node in m.nodes if node is not m.call("left")]
    return [before, m.again(m.root, [value, m["y"]], [m.out], of=rest)]


RULES: tuple[Rule, ...] = (
    scale_once,
    dense,
    dense_of_gemm,
    dense_bias,
    reshape_before_dense,
    conv_bias,
)
