"""Whose names a weight file has, and which its tensors get."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Literal

from ...formats import INDEX, PTH, kind_of
from ...formats.names.naming import MINDSPORES
from ...formats.stored import Checkpoint

Side = Literal["pytorch", "mindspore"]
Wanted = Literal["pytorch", "mindspore", "same"]

OF_MODULES = re.compile(r"\w+(\.\w+)*")
"""A name that a module can have given; exporters to ONNX make others for their constants."""


def side_of(source: Checkpoint) -> Side:
    """Whose names a file has: by its kind, by what it says of itself, else by the names."""
    kind = kind_of(source.path)
    if kind == INDEX:
        kind = kind_of_shards(source.path)
    if kind in PTH or kind == "onnx":
        return "pytorch"
    says = source.metadata.get("format")
    if kind == "ckpt" or says == "ms":
        return "mindspore"
    if says is None and kind != "safetensors" and has_mindspores(source):
        return "mindspore"
    return "pytorch"


def kind_of_shards(index: str) -> str:
    """The ending before `.index.json`."""
    stem = os.path.basename(index).removesuffix(f".{INDEX}")
    return os.path.splitext(stem)[1].removeprefix(".").lower()


def has_mindspores(names: Iterable[str]) -> bool:
    """Whether a name is one that only MindSpore's layers give."""
    only = MINDSPORES - {"w"}
    return any(name.rpartition(".")[2] in only for name in names)


def side_of_output(before: Side, kind: str, wanted: Wanted | None) -> Side:
    """Whose names the output gets: what is wanted, as its kind says, or the other side's."""
    if wanted is not None:
        return before if wanted == "same" else wanted
    if kind == "ckpt":
        return "mindspore"
    if kind in PTH:
        return "pytorch"
    return "mindspore" if before == "pytorch" else "pytorch"
