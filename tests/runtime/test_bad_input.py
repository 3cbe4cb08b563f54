"""Bad input: damaged checkpoints, shapes and element types that do not fit, numbers that overflow.

What is refused is refused with a code and a class of MindSpore's, and nothing is half done.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.errors import MsconvertError
from msconvert.formats.ckpt import read_ckpt
from msconvert.runtime import nn

ROOT = Path(__file__).parents[2]


class LeNet(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.fc1 = nn.Dense(400, 20)
        self.fc2 = nn.Dense(20, 10)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """LeNet's checkpoint in both formats."""
    folder = tmp_path_factory.mktemp("saved")
    net = LeNet()
    for format in ("ckpt", "safetensors"):
        ms.save_checkpoint(net, str(folder / f"x.{format}"), format=format)
    return {path.suffix[1:]: path.read_bytes() for path in folder.iterdir()}


def state(net: nn.Cell) -> dict[str, bytes]:
    return {p.name: p.asnumpy().tobytes() for p in net.get_parameters()}


def loads(path: Path, net: nn.Cell) -> str:
    """The code with which loading into `net` is refused, "" if it is loaded."""
    before = state(net)
    try:
        ms.load_checkpoint(str(path), net, format=path.suffix[1:])
    except MsconvertError as error:
        assert isinstance(error, ValueError if error.code == "MS302" else RuntimeError)
        assert "\n  try:" in str(error)
        assert state(net) == before
        return error.code
    return ""


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_a_cut_at_every_kilobyte_is_told(
    tmp_path: Path, saved: dict[str, bytes], format: str
) -> None:
    net, path, content = LeNet(), tmp_path / f"x.{format}", saved[format]
    for size in range(0, len(content), 1024):
        path.write_bytes(content[:size])
        assert loads(path, net) == "MS302", size
    path.write_bytes(content)
    assert loads(path, net) == ""


def structure(path: Path, content: bytes, format: str) -> Iterator[int]:
    """The places of all bytes that are not the numbers of a parameter."""
    if format == "safetensors":
        return iter(range(8 + int.from_bytes(content[:8], "little")))
    data: set[int] = set()
    for stored in read_ckpt(path).tensors().values():
        start = content.index(stored.array().tobytes())
        data.update(range(start, start + stored.nbytes))
    return (place for place in range(len(content)) if place not in data)


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_every_changed_byte_of_the_structure_is_told(
    tmp_path: Path, saved: dict[str, bytes], format: str
) -> None:
    """But what changes nothing: padding, and texts that nobody reads."""
    net, path, content = LeNet(), tmp_path / f"x.{format}", saved[format]
    path.write_bytes(content)
    whole = meaning(path)
    for place in structure(path, content, format):
        for change in (1, 0x20, 0xFF):
            damaged = bytearray(content)
            damaged[place] ^= change
            path.write_bytes(damaged)
            assert loads(path, net) in ("MS302", "MS303") or meaning(path) == whole, place


def meaning(path: Path) -> dict[str, object]:
    found = ms.load_checkpoint(str(path), format=path.suffix[1:])
    return {name: (p.shape, p.dtype, p.asnumpy().tobytes()) for name, p in found.items()}


def test_a_header_of_safetensors_says_nothing_twice(saved: dict[str, bytes]) -> None:
    """What the test above may leave alone is small: the metadata, and blanks."""
    content = saved["safetensors"]
    text = content[8 : 8 + int.from_bytes(content[:8], "little")]
    assert len(json.loads(text)) == 1 + len(state(LeNet()))
    assert len(text) - len(text.rstrip()) < 8
    assert json.loads(text)["__metadata__"] == {"format": "ms"}
