"""What goes in and out of a graph beside results: variables without copies, what is told."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnxruntime as ort

from .dtype import Array
from .reference import HostNode, read_by
from .session import LARGE, LARGE_ONE, SPARING
from .tensor import Tensor
from .trace import Trace

TAKING_ANY = frozenset({"Gather", "Gemm", "MatMul", "Transpose"})
"""What runs alike with weights that are inputs of a graph and with those that are its constants."""


def spared(trace: Trace) -> set[int]:
    """The weights that are inputs of a graph that runs once: ONNX Runtime copies initialisers."""
    if not SPARING:
        return set()
    large = {v.name: key for key, v in trace.variables.items() if v.tensor.nbytes >= LARGE_ONE}
    if sum(trace.variables[key].tensor.nbytes for key in large.values()) <= LARGE:
        return set()
    for node in trace.nodes:
        if isinstance(node, HostNode) or node.op_type not in TAKING_ANY:
            for name in read_by(node):
                large.pop(name, None)
    return set(large.values())


@dataclass(frozen=True, eq=False, slots=True)
class Buffer:
    """An array and ONNX Runtime's view of it."""

    array: Array
    value: Any

    @staticmethod
    def of(array: Array) -> Buffer:
        return Buffer(array, ort.OrtValue.ortvalue_from_numpy(array))

    @property
    def is_free(self) -> bool:
        """Whether nobody else (a variable, the user) holds the array or a view of it."""
        return references(self) <= IDLE


def references(buffer: Buffer) -> int:
    return sys.getrefcount(buffer.array)


IDLE = references(Buffer.of(np.empty(1, np.float32)))
"""What `references` gives for an array that only its Buffer holds."""


class Bound:
    """One variable: what it holds is read, the other buffer is written; then they change places."""

    def __init__(self, name: str, output: str, variable: Tensor) -> None:
        self.name, self.output, self.variable = name, output, variable
        self.current: Buffer | None = None
        self.spare: Buffer | None = None

    def bind(self, binding: Any) -> None:
        array = np.asarray(self.variable.asnumpy(), order="C")
        if self.current is None or self.current.array is not array:
            self.current = Buffer.of(array)
        if self.spare is None or not self.spare.is_free or self.spare.array.shape != array.shape:
            self.spare = Buffer.of(np.empty_like(array))
        binding.bind_ortvalue_input(self.name, self.current.value)
        binding.bind_ortvalue_output(self.output, self.spare.value)

    def swap(self) -> None:
        """Gives the variable what was written."""
        self.current, self.spare = self.spare, self.current
        if self.current is not None:
            self.variable.assign_value(self.current.array)


@dataclass(frozen=True, eq=False)
class Told:
    """What is called after each run of a graph, and the outputs that it needs for that.

    A part of a call is the place of its array among those outputs, or what was known before.
    """

    calls: list[tuple[Callable[..., None], tuple[int | Array | None, ...]]]
    names: list[str]

    @staticmethod
    def of(trace: Trace) -> Told:
        names: list[str] = []
        places: dict[int, int] = {}

        def part(x: Tensor | None) -> int | Array | None:
            if x is None or not (x.is_traced or x.variable):
                return None if x is None else x.asnumpy()
            key = id(trace.lift(x))
            if key not in places:
                places[key] = len(names)
                names.append(trace.output(x))
            return places[key]

        calls = [(function, tuple(map(part, tensors))) for function, tensors in trace.told]
        return Told(calls, names)

    def tell(self, arrays: list[Array]) -> None:
        for function, parts in self.calls:
            function(tuple([arrays[k] if isinstance(k, int) else k for k in parts]))
