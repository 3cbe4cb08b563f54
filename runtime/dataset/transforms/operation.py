"""What operations on columns have in common: how they are called, and what they refuse."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ...engine.argument import check_choice, check_type
from ...engine.failure import ElementTypeError, RefusedError
from ...engine.tensor import Tensor

NUMBERS = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64"


@dataclass(frozen=True)
class Takes:
    """The arrays that an operation takes: their axes, channels in the last one, element types.

    channels: which numbers of them there may be where an array has three axes; empty for any.
    """

    axes: tuple[int, ...] = ()
    channels: tuple[int, ...] = ()
    kinds: frozenset[str] = field(default_factory=frozenset)

    def check(self, where: str, x: np.ndarray) -> None:
        """Raises: RuntimeError (MS304) for an array that is not taken."""
        if self.axes and x.ndim not in self.axes:
            self.refuse(where, "axes", f"shape {x.shape}", f"{listed(self.axes)} axes")
        if x.ndim == 3 and self.channels and x.shape[2] not in self.channels:
            expected = f"{listed(self.channels)} channels in the last axis"
            self.refuse(where, "channels", f"shape {x.shape}", expected)
        if self.kinds and x.dtype.name not in self.kinds:
            self.refuse(where, "element type", x.dtype.name, listed(sorted(self.kinds)))

    def refuse(self, where: str, what: str, got: str, expected: str) -> None:
        problem = f"the array's {what} cannot be used"
        raise RefusedError(where, problem, got=got, expected=expected)


def takes(axes: str = "", channels: str = "", kinds: str = "") -> Takes:
    """`Takes` of words; a minus takes kinds away from all there are: `"-int64 float16"`."""
    names = frozenset(kinds.removeprefix("-").split())
    names = frozenset(NUMBERS.split()) - names if kinds.startswith("-") else names
    return Takes(tuple(map(int, axes.split())), tuple(map(int, channels.split())), names)


def listed(names: Any) -> str:
    *first, last = map(str, names)
    return f"{', '.join(first)} or {last}" if first else last


def is_image(value: Any) -> bool:
    """Whether it is an image of Pillow's, which need not be installed."""
    pillow = sys.modules.get("PIL.Image")
    return pillow is not None and isinstance(value, pillow.Image)


class TensorOperation:
    """An operation on the values of columns; `array` says what it does to one array."""

    takes: ClassVar[Takes] = Takes()
    device_target = "CPU"

    def __init__(self) -> None:
        """Operations that are told nothing."""

    def __call__(self, *values: Any) -> Any:
        if len(values) != 1:
            raise ElementTypeError(
                self.name, "it takes one column", got=f"{len(values)} values", expected="one"
            )
        return self.array(self.checked(values[0]))

    @property
    def name(self) -> str:
        return type(self).__name__

    def array(self, x: np.ndarray) -> Any:
        """What becomes of one array."""
        raise NotImplementedError(self.name)

    def checked(self, value: Any) -> np.ndarray:
        """The value as an array. Raises: TypeError or RuntimeError (MS304)."""
        x = as_array(self.name, value)
        self.takes.check(self.name, x)
        return x

    def device(self, device_target: str = "CPU") -> TensorOperation:
        """Itself: it runs on the CPU, which is what there is."""
        check_type(self.name, "device_target", device_target, str)
        check_choice(self.name, "device_target", device_target, ("CPU", "Ascend"))
        self.device_target = device_target
        return self


def as_array(where: str, value: Any) -> np.ndarray:
    """Raises: TypeError (MS304) for what is no array of numbers or text."""
    if isinstance(value, np.ndarray):
        return value
    x = value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)
    if x.dtype.kind == "O":
        got = f"a {type(value).__name__}"
        raise ElementTypeError(where, "the value is no array", got=got, expected="numbers or text")
    return x
