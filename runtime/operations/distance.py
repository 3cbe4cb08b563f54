"""Norms and distances."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..engine.element_types import FIELD, SOLVABLE, check_element_types, check_ranks
from ..engine.failure import ShapeError
from ..ops.distance import kept, of_matrix, of_order, places
from .limits import limits
from .operation import operation


@operation("Cdist")
def cdist(input_x: Any, input_y: Any, *, p: float = 2.0) -> Any:
    return ops.cdist(input_x, input_y, p)


@operation("Pdist")
def pdist(x: Any, *, p: float = 2.0) -> Any:
    return ops.pdist(x, p)


@operation("LpNorm", check=limits("LpNorm", p=0))
def lp_norm(
    input: Any,
    *,
    axis: int | tuple[int, ...] | list[int],
    p: int = 2,
    keep_dims: bool = False,
    epsilon: float = 1e-12,
) -> Any:
    check_element_types("LpNorm", SOLVABLE[:2], input)
    axes = tuple(axis) if isinstance(axis, list) else axis
    return of_order(input, p, places("LpNorm", axes, input.ndim), keep_dims)


def check_axes(dim: Any, **rest: Any) -> None:
    """Raises: ValueError (MS304) unless there are two axes, or none."""
    if dim is not None and len(dim) != 2:
        raise ShapeError("NuclearNorm", "needs two axes", got=str(dim))


@operation("NuclearNorm", check=check_axes)
def nuclear_norm(
    x: Any, *, dim: list[int] | tuple[int, ...] | None = None, keepdim: bool = False
) -> Any:
    """The sum of the singular values of the matrices that two axes hold."""
    check_ranks("NuclearNorm", 2, 2 if dim is None else None, x)
    check_element_types("NuclearNorm", FIELD[:2], x)
    rows, columns = places("NuclearNorm", (0, 1) if dim is None else dim, x.ndim)
    return kept(of_matrix(x, "nuc", rows, columns), x, (rows, columns), keepdim)
