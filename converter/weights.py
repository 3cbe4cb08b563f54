"""The parameters of a converted network: their names, their arrays, where each comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import MsconvertError
from ..reporting.indented import indented
from ..reporting.report import Finding
from .code.expr import CellCall, Weight
from .code.statement import Statement
from .graph.graph import Graph
from .modules.blocks import Block, blocks_in
from .modules.homes import Home
from .modules.place import cell_in

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Parameter:
    """One weight under its name in the network."""

    name: str
    weight: Weight


def parameters(root: Block, homes: Mapping[str, Home]) -> list[Parameter]:
    """Every parameter once, in the order of the network's blocks.

    Raises: RuntimeError if two weights have one name
    """
    found: dict[str, Parameter] = {}
    for path, weight in _named(root, homes):
        kept = found.setdefault(path, Parameter(path, weight)).weight
        if kept is not weight and not _is_equal(kept.array, weight.array):
            raise RuntimeError(f"two weights are called {path}: {kept.sources}, {weight.sources}")
    return list(found.values())


def _is_equal(a: Array, b: Array) -> bool:
    """Bit for bit; views of one memory are not looked at."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    same = a.__array_interface__["data"] == b.__array_interface__["data"]
    return (same and a.strides == b.strides) or a.tobytes() == b.tobytes()


def check_kept(statements: Iterable[Statement], found: Iterable[Parameter]) -> None:
    """Raises: RuntimeError if a layer that a statement calls has a weight which is not `found`."""
    sources = {name for parameter in found for name in parameter.weight.sources}
    for statement in statements:
        calls = [part for part in statement.expr.tensors if isinstance(part, CellCall)]
        lost = {n for c in calls for _, w in c.cell.weights for n in w.sources} - sources
        if lost:
            raise RuntimeError(f"weights of {statement.node.label} are lost: {sorted(lost)[:5]}")


def _named(root: Block, homes: Mapping[str, Home]) -> Iterator[tuple[str, Weight]]:
    for home in (home for home in homes.values() if home.is_weight):
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
    count = "1 weight stands" if len(several) == 1 else f"{len(several)} weights stand"
    what = f"{count} several times, as copies that train apart"
    advice = f"share them by hand if the source does: {source} is {', '.join(twins[:3])}"
    return [Finding("MS109", "the weights", what, advice, "note")]


def weight_map(found: Iterable[Parameter], graph: Graph) -> str:
    """The weight map as JSON: one entry for each parameter, with what was done to its source."""
    return indented([_entry(p, graph) for p in found]) + "\n"


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
