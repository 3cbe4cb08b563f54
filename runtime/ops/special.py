"""Special functions: gamma, Bessel, error functions and what is made of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..engine import dtype as dtypes
from ..engine.argument import check_int, check_type
from ..engine.element_types import (
    REAL,
    SINGLE_DOUBLE,
    check_element_types,
    check_given,
    check_ranks,
)
from ..engine.failure import ShapeError
from ..engine.primitive import Primitive, convert
from ..engine.promotion import as_tensor, floating
from ..engine.tensor import Tensor
from ..primitives import special as p
from .arithmetic import add, cast, clamp, div, equal, log, mul, pow, sin, sub, where
from .registry import op


def real_function(name: str, primitive: Primitive, known: tuple[dtypes.DType, ...] = REAL) -> None:
    """An op of one Tensor, in the floats that MindSpore computes it in."""

    def function(input: Tensor) -> Tensor:
        check_element_types(name, known, input)
        return primitive(input)

    public(name, function)


def public(name: str, function: Callable[..., Tensor]) -> None:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As `mindspore.ops.{name}`."
    op(function)


def bessel_function(name: str, primitive: Primitive) -> None:
    def function(x: Tensor) -> Tensor:
        check_element_types(name, REAL, x)
        return primitive(x)

    public(name, function)


for _kind in ("i0", "i0e", "i1", "i1e", "j0", "j1", "k0", "k0e", "k1", "k1e", "y0", "y1"):
    bessel_function(f"bessel_{_kind}", vars(p)[f"bessel_{_kind}"])
real_function("i0", p.bessel_i0)
real_function("digamma", p.digamma)
real_function("erfc", p.erfc)
real_function("erfinv", p.erfinv)


@op
def lgamma(input: Tensor) -> Tensor:
    """The logarithm of the absolute value of gamma."""
    check_element_types("lgamma", (*REAL, dtypes.int32), input)
    return p.lgamma(floating(input))


@op
def polygamma(n: Tensor, input: Tensor) -> Tensor:
    """The derivative of order `n` of digamma. Raises: MS304 unless `n` is one whole number."""
    check_ranks("polygamma", 0, 0, n)
    check_element_types("polygamma", (dtypes.int32, dtypes.int64), n)
    check_element_types("polygamma", REAL, input)
    return p.polygamma(n, input)


@op
def igamma(input: Tensor, other: Tensor) -> Tensor:
    """The regularised lower incomplete gamma function P(input, other)."""
    check_element_types("igamma", SINGLE_DOUBLE, input, other)
    return p.igamma(input, other)


@op
def igammac(input: Tensor, other: Tensor) -> Tensor:
    """The regularised upper incomplete gamma function Q(input, other)."""
    check_element_types("igammac", SINGLE_DOUBLE, input, other)
    return p.igammac(input, other)


@op
def zeta(input: Any, other: Any) -> Tensor:
    """Hurwitz's zeta function; one of the two may be a number."""
    x, q = input, other
    if isinstance(x, (int, float)):
        x = cast(as_tensor(x), as_tensor(q).dtype)
    if isinstance(q, (int, float)):
        q = cast(as_tensor(q), x.dtype)
    check_element_types("zeta", SINGLE_DOUBLE, x, q)
    return p.zeta(x, q)


@op
def mvlgamma(input: Tensor, p: int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension `p`.

    Raises: MS304 where an element is not above (p - 1) / 2, as long as its value is known
    """
    check_element_types("mvlgamma", SINGLE_DOUBLE, input)
    check_int("mvlgamma", "p", p, 1)
    if not input.is_traced and bool((input.asnumpy() <= (p - 1) / 2).any()):
        raise ShapeError("mvlgamma", "every element must be above (p - 1) / 2", got=str(input))
    total = mul(lgamma(input), 1.0)
    for k in range(1, p):
        total = add(total, lgamma(sub(input, k / 2)))
    return add(total, p * (p - 1) / 4 * math.log(math.pi))


@op
def sinc(input: Tensor) -> Tensor:
    """sin(pi x) / (pi x), 1 at zero."""
    x = floating(as_tensor(input, "sinc"))
    at_zero = equal(x, 0)
    angle = mul(where(at_zero, 1, x), math.pi)
    return where(at_zero, convert(as_tensor(1), x.dtype), div(sin(angle), angle))


@op
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """log(x / (1 - x)), of x kept within [eps, 1 - eps] if `eps` is given."""
    check_element_types("logit", REAL, input)
    x = input
    if eps is not None and check_type("logit", "eps", eps, float) >= 0:
        x = clamp(input, eps, 1 - eps)
    return log(div(x, sub(1, x)))


@op
def exp2(input: Tensor) -> Tensor:
    """2 to the power of `input`."""
    return pow(2.0, input)


def betainc(a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    """The regularised incomplete beta function, behind `P.Betainc`."""
    check_given("Betainc", a, b, x)
    if not a.shape == b.shape == x.shape:
        raise ShapeError("Betainc", "needs equal shapes", got=f"{a.shape}, {b.shape}, {x.shape}")
    check_element_types("Betainc", SINGLE_DOUBLE, a, b, x)
    return p.betainc(a, b, x)
