"""Steps of optimisers with gradients of some rows only: `indices` says of which.

Gradients of the same row are added first.
"""

from __future__ import annotations

import math
from typing import Any

from .. import ops
from ..engine import dtype as dtypes
from ..engine.argument import check_float, check_range
from ..engine.failure import ShapeError
from ..engine.primitive import convert
from ..engine.tensor import Tensor
from ..primitives import shaping as p
from .operation import operation
from .optimizer import adam_step, assign, ftrl_step, moved, proximal, step


def check_rows(where: str, var: Tensor, grad: Tensor, indices: Tensor) -> None:
    """Raises: ValueError (MS304) unless `grad` has a row of var for each index."""
    if grad.shape != (*indices.shape, *var.shape[1:]) or indices.ndim != 1:
        got = f"{var.shape}, {grad.shape}, {indices.shape}"
        raise ShapeError(where, "needs one gradient for each index", got=got)


def spread_rows(var: Tensor, grad: Tensor, indices: Tensor) -> tuple[Any, Any]:
    """The gradient of every row, zero where there is none, and which rows have one.

    Rows that there are not are left out, as MindSpore does.
    """
    count, wide = var.shape[0], (1,) * (var.ndim - 1)
    rows = convert(indices, dtypes.int64)
    inside = ops.logical_and(ops.greater_equal(rows, 0), ops.less(rows, count))
    places = ops.expand_dims(ops.where(inside, rows, count), -1)
    nothing = ops.zeros((count + 1, *var.shape[1:]), grad.dtype)
    whole = p.scatter_nd(nothing, places, grad, reduction="add")
    flags = ops.zeros((count + 1, *wide), dtypes.float32)
    found = p.scatter_nd(flags, places, ops.ones((*indices.shape, *wide), dtypes.float32))
    whole, found = (ops.split(x, [count, 1], 0)[0] for x in (whole, found))
    return whole, ops.greater(found, 0.0)


def kept_where(chosen: Tensor, new: Any, old: tuple[Tensor, ...]) -> tuple[Any, ...]:
    """The new values in the rows that are chosen, assigned."""
    pairs = zip(new, old, strict=True)
    return tuple([assign(x, ops.where(chosen, fresh, x)) for fresh, x in pairs])


def sparse_adam(
    slots: tuple[Tensor, ...],
    powers: tuple[Any, Any],
    rates: tuple[Any, ...],
    rows: tuple[Tensor, Tensor],
    settings: tuple[bool, bool],
) -> Any:
    """slots: var, m, v; rows: gradients and indices; settings: nesterov, and lazy."""
    var, m, v = slots
    check_rows("FusedSparseAdam", var, *rows)
    grad, chosen = spread_rows(var, *rows)
    nesterov, lazy = settings
    change, *new = adam_step((m, v), powers, rates, grad, nesterov)
    changed = (ops.sub(var, change), *new)
    if lazy:
        return kept_where(chosen, changed, slots)
    return tuple([assign(x, fresh) for x, fresh in zip(slots, changed, strict=True)])


def fused_sparse_adam(name: str, lazy: bool) -> None:
    @operation(name)
    def made(
        var: Tensor,
        m: Tensor,
        v: Tensor,
        beta1_power: Any,
        beta2_power: Any,
        lr: Any,
        beta1: Any,
        beta2: Any,
        epsilon: Any,
        grad: Tensor,
        indices: Tensor,
        *,
        use_locking: bool = False,
        use_nesterov: bool = False,
    ) -> Any:
        powers, rates = (beta1_power, beta2_power), (lr, beta1, beta2, epsilon)
        return sparse_adam((var, m, v), powers, rates, (grad, indices), (use_nesterov, lazy))


fused_sparse_adam("FusedSparseAdam", False)
fused_sparse_adam("FusedSparseLazyAdam", True)


def check_ftrl(**rates: Any) -> None:
    check_float("SparseApplyFtrl", "lr", rates["lr"], 0.0, ends="neither")
    for name in ("l1", "l2"):
        check_float("SparseApplyFtrl", name, rates[name], 0.0)
    check_range("SparseApplyFtrl", "lr_power", rates["lr_power"], high=0.0)


def sparse_ftrl(
    var: Tensor,
    accum: Tensor,
    linear: Tensor,
    grad: Tensor,
    indices: Tensor,
    *,
    lr: float,
    l1: float,
    l2: float,
    lr_power: float,
    use_locking: bool = False,
) -> Any:
    check_rows("SparseApplyFtrl", var, grad, indices)
    whole, chosen = spread_rows(var, grad, indices)
    new = ftrl_step((var, accum, linear), whole, lr, l1, l2, lr_power)
    return kept_where(chosen, new, (var, accum, linear))


for _name in ("FusedSparseFtrl", "SparseApplyFtrl"):
    operation(_name, check_ftrl)(sparse_ftrl)


def sparse_proximal_adagrad(
    var: Tensor,
    accum: Tensor,
    lr: Any,
    l1: Any,
    l2: Any,
    grad: Tensor,
    indices: Tensor,
    *,
    use_locking: bool = False,
) -> Any:
    check_rows("SparseApplyProximalAdagrad", var, grad, indices)
    whole, chosen = spread_rows(var, grad, indices)
    total = ops.add(accum, ops.square(whole))
    new = proximal(var, whole, ops.div(lr, ops.sqrt(total)), l1, l2)
    return kept_where(chosen, (new, total), (var, accum))


for _name in ("FusedSparseProximalAdagrad", "SparseApplyProximalAdagrad"):
    operation(_name)(sparse_proximal_adagrad)


def sparse_adagrad(
    var: Tensor, accum: Tensor, rows: tuple[Tensor, Tensor], rates: tuple[float, float], slots: bool
) -> Any:
    check_rows("SparseApplyAdagrad", var, *rows)
    whole, chosen = spread_rows(var, *rows)
    total = ops.add(accum, ops.square(whole)) if slots else accum
    change = ops.div(ops.mul(whole, rates[0]), ops.add(ops.sqrt(total), rates[1]))
    return kept_where(chosen, (ops.sub(var, change), total), (var, accum))


@operation("SparseApplyAdagrad")
def sparse_apply_adagrad(
    var: Tensor,
    accum: Tensor,
    grad: Tensor,
    indices: Tensor,
    *,
    lr: float,
    update_slots: bool = True,
    use_locking: bool = False,
) -> Any:
    return sparse_adagrad(var, accum, (grad, indices), (lr, 0.0), update_slots)


@operation("SparseApplyAdagradV2")
def sparse_apply_adagrad_v2(
    var: Tensor,
    accum: Tensor,
    grad: Tensor,
    indices: Tensor,
    *,
    lr: float,
    epsilon: float,
    use_locking: bool = False,
    update_slots: bool = True,
) -> Any:
    return sparse_adagrad(var, accum, (grad, indices), (lr, epsilon), update_slots)


def check_rms(rho: Any, momentum: Any, epsilon: Any, use_locking: Any) -> None:
    check_float("SparseApplyRMSProp", "rho", rho, 0.0, 1.0)
    check_float("SparseApplyRMSProp", "momentum", momentum, 0.0, math.inf)
    check_float("SparseApplyRMSProp", "epsilon", epsilon, 0.0, ends="neither")


@operation("SparseApplyRMSProp", check_rms)
def sparse_apply_rms_prop(
    var: Tensor,
    ms: Tensor,
    mom: Tensor,
    lr: Any,
    grad: Tensor,
    indices: Tensor,
    *,
    rho: float,
    momentum: float,
    epsilon: float,
    use_locking: bool = False,
) -> Any:
    step("SparseApplyRMSProp", var, grad, ms, mom)
    whole, chosen = spread_rows(var, grad, indices)
    squares = moved(ms, ops.square(whole), rho)
    change = ops.div(ops.mul(whole, lr), ops.sqrt(ops.add(squares, epsilon)))
    new = ops.add(ops.mul(mom, momentum), change)
    return kept_where(chosen, (ops.sub(var, new), squares, new), (var, ms, mom))
