"""Complex numbers: made of real ones, and taken apart."""

from __future__ import annotations

import numpy as np

from ..engine import dtype as dtypes
from ..engine.element_types import COMPLEX, SINGLE_DOUBLE, check_element_types, check_given
from ..engine.failure import ShapeError
from ..engine.tensor import Tensor, wrap
from ..primitives import complex as p
from .arithmetic import cos, mul, sin
from .registry import op
from .shaping import stack

PARTS = tuple(d for d in dtypes.DTYPES if d is not dtypes.bfloat16)
"""The element types of which MindSpore takes the parts."""


@op
def real(input: Tensor) -> Tensor:
    """The real part; a real Tensor as it is."""
    check_element_types("real", PARTS, input)
    return p.real(input) if input.dtype in COMPLEX else input


@op
def imag(input: Tensor) -> Tensor:
    """The imaginary part; zeros for a real Tensor."""
    check_element_types("imag", PARTS, input)
    return (
        p.imag(input)
        if input.dtype in COMPLEX
        else wrap(np.zeros(input.shape, input.content.dtype))
    )


@op
def conj(input: Tensor) -> Tensor:
    """The complex conjugate; a real Tensor as it is."""
    check_element_types("conj", PARTS[1:], input)
    return p.conj(input) if input.dtype in COMPLEX else input


@op
def angle(input: Tensor) -> Tensor:
    """The angle in (-pi, pi]."""
    check_element_types("angle", COMPLEX, input)
    return p.angle(input)


@op
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """abs * exp(i angle)."""
    check_given("polar", abs, angle)
    if abs.shape != angle.shape:
        raise ShapeError("polar", "the shapes differ", got=f"{abs.shape}, {angle.shape}")
    check_element_types("polar", SINGLE_DOUBLE, abs, angle)
    return p.complex(mul(abs, cos(angle)), mul(abs, sin(angle)))


@op
def view_as_real(input: Tensor) -> Tensor:
    """(...) -> (..., 2): the real and the imaginary parts."""
    check_element_types("view_as_real", COMPLEX, input)
    return stack((p.real(input), p.imag(input)), -1)
