"""Functions of two operands, element by element, that are more than one operator."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_tensors, check_type
from ..engine.dtype import Array
from ..engine.failure import ElementTypeError, RefusedError
from ..engine.host import host
from ..engine.primitive import conjugated, convert
from ..engine.promotion import as_tensor, constant, floating, promote, rank_of
from ..engine.tensor import Tensor
from ..primitives import elementwise as e
from .arithmetic import (
    abs,
    add,
    atan2,
    div,
    equal,
    exp,
    isinf,
    isnan,
    largest_as,
    less,
    log,
    log1p,
    log2,
    logical_not,
    maximum,
    mul,
    neg,
    nonzero,
    pow,
    sign,
    sqrt,
    square,
    sub,
    trunc,
    where,
    whole_modulo,
)
from .registry import alias, op
from .shaping import broadcast_to


@host("NextAfter")
def next_after(x: Array, towards: Array) -> Any:
    return np.nextafter(x, towards)


@host("GreatestCommonDivisor")
def greatest_common_divisor(a: Array, b: Array) -> Any:
    return np.gcd(a, b)


@host("LeastCommonMultiple")
def least_common_multiple(a: Array, b: Array) -> Any:
    return np.lcm(a, b)


@host("PopulationCount")
def bit_count(x: Array) -> Any:
    return np.unpackbits(x[..., None].view(np.uint8), axis=-1).sum(-1, dtype=np.uint8)


next_after.vjp(lambda g, y, a, b: g, None)


def check_kind(op: str, x: Tensor, *ranks: int) -> Tensor:
    """`x`. Raises: TypeError (MS304) if it is not boolean (0), of integers (1), floats (2)..."""
    if rank_of(x.dtype) not in ranks:
        raise ElementTypeError(op, "takes no such element type", got=x.dtype.name)
    return x


def alike(op: str, *operands: Tensor) -> tuple[Tensor, ...]:
    """The operands. Raises: TypeError (MS304) if their element types differ."""
    kinds = {check_type(op, "operand", x, Tensor).dtype for x in operands}
    if len(kinds) > 1:
        names = ", ".join(x.dtype.name for x in operands)
        raise ElementTypeError(op, "takes operands of one element type", got=names)
    return operands


def floats(op: str, *operands: Any) -> tuple[Tensor, Tensor]:
    """Two Tensors of floats in their common type. Raises: TypeError (MS304) for others."""
    check_tensors(op, input=operands[0], other=operands[1])
    a, b = (check_kind(op, check_type(op, "operand", x, Tensor), 2) for x in operands)
    return promote(a, b, op)


@op
def copysign(x: Tensor, other: Any) -> Tensor:
    """`x` with the signs of `other`; -0 counts as positive, as in MindSpore."""
    check_type("copysign", "x", x, Tensor)
    w = as_tensor(other, "copysign")
    check_kind("copysign", x, 1, 2)
    check_kind("copysign", w, 0, 1, 2)
    narrow = x.dtype in (dtypes.float16, dtypes.float32, dtypes.float64)
    size = abs(x if narrow else convert(x, dtypes.float32))
    return where(less(w, 0), neg(size), size)


@op
def hypot(input: Any, other: Any) -> Tensor:
    """sqrt(input ** 2 + other ** 2)."""
    a, b = promote(input, other, "hypot")
    return sqrt(add(square(a), square(b)))


@op
def ldexp(x: Any, other: Any) -> Tensor:
    """x * 2 ** other."""
    return mul(x, pow(2.0, other) if isinstance(other, Tensor) else 2.0**other)


@op
def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """log(exp(input) + exp(other))."""
    a, b = floats("logaddexp", input, other)
    return add(maximum(a, b), log1p(exp(neg(abs(sub(a, b))))))


@op
def logaddexp2(input: Tensor, other: Tensor) -> Tensor:
    """log2(2 ** input + 2 ** other)."""
    a, b = floats("logaddexp2", input, other)
    return add(maximum(a, b), log2(add(pow(2.0, neg(abs(sub(a, b)))), 1.0)))


def unless_zero(a: Any, b: Any, op: str, function: Any) -> Tensor:
    """function(a, b), and 0 wherever a is 0, whatever b is."""
    x, w = promote(a, b, op)
    x, w = floating(x), floating(w)
    nothing = equal(x, 0)
    return where(
        nothing, constant(0, x.dtype), function(x, where(nothing, constant(1, w.dtype), w))
    )


@op
def xlogy(input: Any, other: Any) -> Tensor:
    """input * log(other), and 0 where `input` is 0; a number is a Tensor of float32."""
    single = isinstance(other, (bool, int, float))
    other = Tensor(float(other), dtypes.float32) if single else other
    return unless_zero(input, other, "xlogy", lambda x, w: mul(x, log(w)))


@op
def xdivy(x: Any, y: Any) -> Tensor:
    """x / y, and 0 where `x` is 0."""
    return unless_zero(x, y, "xdivy", div)


@op
def float_power(input: Any, exponent: Any) -> Tensor:
    """The power as float64 (complex128)."""
    if not isinstance(input, Tensor) and not isinstance(exponent, Tensor):
        raise ElementTypeError("float_power", "needs a Tensor", got=type(input).__name__)
    a, b = as_tensor(input, "float_power"), as_tensor(exponent, "float_power")
    is_complex = 3 in (rank_of(a.dtype), rank_of(b.dtype))
    target = dtypes.complex128 if is_complex else dtypes.float64
    return pow(convert(a, target), convert(b, target))


@op
def fmax(input: Any, other: Any) -> Tensor:
    """The larger; of a number and NaN, the number."""
    a, b = promote(input, other, "fmax")
    if rank_of(a.dtype) < 2:
        return maximum(a, b)
    return where(e.logical_or(isnan(b), e.greater_or_equal(a, b)), a, b)


@op
def gcd(input: Tensor, other: Tensor) -> Tensor:
    """The greatest common divisor of integers."""
    check_tensors("gcd", input=input, other=other)
    a, b = promote(input, other, "gcd")
    return greatest_common_divisor(check_kind("gcd", a, 1), b)


@op
def lcm(input: Any, other: Any) -> Tensor:
    """The least common multiple of integers."""
    a, b = promote(input, other, "lcm")
    return least_common_multiple(check_kind("lcm", a, 1), b)


@op
def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """0 below zero, 1 above it, and `values` at it."""
    a, b = alike("heaviside", input, values)
    return where(equal(a, 0), b, convert(e.greater(a, constant(0, a.dtype)), a.dtype))


@op
def nextafter(input: Tensor, other: Tensor) -> Tensor:
    """The next number after `input` towards `other`."""
    a, b = promote(input, other, "nextafter")
    return next_after(check_kind("nextafter", a, 2), b)


@op
def truncate_div(x: Any, y: Any) -> Tensor:
    """The quotient rounded towards zero, for integers; floats are divided."""
    a, b = promote(x, y, "truncate_div")
    if rank_of(a.dtype) >= 2:
        return trunc(e.div(a, b))
    divisor = nonzero(b)
    quotient: Tensor = e.div(a, divisor)
    return quotient if divisor is b else where(equal(b, 0), largest_as(a), quotient)


@op
def truncate_mod(x: Any, y: Any) -> Tensor:
    """The remainder with the sign of the dividend."""
    a, b = promote(x, y, "truncate_mod")
    if rank_of(a.dtype) >= 2:
        return e.mod(a, b, fmod=1)
    return whole_modulo(a, b, constant(0, a.dtype), 1)


@op
def frac(x: Tensor) -> Tensor:
    """What is behind the point, with the sign of `x`."""
    check_type("frac", "x", x, Tensor)
    return sub(x, trunc(x))


def squared_difference(x: Any, y: Any) -> Tensor:
    """The square of the distance: real of complex numbers, too."""
    d = sub(x, y)
    return mul(d, conjugated(d)) if d.content.dtype.kind == "c" else square(d)


@op
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Any = 1) -> Tensor:
    """input + value * tensor1 / tensor2."""
    quotient = div(tensor1, tensor2)
    return add(input, mul(quotient, factor(value, quotient)))


@op
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Any = 1) -> Tensor:
    """input + value * tensor1 * tensor2."""
    product = mul(tensor1, tensor2)
    return add(input, mul(product, factor(value, product)))


def factor(value: Any, x: Tensor) -> Tensor:
    """`value` in the element type of `x`, or its own if it is a Tensor."""
    return value if isinstance(value, Tensor) else constant(value, x.dtype)


@op
def addn(x: Any) -> Tensor:
    """The sum of a list of Tensors."""
    check_type("addn", "x", x, tuple, list)
    total: Tensor = alike("addn", *x)[0]
    for term in x[1:]:
        total = add(total, term)
    return total


@op
def positive(input: Tensor) -> Tensor:
    x: Tensor = check_type("positive", "input", input, Tensor)
    return x


@op
def population_count(input_x: Tensor) -> Tensor:
    """The number of bits that are 1, as uint8."""
    return bit_count(check_kind("population_count", input_x, 1))


@op
def nan_to_num(input: Tensor, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
    """NaN and the infinities replaced: by 0, and the largest numbers of the type."""
    x = check_kind("nan_to_num", check_type("nan_to_num", "input", input, Tensor), 2)
    limit = float(x.dtype.limits.max)
    low, high = (
        given if given is not None else v for given, v in ((neginf, -limit), (posinf, limit))
    )
    y = where(isnan(x), constant(0.0 if nan is None else nan, x.dtype), x)
    ends = where(less(y, 0), constant(low, x.dtype), constant(high, x.dtype))
    return where(isinf(y), ends, y)


@op
def sgn(input: Tensor) -> Tensor:
    """The sign; of complex numbers the direction."""
    x = check_type("sgn", "input", input, Tensor)
    if rank_of(x.dtype) < 3:
        return sign(x)
    size = abs(x)
    return div(x, convert(where(equal(size, 0), constant(1, size.dtype), size), x.dtype))


def div_no_nan(x: Any, y: Any) -> Tensor:
    """x / y, and 0 wherever y is 0."""
    a, b = promote(x, y, "div_no_nan")
    nothing = equal(b, 0)
    whole = e.div(a, where(nothing, constant(1, b.dtype), b))
    return where(nothing, constant(0, whole.dtype), whole)


def mul_no_nan(x: Any, y: Any) -> Tensor:
    """x * y, and 0 wherever y is 0, whatever x is."""
    a, b = promote(x, y, "mul_no_nan")
    nothing = equal(b, 0)
    return where(nothing, constant(0, a.dtype), mul(where(nothing, constant(1, a.dtype), a), b))


@op
def isclose(
    input: Tensor, other: Tensor, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False
) -> Tensor:
    """|input - other| <= atol + rtol * |other|; infinities only if they are equal."""
    check_tensors("isclose", input=input, other=other)
    a, b = alike("isclose", input, other)
    same = equal(a, b)
    if rank_of(a.dtype) < 2:
        a, b = convert(a, dtypes.float32), convert(b, dtypes.float32)
    near = e.less_or_equal(abs(sub(a, b)), add(mul(abs(b), rtol), atol))
    close = e.logical_or(same, e.logical_and(near, logical_not(e.logical_or(isinf(a), isinf(b)))))
    return e.logical_or(close, e.logical_and(isnan(a), isnan(b))) if equal_nan else close


@op
def approximate_equal(x: Any, y: Any, tolerance: float = 1e-05) -> Tensor:
    """|x - y| < tolerance."""
    return less(abs(sub(x, y)), tolerance)


@op
def isneginf(input: Tensor) -> Tensor:
    x = check_kind("isneginf", check_type("isneginf", "input", input, Tensor), 2)
    return e.logical_and(isinf(x), less(x, 0))


@op
def isposinf(input: Tensor) -> Tensor:
    x = check_kind("isposinf", check_type("isposinf", "input", input, Tensor), 2)
    return e.logical_and(isinf(x), less(0, x))


@op
def isreal(input: Tensor) -> Tensor:
    """Whether the imaginary part is 0."""
    x = check_type("isreal", "input", input, Tensor)
    if rank_of(x.dtype) < 3:
        return broadcast_to(constant(True, dtypes.bool_), x.shape)
    return equal(x, convert(convert(x, dtypes.float64), x.dtype))


@op
def signbit(input: Tensor) -> Tensor:
    """Whether a number is less than zero."""
    return less(check_type("signbit", "input", input, Tensor), 0)


@op
def is_complex(input: Tensor) -> bool:
    return rank_of(check_type("is_complex", "input", input, Tensor).dtype) == 3


@op
def is_floating_point(input: Tensor) -> bool:
    return rank_of(check_type("is_floating_point", "input", input, Tensor).dtype) == 2


@op
def tensor_gt(input: Any, other: Any) -> Tensor:
    return e.greater(*promote(input, other, "tensor_gt"))


alias("arctan2", atan2)
for _name, _op in {
    "add": add,
    "sub": sub,
    "mul": mul,
    "pow": pow,
    "exp": exp,
    "lt": less,
}.items():
    alias(f"tensor_{_name}", _op)


@op
def tensor_div(x: Any, y: Any) -> Tensor:
    """The quotient; of integers as integers, towards 0."""
    common, _ = promote(x, y, "tensor_div")
    return div(x, y, rounding_mode="trunc" if rank_of(common.dtype) == 1 else None)


def finite(x: Tensor) -> Tensor:
    """`x`. Raises: RuntimeError (MS304) if it has NaN or infinities."""
    if not x.is_traced and not np.isfinite(x.asnumpy()).all():
        raise RefusedError("CheckNumerics", "there are NaN or infinities")
    return x


@host("PackBits")
def packed(x: Array) -> Any:
    return np.packbits(x, axis=-1)


def scaled_angle(name: str, factor: float) -> None:
    def function(x: Tensor) -> Tensor:
        y = check_kind(name, check_type(name, "x", x, Tensor), 2)
        return mul(y, constant(factor, y.dtype))

    function.__doc__ = f"`x` times {factor}."
    alias(name, function)


scaled_angle("deg2rad", math.pi / 180)
scaled_angle("rad2deg", 180 / math.pi)


@op
def float_power_ext(input: Any, exponent: Any) -> Tensor:
    """The power of real numbers as float64."""
    return float_power(input, exponent)


@op
def isnan_ext(tensor: Tensor) -> Tensor:
    return e.logical_not(equal(tensor, tensor))
