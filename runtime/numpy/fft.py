"""`mindspore.numpy.fft`: the Fourier transforms of `ops`, with NumPy's names of arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..ops.fourier import KINDS
from ..ops.registry import OPS


def along_one(name: str) -> Callable[..., Any]:
    function = OPS[name]

    def transform(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
        return function(a, n, axis, norm)

    return named(transform, name)


def along_some(name: str, every: Any) -> Callable[..., Any]:
    function = OPS[name]

    def transform(a: Any, s: Any = None, axes: Any = every, norm: str | None = None) -> Any:
        return function(a, s, axes, norm)

    return named(transform, name)


def named(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As `mindspore.numpy.fft.{name}`."
    return function


def fftshift(x: Any, axes: Any = None) -> Any:
    return ops.fftshift(x, axes)


def ifftshift(x: Any, axes: Any = None) -> Any:
    return ops.ifftshift(x, axes)


fftfreq = OPS["fftfreq"]
rfftfreq = OPS["rfftfreq"]

for _kind in KINDS:
    globals()[_kind] = along_one(_kind)
    globals()[f"{_kind}2"] = along_some(f"{_kind}2", (-2, -1))
    globals()[f"{_kind}n"] = along_some(f"{_kind}n", None)

ihfftn = along_some("hfftn", None)
"""MindSpore's own gives what its `hfftn` does."""
