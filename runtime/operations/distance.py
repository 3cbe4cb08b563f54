"""Norms and distances."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..argument import check_int, check_type
from ..element_types import FIELD, SOLVABLE, check_element_types
from ..ops.distance import kept, of_matrix, of_order, places
from .operation import operation


@operation("Cdist")
def cdist(input_x: Any, input_y: Any, *, p: float = 2.0) -> Any:
    return ops.cdist(input_x, input_y, p)


@operation("Pdist")
def pdist(x: Any, *, p: float = 2.0) -> Any:
    return ops.pdist(x, p)


@operation("LpNorm")
def lp_norm(
    input: Any, *, axis: Any, p: int = 2, keep_dims: bool = False, epsilon: float = 1e-12
) -> Any:
    check_int("LpNorm", "p", p, 0)
    check_element_types("LpNorm", SOLVABLE[:2], input)
    axes = tuple(axis) if isinstance(axis, list) else check_type("LpNorm", "axis", axis, int, tuple)
    return of_order(input, p, places("LpNorm", axes, input.ndim), keep_dims)


@operation("NuclearNorm")
def nuclear_norm(x: Any, *, dim: Any = None, keepdim: bool = False) -> Any:
    """The sum of the singular values of the matrices that two axes hold."""
    check_element_types("NuclearNorm", FIELD[:2], x)
    rows, columns = places("NuclearNorm", (0, 1) if dim is None else dim, x.ndim)
    return kept(of_matrix(x, "nuc", rows, columns), x, (rows, columns), keepdim)
