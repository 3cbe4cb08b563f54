"""Cells that multiply with a network's Jacobian."""

from __future__ import annotations

from typing import Any

from ..cells.cell import Cell
from ..jacobian import jvp, vjp


class Jvp(Cell):
    """fn's value and its derivative along the last argument, as `mindspore.nn.Jvp`."""

    def __init__(self, fn: Any) -> None:
        super().__init__()
        self.fn = fn

    def construct(self, *args: Any) -> Any:
        """Of (*inputs, v); v is a tuple if there are several inputs."""
        return jvp(self.fn, args[:-1], args[-1] if len(args) > 2 else (args[-1],))


class Vjp(Cell):
    """fn's value and the gradients of its inputs, as `mindspore.nn.Vjp`."""

    def __init__(self, fn: Any) -> None:
        super().__init__()
        self.fn = fn

    def construct(self, *args: Any) -> Any:
        """Of (*inputs, v), v the gradient of the output."""
        value, back = vjp(self.fn, *args[:-1])
        v = args[-1]
        gradients = back(*v) if isinstance(v, (tuple, list)) else back(v)
        return value, gradients if len(args) > 2 else gradients[0]
