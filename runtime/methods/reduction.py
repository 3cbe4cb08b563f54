"""Reductions, searches and sorting."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..engine.dtype import bool_, int8, int16, int32, uint8
from ..engine.failure import ShapeError
from ..ops.registry import OPS
from ..tensor_methods import method, methods, renamed, same

same("logsumexp topk")

NAMES = {
    "argmin": {"dim": "axis", "keepdim": "keepdims"},
    "median": {"dim": "axis", "keepdim": "keepdims"},
    "nansum": {"dim": "axis", "keepdim": "keepdims"},
    "prod": {"dim": "axis", "keepdim": "keep_dims"},
    "all": {"dim": "axis", "keepdim": "keep_dims"},
    "any": {"dim": "axis", "keepdim": "keep_dims"},
    "argmax": {"axis": "dim", "keepdims": "keepdim"},
    "count_nonzero": {"dim": "axis"},
    "amax": {"dim": "axis", "keepdim": "keepdims"},
    "amin": {"dim": "axis", "keepdim": "keepdims"},
    "argsort": {"dim": "axis"},
}
"""Methods that are ops, and the names that their arguments have beside the op's."""

for _name, _names in NAMES.items():
    method(_name, renamed(OPS[_name], **_names))


SMALL = (bool_, int8, int16, uint8)


def extreme(
    pair: Any, alone: Any, self: Any, args: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """`max` and `min`: (values, indices) for x.max(0), x.max(dim=0); values for x.max(axis=0)."""
    classic = {"axis", "keepdims", "initial", "where", "return_indices"} & options.keys()
    whole = bool(args) and not isinstance(args[0], int)
    if not classic and not whole and (args or options):
        return renamed(pair, dim="axis", keepdim="keepdims")(self, *args, **options)
    wanted = options.pop("return_indices", False)
    axis, keep = (*args, None, False)[:2]
    axis, keep = options.pop("axis", axis), options.pop("keepdims", keep)
    keep = axis is not None and bool(keep)
    if 0 in self.shape and axis is None:
        raise ShapeError(alone.__name__, "there are no elements", got=str(self.shape))
    chosen = pair if wanted and axis is not None else alone
    return chosen(self, axis, keep, **options)


@methods
class Reductions:
    def max(self: Any, *args: Any, **options: Any) -> Any:
        return extreme(ops.max, ops.amax, self, args, options)

    def min(self: Any, *args: Any, **options: Any) -> Any:
        return extreme(ops.min, ops.amin, self, args, options)

    def sum(
        self: Any,
        axis: Any = None,
        dtype: Any = None,
        keepdims: Any = False,
        *,
        initial: Any = None,
        dim: Any = None,
        keepdim: bool = False,
    ) -> Any:
        """The sum; `dim` and `keepdim` are other names of `axis` and `keepdims`."""
        keep = keepdims or keepdim
        if isinstance(dtype, bool):
            dtype, keep = None, dtype
        y = ops.sum(self, axis if dim is None else dim, keep, dtype=dtype)
        return y if initial is None else ops.add(y, initial)

    def cumsum(self: Any, axis: Any = None, dtype: Any = None, *, dim: Any = None) -> Any:
        """The running sum: of all values without an axis, of small integers and bool as int32."""
        axis = axis if dim is None else dim
        x = self if axis is not None else ops.ravel(self)
        if dtype is None and self.dtype in SMALL:
            dtype = int32
        return ops.cumsum(x, 0 if axis is None else axis, dtype)

    def mean(
        self: Any,
        axis: Any = None,
        keep_dims: bool = False,
        *,
        dtype: Any = None,
        dim: Any = None,
        keepdim: bool = False,
    ) -> Any:
        """The mean; `dim` and `keepdim` are other names of `axis` and `keep_dims`."""
        x = self if dtype is None else ops.cast(self, dtype)
        return ops.mean(x, axis if dim is None else dim, keep_dims or keepdim)

    def var(self: Any, *args: Any, **options: Any) -> Any:
        return moment(ops.var, self, args, options)

    def std(self: Any, *args: Any, **options: Any) -> Any:
        return moment(ops.std, self, args, options)

    def sort(self: Any, *args: Any, stable: bool = False, **options: Any) -> Any:
        """Sorted along `axis` (or `dim`), and the places."""
        return renamed(ops.sort, dim="axis")(self, *args, **options)


def moment(op: Any, self: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """`var` and `std`: unbiased where the newer names of the arguments are used."""
    if {"dim", "correction", "keepdim"} & options.keys():
        options.setdefault("correction", 1)
    return renamed(op, dim="axis", correction="ddof", keepdim="keepdims")(self, *args, **options)
