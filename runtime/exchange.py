"""Tensors from and for others: NumPy's arrays, DLPack's capsules, MindIR's files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from .checkpoint import UnsupportedError
from .engine.dtype import Array, DType, as_dtype
from .engine.failure import ElementTypeError, RefusedError, ShapeError
from .engine.tensor import Changes, Tensor

ON_CPU = (1, 0)
"""DLPack's name of the CPU."""


def from_numpy(array: Array) -> Tensor:
    """A Tensor that shares memory with `array`, as `mindspore.from_numpy`."""
    return Tensor.from_numpy(array)


def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule that shares memory with `tensor`."""
    if not isinstance(tensor, Tensor):
        raise ElementTypeError("to_dlpack", "it needs a Tensor", got=str(type(tensor)))
    array = tensor.asnumpy()
    return (array if array.flags.writeable else array.copy()).__dlpack__()


def from_dlpack(dlpack: Any) -> Tensor:
    """The Tensor of a DLPack capsule, which can be taken once; memory is shared."""
    if type(dlpack).__name__ != "PyCapsule" and not hasattr(dlpack, "__dlpack__"):
        raise RefusedError("from_dlpack", "it needs a capsule", got=str(type(dlpack)))
    held = dlpack if hasattr(dlpack, "__dlpack__") else Capsule(dlpack)
    return Tensor.from_numpy(np.from_dlpack(held))


@dataclass(frozen=True)
class Capsule:
    """A capsule as NumPy takes it."""

    capsule: Any

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return ON_CPU


def frombuffer(buffer: Any, dtype: DType, count: int = -1, offset: int = 0) -> Tensor:
    """A Tensor of the numbers in a buffer of bytes, whose memory it shares. Raises: RuntimeError"""
    kind = as_dtype(dtype).numpy
    try:
        return Tensor.from_numpy(np.frombuffer(buffer, kind, count, offset))
    except (TypeError, ValueError) as error:
        raise RefusedError("frombuffer", str(error), got=type(buffer).__name__) from error


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Makes each of two Tensors what the other was."""
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    for x in (t1, t2):
        x.version += 1
    Changes.count += 1


def load(file_name: str, **kwargs: Any) -> Any:
    """Refuses a MindIR file. Raises: ValueError as MindSpore does; MS301 for what would be one"""
    if not isinstance(file_name, str):
        raise ShapeError("load", "'file_name' must be a string", got=str(type(file_name)))
    if not file_name.endswith(".mindir"):
        raise ShapeError("load", "'file_name' must end with '.mindir'", got=file_name)
    if not os.path.exists(file_name):
        raise ShapeError("load", "'file_name' does not exist", got=file_name)
    raise UnsupportedError(
        "MS301",
        "load",
        "only MindSpore itself reads MindIR",
        advice="in MindSpore, export it as ONNX; msconvert makes a script of that",
    )
