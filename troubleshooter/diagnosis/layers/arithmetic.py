"""Operators of two inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .layer import Array, Layer, Outputs

OPERATORS: dict[str, Callable[[Array, Array], Array]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "Pow": np.power,
    "Max": np.maximum,
    "Min": np.minimum,
}
"""By ONNX's names."""


@dataclass(frozen=True, eq=False)
class Arithmetic(Layer):
    """One of `OPERATORS`, element by element."""

    operator: str

    def outputs(self, *inputs: Array) -> Outputs:
        return (OPERATORS[self.operator](inputs[0], inputs[1]),)
