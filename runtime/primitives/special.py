"""Special functions, element by element, by SciPy on the host; see `host.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.dtype import Array
from ..engine.host import HostPrimitive, host
from ..engine.tensor import Tensor
from .elementwise import equal, exp, log, one, sign, where, zero


def scipy_function(name: str) -> Callable[..., Array]:
    """`scipy.special.name`, in the element type of the last argument."""

    def function(*xs: Any) -> Array:
        from scipy import special  # slow to import

        found = np.asarray(getattr(special, name)(*xs))
        return found.astype(xs[-1].dtype, copy=False)

    function.__name__ = name
    function.__doc__ = f"As `scipy.special.{name}`."
    return function


def special(op: str, name: str, below: float | None = None) -> HostPrimitive:
    """The host primitive of a function of SciPy; `below`: what MindSpore has for negatives."""
    function = scipy_function(name)
    if below is None:
        return host(op)(function)

    def extended(x: Array) -> Array:
        return np.where(x < 0, x.dtype.type(below), function(x))

    extended.__name__, extended.__doc__ = name, function.__doc__
    return host(op)(extended)


bessel_i0 = special("BesselI0", "i0")
bessel_i0e = special("BesselI0e", "i0e")
bessel_i1 = special("BesselI1", "i1")
bessel_i1e = special("BesselI1e", "i1e")
bessel_j0 = special("BesselJ0", "j0")
bessel_j1 = special("BesselJ1", "j1")
bessel_k0 = special("BesselK0", "k0", below=np.inf)
bessel_k0e = special("BesselK0e", "k0e", below=np.inf)
bessel_k1 = special("BesselK1", "k1", below=np.inf)
bessel_k1e = special("BesselK1e", "k1e", below=np.inf)
bessel_y0 = special("BesselY0", "y0", below=-np.inf)
bessel_y1 = special("BesselY1", "y1", below=-np.inf)
betainc = special("Betainc", "betainc")
digamma = special("Digamma", "psi")
erfc = special("Erfc", "erfc")
erfinv = special("Erfinv", "erfinv")
igamma = special("Igamma", "gammainc")
igammac = special("Igammac", "gammaincc")
lgamma = special("Lgamma", "gammaln")
zeta = special("Zeta", "zeta")


@host("Polygamma")
def polygamma(n: Array, x: Array) -> Array:
    """The derivative of order n of digamma; nan for a negative order."""
    from scipy import special

    if n < 0:
        return np.full_like(x, np.nan)
    return np.asarray(special.polygamma(n, x)).astype(x.dtype)


STEP = 1e-3
"""Of the five-point difference below, whose error is of fourth order."""


@host("IgammaGradA")
def igamma_slope(a: Array, x: Array) -> Array:
    """The derivative of igamma(a, x) with respect to a, for which there is no closed form."""
    from scipy.special import gammainc

    wide, step = a.astype(np.float64), STEP * np.minimum(a, 1).astype(np.float64)
    at = [gammainc(wide + k * step, x.astype(np.float64)) for k in (-2, -1, 1, 2)]
    slope = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * step)
    return np.asarray(slope).astype(a.dtype)


def igamma_density(a: Tensor, x: Tensor) -> Tensor:
    """The derivative of igamma(a, x) with respect to x."""
    return exp((a - 1) * log(x) - x - lgamma(a))


def beta_density(a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    """The derivative of betainc(a, b, x) with respect to x."""
    scale = lgamma(a) + lgamma(b) - lgamma(a + b)
    return exp((a - 1) * log(x) + (b - 1) * log(1 - x) - scale)


def ratio(y: Tensor, x: Tensor) -> Tensor:
    """y / x; 1/2 at zero, as it is for I1 and J1."""
    at_zero = equal(x, zero(x))
    return where(at_zero, one(x) * 0.5, y / where(at_zero, one(x), x))


# gradients

bessel_i0.vjp(lambda g, y, x: g * bessel_i1(x))
bessel_i0e.vjp(lambda g, y, x: g * (bessel_i1e(x) - sign(x) * y))
bessel_i1.vjp(lambda g, y, x: g * (bessel_i0(x) - ratio(y, x)))
bessel_i1e.vjp(lambda g, y, x: g * (bessel_i0e(x) - sign(x) * y - ratio(y, x)))
bessel_j0.vjp(lambda g, y, x: -g * bessel_j1(x))
bessel_j1.vjp(lambda g, y, x: g * (bessel_j0(x) - ratio(y, x)))
bessel_k0.vjp(lambda g, y, x: -g * bessel_k1(x))
bessel_k0e.vjp(lambda g, y, x: g * (y - bessel_k1e(x)))
bessel_k1.vjp(lambda g, y, x: -g * (bessel_k0(x) + y / x))
bessel_k1e.vjp(lambda g, y, x: g * (y - bessel_k0e(x) - y / x))
bessel_y0.vjp(lambda g, y, x: -g * bessel_y1(x))
bessel_y1.vjp(lambda g, y, x: g * (bessel_y0(x) - y / x))
betainc.vjp(None, None, lambda g, y, a, b, x: g * beta_density(a, b, x))
digamma.vjp(lambda g, y, x: g * polygamma(one(x), x))
erfc.vjp(lambda g, y, x: g * exp(-x * x) * (-2 / math.sqrt(math.pi)))
erfinv.vjp(lambda g, y, x: g * exp(y * y) * (math.sqrt(math.pi) / 2))
igamma.vjp(lambda g, y, a, x: g * igamma_slope(a, x), lambda g, y, a, x: g * igamma_density(a, x))
igammac.vjp(
    lambda g, y, a, x: -g * igamma_slope(a, x), lambda g, y, a, x: -g * igamma_density(a, x)
)
lgamma.vjp(lambda g, y, x: g * digamma(x))
polygamma.vjp(None, lambda g, y, n, x: g * polygamma(n + 1, x))
zeta.vjp(None, lambda g, y, x, q: -g * x * zeta(x + 1, q))
