"""The parameters of a converted network: their names, their arrays, where each comes from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import MsconvertError
from ..reporting.report import Finding
from .code.expr import Weight
from .code.statement import Statement
from .graph.graph import Graph
from .modules.blocks import Block, blocks_in
from .modules.homes import Home
from .modules.place import cell_in


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


LARGEST_FREE = 1 << 30
"""Weights up to so many bytes are written whatever the size of the model file."""


def check_size(found: Iterable[Parameter], file: Path, stored: int) -> None:
    """Refuses a small file that asks for huge weights, as a shape of 2**40 elements does.

    Raises: MS104 above a gigabyte that is not in the model's files
    """
    total = sum(p.weight.array.nbytes for p in found)
    if total <= LARGEST_FREE:
        return
    if total > 4 * stored:
        raise MsconvertError(
            "MS104",
            str(file),
            "the weights are far larger than the files that they come from",
            got=f"{total / 1e9:.1f} GB of weights, {stored / 1e9:.3f} GB of files",
            advice="check the shapes of ConstantOfShape and Expand in the model",
        )


def copies(found: Iterable[Parameter], graph: Graph) -> list[Finding]:
    """A remark on trainable weights that the file has once and the network several times."""
    names: dict[str, list[str]] = {}
    for parameter in found:
        source = parameter.weight.sources[0]
        once = len(parameter.weight.sources) == 1 and source not in graph.aliases
        if once and parameter.weight.array.dtype.kind == "f":
            names.setdefault(source, []).append(parameter.name)
    several = {source: twins for source, twins in names.items() if len(twins) > 1}
    if not several:
        return []
    source, twins = next(iter(several.items()))
    what = f"{len(several)} weights stand several times, as copies that train apart"
    advice = f"share them by hand if the source does: {source} is {', '.join(twins[:3])}"
    return [Finding("MS109", "the weights", what, advice, "note")]


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
