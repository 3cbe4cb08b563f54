"""Arithmetic, comparison and logic, element by element."""

from __future__ import annotations

import math as python_math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.primitive import Primitive, convert
from ..engine.promotion import as_tensor, common_type, constant, floating, promote, rank_of
from ..engine.tensor import Tensor
from ..primitives import elementwise as p
from .registry import alias, op

Op = Callable[..., Tensor]


def unary(primitive: Primitive, name: str) -> Op:
    """An op of one Tensor of any element type."""

    def function(input: Tensor) -> Tensor:
        return primitive(as_tensor(input, name))

    return named(function, name)


def widening(primitive: Primitive, name: str) -> Op:
    """An op of one Tensor; integers are converted to float32 first."""

    def function(input: Tensor) -> Tensor:
        return primitive(floating(as_tensor(input, name)))

    return named(function, name)


def of_floats(primitive: Primitive, name: str) -> Op:
    """An op of one Tensor. Raises: TypeError (MS304) for integers and booleans."""

    def function(input: Tensor) -> Tensor:
        return primitive(check_floating(name, as_tensor(input, name)))

    return named(function, name)


def check_floating(name: str, x: Tensor) -> Tensor:
    """`x`. Raises: TypeError (MS304) if it is of integers or booleans."""
    if rank_of(x.dtype) < 2:
        raise ElementTypeError(name, "takes floats", got=x.dtype.name)
    return x


def binary(primitive: Primitive, name: str) -> Op:
    """An op of two Tensors or numbers, with MindSpore's implicit conversion."""

    def function(input: Any, other: Any) -> Tensor:
        return primitive(*promote(input, other, name))

    return named(function, name)


def logical(primitive: Primitive, name: str) -> Op:
    """An op of booleans; numbers are true unless zero."""

    def function(input: Any, other: Any) -> Tensor:
        return primitive(*[convert(as_tensor(x, name), dtypes.bool_) for x in (input, other)])

    return named(function, name)


def named(function: Op, name: str) -> Op:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As `mindspore.ops.{name}`."
    return op(function)


add = binary(p.add, "add")
sub = binary(p.sub, "sub")
mul = binary(p.mul, "mul")
maximum = binary(p.max, "maximum")
minimum = binary(p.min, "minimum")
equal = binary(p.equal, "equal")
less = binary(p.less, "less")
greater = binary(p.greater, "greater")
less_equal = binary(p.less_or_equal, "less_equal")
greater_equal = binary(p.greater_or_equal, "greater_equal")
bitwise_and = binary(p.bitwise_and, "bitwise_and")
bitwise_or = binary(p.bitwise_or, "bitwise_or")
bitwise_xor = binary(p.bitwise_xor, "bitwise_xor")
logical_and = logical(p.logical_and, "logical_and")
logical_or = logical(p.logical_or, "logical_or")
logical_xor = logical(p.logical_xor, "logical_xor")

abs = unary(p.abs, "abs")
neg = unary(p.neg, "neg")
sign = unary(p.sign, "sign")
exp = of_floats(p.exp, "exp")
log = of_floats(p.log, "log")
erf = of_floats(p.erf, "erf")
sin = of_floats(p.sin, "sin")
cos = of_floats(p.cos, "cos")
tan = of_floats(p.tan, "tan")
asin = of_floats(p.asin, "asin")
acos = of_floats(p.acos, "acos")
atan = of_floats(p.atan, "atan")
sinh = of_floats(p.sinh, "sinh")
cosh = of_floats(p.cosh, "cosh")
asinh = of_floats(p.asinh, "asinh")
acosh = of_floats(p.acosh, "acosh")
atanh = of_floats(p.atanh, "atanh")
reciprocal = widening(p.reciprocal, "reciprocal")
bitwise_not = unary(p.bitwise_not, "bitwise_not")


@op
def logical_not(input: Any) -> Tensor:
    """Whether it is false; numbers are true unless zero."""
    return p.logical_not(convert(as_tensor(input, "logical_not"), dtypes.bool_))


@op
def sqrt(x: Any) -> Tensor:
    return p.sqrt(floating(as_tensor(x, "sqrt")))


@op
def invert(x: Any) -> Tensor:
    return bitwise_not(x)


@op
def arcsin(x: Any) -> Tensor:
    return asin(x)


@op
def inv(x: Any) -> Tensor:
    """1 / x; of integers as integers."""
    y = reciprocal(x)
    return convert(y, x.dtype) if isinstance(x, Tensor) else y


negative = alias("negative", neg)
absolute = alias("absolute", abs)
multiply = alias("multiply", mul)
arccos = alias("arccos", acos)
arctan = alias("arctan", atan)
arcsinh = alias("arcsinh", asinh)
arccosh = alias("arccosh", acosh)
arctanh = alias("arctanh", atanh)
eq = alias("eq", equal)
lt = alias("lt", less)
gt = alias("gt", greater)
le = alias("le", less_equal)
ge = alias("ge", greater_equal)


def rounding(primitive: Primitive, name: str) -> Op:
    """A rounding op: integers come back as they are."""

    def function(input: Tensor) -> Tensor:
        x = as_tensor(input, name)
        return primitive(x) if rank_of(x.dtype) >= 2 else x

    return named(function, name)


floor = rounding(p.floor, "floor")
ceil = rounding(p.ceil, "ceil")


@op
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """To the nearest, halves to even; `decimals` places after the point."""
    x = as_tensor(input, "round")
    if rank_of(x.dtype) < 2:
        return x
    if decimals == 0:
        return p.round(x)
    return div(p.round(mul(x, 10.0**decimals)), 10.0**decimals)


@op
def trunc(input: Tensor) -> Tensor:
    """Towards zero."""
    x = as_tensor(input, "trunc")
    return x if rank_of(x.dtype) < 2 else mul(sign(x), floor(abs(x)))


@op
def subtract(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    return sub(input, other if alpha == 1 else mul(other, alpha))


@op
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """The quotient, in floats; `rounding_mode` "floor" or "trunc" rounds it."""
    if rounding_mode == "floor":
        return floor_divide(input, other)
    if rounding_mode not in (None, "trunc"):
        raise ShapeError("div", "rounding_mode must be None, 'floor' or 'trunc'")
    x, w = promote(input, other, "div")
    y: Tensor = p.div(floating(x), floating(w))
    return y if rounding_mode is None else convert(trunc(y), x.dtype)


divide = alias("divide", div)


@op
def true_divide(dividend: Any, divisor: Any) -> Tensor:
    return div(dividend, divisor)


@op
def floor_divide(input: Any, other: Any) -> Tensor:
    """The quotient rounded down, in the common element type."""
    x, w = promote(input, other, "floor_divide")
    if rank_of(x.dtype) >= 2:
        return floor(p.div(x, w))
    if x.dtype is dtypes.bool_:
        return where(w, x, x)
    divisor = nonzero(w)
    y = p.div(sub(x, p.mod(x, divisor)), divisor)
    return y if divisor is w else where(equal(w, 0), largest_as(x), y)


def largest_as(x: Tensor) -> Tensor:
    """The quotient of whole numbers and zero: the largest number with the sign of `x`."""
    limits = x.dtype.limits
    return convert(where(greater(x, 0), limits.max, where(less(x, 0), limits.min, 0)), x.dtype)


def nonzero(w: Tensor) -> Tensor:
    """`w` with 1 where it is 0, which ONNX Runtime does not divide by; itself if none is."""
    known = isinstance(w.content, np.ndarray) and not w.variable
    return w if known and w.asnumpy().all() else where(equal(w, 0), constant(1, w.dtype), w)


@op
def floor_div(x: Any, y: Any) -> Tensor:
    return floor_divide(x, y)


@op
def remainder(input: Any, other: Any) -> Tensor:
    """The remainder with the sign of the divisor."""
    x, w = promote(input, other, "remainder")
    if rank_of(x.dtype) < 2:
        return whole_modulo(x, w, x)
    return sub(x, mul(floor(p.div(x, w)), w))


def whole_modulo(x: Tensor, w: Tensor, of_zero: Tensor, fmod: int = 0) -> Tensor:
    """The remainder of whole numbers, and `of_zero` where the divisor is zero."""
    divisor = nonzero(w)
    y: Tensor = p.mod(x, divisor, fmod=fmod)
    return y if divisor is w else where(equal(w, 0), of_zero, y)


def of_zero(x: Tensor) -> int:
    """What FloorMod of MindSpore's CPU build gives of a division by zero."""
    wide = x.dtype in (dtypes.int32, dtypes.int64)
    return int(np.iinfo(x.dtype.numpy).min) if wide else 0


@op
def floor_mod(x: Any, y: Any) -> Tensor:
    """As `remainder`, but of whole numbers and zero."""
    a, w = promote(x, y, "floor_mod")
    if rank_of(a.dtype) >= 2:
        return remainder(a, w)
    return whole_modulo(a, w, constant(of_zero(a), a.dtype))


@op
def fmod(input: Any, other: Any) -> Tensor:
    """The remainder with the sign of the dividend."""
    x, w = promote(input, other, "fmod")
    return whole_modulo(x, w, x, 1) if rank_of(x.dtype) < 2 else p.mod(x, w, fmod=1)


@op
def bitwise_left_shift(input: Any, other: Any) -> Tensor:
    return shifted(input, other, "LEFT")


@op
def bitwise_right_shift(input: Any, other: Any) -> Tensor:
    return shifted(input, other, "RIGHT")


def shifted(input: Any, other: Any, direction: str) -> Tensor:
    """Shifts integers; ONNX knows unsigned ones only, others are multiplied or divided."""
    x, n = promote(input, other, "bitwise_shift")
    if x.dtype.name.startswith("uint"):
        wide = dtypes.uint32 if x.dtype is dtypes.uint16 else x.dtype
        y = p.bit_shift(convert(x, wide), convert(n, wide), direction=direction)
        return convert(y, x.dtype)
    power = convert(pow(constant(2, dtypes.int64), convert(n, dtypes.int64)), x.dtype)
    return mul(x, power) if direction == "LEFT" else floor_divide(x, power)


@op
def pow(input: Any, exponent: Any) -> Tensor:
    return p.pow(*promote(input, exponent, "pow"))


@op
def square(input: Tensor) -> Tensor:
    return mul(input, input)


@op
def rsqrt(input: Tensor) -> Tensor:
    return reciprocal(sqrt(check_floating("rsqrt", as_tensor(input, "rsqrt"))))


@op
def log2(input: Tensor) -> Tensor:
    return mul(log(input), 1 / python_math.log(2))


@op
def log10(input: Tensor) -> Tensor:
    return mul(log(input), 1 / python_math.log(10))


@op
def log1p(input: Tensor) -> Tensor:
    return log(add(check_floating("log1p", as_tensor(input, "log1p")), 1.0))


@op
def expm1(input: Tensor) -> Tensor:
    return sub(exp(as_tensor(input, "expm1")), 1.0)


@op
def not_equal(input: Any, other: Any) -> Tensor:
    return logical_not(equal(input, other))


ne = alias("ne", not_equal)


@op
def isnan(input: Tensor) -> Tensor:
    return p.is_nan(floating(input))


@op
def isinf(input: Tensor) -> Tensor:
    return p.is_inf(check_floating("isinf", as_tensor(input, "isinf")))


@op
def isfinite(input: Tensor) -> Tensor:
    x = floating(as_tensor(input, "isfinite"))
    return logical_not(logical_or(isnan(x), isinf(x)))


@op
def cast(input: Any, dtype: Any) -> Tensor:
    """`input` converted to the element type `dtype`."""
    return convert(as_tensor(input, "cast"), dtypes.as_dtype(dtype))


@op
def where(condition: Tensor, input: Any, other: Any) -> Tensor:
    """`input` where `condition` is true, else `other`; all three are broadcast."""
    x, w = promote(input, other, "where")
    return p.where(convert(condition, dtypes.bool_), x, w)


select = alias("select", where)


@op
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """`input` kept within [min, max]; either may be None, a number or a Tensor.

    Raises: MS304 if both are None.
    """
    if min is None and max is None:
        raise ShapeError("clamp", "at least one of min and max must be given")
    x = as_tensor(input, "clamp")
    if not (isinstance(min, Tensor) or isinstance(max, Tensor)):
        return clip_to_numbers(x, min, max)
    x = x if min is None else maximum(x, min)
    return x if max is None else minimum(x, max)


def clip_to_numbers(x: Tensor, low: Any, high: Any) -> Tensor:
    """Clip with constant bounds, in the type that holds them."""
    fractional = any(isinstance(v, float) for v in (low, high))
    target = (
        common_type(x.dtype, dtypes.float32) if fractional and rank_of(x.dtype) < 2 else x.dtype
    )
    missing = (-np.inf, np.inf) if rank_of(target) >= 2 else (None, None)  # ONNX's are finite
    given = [m if v is None else v for v, m in zip((low, high), missing, strict=True)]
    bounds = [None if v is None else constant(v, target) for v in given]
    return p.clip(convert(x, target), *bounds)


clip = alias("clip", clamp)


@op
def masked_fill(input_x: Tensor, mask: Tensor, value: Any) -> Tensor:
    """`input_x` with `value` where `mask` is true."""
    filling = convert(as_tensor(value, "masked_fill"), input_x.dtype)
    return p.where(mask, filling, input_x)


@op
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    return add(input, mul(weight, sub(end, input)))


@op
def atan2(input: Any, other: Any) -> Tensor:
    """The angle of the point (other, input), in (-pi, pi]."""
    y, x = (floating(v) for v in promote(input, other, "atan2"))
    base = atan(p.div(y, x))
    shift = where(
        less(y, 0.0), constant(-python_math.pi, x.dtype), constant(python_math.pi, x.dtype)
    )
    at_zero = mul(sign(y), constant(python_math.pi / 2, x.dtype))
    return where(equal(x, 0.0), at_zero, where(less(x, 0.0), add(base, shift), base))
