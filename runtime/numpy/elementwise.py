"""Element by element: arithmetic, comparison, logic, rounding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..engine import dtype as dtypes
from ..engine.tensor import Tensor
from .registry import array, floating, named, public, typed

UNARY = {
    "abs": "abs", "absolute": "abs", "arccosh": "acosh", "arcsin": "asin",
    "arcsinh": "asinh", "arctan": "atan", "arctanh": "atanh", "ceil": "ceil", "cos": "cos",
    "cosh": "cosh", "exp": "exp", "expm1": "expm1", "floor": "floor", "isfinite": "isfinite",
    "isinf": "isinf", "isnan": "isnan", "log": "log", "log10": "log10", "log1p": "log1p",
    "log2": "log2", "reciprocal": "reciprocal", "sign": "sign", "sin": "sin",
    "sinh": "sinh", "sqrt": "sqrt", "square": "square", "tan": "tan", "tanh": "tanh",
    "trunc": "trunc", "fabs": "abs", "rint": "round", "exp2": "exp2",
}  # fmt: skip
"""The op of each function of one Tensor."""

FLOATING = frozenset(
    """
    arccos arccosh arcsin arcsinh arctan arctanh ceil cos cosh exp expm1 floor log log10 log1p log2
    reciprocal sin sinh sqrt tan tanh rint exp2 fabs
    """.split()
)
"""Those that make float32 of whole numbers first."""

BINARY = {
    "add": "add", "arctan2": "atan2", "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor", "copysign": "copysign", "divide": "div", "equal": "equal",
    "float_power": "pow", "floor_divide": "floor_divide", "gcd": "gcd", "greater": "greater",
    "greater_equal": "greater_equal", "hypot": "hypot", "lcm": "lcm", "less": "less",
    "less_equal": "less_equal", "logaddexp": "logaddexp", "logaddexp2": "logaddexp2",
    "logical_and": "logical_and", "logical_or": "logical_or", "logical_xor": "logical_xor",
    "maximum": "maximum", "minimum": "minimum", "multiply": "mul",
    "not_equal": "not_equal", "power": "pow", "subtract": "sub",
    "true_divide": "div", "heaviside": "heaviside",
}  # fmt: skip
"""The op of each function of two."""

FLOATING_PAIRS = frozenset("arctan2 copysign float_power hypot logaddexp logaddexp2".split())


def unary(name: str, op: str) -> Callable[..., Tensor]:
    prepare = floating if name in FLOATING else array

    def function(x: Any, dtype: Any = None) -> Any:
        return typed(getattr(ops, op)(prepare(x)), dtype)

    return function


def binary(name: str, op: str) -> Callable[..., Tensor]:
    prepare = floating if name in FLOATING_PAIRS else array

    def function(x1: Any, x2: Any, dtype: Any = None) -> Any:
        return typed(getattr(ops, op)(prepare(x1), prepare(x2)), dtype)

    return function


def modulo(name: str, op: str) -> Callable[..., Tensor]:
    """A remainder: of whole numbers and zero it is zero."""

    def function(x1: Any, x2: Any, dtype: Any = None) -> Any:
        a, b = array(x1), array(x2)
        y = getattr(ops, op)(a, b)
        whole = not (y.dtype.is_floating_point or y.dtype.is_complex)
        return typed(ops.where(ops.equal(b, 0), ops.zeros_like(y), y) if whole else y, dtype)

    return function


for _name, _op in UNARY.items():
    named(_name, unary(_name, _op))
for _name, _op in BINARY.items():
    named(_name, binary(_name, _op))
for _name, _op in (("mod", "remainder"), ("remainder", "remainder"), ("fmod", "fmod")):
    named(_name, modulo(_name, _op))


@public
def arccos(input: Any, dtype: Any = None) -> Any:
    return typed(ops.acos(floating(input)), dtype)


@public
def negative(a: Any, dtype: Any = None) -> Any:
    return typed(ops.neg(array(a)), dtype)


@public
def around(a: Any, decimals: int = 0) -> Any:
    x = floating(a)
    return ops.round(x) if decimals == 0 else ops.div(ops.round(x * 10**decimals), 10**decimals)


named("round", around)


@public
def fix(x: Any) -> Any:
    return ops.trunc(floating(x))


@public
def cbrt(x: Any, dtype: Any = None) -> Any:
    a = floating(x)
    return typed(ops.sign(a) * ops.pow(ops.abs(a), 1 / 3), dtype)


@public
def positive(a: Any, dtype: Any = None) -> Any:
    return typed(array(a), dtype)


@public
def signbit(x: Any, dtype: Any = None) -> Any:
    return typed(ops.less(array(x), 0), dtype)


@public
def isneginf(x: Any) -> Any:
    a = floating(x)
    return ops.logical_and(ops.isinf(a), ops.less(a, 0))


@public
def isposinf(x: Any) -> Any:
    a = floating(x)
    return ops.logical_and(ops.isinf(a), ops.greater(a, 0))


@public
def isclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    return ops.isclose(floating(a), floating(b), rtol, atol, equal_nan)


@public
def logical_not(a: Any, dtype: Any = None) -> Any:
    return typed(ops.logical_not(array(a)), dtype)


@public
def invert(x: Any, dtype: Any = None) -> Any:
    a = array(x)
    return typed(ops.logical_not(a) if a.dtype is dtypes.bool_ else ops.bitwise_not(a), dtype)


named("bitwise_not", invert)


@public
def clip(x: Any, xmin: Any, xmax: Any, dtype: Any = None) -> Any:
    low = x if xmin is None else ops.maximum(array(x), xmin)
    return typed(array(low if xmax is None else ops.minimum(array(low), xmax)), dtype)


@public
def divmod_(x1: Any, x2: Any, dtype: Any = None) -> tuple[Tensor, Tensor]:
    quotient = ops.floor_divide(array(x1), array(x2))
    return typed(quotient, dtype), typed(array(x1) - quotient * array(x2), dtype)


@public
def deg2rad(x: Any, dtype: Any = None) -> Any:
    return typed(floating(x) * (3.141592653589793 / 180), dtype)


named("radians", deg2rad)


@public
def rad2deg(x: Any, dtype: Any = None) -> Any:
    return typed(floating(x) * (180 / 3.141592653589793), dtype)


@public
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Chosen by `condition`; without x and y, the places where it is true."""
    if x is None and y is None:
        return ops.nonzero(array(condition), as_tuple=True)
    return ops.where(array(condition, dtypes.bool_), array(x), array(y))


@public
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """From the first list whose condition is true."""
    conditions, choices = [array(c) for c in condlist], [array(c) for c in choicelist]
    result = array(default, choices[0].dtype)
    for condition, choice in reversed([*zip(conditions, choices, strict=True)]):
        result = ops.where(condition, choice, result)
    return result


@public
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """By the function (or number) of the first condition that is true."""
    a = array(x)
    conditions = condlist if isinstance(condlist, (list, tuple)) else [condlist]
    choices = [one(a, *args, **kw) if callable(one) else array(one) for one in funclist]
    default = choices.pop() if len(choices) > len(conditions) else 0
    return select(conditions, choices, default)


@public
def isscalar(element: Any) -> bool:
    return isinstance(element, (bool, int, float, complex, str))


@public
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    a, b = array(a1), array(a2)
    if a.shape != b.shape:
        return False
    same = ops.equal(a, b)
    both = ops.logical_and(ops.not_equal(a, a), ops.not_equal(b, b)) if equal_nan else same
    return ops.all(ops.logical_or(same, both))


@public
def array_equiv(a1: Any, a2: Any) -> Any:
    a, b = array(a1), array(a2)
    sizes = zip(a.shape[::-1], b.shape[::-1], strict=False)
    fits = all(n == m or 1 in (n, m) for n, m in sizes)
    return ops.all(ops.equal(a, b)) if fits else False
