"""What the analysis takes PyTorch's functions and methods to give is what their schemas say."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from msconvert.api_mapping.table.facts.names import TENSOR_METHODS
from msconvert.api_mapping.table.facts.results import METHOD_RETURNS, returned
from msconvert.api_mapping.table.kinds import TENSOR, Kind

torch = pytest.importorskip("torch")

SPACES = {"linalg_": "torch.linalg", "fft_": "torch.fft", "special_": "torch.special", "": "torch"}
SCALARS = frozenset({"number", "float", "int", "complex", "bool", "str", "t", "Any"})
OF_TEXT = {("List[t]",), ("List[str]",)}
OVERLOADED = frozenset(
    "max min median nanmedian where unique_consecutive dequantize quantize_per_tensor".split()
)
"""What they give follows from their arguments; `methods.overload` asks those, or it is a list."""


def schemas(name: str) -> set[tuple[str, ...]]:
    """What the overloads of an operator give that take tensors, each as types."""
    packet = getattr(torch.ops.aten, name, None)
    if packet is None:
        return set()
    found = [getattr(packet, each)._schema for each in packet.overloads() if "out" not in each]
    given = {tuple(str(value.type) for value in schema.returns) for schema in found}
    return {types for types in given if types and not SCALARS.issuperset(types)} - OF_TEXT


def told(kind: Kind) -> tuple[str, ...] | None:
    """The same of a kind; None if it does not say."""
    if kind.is_tensor:
        return ("Tensor",)
    if kind.tag == "tuple":
        return ("Tensor",) * len(kind.parts)
    return ("List[Tensor]",) if kind.tag == "list" else None


def wrong(names: Iterator[tuple[str, str, Kind]]) -> list[str]:
    found = []
    for name, operator, kind in names:
        said, is_open = told(kind), name.rpartition(".")[2] in OVERLOADED
        allowed = {
            tuple("List[Tensor]" if t.endswith("[]") else t for t in schema)
            for schema in schemas(operator)
        }
        if said is not None and allowed and allowed != {said} and not is_open:
            found.append(f"{name} gives {allowed}, not {said}")
    return found


def functions() -> Iterator[tuple[str, str, Kind]]:
    for prefix, module in SPACES.items():
        space = torch if module == "torch" else getattr(torch, module.partition(".")[2])
        for name in dir(space):
            if not name.startswith("_") and callable(getattr(space, name)):
                yield f"{module}.{name}", prefix + name, returned(f"{module}.{name}")


def test_functions_give_what_their_schemas_say() -> None:
    assert wrong(functions()) == []


def test_methods_give_what_their_schemas_say() -> None:
    methods = ((n, n, METHOD_RETURNS.get(n, TENSOR)) for n in sorted(TENSOR_METHODS))
    assert wrong(methods) == []
    assert len([name for name in TENSOR_METHODS if schemas(name)]) > 200
