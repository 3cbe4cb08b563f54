"""The parameters of a converted network: their names, their arrays, where each comes from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .blocks import Block, blocks_in
from .expr import Weight
from .graph import Graph
from .homes import Home
from .place import cell_in
from .trace import Statement


@dataclass(frozen=True, eq=False)
class Parameter:
    """One weight under its name in the network."""

    name: str
    weight: Weight


def parameters(root: Block, homes: Mapping[str, Home]) -> list[Parameter]:
    """Every parameter once, in the order of the network's blocks."""
    found: dict[str, Parameter] = {}
    for path, weight in _named(root, homes):
        found.setdefault(path, Parameter(path, weight))
    return list(found.values())


def _named(root: Block, homes: Mapping[str, Home]) -> Iterator[tuple[str, Weight]]:
    for home in homes.values():
        yield ".".join((*home.path, home.attribute)), home.weight
    for block in blocks_in(root):
        for item in block.body:
            cell = cell_in(item.expr) if isinstance(item, Statement) else None
            if cell is None or not isinstance(item, Statement) or item.cell_path is None:
                continue
            for name, weight in cell.weights:
                yield ".".join((*item.cell_path, name)), weight


def weight_map(found: Iterable[Parameter], graph: Graph) -> str:
    """The weight map as JSON: one entry for each parameter, with what was done to its source."""
    return json.dumps([_entry(p, graph) for p in found], indent=2, ensure_ascii=True) + "\n"


def _entry(parameter: Parameter, graph: Graph) -> dict[str, Any]:
    array = parameter.weight.array
    sources = [_described(name, graph) for name in parameter.weight.sources]
    return {
        "converted_weight": {
            "name": parameter.name,
            "shape": list(array.shape),
            "data_type": array.dtype.name,
        },
        "source_weight": sources[0] if len(sources) == 1 else sources,
        "transformation": parameter.weight.transformation,
    }


def _described(name: str, graph: Graph) -> dict[str, Any]:
    array = graph.constants.get(name)
    if array is None:
        return {"name": name}
    return {"name": name, "shape": list(array.shape), "data_type": array.dtype.name}
