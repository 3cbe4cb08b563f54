"""Arithmetic, comparison, logic and rounding, element by element.

Each function is one ONNX operator; see `primitive.py`.
"""

from __future__ import annotations

from typing import Any

from ..engine.dtype import complex128, float32, float64
from ..engine.primitive import primitive
from ..engine.promotion import scalar
from ..engine.tensor import Tensor


def zero(x: Tensor) -> Tensor:
    """0 in the element type of `x`."""
    return scalar(0, x.dtype)


def one(x: Tensor) -> Tensor:
    return scalar(1, x.dtype)


def is_complex(x: Tensor) -> bool:
    return x.content.dtype.kind == "c"


def real_part(g: Tensor) -> Tensor:
    """`g`, of complex numbers the real part in their own element type: |x| has no other."""
    if not is_complex(g):
        return g
    narrow = float64 if g.dtype is complex128 else float32
    return cast(cast(g, to=narrow.onnx), to=g.dtype.onnx)


def has_logarithm(x: Tensor) -> Tensor:
    return logical_not(equal(x, zero(x))) if is_complex(x) else greater(x, zero(x))


def to_the_chosen(g: Tensor, y: Tensor, xs: tuple[Tensor, ...]) -> list[Tensor]:
    """The gradient where an input is the one chosen; equal ones share it, as in MindSpore."""
    chosen = [cast(equal(x, y), to=y.dtype.onnx) for x in xs]
    share = g / sum(*chosen)
    return [share * c for c in chosen]


@primitive("Abs")
def abs(x: Tensor) -> Any: ...


@primitive("Acos")
def acos(input: Tensor) -> Any: ...


@primitive("Acosh")
def acosh(input: Tensor) -> Any: ...


@primitive("Add")
def add(a: Tensor, b: Tensor) -> Any: ...


@primitive("And")
def logical_and(a: Tensor, b: Tensor) -> Any: ...


@primitive("Asin")
def asin(input: Tensor) -> Any: ...


@primitive("Asinh")
def asinh(input: Tensor) -> Any: ...


@primitive("Atan")
def atan(input: Tensor) -> Any: ...


@primitive("Atanh")
def atanh(input: Tensor) -> Any: ...


@primitive("BitShift")
def bit_shift(x: Tensor, y: Tensor, *, direction: str) -> Any: ...


@primitive("BitwiseAnd")
def bitwise_and(a: Tensor, b: Tensor) -> Any: ...


@primitive("BitwiseNot")
def bitwise_not(x: Tensor) -> Any: ...


@primitive("BitwiseOr")
def bitwise_or(a: Tensor, b: Tensor) -> Any: ...


@primitive("BitwiseXor")
def bitwise_xor(a: Tensor, b: Tensor) -> Any: ...


@primitive("Cast")
def cast(input: Tensor, *, to: int, saturate: int = 1) -> Any: ...


@primitive("CastLike")
def cast_like(input: Tensor, target_type: Tensor, *, saturate: int = 1) -> Any: ...


@primitive("Ceil")
def ceil(x: Tensor) -> Any: ...


@primitive("Clip")
def clip(input: Tensor, min: Tensor | None = None, max: Tensor | None = None) -> Any: ...


@primitive("Cos")
def cos(input: Tensor) -> Any: ...


@primitive("Cosh")
def cosh(input: Tensor) -> Any: ...


@primitive("Div")
def div(a: Tensor, b: Tensor) -> Any: ...


@primitive("Equal")
def equal(a: Tensor, b: Tensor) -> Any: ...


@primitive("Erf")
def erf(input: Tensor) -> Any: ...


@primitive("Exp")
def exp(input: Tensor) -> Any: ...


@primitive("Floor")
def floor(x: Tensor) -> Any: ...


@primitive("Greater")
def greater(a: Tensor, b: Tensor) -> Any: ...


@primitive("GreaterOrEqual")
def greater_or_equal(a: Tensor, b: Tensor) -> Any: ...


@primitive("Identity")
def identity(input: Tensor) -> Any: ...


@primitive("IsInf")
def is_inf(x: Tensor, *, detect_negative: int = 1, detect_positive: int = 1) -> Any: ...


@primitive("IsNaN")
def is_nan(x: Tensor) -> Any: ...


@primitive("Less")
def less(a: Tensor, b: Tensor) -> Any: ...


@primitive("LessOrEqual")
def less_or_equal(a: Tensor, b: Tensor) -> Any: ...


@primitive("Log")
def log(input: Tensor) -> Any: ...


@primitive("Max")
def max(*data_0: Tensor) -> Any: ...


@primitive("Mean")
def mean(*data_0: Tensor) -> Any: ...


@primitive("Min")
def min(*data_0: Tensor) -> Any: ...


@primitive("Mod")
def mod(a: Tensor, b: Tensor, *, fmod: int = 0) -> Any: ...


@primitive("Mul")
def mul(a: Tensor, b: Tensor) -> Any: ...


@primitive("Neg")
def neg(x: Tensor) -> Any: ...


@primitive("Not")
def logical_not(x: Tensor) -> Any: ...


@primitive("Or")
def logical_or(a: Tensor, b: Tensor) -> Any: ...


@primitive("Pow")
def pow(x: Tensor, y: Tensor) -> Any: ...


@primitive("Reciprocal")
def reciprocal(x: Tensor) -> Any: ...


@primitive("Round")
def round(x: Tensor) -> Any: ...


@primitive("Sign")
def sign(input: Tensor) -> Any: ...


@primitive("Sin")
def sin(input: Tensor) -> Any: ...


@primitive("Sinh")
def sinh(input: Tensor) -> Any: ...


@primitive("Sqrt")
def sqrt(x: Tensor) -> Any: ...


@primitive("Sub")
def sub(a: Tensor, b: Tensor) -> Any: ...


@primitive("Sum")
def sum(*data_0: Tensor) -> Any: ...


@primitive("Tan")
def tan(input: Tensor) -> Any: ...


@primitive("Where")
def where(condition: Tensor, x: Tensor, y: Tensor) -> Any: ...


@primitive("Xor")
def logical_xor(a: Tensor, b: Tensor) -> Any: ...


# gradients

abs.vjp(lambda g, y, x: real_part(g) * sign(x))
acos.vjp(lambda g, y, x: -g / sqrt(1 - x * x))
acosh.vjp(lambda g, y, x: g / sqrt(x * x - 1))
add.vjp(lambda g, y, a, b: g, lambda g, y, a, b: g)
asin.vjp(lambda g, y, x: g / sqrt(1 - x * x))
asinh.vjp(lambda g, y, x: g / sqrt(x * x + 1))
atan.vjp(lambda g, y, x: g / (x * x + 1))
atanh.vjp(lambda g, y, x: g / (1 - x * x))
cast.vjp(lambda g, y, x: cast(g, to=x.dtype.onnx))
cast_like.vjp(lambda g, y, x, like: cast_like(g, x))
ceil.vjp(None)
clip.vjp(lambda g, y, x, *bounds: where(equal(x, y), g, zero(g)))
cos.vjp(lambda g, y, x: -g * sin(x))
cosh.vjp(lambda g, y, x: g * sinh(x))
div.vjp(lambda g, y, a, b: g / b, lambda g, y, a, b: -g * y / b)
erf.vjp(lambda g, y, x: g * exp(-x * x) * 1.1283791670955126)
exp.vjp(lambda g, y, x: g * y)
floor.vjp(None)
identity.vjp(lambda g, y, x: g)
log.vjp(lambda g, y, x: g / x)
max.vjp_all(lambda g, y, *xs: to_the_chosen(g, y, xs))
mean.vjp_all(lambda g, y, *xs: (g / len(xs),) * len(xs))
min.vjp_all(lambda g, y, *xs: to_the_chosen(g, y, xs))
mod.vjp(lambda g, y, a, b: g, lambda g, y, a, b: g * (y - a) / b)
mul.vjp(lambda g, y, a, b: g * b, lambda g, y, a, b: g * a)
neg.vjp(lambda g, y, x: -g)
pow.vjp(
    lambda g, y, a, b: where(equal(b, zero(b)), zero(g), g * b * pow(a, b - 1)),
    lambda g, y, a, b: g * y * log(where(has_logarithm(a), a, one(a))),
)
reciprocal.vjp(lambda g, y, x: -g * y * y)
round.vjp(None)
sign.vjp(None)
sin.vjp(lambda g, y, x: g * cos(x))
sinh.vjp(lambda g, y, x: g * cosh(x))
sqrt.vjp(lambda g, y, x: g * 0.5 / y)
sub.vjp(lambda g, y, a, b: g, lambda g, y, a, b: -g)
sum.vjp_all(lambda g, y, *xs: (g,) * len(xs))
tan.vjp(lambda g, y, x: g * (y * y + 1))
where.vjp(
    None, lambda g, y, c, a, b: where(c, g, zero(g)), lambda g, y, c, a, b: where(c, zero(g), g)
)
