"""Element types, copies, and what a Tensor holds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import ops
from ..engine import dtype as dtypes
from ..engine.argument import check_choice
from ..engine.failure import ElementTypeError
from ..engine.parameter import assign
from ..engine.primitive import convert
from ..engine.tape import record
from ..engine.tensor import Tensor, array_of, wrap
from ..tensor_methods import method, methods

CONVERSIONS = {
    "float": dtypes.float32,
    "half": dtypes.float16,
    "double": dtypes.float64,
    "bfloat16": dtypes.bfloat16,
    "bool": dtypes.bool_,
    "int": dtypes.int32,
    "short": dtypes.int16,
    "byte": dtypes.uint8,
    "long": dtypes.int64,
}


def conversion(target: dtypes.DType) -> Any:
    return lambda self: convert(self, target)


for _name, _target in CONVERSIONS.items():
    method(_name, conversion(_target))


NAMED = {"int": dtypes.int64, "float": dtypes.float64, "bool": dtypes.bool_}
"""Python's types as NumPy understands them."""


def wanted_type(dtype: Any) -> dtypes.DType:
    """An element type, a name of one, or a class. Raises: TypeError (MS304) for anything else."""
    if isinstance(dtype, str):
        name = dtype.lower()
        known = {d.name: d for d in dtypes.DTYPES} | NAMED
        if name not in known:
            raise ElementTypeError("astype", "no such element type", got=repr(dtype))
        return known[name]
    if isinstance(dtype, type):
        return dtypes.from_numpy(np.dtype(dtype))
    if not isinstance(dtype, dtypes.DType):
        raise ElementTypeError("astype", "no element type", got=repr(dtype))
    return dtype


@methods
class Storage:
    def astype(self: Any, dtype: Any, copy: bool = True) -> Any:
        return convert(self, wanted_type(dtype))

    def type(self: Any, dtype: Any = None) -> Any:
        return str(self.dtype) if dtype is None else convert(self, wanted_type(dtype))

    def to(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Converted to the element type among the arguments; the device "CPU" is accepted."""
        target = self.dtype
        for given in (*args, *kwargs.values()):
            if isinstance(given, (dtypes.DType, Tensor)):
                target = given if isinstance(given, dtypes.DType) else given.dtype
            elif isinstance(given, str):
                check_choice("to", "device", given, ("CPU",))
            elif not (given is None or isinstance(given, bool)):
                raise ElementTypeError("to", "neither device nor element type", got=repr(given))
        return convert(self, target)

    def type_as(self: Any, other: Tensor) -> Any:
        return convert(self, other.dtype)

    def set_dtype(self: Any, dtype: dtypes.DType) -> Any:
        """Converts the Tensor itself; gives the element type."""
        self.assign_value(convert(self, dtype).content)
        return dtype

    def dim(self: Any) -> Any:
        return self.ndim

    def numel(self: Any) -> Any:
        return self.size

    ndimension, nelement = dim, numel

    def contiguous(self: Any) -> Any:
        return self

    def is_contiguous(self: Any) -> bool:
        return True

    def is_signed(self: Any) -> bool:
        return self.content.dtype.kind not in "ub"

    def stride(self: Any, dim: Any = None) -> Any:
        """The number of elements from one place to the next along each axis."""
        steps = [math.prod(self.shape[k + 1 :]) for k in range(self.ndim)]
        return steps if dim is None else steps[dim]

    def storage_offset(self: Any) -> int:
        return 0

    def allclose(
        self: Any, other: Tensor, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False
    ) -> bool:
        return bool(ops.all(ops.isclose(self, other, rtol, atol, equal_nan)))

    def requires_grad_(self: Any, requires_grad: bool = True) -> Any:
        self.requires_grad = requires_grad
        return self

    has_init = property(lambda self: False)

    def copy(self: Any) -> Any:
        """The same values in memory of their own; gradients flow through."""
        made = wrap(self.content if self.is_traced else array_of(self))
        record((self,), (made,), lambda gs, wanted: gs)
        return made

    def copy_(self: Any, src: Tensor) -> Any:
        return assign(self, ops.broadcast_to(src, self.shape))

    def set_data(self: Any, data: Tensor) -> Any:
        return assign(self, data)

    def init_data(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self.has_init:
            self.begun()
        return self

    def new_zeros(self: Any, size: Any, dtype: Any = None) -> Any:
        return ops.zeros(size, self.dtype if dtype is None else dtype)

    def new_empty(self: Any, size: Any, *, dtype: Any = None, device: Any = None) -> Any:
        return ops.zeros(size, self.dtype if dtype is None else dtype)

    def new_full(self: Any, size: Any, fill_value: Any, *, dtype: Any = None) -> Any:
        return ops.full(size, fill_value, dtype=self.dtype if dtype is None else dtype)

    def new_ones(self: Any, size: Any, dtype: Any = None) -> Any:
        return ops.ones(size, self.dtype if dtype is None else dtype)
