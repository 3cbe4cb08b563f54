"""What a converted script is tried with: sizes for its inputs, and seeded random values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from ..graph.graph import Dim, Graph, Node
from .difference import is_real

Array = np.ndarray[Any, Any]
Shapes = tuple[tuple[int, ...], ...]

FREE_SIZES = (
    (2, 8, 64),
    (3, 5, 96),
    (1, 8, 64),
    (1, 16, 224),
    (1, 1, 1),
    (2, 1600, 224),
    (1, 2400, 224),
)
"""Choices for free dimensions: the first axis, a later one, height and width of images.

The last ones are long enough for sound, of which a network takes hundreds of numbers at least.
"""

MOST_NAMES = 6
"""Of so many names of sizes it is tried whether one is the sum of two others."""

SMALL = 8
"""Integers that nothing bounds are drawn below it."""

INDEX_INPUTS = {"Gather": 1, "GatherElements": 1, "OneHot": 0, "GatherND": 1, "ScatterND": 1}
INDEX_INPUTS |= {"ScatterElements": 1, "Scatter": 1}
RECURRENT = ("GRU", "LSTM", "RNN")
SHORTEST = 4
"""Lengths of sequences of any length are drawn below it."""

PASSED_ON = {"Cast", "Identity", "Reshape", "Unsqueeze", "Squeeze", "Flatten", "Transpose"}
PASSED_ON |= {"Expand", "Slice", "Concat", "Split", "Gather", "GatherElements", "Tile"}
"""Operators whose outputs hold nothing but their first inputs' elements."""


@dataclass(frozen=True)
class TrialInput:
    """One input: free dimensions are names or None.

    Integers are drawn below `below`, and below the sizes that are named in `within`.
    """

    name: str
    dtype: np.dtype[Any]
    shape: tuple[Dim, ...]
    below: int = SMALL
    within: frozenset[str] = frozenset()

    @property
    def is_static(self) -> bool:
        return all(isinstance(dim, int) for dim in self.shape)


@dataclass(frozen=True)
class Trial:
    """The inputs and outputs that script and original have in common, in the script's order."""

    inputs: tuple[TrialInput, ...]
    outputs: tuple[str, ...]

    @property
    def is_static(self) -> bool:
        return all(item.is_static for item in self.inputs)


def trial_of(graph: Graph) -> Trial:
    """The trial that fits a prepared graph.

    Raises: ValueError for an input whose element type or rank is not known
    """
    bounds = _bounds(graph)
    inputs = []
    for name in graph.inputs:
        known = graph.type_of(name)
        if known.dtype is None or known.shape is None:
            raise ValueError(f"input {name!r} has no known element type and rank")
        found = bounds.get(name, set())
        plain = 256 if known.dtype == np.uint8 else SMALL
        below = min((bound for bound in found if isinstance(bound, int)), default=plain)
        if "mask" in name.lower():
            below = min(below, 2)
        within = frozenset(bound for bound in found if isinstance(bound, str))
        inputs.append(TrialInput(name, known.dtype, known.shape, below, within))
    return Trial(tuple(inputs), tuple(graph.outputs))


def sized(trial: Trial, choice: int = 0) -> Shapes:
    """A shape for each input: dimensions of one name get one size."""
    taken: dict[str, int] = {}
    return tuple(tuple(_sizes(item.shape, taken, FREE_SIZES[choice])) for item in trial.inputs)


def summed(trial: Trial) -> Iterator[tuple[Shapes, Shapes]]:
    """Two choices of shapes for each sum that may hold: one size is that of two others together.

    As a mask over what is cached and what is new has the sizes of both, under a name of its own.
    """
    names = sorted({dim for item in trial.inputs for dim in item.shape if isinstance(dim, str)})
    for total in names if len(names) <= MOST_NAMES else ():
        for one, other in combinations([name for name in names if name != total], 2):
            yield with_sum(trial, 0, (total, one, other)), with_sum(trial, 1, (total, one, other))


def with_sum(trial: Trial, choice: int, names: tuple[str, str, str]) -> Shapes:
    """The shapes of a choice, the first of the names with the size of the others together."""
    pairs = list(zip([item.shape for item in trial.inputs], sized(trial, choice), strict=True))
    taken = {name: n for shape, own in pairs for name, n in zip(shape, own, strict=True)}
    total, one, other = names
    taken[total] = taken[one] + taken[other]
    return tuple(
        tuple(taken[dim] if isinstance(dim, str) else n for dim, n in zip(shape, own, strict=True))
        for shape, own in pairs
    )


def _sizes(
    shape: tuple[Dim, ...], taken: dict[str, int], sizes: tuple[int, int, int]
) -> Iterator[int]:
    first, later, image = sizes
    for axis, dim in enumerate(shape):
        size = image if len(shape) == 4 and axis >= 2 else first if axis == 0 else later
        if isinstance(dim, int):
            yield dim
        elif dim is None:
            yield size
        else:
            yield taken.setdefault(dim, size)


def values(trial: Trial, shapes: Shapes, seed: int) -> list[Array]:
    """Random inputs, the same for the same seed: normal, below the bound, or true and false."""
    pairs = list(zip(trial.inputs, shapes, strict=True))
    sizes = {name: size for item, own in pairs for name, size in zip(item.shape, own, strict=True)}
    made = []
    for i, (item, shape) in enumerate(pairs):
        below = min(item.below, *(sizes.get(name, item.below) for name in item.within), item.below)
        bounded = replace(item, below=max(below, 1))
        made.append(_random(bounded, shape, np.random.default_rng((seed, i))))
    return made


def _random(item: TrialInput, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Raises: ValueError for an element type of which there are no random values"""
    kind = item.dtype.kind
    if kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if kind in "iu":
        return rng.integers(0, item.below, shape).astype(item.dtype)
    if kind == "c":
        parts = rng.standard_normal((2, *shape))
        return np.asarray(parts[0] + 1j * parts[1], item.dtype)
    if is_real(item.dtype):
        return np.asarray(rng.standard_normal(shape)).astype(item.dtype)
    raise ValueError(f"input {item.name!r} is of {item.dtype}, of which there are no random values")


def _bounds(graph: Graph) -> Mapping[str, set[int | str]]:
    """For each value that becomes an index, the sizes of what it indexes: numbers and names."""
    bounds: dict[str, set[int | str]] = {}
    for node in reversed(graph.nodes):
        if node.op in INDEX_INPUTS:
            index = node.inputs[INDEX_INPUTS[node.op]]
            bounds.setdefault(index, set()).update(_indexed_sizes(graph, node))
        if node.op in RECURRENT and len(node.inputs) > 4:
            steps = (graph.type_of(node.inputs[0]).shape or (None,))[0]
            longest = {steps + 1 if isinstance(steps, int) else SHORTEST}
            bounds.setdefault(node.inputs[4], set()).update(longest)
        if node.op in PASSED_ON:
            found = {bound for out in node.outputs for bound in bounds.get(out, ())}
            sources = node.inputs if node.op == "Concat" else node.inputs[:1]
            for source in sources:
                bounds.setdefault(source, set()).update(found)
    return bounds


def _indexed_sizes(graph: Graph, node: Node) -> set[int | str]:
    """How many there are to choose from; a size that is no number by its name."""
    if node.op == "OneHot":
        depth = graph.constants.get(node.inputs[1])
        return set() if depth is None else {int(depth.ravel()[0])}
    shape = graph.type_of(node.inputs[0]).shape
    if node.op in ("GatherND", "ScatterND"):
        batch = int(node.attrs.get("batch_dims", 0))
        width = (graph.type_of(node.inputs[1]).shape or (None,))[-1]
        sizes = (shape or ())[batch : batch + width] if isinstance(width, int) else ()
    else:
        axis = int(node.attrs.get("axis", 0))
        sizes = (shape or ())[axis : axis + 1 or None]
    return {size for size in sizes if size is not None and size != 0}
