"""Operations that follow one another, computed as one: the same numbers, and no array in between.

Each takes the usual case, arrays of bytes (h, w, 3); all else goes through the operations as they
are.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..buffers import Buffers
from ..images import resizing
from ..transforms.operation import TensorOperation
from .geometry import HWC2CHW, CenterCrop, HorizontalFlip, Resize
from .random_geometry import RandomHorizontalFlip
from .scaling import Normalize
from .settings import Inter

Function = Callable[..., Any]


def is_usual(values: tuple[Any, ...]) -> bool:
    """Whether it is one array of bytes, of three channels."""
    if len(values) != 1 or not isinstance(values[0], np.ndarray):
        return False
    x = values[0]
    return x.dtype == np.uint8 and x.ndim == 3 and x.shape[2] == 3 and x.size > 0


class Fused(TensorOperation):
    """Operations as one. Abstract."""

    def __init__(self, *operations: Function) -> None:
        self.operations = operations

    def __call__(self, *values: Any) -> Any:
        if is_usual(values):
            found = self.array(values[0])
            if found is not None:
                return found
        for operation in self.operations:
            values = (operation(*values),)
        return values[0]

    def array(self, x: np.ndarray) -> np.ndarray | None:
        """The result, None if this image is not a usual one after all."""
        raise NotImplementedError(self.name)


class ResizedCentre(Fused):
    """`Resize` and `CenterCrop`: only the pixels that stay are computed."""

    operations: tuple[Resize, CenterCrop]

    def array(self, x: np.ndarray) -> np.ndarray | None:
        (h, w), (height, width) = x.shape[:2], self.operations[1].size
        size = self.operations[0].wanted(h, w)
        top, left = (size[0] - height) // 2, (size[1] - width) // 2
        if top < 0 or left < 0 or (h, w) == (2 * size[0], 2 * size[1]) or (h, w) == size:
            return None
        return resizing.resized_part(x, size, (top, left, height, width))


class NormalizedFirst(Fused):
    """`Normalize` and `HWC2CHW`: the axes change places while there is a byte for each number."""

    operations: tuple[Normalize, HWC2CHW]

    def array(self, x: np.ndarray) -> np.ndarray:
        mean, std = self.operations[0].mean, self.operations[0].std
        shape = x.shape[2], *x.shape[:2]
        first = resizing.scratch("first", shape, np.uint8)
        np.copyto(first, x.transpose(2, 0, 1))
        found = own.buffers.take(shape, np.dtype(np.float32))
        found = np.subtract(first, mean[:, None, None], out=found, dtype=np.float32)
        found /= std[:, None, None]
        return np.asarray(found)


class MirroredFirst(Fused):
    """`HorizontalFlip`, also a random one, and these two: what is mirrored is copied only once."""

    operations: tuple[HorizontalFlip, NormalizedFirst]

    def array(self, x: np.ndarray) -> np.ndarray:
        flip, rest = self.operations
        return rest.array(flip.mirrored(x))


ROWS = 64
"""As many arrays of a thread's are used again: those of a batch or two."""


class Own(threading.local):
    """Of each thread: the memory of its results, once nobody holds them any more."""

    def __init__(self) -> None:
        self.buffers = Buffers(ROWS)


own = Own()


def fused(functions: Sequence[Function]) -> list[Function]:
    """The functions, some that follow one another as one."""
    found: list[Function] = []
    for function in functions:
        found.append(function)
        while len(found) > 1 and (one := of_pair(*found[-2:])) is not None:
            found[-2:] = [one]
    return found


def of_pair(first: Any, second: Any) -> Fused | None:
    """Two operations as one; None where there is no such thing."""
    kinds = type(first), type(second)
    if kinds == (Resize, CenterCrop) and first.interpolation == Inter.LINEAR:
        return ResizedCentre(first, second)
    if kinds == (Normalize, HWC2CHW) and first.is_hwc and len(first.mean) in (1, 3):
        return NormalizedFirst(first, second)
    if kinds[0] in (HorizontalFlip, RandomHorizontalFlip) and kinds[1] is NormalizedFirst:
        return MirroredFirst(first, second)
    return None
