"""Reductions, searches and sorting."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..tensor_methods import methods, same

same("amax amin argmin count_nonzero cumsum logsumexp mean prod sort std topk var")


@methods
class Reductions:
    def max(
        self: Any, axis: Any = None, keepdims: Any = False, *, return_indices: Any = False
    ) -> Any:
        """The largest element; along `axis` if it is given, with indices if they are asked for."""
        along = axis is not None and return_indices
        return ops.max(self, axis, keepdims) if along else ops.amax(self, axis, keepdims)

    def min(
        self: Any, axis: Any = None, keepdims: Any = False, *, return_indices: Any = False
    ) -> Any:
        along = axis is not None and return_indices
        return ops.min(self, axis, keepdims) if along else ops.amin(self, axis, keepdims)

    def sum(
        self: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, **same: Any
    ) -> Any:
        """The sum; `dim` and `keepdim` are other names of `axis` and `keepdims`."""
        keep = same.pop("keepdim", keepdims)
        if isinstance(dtype, bool):
            dtype, keep = None, dtype
        return ops.sum(self, same.pop("dim", axis), keep, dtype=dtype)

    def argmax(self: Any, axis: Any = None, keepdims: Any = False) -> Any:
        return ops.argmax(self, axis, keepdims)

    def any(self: Any, axis: Any = None, keep_dims: Any = False) -> Any:
        return ops.any(self, axis, keep_dims)

    def all(self: Any, axis: Any = None, keep_dims: Any = False) -> Any:
        return ops.all(self, axis, keep_dims)
