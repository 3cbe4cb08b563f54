"""How far results are apart where only rounding differs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .messages import Array, Inputs, Leaf, Outcome, Tensor

EPSILON = np.float32(np.finfo(np.float32).eps)

RATE = 0.01
"""The learning rate of the training step."""

SIZES = (1, 4, 8)
"""By how many steps of float32 parameters and inputs are changed, in turn."""

SMOOTH = 3
"""A change of the input so many times as large, times this, explains a change of the output;
what is beyond is a jump, as of a gradient at a kink, which lies within rounding."""


@dataclass(frozen=True)
class Variant:
    """A run that differs from the plain one in rounding: in parameters, in kernels, and in these
    inputs.

    `size`: by how many steps of float32 numbers are off, and whether that is because they were
    `nudged`; 0 for MindSpore's kernels.
    """

    inputs: Inputs
    size: int = 0
    is_nudged: bool = False


class Rounding:
    """The values of one run, and what others gave that should have given the same."""

    def __init__(self, plain: Outcome) -> None:
        self.plain = plain
        self.parts = [Noise(leaf) for leaf in (*plain.outputs, *plain.gradients, *plain.state)]

    def add(self, other: Outcome, size: int) -> None:
        """A run whose numbers were off by `size` steps of float32; 0: with MindSpore's kernels."""
        leaves = (*other.outputs, *other.gradients, *other.state)
        for part, leaf in zip(self.parts, leaves, strict=False):
            part.add(leaf, size)

    def outcome(self) -> Outcome:
        """The first run's values with their noise."""
        noted = iter([part.noted() for part in self.parts])
        outputs, gradients, state = (
            tuple(next(noted) for _ in leaves)
            for leaves in (self.plain.outputs, self.plain.gradients, self.plain.state)
        )
        return replace(self.plain, outputs=outputs, gradients=gradients, state=state)


class Noise:
    """What rounding makes of one value."""

    def __init__(self, leaf: Leaf) -> None:
        self.leaf = leaf
        self.steps: list[tuple[int, float]] = []
        self.unsure: Array | None = None

    def add(self, other: Leaf, size: int) -> None:
        if not size:
            self.leaf = replace(self.leaf, approximated=step_between(self.leaf, other))
            return
        self.steps.append((size, step_between(self.leaf, other)))
        if alike(self.leaf, other) and self.leaf.value.array.dtype.kind in "biu":
            off = self.leaf.value.array != other.value.array
            self.unsure = off if self.unsure is None else self.unsure | off

    def noted(self) -> Leaf:
        small = max((step for size, step in self.steps if size == 1), default=0.0)
        jumps = [step - SMOOTH * size * small for size, step in self.steps if size > 1]
        unsure = self.unsure if self.unsure is not None and self.unsure.any() else None
        return replace(self.leaf, noise=max([small, *jumps]), unsure=unsure)


def alike(one: Leaf, other: Leaf) -> bool:
    both = isinstance(one.value, Tensor) and isinstance(other.value, Tensor)
    return both and one.value.array.shape == other.value.array.shape


def step_between(one: Leaf, other: Leaf) -> float:
    """The largest finite difference of any element; 0 for what are no such numbers."""
    if not alike(one, other) or one.value.array.dtype.kind not in "fc":
        return 0.0
    away = np.abs(other.value.array - one.value.array)
    return float(away[np.isfinite(away)].max(initial=0.0))


def nudged(value: Any, numbers: np.random.RandomState, size: int) -> Any:
    """Inputs whose float32 numbers are, half the time, farther from zero by so many steps.

    Whole numbers are counts, flags or places, which nothing has rounded: they stay. Else a place
    that is exactly on an edge would be now on one side of it, now on the other.
    """
    if isinstance(value, Tensor) and value.dtype == "float32":
        return Tensor(value.dtype, nudged(value.array, numbers, size))
    if isinstance(value, np.ndarray):
        if not value.size or (value == np.round(value)).all():
            return value
        bits = np.frombuffer(numbers.bytes((value.size + 7) // 8), np.uint8)
        chosen = np.unpackbits(bits, count=value.size).reshape(value.shape)
        return np.asarray(value + value * (EPSILON * np.float32(size) * chosen.astype(np.float32)))
    if isinstance(value, (tuple, list)):
        return type(value)([nudged(part, numbers, size) for part in value])
    if isinstance(value, dict):
        return {key: nudged(part, numbers, size) for key, part in value.items()}
    return value


def nudged_inputs(inputs: Inputs, numbers: np.random.RandomState, size: int) -> Inputs:
    return Inputs(nudged(inputs.args, numbers, size), nudged(inputs.kwargs, numbers, size))
