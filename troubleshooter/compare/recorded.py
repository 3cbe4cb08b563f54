"""A run of a network as it was recorded: its layers, calls, tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ..sides.child.messages import Call, LayerInfo, Leaf, Recording, Tensor, Value
from ..sides.child.sketch import NUMBERS, PROJECTIONS, QUANTILES
from ..sides.child.store import Views
from .records import Array, Arrays, LayerRecord, SideName

NAMESPACES = (
    ("torch.nn.", "torch.nn.modules."),
    ("mindspore.mint.nn.", "mindspore.mint.nn."),
    ("mindspore.mint.nn.", "msconvert.runtime.mint.nn."),
    ("mindspore.nn.", "mindspore.nn."),
    ("mindspore.nn.", "msconvert.runtime.nn."),
    ("onnx.", "onnx."),
)
"""Where the classes of layers are, by the names that users know and by those of their modules."""

PUBLIC = tuple({public for public, _ in NAMESPACES})

BARE = (
    "torch.nn.modules.module.Module",
    "mindspore.nn.cell.Cell",
    "msconvert.runtime.cells.cell.Cell",
)


@dataclass(frozen=True)
class Sketch:
    """What is known of a tensor that need not be there any more; of finite elements."""

    size: int
    nan: int
    infinite: int
    zero: int
    minimum: float
    maximum: float
    mean: float
    norm: float
    quantiles: tuple[float, ...]
    projections: Array = field(repr=False, compare=False)


@dataclass(frozen=True)
class Run:
    """A recording of one side, and the parameters that it began with, by their paths."""

    side: SideName
    recording: Recording
    state: Arrays
    views: Views = field(default_factory=Views)

    @property
    def calls(self) -> tuple[Call, ...]:
        return self.recording.calls

    @cached_property
    def layers(self) -> dict[str, LayerInfo]:
        return {layer.path: layer for layer in self.recording.layers}

    @cached_property
    def by_place(self) -> dict[tuple[str, int], Call]:
        return {(call.path, call.index): call for call in self.calls}

    @cached_property
    def children(self) -> Mapping[int, tuple[Call, ...]]:
        """The calls within each call by its number, in order; -1: the outermost."""
        found: dict[int, list[Call]] = {}
        for call in self.calls:
            found.setdefault(call.parent, []).append(call)
        return {number: tuple(calls) for number, calls in found.items()}

    def kind(self, path: str) -> str:
        return kind_of(self.layers[path].classes)

    def leaf(self, value: Value, noise: Leaf | None = None) -> Leaf | None:
        """A recorded tensor with its noise; None if only its sketch was kept."""
        if value.stored is None:
            return None
        tensor = Tensor(value.dtype, self.views.array(value.stored))
        if noise is None:
            return Leaf(value.place, tensor)
        return Leaf(value.place, tensor, noise.noise, noise.approximated, noise.unsure)

    def sketch(self, value: Value) -> Sketch:
        row = self.recording.sketches[value.row]
        numbers = [float(x) for x in row[: len(NUMBERS)]]
        size, nan, infinite, zero = [int(x) for x in numbers[:4]]
        minimum, maximum, mean, norm = numbers[4:]
        quantiles = tuple(row[len(NUMBERS) : len(NUMBERS) + len(QUANTILES)].tolist())
        ends = (minimum, maximum, mean, norm)
        return Sketch(size, nan, infinite, zero, *ends, quantiles, row[-PROJECTIONS:])

    def arrays(self, values: tuple[Value, ...]) -> Iterator[Array]:
        for value in values:
            if value.stored is not None:
                yield self.views.array(value.stored)

    def own(self, layer: LayerInfo) -> dict[str, Array]:
        """The weights and buffers of a layer by their names in it."""
        prefix = f"{layer.path}." if layer.path else ""
        held = [name for name in layer.parameters if prefix + name in self.state]
        return {name: self.state[prefix + name] for name in held}

    def sizes(self, path: str) -> list[int]:
        """How many elements each of the layer's larger parameters has, in order of size."""
        found = [array.size for array in self.own(self.layers[path]).values()]
        return sorted(size for size in found if size > 1)

    def record(self, call: Call) -> LayerRecord:
        """What the diagnosis is told of a call; of a framework's layer with all that is in it."""
        layer = self.layers[call.path]
        prefix = f"{call.path}." if call.path else ""
        kind = self.kind(call.path)
        own = self.own(layer)
        if kind.startswith(PUBLIC):
            own = {k.removeprefix(prefix): v for k, v in self.state.items() if k.startswith(prefix)}
        return LayerRecord(
            call.path,
            kind,
            self.side,
            layer.options,
            own,
            tuple(self.arrays(call.inputs)),
            tuple(self.arrays(call.outputs)),
            call.training,
            call.index,
        )


def kind_of(classes: tuple[str, ...]) -> str:
    """The public name of the framework's layer that a class is or is derived from, else its own."""
    for name in classes:
        for public, place in NAMESPACES:
            if name.startswith(place) and name not in BARE:
                return public + name.rpartition(".")[2]
    return classes[0].rpartition(".")[2]
