"""What makes arrays of numbers: ranges, and the same number all over."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..layers.layer import Array
from .model import model


@model("arange")
def arange(start: Any, end: Any = None, step: Any = 1, /) -> Any:
    return np.arange(0, start, step) if end is None else np.arange(start, end, step)


@model("linspace")
def linspace(start: Any, end: Any, steps: Any = 100, /) -> Any:
    return np.linspace(start, end, int(steps))


@model("logspace")
def logspace(start: Any, end: Any, steps: Any = 100, base: Any = 10.0, /) -> Any:
    return np.logspace(start, end, int(steps), base=base)


@model("full")
def full(size: Any, fill_value: Any, /) -> Any:
    return np.full(size, fill_value)


@model("full_like")
def full_like(x: Array, fill_value: Any, /) -> Any:
    return np.full(x.shape, fill_value)


@model("zeros_like")
def zeros_like(x: Array, /) -> Any:
    return np.zeros(x.shape)


@model("ones_like")
def ones_like(x: Array, /) -> Any:
    return np.ones(x.shape)


@model("zeros")
def zeros(*size: Any) -> Any:
    return np.zeros(shape_of(size))


@model("ones")
def ones(*size: Any) -> Any:
    return np.ones(shape_of(size))


@model("eye")
def eye(rows: Any, columns: Any = None, /) -> Any:
    return np.eye(int(rows), None if columns is None else int(columns))


def shape_of(size: tuple[Any, ...]) -> Any:
    return size[0] if len(size) == 1 else size
