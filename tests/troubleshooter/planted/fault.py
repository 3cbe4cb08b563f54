"""A mistake that is planted in a converted network, and what must be said of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Array = np.ndarray[Any, Any]
Weights = dict[str, Array]
Reference = Literal["torch", "onnx"]
Target = Literal["runtime", "mindspore"]
Mode = Literal["eval", "both"]
CODE = "code:agrees if"
"""What a network's own code does is told as an expression for either side."""


@dataclass(frozen=True)
class Edit:
    """Texts of a script, each there once, and what is written instead."""

    replaced: tuple[tuple[str, str], ...]

    def of(self, script: str) -> str:
        for old, new in self.replaced:
            if script.count(old) != 1:
                raise ValueError(f"{old!r} is there {script.count(old)} times in\n{script}")
            script = script.replace(old, new)
        return script


@dataclass(frozen=True)
class Spoiled:
    """What is done to the tensors of a checkpoint, by their names in MindSpore."""

    change: Callable[[Weights], None]

    def of(self, weights: Weights) -> Weights:
        found = {name: array.copy() for name, array in weights.items()}
        self.change(found)
        assert found.keys() == weights.keys()
        return found


@dataclass(frozen=True)
class Fault:
    """`layer`: its path; of a mistake in a network's own code, that of the network, "" the whole.

    `causes`: the names in docs/causes.md that are right, or the verdict, as "missing"; behind a
    colon what must also be said, as in "parameters:transposed"; before it nothing, if that is
    enough. `mode`: what is run.
    """

    network: str
    meaning: str
    layer: str
    causes: tuple[str, ...]
    planted: Edit | Spoiled
    reference: Reference = "torch"
    target: Target = "runtime"
    mode: Mode = "eval"

    @property
    def key(self) -> str:
        return f"{self.reference}, {self.target}, {self.network}, {self.layer}: {self.meaning}"


def edit(*texts: str) -> Edit:
    """Old and new texts in turns."""
    return Edit(tuple(zip(texts[::2], texts[1::2], strict=True)))


def exchanged(*names: str) -> Spoiled:
    """Tensors in pairs, each with the values of the other."""

    def change(weights: Weights) -> None:
        for one, other in zip(names[::2], names[1::2], strict=True):
            weights[one], weights[other] = weights[other], weights[one]

    return Spoiled(change)


def changed(function: Callable[[Array], Array], *names: str) -> Spoiled:
    """The function of each of these tensors in its place, with its shape and element type."""

    def change(weights: Weights) -> None:
        for name in names:
            own = weights[name]
            weights[name] = np.ascontiguousarray(function(own), own.dtype).reshape(own.shape)

    return Spoiled(change)


def copied(*names: str) -> Spoiled:
    """The values of the second for the first, and so on."""

    def change(weights: Weights) -> None:
        for one, other in zip(names[::2], names[1::2], strict=True):
            weights[one] = weights[other].copy()

    return Spoiled(change)


def every(function: Callable[[Array], Array], *parts: str) -> Spoiled:
    """The function of each tensor that has one of these in its name."""

    def change(weights: Weights) -> None:
        for name, own in weights.items():
            if any(part in name for part in parts):
                weights[name] = np.ascontiguousarray(function(own), own.dtype)

    return Spoiled(change)


def forgotten(norm: str) -> Spoiled:
    """The running statistics of a norm as they are when it is made."""

    def change(weights: Weights) -> None:
        weights[f"{norm}.moving_mean"][:] = 0
        weights[f"{norm}.moving_variance"][:] = 1

    return Spoiled(change)


# what becomes of a tensor


def filled(value: float) -> Callable[[Array], Array]:
    return lambda x: np.full_like(x, value)


def transposed(x: Array) -> Array:
    """Both first axes exchanged, as of a kernel (o, i, h, w)."""
    return x.swapaxes(0, 1)


def in_half(x: Array) -> Array:
    return x.astype(np.float16)


def in_brain_half(x: Array) -> Array:
    """Rounded to bfloat16."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32)


def quantised(x: Array) -> Array:
    """In 8 bits, symmetric, one scale."""
    scale = np.abs(x).max() / 127
    return np.round(x / scale) * scale


def first_row_times(factor: float) -> Callable[[Array], Array]:
    return lambda x: np.concatenate([x[:1] * factor, x[1:]])


def rolled(by: int, axis: int = 0) -> Callable[[Array], Array]:
    return lambda x: np.roll(x, by, axis)


def mirrored(*axes: int) -> Callable[[Array], Array]:
    return lambda x: np.flip(x, axes)


def parts_in_order(*order: int) -> Callable[[Array], Array]:
    """The parts along the first axis, as gates or projections, in this order."""

    def reorder(x: Array) -> Array:
        parts = np.split(x, len(order))
        return np.concatenate([parts[i] for i in order])

    return reorder


Row = tuple[str, str, str, Edit | Spoiled]
"""The layer; the causes that are right, with | between them; what is wrong; how."""


def faults(
    network: str,
    rows: Sequence[Row],
    reference: Reference = "torch",
    target: Target = "runtime",
    mode: Mode = "eval",
) -> tuple[Fault, ...]:
    return tuple(
        Fault(network, meaning, layer, tuple(causes.split(" | ")), planted, reference, target, mode)
        for layer, causes, meaning, planted in rows
    )
