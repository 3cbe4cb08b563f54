"""Element by element: arithmetic, comparison, logic."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..engine import dtype as dtypes
from ..engine.argument import check_int, check_type
from ..engine.primitive import convert
from ..engine.promotion import as_tensor, promote
from ..engine.tensor import Tensor
from ..ops import arithmetic, pairwise
from ..ops.reduction import sum
from ..primitives import elementwise as e
from .operation import CLASSES, operation, same

SAME = {
    "Abs": "abs",
    "ACos": "acos",
    "Acosh": "acosh",
    "Add": "add",
    "Asin": "asin",
    "Asinh": "asinh",
    "Atan": "atan",
    "Atan2": "atan2",
    "Atanh": "atanh",
    "BitwiseAnd": "bitwise_and",
    "BitwiseOr": "bitwise_or",
    "BitwiseXor": "bitwise_xor",
    "Ceil": "ceil",
    "Cos": "cos",
    "Cosh": "cosh",
    "Equal": "equal",
    "Erf": "erf",
    "Exp": "exp",
    "Expm1": "expm1",
    "Floor": "floor",
    "FloorDiv": "floor_divide",
    "FloorMod": "floor_mod",
    "Fmax": "fmax",
    "Gcd": "gcd",
    "Greater": "greater",
    "GreaterEqual": "greater_equal",
    "Heaviside": "heaviside",
    "Hypot": "hypot",
    "Inv": "inv",
    "Invert": "invert",
    "IsFinite": "isfinite",
    "IsInf": "isinf",
    "IsNan": "isnan",
    "Lcm": "lcm",
    "LeftShift": "bitwise_left_shift",
    "Lerp": "lerp",
    "Less": "less",
    "LessEqual": "less_equal",
    "Log": "log",
    "Log1p": "log1p",
    "LogicalAnd": "logical_and",
    "LogicalNot": "logical_not",
    "LogicalOr": "logical_or",
    "LogicalXor": "logical_xor",
    "Maximum": "maximum",
    "Minimum": "minimum",
    "Mul": "mul",
    "Neg": "neg",
    "NextAfter": "nextafter",
    "NotEqual": "not_equal",
    "PopulationCount": "population_count",
    "Pow": "pow",
    "Reciprocal": "reciprocal",
    "RightShift": "bitwise_right_shift",
    "Rsqrt": "rsqrt",
    "Sign": "sign",
    "Sin": "sin",
    "Sinh": "sinh",
    "Sqrt": "sqrt",
    "Square": "square",
    "Sub": "sub",
    "Tan": "tan",
    "Trunc": "trunc",
    "TruncateDiv": "truncate_div",
    "TruncateMod": "truncate_mod",
    "Xdivy": "xdivy",
    "Xlogy": "xlogy",
    "Eps": "eps",
}
"""Classes whose call is an op."""

for _name, _op in SAME.items():
    same(_name, _op)

operation("SquaredDifference")(lambda x, y: pairwise.squared_difference(x, y))
operation("DivNoNan")(lambda x, y: pairwise.div_no_nan(x, y))
operation("MulNoNan")(lambda x, y: pairwise.mul_no_nan(x, y))


@operation("Div")
def div(input: Any, other: Any) -> Any:
    """The quotient; of integers as float32."""
    return ops.div(input, other)


@operation("RealDiv")
def real_div(x: Any, y: Any) -> Any:
    """The quotient in the common element type; of integers rounded towards zero."""
    return e.div(*promote(x, y, "RealDiv"))


@operation("Mod")
def mod(x: Any, y: Any) -> Any:
    """The remainder with the sign of the dividend."""
    a, b = promote(x, y, "Mod")
    if a.dtype.is_floating_point or a.dtype.is_complex:
        return ops.fmod(a, b)
    least = ops.where(ops.equal(a, 0), 0, arithmetic.of_zero(a))
    return arithmetic.whole_modulo(a, b, convert(least, a.dtype), 1)


@operation("Round")
def round(input: Any, decimals: Any = 0) -> Any:
    return ops.round(input, decimals=int(decimals))


@operation("Rint")
def rint(x: Any) -> Any:
    """To the nearest whole number, halves to even."""
    return ops.round(pairwise.check_kind("Rint", check_type("Rint", "x", x, Tensor), 2))


@operation("AddN")
def add_n(inputs: Any) -> Any:
    check_type("AddN", "inputs", inputs, tuple, list)
    check_int("AddN", "the number of inputs", len(inputs), 1)
    return ops.addn(inputs)


@operation("Addcdiv")
def addcdiv(input: Any, tensor1: Any, tensor2: Any, value: Any) -> Any:
    return ops.addcdiv(input, tensor1, tensor2, as_factor(value, input))


@operation("Addcmul")
def addcmul(input: Any, tensor1: Any, tensor2: Any, value: Any) -> Any:
    return ops.addcmul(input, tensor1, tensor2, as_factor(value, input))


def as_factor(value: Any, x: Tensor) -> Any:
    """A Tensor in the element type of `x`, other than in `ops.addcmul`."""
    return convert(value, x.dtype) if isinstance(value, Tensor) else value


@operation("ApproximateEqual")
def approximate_equal(x: Any, y: Any, *, tolerance: float = 1e-05) -> Any:
    return ops.approximate_equal(x, y, tolerance)


@operation("IsClose")
def is_close(
    input: Any,
    other: Any,
    *,
    rtol: float | int | bool = 1e-05,
    atol: float | int | bool = 1e-08,
    equal_nan: bool = False,
) -> Any:
    return ops.isclose(input, other, rtol, atol, equal_nan)


@operation("NanToNum")
def nan_to_num(input: Any, *, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    return ops.nan_to_num(input, nan, posinf, neginf)


@operation("EqualCount")
def equal_count(x: Any, y: Any) -> Any:
    """The number of equal elements, as a vector of one in their element type."""
    a, b = promote(x, y, "EqualCount")
    return convert(ops.reshape(sum(convert(ops.equal(a, b), dtypes.int64)), (1,)), a.dtype)


@operation("SquareSumAll")
def square_sum_all(x: Any, y: Any) -> Any:
    """The sum of the squares of each of the two."""
    return sum(ops.square(x)), sum(ops.square(y))


@operation("Identity")
def identity(input_x: Any) -> Any:
    return ops.identity(check_type("Identity", "input_x", input_x, Tensor))


operation("IdentityN")(lambda x: tuple(ops.identity(t) for t in x))


@operation("StopGradient")
def stop_gradient(x: Any) -> Any:
    return ops.stop_gradient(x)


@operation("Cast")
def cast(input_x: Any, dtype: Any) -> Any:
    check_type("Cast", "dtype", dtype, dtypes.DType)
    return ops.cast(as_tensor(input_x, "Cast"), dtype)


@operation("CheckNumerics")
def check_numerics(x: Any) -> Any:
    """`x`. Raises: RuntimeError (MS304) if it has NaN or infinities."""
    return pairwise.finite(check_type("CheckNumerics", "x", x, Tensor))


@operation("CompareAndBitpack")
def compare_and_bitpack(x: Any, threshold: Any) -> Any:
    """Which elements are larger, eight in one uint8."""
    return pairwise.packed(ops.greater(x, threshold))


CLASSES.update(TensorAdd=CLASSES["Add"])
