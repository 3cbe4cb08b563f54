"""Pairs of random networks that were renamed, reordered, trained on, cut: the truth is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import pytest

from msconvert.formats.names.naming import STATISTICS
from msconvert.formats.stored import StoredTensor
from msconvert.troubleshooter.pairing import pair_up

SURE = 0.85


@dataclass(frozen=True)
class Part:
    """A tensor of a network, and the kind of its layer."""

    path: str
    kind: str
    leaf: str
    array: np.ndarray

    @property
    def name(self) -> str:
        return f"{self.path}.{self.leaf}"


def layer(numbers: np.random.RandomState, path: str, kind: str, width: int) -> list[Part]:
    """A layer as it is after training, or before, when half of it is constant."""
    is_trained = numbers.rand() < 0.7
    constants = {"weight": 1.0, "bias": 0.0, "running_mean": 0.0, "running_var": 1.0}
    if kind == "norm":
        leaves = dict.fromkeys(constants, (width,))
    else:
        shape = {"conv": (width, width, 3, 3), "fc": (width, width), "table": (20, width)}[kind]
        leaves = {"weight": shape} | ({"bias": (width,)} if kind == "fc" else {})
    parts = []
    for leaf, shape in leaves.items():
        is_constant = not is_trained and (kind == "norm" or leaf == "bias")
        array = np.full(shape, constants[leaf]) if is_constant else numbers.randn(*shape)
        parts.append(Part(path, kind, leaf, array.astype("f4")))
    return parts


def network(numbers: np.random.RandomState) -> list[Part]:
    width = int(numbers.choice([4, 8, 16]))
    return [
        part
        for block in range(numbers.randint(2, 6))
        for place, kind in enumerate(
            numbers.choice(["conv", "norm", "fc", "table"], numbers.randint(1, 5))
        )
        for part in layer(numbers, f"blocks.{block}.{kind}{place}", str(kind), width)
    ]


def mindspores(part: Part, place: int) -> str:
    names = {"norm": STATISTICS, "table": {"weight": "embedding_table"}}.get(part.kind, {})
    return f"{part.path}.{names.get(part.leaf, part.leaf)}"


RENAMINGS: dict[str, Callable[[Part, int], str]] = {
    "same": lambda part, place: part.name,
    "MindSpore's": mindspores,
    "prefix": lambda part, place: f"backbone.{part.name}",
    "other paths": lambda part, place: f"m{crc32(part.path.encode())}.{part.path[-5:]}.{part.leaf}",
    "anonymous": lambda part, place: f"onnx::Conv_{place}",
}


def stored(arrays: dict[str, np.ndarray]) -> dict[str, StoredTensor]:
    return {
        name: StoredTensor(name, "Float32", array.shape, array.dtype, lambda array=array: array)
        for name, array in arrays.items()
    }


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("renaming", RENAMINGS)
@pytest.mark.parametrize("noise", [0.0, 0.05, 1.0], ids=["equal", "near", "other"])
def test_no_sure_pair_is_wrong(renaming: str, noise: float, seed: int) -> None:
    numbers = np.random.RandomState(seed)
    parts = network(numbers)
    gone = set(numbers.choice([part.path for part in parts], seed % 3))
    kept = [part for part in parts if part.path not in gone]
    if seed % 4 == 3:
        numbers.shuffle(kept)
    truth = {part.name: RENAMINGS[renaming](part, place) for place, part in enumerate(kept)}
    values = {
        truth[part.name]: part.array * (1 - (noise == 1))
        + np.float32(noise * part.array.std()) * numbers.randn(*part.array.shape).astype("f4")
        for part in kept
    }
    a, b = stored({part.name: part.array for part in parts}), stored(values)
    found = pair_up(a, b)
    assert [p.a for p in found if p.a is not None] == list(a)
    assert sorted(p.b for p in found if p.b is not None and not p.tied) == sorted(b)
    wrong = [
        pair
        for pair in found
        if pair.is_whole
        and pair.confidence >= SURE
        and truth.get(pair.a or "") != pair.b
        and not np.array_equal(*pair.arrays(a, b))
    ]
    assert wrong == []
    if renaming in ("same", "MindSpore's", "prefix"):
        assert {p.a: p.b for p in found if p.a in truth} == truth
