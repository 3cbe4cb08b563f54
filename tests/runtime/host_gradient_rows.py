"""One row for each host primitive with a vjp; as `gradient_rows.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from msconvert.runtime.engine.primitive import REGISTRY
from msconvert.tests.runtime.gradient_rows import S

X = (3, 4)

SPECIAL = [
    *[S(f"Bessel{kind}", X, low=low) for kind, low in (
        ("I0", -1), ("I0e", 0.2), ("I1", 0.2), ("I1e", 0.2), ("J0", 0.2), ("J1", 0.2),
        ("K0", 0.2), ("K0e", 0.2), ("K1", 0.2), ("K1e", 0.2), ("Y0", 0.2), ("Y1", 0.2))],
    S("BesselJ1", X, low=0.3, twice=True),
    S("Betainc", np.array([1.5, 2.7]), np.array([2.5, 1.6]), (1,), low=-0.5),
    S("Digamma", X, low=0.5, twice=True), S("Erfc", X, twice=True), S("Erfinv", X, low=-0.95),
    S("Igamma", X, X, low=0.5), S("Igammac", X, X, low=0.5),
    S("Lgamma", X, low=0.5, twice=True),
    S("Polygamma", np.array(1), X, low=0.5),
    S("Zeta", np.array([2.5, 3.0, 1.4]), (4, 3), low=0.5),
]  # fmt: skip

LINALG = [
    S("MatrixInverse", (2, 3, 3), twice=True),
    S("MatrixDeterminant", (2, 3, 3), twice=True),
    S("LogMatrixDeterminant", (3, 3)),
    S("Svd", (4, 3), tolerance=1e-4),
    S("Svd", (2, 3, 4), tolerance=1e-4),
    S("SingularValues", (3, 4), twice=True),
    S("Qr", (4, 3)),
    S("MatrixSolve", (2, 3, 3), (2, 3, 2), twice=True),
    S("MatrixTriangularSolve", (3, 3), (3, 2)),
    S("MatrixTriangularSolve", (3, 3), (3, 2), attrs={"lower": False}),
    S("Lstsq", (4, 3), (4, 2)),
    S("MatrixExp", (3, 3), twice=True),
]

HOST_SAMPLES = [*SPECIAL, *LINALG]


def p(op: str, *xs: Any, **attrs: Any) -> Any:
    return REGISTRY[op](*xs, **attrs)


def symmetric(x: Any) -> Any:
    """A positive definite matrix made of x."""
    return x @ x.mT + 2


def z(x: Any) -> Any:
    """Complex numbers made of x."""
    return p("Complex", x, x * x + 1)


COMPOSED: dict[str, Callable[[Any], Any]] = {
    "Cholesky": lambda x: p("Cholesky", symmetric(x)),
    "Cholesky upper": lambda x: p("Cholesky", symmetric(x), upper=True),
    "Eigh": lambda x: (lambda w, v: (w, v * v))(*p("Eigh", symmetric(x))),
    "Complex": lambda x: p("Real", z(x) * z(x)),
    "Real": lambda x: p("Real", p("Exp", z(x))),
    "Imag": lambda x: p("Imag", p("MatMul", z(x), z(x))),
    "Conj": lambda x: p("Imag", p("Conj", z(x)) / z(x + 1)),
    "ComplexAbs": lambda x: p("ComplexAbs", p("Sin", z(x))),
    "FFTN": lambda x: p("ComplexAbs", p("FFTN", z(x), axes=(0, 1), norm="ortho")),
    "FFTN inverse": lambda x: p("Real", p("FFTN", z(x), axes=(1,), inverse=True)),
    "Angle": lambda x: p("Angle", p("Log", z(x))),
}
"""By the primitive, and in which way: real functions of a square matrix.

For matrices of which no element can be moved alone, and for complex numbers.
"""
