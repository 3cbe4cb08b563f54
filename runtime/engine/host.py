"""Host primitives: what ONNX Runtime has no operator for, computed by NumPy or SciPy.

    @host("Cholesky")
    def cholesky(x: Array) -> Any:
        return np.linalg.cholesky(x)

    @cholesky.vjp
    def cholesky_vjp(g, y, x): ...  # written with primitives, as for any other

The function gets arrays and gives an array, or with `outputs=n` a tuple of n; its keyword-only
parameters are attributes. It works in both modes: a graph with host primitives is run as several
sessions with the functions in between (`stages.py`). A size of the outputs that only the data
decide is declared: `dynamic=(0,)` for axis 0. The shapes of the others are found by calling the
function once with ones (identity matrices where the last two axes are equal).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import dtype as dtypes
from . import trace as tracing
from .dtype import Array, DType
from .failure import ShapeError
from .primitive import REGISTRY, Inputs, Primitive, convert
from .reference import Function
from .tensor import Tensor

NARROW = (dtypes.bfloat16.numpy, dtypes.float16.numpy)
"""Computed in float32: NumPy and SciPy do not compute in them, or not well."""

REFUSALS = (ValueError, TypeError, IndexError, ArithmeticError)
"""What NumPy and SciPy raise when they refuse their inputs."""


class HostPrimitive(Primitive):
    """A primitive that a function of arrays computes; its name is no ONNX operator's."""

    def __init__(
        self, op: str, function: Callable[..., Any], outputs: int, dynamic: tuple[int, ...]
    ) -> None:
        super().__init__(op, function)
        self.__doc__ = function.__doc__
        self.outputs = outputs
        self.dynamic = dynamic

    if not TYPE_CHECKING:  # to the type checker, a call is as that of any primitive

        def __call__(self, *inputs: Tensor | None, outputs: int = 0, **attrs: Any) -> Any:
            return super().__call__(*inputs, outputs=self.outputs, **attrs)

    def compute(self, inputs: Inputs, outputs: int, attrs: dict[str, Any]) -> Any:
        """In a graph bfloat16 goes in and out as float32: no array of it leaves a session."""
        narrow = any(x is not None and x.dtype is dtypes.bfloat16 for x in inputs)
        if tracing.active() is None or not narrow:
            return super().compute(inputs, outputs, attrs)
        wide = tuple([x if x is None else in_place_of(x, dtypes.bfloat16) for x in inputs])
        made = super().compute(wide, outputs, attrs)
        if isinstance(made, Tensor):
            return in_place_of(made, dtypes.float32)
        return tuple([in_place_of(y, dtypes.float32) for y in made])

    def plan(self, given: list[DType | None], outputs: int, attrs: dict[str, Any]) -> None:
        return None

    def host_function(
        self, given: Sequence[DType | None], outputs: int, attrs: dict[str, Any]
    ) -> Function:
        def call(*arrays: Array | None) -> tuple[Array, ...]:
            narrow = next((a.dtype for a in arrays if a is not None and a.dtype in NARROW), None)
            try:
                with np.errstate(all="ignore"):
                    made = self.signature(*map(widened, arrays), **attrs)
            except REFUSALS as error:
                got = ", ".join(f"{a.dtype}{list(a.shape)}" for a in arrays if a is not None)
                raise ShapeError(self.op, str(error), got=got) from None
            every = made if isinstance(made, tuple) else (made,)
            return tuple([narrowed(np.asarray(y), narrow) for y in every])

        return call


def in_place_of(x: Tensor, kind: DType) -> Tensor:
    """`x`; of bfloat16 and float32 the other one, if it is of `kind`."""
    other = {dtypes.bfloat16: dtypes.float32, dtypes.float32: dtypes.bfloat16}[kind]
    return convert(x, other) if x.dtype is kind else x


def widened(array: Array | None) -> Array | None:
    if array is None or array.dtype not in NARROW:
        return array
    return array.astype(np.float32)


def narrowed(array: Array, narrow: np.dtype[Any] | None) -> Array:
    return array.astype(narrow) if narrow is not None and array.dtype == np.float32 else array


def host(
    op: str, *, outputs: int = 0, dynamic: tuple[int, ...] = ()
) -> Callable[[Callable[..., Any]], HostPrimitive]:
    """Makes a function of arrays the host primitive `op`."""

    def register(function: Callable[..., Any]) -> HostPrimitive:
        if op in REGISTRY:
            raise KeyError(f"{op} is a primitive already")
        made = HostPrimitive(op, function, outputs, dynamic)
        REGISTRY[op] = made
        return made

    return register
