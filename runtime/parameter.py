"""Parameter: a Tensor with a name, that training changes and graphs read anew."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from . import trace as tracing
from .dtype import DType
from .failure import ShapeError
from .primitive import convert
from .tape import is_watched
from .tensor import LazyTensor, Tensor, array_of

UNNAMED = "Parameter"
"""The name of a parameter that no cell has named yet."""


class Parameter(LazyTensor):
    """A Tensor that belongs to a cell, as `mindspore.Parameter`.

    A cell gives it the name of its attribute, with the path of the cells around it as prefix.
    """

    variable = True

    def __init__(
        self,
        default_input: Any = None,
        name: str | None = None,
        requires_grad: bool = True,
        layerwise_parallel: bool = False,
        parallel_optimizer: bool = True,
        storage_format: str = "",
        device: str | None = None,
    ) -> None:
        if isinstance(default_input, LazyTensor):
            self.held = default_input.held
        else:
            keep = isinstance(default_input, Tensor)
            self.held = default_input.value if keep else array_of(default_input)
        self.name = UNNAMED if name is None else name
        self.requires_grad = requires_grad
        self.layerwise_parallel = layerwise_parallel
        self.parallel_optimizer = parallel_optimizer

    @property
    def is_named(self) -> bool:
        return re.fullmatch(rf"{UNNAMED}(\$\d+)?", self.name) is None

    @property
    def data(self) -> Parameter:
        return self

    def set_data(self, data: Tensor, slice_shape: bool = False) -> Parameter:
        """Replaces the values; the element type stays the parameter's own.

        Raises: MS304 if the shapes differ and `slice_shape` is False.
        """
        new = data if isinstance(data, Tensor) else Tensor(data)
        if new.shape != self.shape and not slice_shape:
            raise ShapeError(
                f"Parameter '{self.name}'",
                "set_data got another shape",
                got=str(new.shape),
                expected=str(self.shape),
            )
        assign(self, new)
        return self

    def value_tensor(self) -> Tensor:
        """The parameter's present value as a plain Tensor, sharing memory."""
        return Tensor.from_numpy(self.asnumpy())

    def clone(self, init: Any = "same") -> Parameter:
        """A copy of the same name; `init` "same", "zeros", "ones" or a number gives the values."""
        fills = {"zeros": 0, "ones": 1}
        array = self.asnumpy()
        if init != "same":
            array = np.full(self.shape, fills.get(init, init), array.dtype)
        return Parameter(Tensor(array), self.name, self.requires_grad)

    def set_dtype(self, dtype: DType) -> Parameter:
        """Converts the parameter in place."""
        self.assign_value(self.asnumpy().astype(dtype.numpy))
        return self

    def init_data(self, *args: Any, **kwargs: Any) -> Parameter:
        return self

    def __str__(self) -> str:
        return (
            f"Parameter (name={self.name}, shape={self.shape}, dtype={self.dtype}, "
            f"requires_grad={self.requires_grad})"
        )

    __repr__ = __str__


class ParameterTuple(tuple[Parameter, ...]):
    """A tuple of parameters, as `mindspore.ParameterTuple`."""

    __slots__ = ()

    def __new__(cls, iterable: Any) -> ParameterTuple:
        items = tuple(iterable)
        for item in items:
            if not isinstance(item, Parameter):
                raise TypeError(
                    "For ParameterTuple initialization, ParameterTuple input should be "
                    f"'Parameter' collection, but got a {type(item)}."
                )
        return super().__new__(cls, items)

    def clone(self, prefix: str, init: Any = "same") -> ParameterTuple:
        """Copies, with `prefix` before each name."""
        copies = [x.clone(init) for x in self]
        for copy in copies:
            copy.name = f"{prefix}.{copy.name}"
        return ParameterTuple(copies)


def assign(variable: Tensor, value: Tensor) -> Tensor:
    """Sets `variable` to `value`, converted to its element type; inside a graph, after the run."""
    new = convert(value, variable.dtype)
    trace = tracing.active()
    if trace is not None and variable.variable:
        trace.assign(variable, new)
    else:
        fresh = new.value
        shared = fresh is value.value and not is_watched((value,))
        if isinstance(fresh, np.ndarray) and shared:
            fresh = fresh.copy()
        tracing.remember(variable)
        variable.assign_value(fresh)
    return variable
