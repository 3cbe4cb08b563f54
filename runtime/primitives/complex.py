"""Complex numbers, made and taken apart on the host.

The gradient of a real number with respect to z = x + iy is d/dx + i d/dy, as in MindSpore.
"""

from __future__ import annotations

import numpy as np

from ..engine.dtype import Array
from ..engine.host import host
from ..engine.tensor import Tensor
from .elementwise import abs, cast, equal, one, sign, where, zero


@host("Complex")
def complex(real: Array, imag: Array) -> Array:
    """real + i imag."""
    wide = np.complex128 if real.dtype == np.float64 else np.complex64
    y = np.empty(np.broadcast_shapes(real.shape, imag.shape), wide)
    y.real, y.imag = real, imag
    return y


@host("Real")
def real(x: Array) -> Array:
    return np.ascontiguousarray(x.real).reshape(x.shape)  # it makes an axis where there is none


@host("Imag")
def imag(x: Array) -> Array:
    return np.ascontiguousarray(x.imag).reshape(x.shape)


@host("Conj")
def conj(x: Array) -> Array:
    return np.conj(x)


@host("ComplexAbs")
def magnitude(x: Array) -> Array:
    """|x|, as a real number."""
    return np.abs(x)


@host("Angle")
def angle(x: Array) -> Array:
    return np.angle(x)


def like(g: Tensor, x: Tensor) -> Tensor:
    """A real gradient in the complex element type of `x`."""
    return cast(g, to=x.dtype.onnx)


def turned_left(x: Tensor) -> Tensor:
    """i x."""
    return complex(-imag(x), real(x))


def unless_zero(x: Tensor) -> Tensor:
    """`x`, 1 where it is 0."""
    return where(equal(x, zero(x)), one(x), x)


for _primitive in (real, imag, conj, magnitude, angle, abs):
    _primitive.is_holomorphic = False

complex.vjp(lambda g, y, a, b: real(g), lambda g, y, a, b: imag(g))
real.vjp(lambda g, y, x: like(g, x))
imag.vjp(lambda g, y, x: turned_left(like(g, x)))
conj.vjp(lambda g, y, x: conj(g))
magnitude.vjp(lambda g, y, x: like(g, x) * sign(x))
angle.vjp(lambda g, y, x: turned_left(like(g, x) / unless_zero(conj(x))))
