"""What an argument of an operation is in JSON, and what it was before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..vision.settings import Border, Inter


@dataclass(frozen=True)
class Form:
    """How a value is written, and read again."""

    written: Callable[[Any], Any]
    read: Callable[[Any], Any]


def same(value: Any) -> Any:
    return value


def single(value: Any) -> float:
    """MindSpore holds it in float32, and writes what it holds."""
    return float(np.float32(value))


def singles(values: Any) -> list[float]:
    return [single(value) for value in values]


def numbered(names: dict[Any, int]) -> Form:
    """A choice, by MindSpore's number of it."""
    choices = {number: choice for choice, number in names.items()}
    return Form(lambda choice: names[choice], lambda number: choices[number])


PLAIN = Form(same, same)
FLOAT = Form(single, float)
FLOATS = Form(singles, tuple)
LEVELS = Form(singles, list)
WHOLES = Form(list, tuple)
KIND = Form(lambda kind: np.dtype(kind).name, str)
ONE_OR_TWO = Form(lambda pair: list(dict.fromkeys(pair)), tuple)
PERHAPS = Form(lambda values: singles(values or ()), lambda values: tuple(values) or None)
TURNED = Form(lambda pair: list(pair)[::-1], lambda pair: tuple(pair)[::-1])
SHORTER = Form(list, lambda size: size[0] if len(size) == 1 else tuple(size))
INTERPOLATION = numbered(
    {Inter.LINEAR: 0, Inter.NEAREST: 1, Inter.CUBIC: 2, Inter.AREA: 3, Inter.PILCUBIC: 4}
)
BORDER = numbered({Border.CONSTANT: 0, Border.EDGE: 1, Border.REFLECT: 2, Border.SYMMETRIC: 3})


@dataclass(frozen=True)
class Field:
    """One argument: its name in JSON, its form, the attribute that has it, the parameter."""

    name: str
    form: Form = PLAIN
    attribute: str = ""
    parameter: str = ""

    def of(self, operation: Any) -> Any:
        """Its value in an operation, as JSON has it."""
        return self.form.written(getattr(operation, self.attribute or self.name))

    def argument(self, values: dict[str, Any]) -> tuple[str, Any]:
        """The parameter, and what it is given. Raises: KeyError, TypeError or ValueError"""
        return self.parameter or self.name, self.form.read(values[self.name])
