"""Special functions."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..engine.element_types import check_given
from ..engine.failure import ShapeError
from ..ops import special
from .limits import limits
from .operation import operation, same

SAME = {
    "Digamma": "digamma",
    "Erfc": "erfc",
    "Erfinv": "erfinv",
    "Igamma": "igamma",
    "Igammac": "igammac",
    "Lgamma": "lgamma",
    "Polygamma": "polygamma",
    "Sinc": "sinc",
}
for _kind in ("I0", "I0e", "I1", "I1e", "J0", "J1", "K0", "K0e", "K1", "K1e", "Y0", "Y1"):
    SAME[f"Bessel{_kind}"] = f"bessel_{_kind.lower()}"
for _name, _op in SAME.items():
    same(_name, _op)


@operation("Zeta")
def zeta(x: Any, q: Any) -> Any:
    check_given("Zeta", x, q)
    if x.shape != q.shape:
        raise ShapeError("Zeta", "the shapes differ", got=f"{x.shape}, {q.shape}")
    return ops.zeta(x, q)


@operation("Betainc")
def betainc(a: Any, b: Any, x: Any) -> Any:
    return special.betainc(a, b, x)


@operation("Logit")
def logit(input: Any, *, eps: float = -1.0) -> Any:
    return ops.logit(input, eps)


@operation("Mvlgamma", check=limits("Mvlgamma", p=1))
def mvlgamma(x: Any, *, p: int) -> Any:
    return ops.mvlgamma(x, p)
