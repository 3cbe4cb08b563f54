"""Arithmetic, comparison and logic, element by element, with NumPy's broadcasting."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np

from ..code.expr import Expr, helper, ops
from .registry import NodeView, dtype_code, onnx_op

UNARY: dict[str, tuple[str, tuple[int, ...]]] = {
    "Abs": ("abs", (1, 6, 13)),
    "Acos": ("acos", (7, 22)),
    "Acosh": ("acosh", (9, 22)),
    "Asin": ("asin", (7, 22)),
    "Asinh": ("asinh", (9, 22)),
    "Atan": ("atan", (7, 22)),
    "Atanh": ("atanh", (9, 22)),
    "Ceil": ("ceil", (1, 6, 13)),
    "Cos": ("cos", (7, 22)),
    "Cosh": ("cosh", (9, 22)),
    "Erf": ("erf", (9, 13)),
    "Exp": ("exp", (1, 6, 13)),
    "Floor": ("floor", (1, 6, 13)),
    "IsNaN": ("isnan", (9, 13, 20)),
    "Log": ("log", (1, 6, 13)),
    "Not": ("logical_not", (1,)),
    "Reciprocal": ("reciprocal", (1, 6, 13)),
    "Round": ("round", (11, 22)),
    "Sign": ("sign", (9, 13)),
    "Sin": ("sin", (7, 22)),
    "Sinh": ("sinh", (9, 22)),
    "Sqrt": ("sqrt", (1, 6, 13)),
    "Tan": ("tan", (7, 22)),
    "BitwiseNot": ("invert", (18,)),
    "Det": ("det", (11, 22)),
}
"""ONNX operators of one input that are one function of MindSpore: name and schema versions."""

BINARY: dict[str, tuple[str, tuple[int, ...]]] = {
    "And": ("logical_and", (1, 7)),
    "Or": ("logical_or", (1, 7)),
    "Xor": ("logical_xor", (1, 7)),
    "Equal": ("equal", (1, 7, 11, 13, 19)),
    "BitwiseAnd": ("bitwise_and", (18,)),
    "BitwiseOr": ("bitwise_or", (18,)),
    "BitwiseXor": ("bitwise_xor", (18,)),
}
"""ONNX operators of two inputs that are one function of MindSpore."""


def _one_function(op: str, name: str, versions: tuple[int, ...]) -> None:
    @onnx_op(op, *versions)
    def handler(node: NodeView, *inputs: Expr) -> Expr:
        function: Callable[..., Expr] = getattr(ops, name)
        return function(*inputs)


for _op, (_name, _versions) in (UNARY | BINARY).items():
    _one_function(_op, _name, _versions)


@onnx_op("Neg", 1, 6, 13)
def neg(node: NodeView, x: Expr) -> Expr:
    """Neg(X) -> Y."""
    return -x


@onnx_op("Add", 1, 6, 7, 13, 14)
def add(node: NodeView, a: Expr, b: Expr) -> Expr:
    """Add(A, B) -> C."""
    return a + b


@onnx_op("Sub", 1, 6, 7, 13, 14)
def sub(node: NodeView, a: Expr, b: Expr) -> Expr:
    """Sub(A, B) -> C."""
    return a - b


@onnx_op("Mul", 1, 6, 7, 13, 14)
def mul(node: NodeView, a: Expr, b: Expr) -> Expr:
    """Mul(A, B) -> C."""
    return a * b


@onnx_op("Div", 1, 6, 7, 13, 14)
def div(node: NodeView, a: Expr, b: Expr) -> Expr:
    """Div(A, B) -> C; integers are divided toward zero, as in C."""
    dtype = node.out().dtype
    if dtype is None or dtype.kind not in "iu":
        return a / b
    return ops.div(a, b, rounding_mode="trunc")


@onnx_op("Pow", 1, 7, 12, 13, 15)
def pow_(node: NodeView, x: Expr, y: Expr) -> Expr:
    """Pow(X, Y) -> Z, of X's type."""
    exponent, base = node.type(1).dtype, node.type(0).dtype
    if node.array(1) is None and exponent != base and base is not None:
        y = y.method("astype", dtype_code(base))
    return x**y


@onnx_op("Mod", 10, 13, 28)
def mod(node: NodeView, a: Expr, b: Expr) -> Expr:
    """Mod(A, B; fmod=0) -> C: the sign of B, or of A with fmod."""
    if node.attr("fmod", 0):
        return ops.fmod(a, b)
    dtype = node.out().dtype
    if dtype is not None and dtype.kind == "f":
        return helper.onnx_float_mod(a, b)
    return ops.floor_mod(a, b)


@onnx_op("Greater", 1, 7, 9, 13)
def greater(node: NodeView, a: Expr, b: Expr) -> Expr:
    """Greater(A, B) -> C."""
    return a > b


@onnx_op("GreaterOrEqual", 12, 16)
def greater_or_equal(node: NodeView, a: Expr, b: Expr) -> Expr:
    """GreaterOrEqual(A, B) -> C."""
    return a >= b


@onnx_op("Less", 1, 7, 9, 13)
def less(node: NodeView, a: Expr, b: Expr) -> Expr:
    """Less(A, B) -> C."""
    return a < b


@onnx_op("LessOrEqual", 12, 16)
def less_or_equal(node: NodeView, a: Expr, b: Expr) -> Expr:
    """LessOrEqual(A, B) -> C."""
    return a <= b


@onnx_op("Where", 9, 16)
def where(node: NodeView, condition: Expr, x: Expr, y: Expr) -> Expr:
    """Where(condition, X, Y) -> output."""
    return ops.where(condition, x, y)


@onnx_op("NanToNum", 1, domain="msconvert")
def nan_to_num(node: NodeView, x: Expr) -> Expr:
    """NanToNum(X) -> X, 0 where it is NaN."""
    return ops.nan_to_num(x, 0.0)


LONGEST_FOLD = 32
"""Operands of one chain of calls: a longer one is a chain of chains, as Python nests 100 deep."""


def folded(function: Callable[[Expr, Expr], Expr], operands: Sequence[Expr]) -> Expr:
    """The operands taken together from left to right: `a + b + c`."""
    while len(operands) > LONGEST_FOLD:
        runs = (operands[i : i + LONGEST_FOLD] for i in range(0, len(operands), LONGEST_FOLD))
        operands = [reduce(function, run) for run in runs]
    return reduce(function, operands)


@onnx_op("Sum", 1, 6, 8, 13)
def sum_(node: NodeView, first: Expr, *rest: Expr) -> Expr:
    """Sum(data_0, ...) -> sum, broadcast."""
    return folded(operator.add, (first, *rest))


@onnx_op("Mean", 1, 6, 8, 13)
def mean(node: NodeView, first: Expr, *rest: Expr) -> Expr:
    """Mean(data_0, ...) -> mean, broadcast."""
    return sum_(node, first, *rest) / float(1 + len(rest)) if rest else first


@onnx_op("Max", 1, 6, 8, 12, 13)
def max_(node: NodeView, first: Expr, *rest: Expr) -> Expr:
    """Max(data_0, ...) -> max, broadcast."""
    return folded(ops.maximum, (first, *rest))


@onnx_op("Min", 1, 6, 8, 12, 13)
def min_(node: NodeView, first: Expr, *rest: Expr) -> Expr:
    """Min(data_0, ...) -> min, broadcast."""
    return folded(ops.minimum, (first, *rest))


@onnx_op("IsInf", 10, 20)
def isinf(node: NodeView, x: Expr) -> Expr:
    """IsInf(X; detect_negative=1, detect_positive=1) -> Y."""
    if node.attr("detect_negative", 1) and node.attr("detect_positive", 1):
        return ops.isinf(x)
    return ops.logical_and(ops.isinf(x), x > 0 if node.attr("detect_positive", 1) else x < 0)


@onnx_op("BitShift", 11, 28)
def bit_shift(node: NodeView, x: Expr, y: Expr) -> Expr:
    """BitShift(X, Y; direction) -> Z."""
    shifts = {"LEFT": "left", "RIGHT": "right"}
    left, dtype = node.choice("direction", "", shifts) == "left", node.type().dtype
    if dtype is not None and dtype.kind == "i":
        return helper.onnx_shift(x, y, left, dtype.itemsize * 8)
    return ops.bitwise_left_shift(x, y) if left else ops.bitwise_right_shift(x, y)


@onnx_op("CumSum", 11, 14)
def cumsum(node: NodeView, x: Expr, axis: Expr) -> Expr:
    """CumSum(x, axis; exclusive=0, reverse=0) -> y."""
    along = int(np.asarray(node.constant(1, "the axis")).reshape(-1)[0])
    if node.attr("exclusive", 0):
        return cumsum_inclusive(node, x, along) - x
    return cumsum_inclusive(node, x, along)


def cumsum_inclusive(node: NodeView, x: Expr, axis: int) -> Expr:
    """The running sum along `axis`, from the end if the node says reverse."""
    if not node.attr("reverse", 0):
        return ops.cumsum(x, axis)
    return ops.flip(ops.cumsum(ops.flip(x, (axis,)), axis), (axis,))


@onnx_op("CumProd", 26)
def cumprod(node: NodeView, x: Expr, axis: Expr) -> Expr:
    """CumProd(x, axis; exclusive=0, reverse=0) -> y."""
    along = int(np.asarray(node.constant(1, "the axis")).reshape(-1)[0])
    along += node.rank() if along < 0 else 0
    exclusive, reverse = (node.attr(name, 0) == 1 for name in ("exclusive", "reverse"))
    return helper.onnx_cumulative_product(x, along, exclusive, reverse)
