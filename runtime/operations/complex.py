"""Complex numbers."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..engine.element_types import COMPLEX, SINGLE_DOUBLE, check_element_types
from ..engine.failure import ShapeError
from ..primitives import complex as p
from .operation import operation, same

for _name, _op in {
    "Real": "real",
    "Imag": "imag",
    "Conj": "conj",
    "Angle": "angle",
    "Polar": "polar",
}.items():
    same(_name, _op)


@operation("Complex")
def complex(real: Any, imag: Any) -> Any:
    check_element_types("Complex", SINGLE_DOUBLE, real, imag)
    if real.shape != imag.shape and real.ndim and imag.ndim:
        raise ShapeError("Complex", "the shapes differ", got=f"{real.shape}, {imag.shape}")
    return p.complex(real, imag)


@operation("ComplexAbs")
def complex_abs(x: Any) -> Any:
    check_element_types("ComplexAbs", COMPLEX, x)
    return p.magnitude(x)


@operation("ConjugateTranspose")
def conjugate_transpose(x: Any, perm: Any) -> Any:
    turned = ops.transpose(x, perm)
    return ops.conj(turned) if x.dtype in COMPLEX else turned
