"""How MindSpore's dumps call operators, parameters and files.

`Default/network-WithLossCell/_backbone-Net/fc1-Dense/MatMul-op0` is an operator in its cells, each
by its name in the one around it and its class; the outermost has none. In a file's name `_` stands
for `/`. Source: dumps that MindSpore 2.10 wrote on a CPU. What is called beside the first outermost
cell, a loss or an optimizer in PyNative mode, is `root1-MSELoss`; MindSpore does not dump it there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..engine.observation import Called

LONGEST = 255
"""Bytes of a file's name, of most file systems."""

TYPES = {
    "AveragePool": "AvgPool",
    "BatchNormalization": "BatchNorm",
    "Conv": "Conv2D",
    "ConvTranspose": "Conv2DTranspose",
    "Div": "RealDiv",
    "GatherElements": "GatherD",
    "GlobalAveragePool": "ReduceMean",
    "LayerNormalization": "LayerNorm",
    "Relu": "ReLU",
    "Where": "Select",
}
"""MindSpore's types of operators, where ONNX's have other names."""


def type_of(call: Called) -> str:
    """MindSpore's name for what is computed; with a bias it is another operator than without."""
    with_bias = len(call.inputs) > 2 and call.inputs[2] is not None
    if call.op == "Gemm":
        return "Dense" if with_bias else "MatMul"
    if call.op == "Conv":
        return "Convolution" if with_bias else "Conv2D"
    return TYPES.get(call.op, call.op)


class Names:
    """The full names of the operators of an iteration, numbered where they are alike."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.roots: dict[int, int] = {}
        self.found: dict[tuple[int, int], str] = {}

    def of(self, kind: str, call: Called) -> str:
        place = call.place
        scope = ["Default", *self.root(place.cells)]
        scope += [self.between(a, b) for a, b in pairwise(place.cells)]
        if place.backward:
            scope = ["Gradients", *scope, f"Grad_{TYPES.get(place.of, place.of)}"]
        name = "/".join([*scope, kind])
        self.counts[name] += 1
        return f"{name}-op{self.counts[name] - 1}"

    def root(self, cells: Sequence[Any]) -> list[str]:
        """What stands for the outermost cell: nothing for the first of an iteration."""
        number = self.roots.setdefault(id(cells[0]), len(self.roots)) if cells else 0
        return [f"root{number}-{type(cells[0]).__name__}"] if number else []

    def between(self, outer: Any, inner: Any) -> str:
        """How `inner` is called in `outer`: "fc1-Dense"."""
        key = (id(outer), id(inner))
        if key not in self.found:
            kind = type(inner).__name__
            cells = dict(outer.cells_and_names())
            names = [name for name, cell in cells.items() if cell is inner and name]
            self.found[key] = scope_of(names[0], cells) if names else kind
        return self.found[key]


def scope_of(name: str, cells: Mapping[str, Any]) -> str:
    """ "blocks-CellList/0-Block" of "blocks.0": also lists of cells, which are not called."""
    parts = name.split(".")
    above = [".".join(parts[: depth + 1]) for depth in range(len(parts))]
    kinds = [type(cells[path]).__name__ for path in above]
    return "/".join(f"{part}-{kind}" for part, kind in zip(parts, kinds, strict=True))


def file_name(kind: str, name: str, moment: int, place: str, dtype: str) -> str:
    """The name of a tensor's file. Units: moment in microseconds"""
    tail = f".0.0.{moment}.{place}.DefaultFormat.{dtype}.npy"
    flat = re.sub(r"[^\w-]", "_", name)
    room = LONGEST - len(tail) - len(kind) - 1
    return f"{kind}.{flat if len(flat) <= room else flat[-room:]}{tail}"


def dtype_of(array: np.ndarray) -> str:
    """MindSpore's name of an element type: Float32, UInt8, BFloat16."""
    name = array.dtype.name
    return {"bfloat16": "BFloat16"}.get(name, name.capitalize().replace("Uint", "UInt"))


def arguments_of(cell: Any, count: int) -> Sequence[str]:
    """The names of what a cell's `construct` is given: those after a `*` have numbers."""
    code = type(cell).construct.__code__
    names = list(code.co_varnames[1 : code.co_argcount])[:count]
    rest = code.co_varnames[code.co_argcount] if code.co_flags & 4 else "inputs"
    return [*names, *(f"{rest}{k}" for k in range(count - len(names)))]
