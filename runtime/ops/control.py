"""Branches and loops on the values of Tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.flow.control import cond as branch
from ..engine.flow.looping import fori_loop, scan, while_loop
from ..engine.jit_options import constexpr
from .registry import OPS, alias, op

for _function in (while_loop, fori_loop, scan):
    alias(_function.__name__, _function)
for _name in ("constexpr", "_primexpr"):
    alias(_name, constexpr)


@op
def cond(A: Any, p: Any = None, *functions: Callable[..., Any]) -> Any:
    """The condition number of a matrix, as `mindspore.ops.cond`.

    cond(pred, true_fn, false_fn, *operands): what one of the two functions gives.
    """
    if callable(p):
        return branch(A, p, *functions)
    kind = 2 if p is None else p
    if A.ndim > 2:
        found = [cond(matrix, kind) for matrix in OPS["reshape"](A, (-1, *A.shape[-2:]))]
        return OPS["reshape"](OPS["stack"](found), A.shape[:-2])
    return OPS["norm"](A, kind) * OPS["norm"](OPS["inverse"](A), kind)
