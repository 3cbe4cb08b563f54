"""Values as JSON and a file of arrays, for the way from one process to another; no pickle."""

from __future__ import annotations

import json
import os
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .messages import KINDS, Array

PLAIN = (bool, int, str, type(None))


def write(path: str, value: Any) -> None:
    """Keeps `value` at `path` (.json) and, if it holds arrays, beside it (.npz)."""
    arrays: list[Array] = []
    text = json.dumps(packed(value, arrays))
    if arrays:
        with Path(f"{path}.npz").open("wb") as file:
            np.savez(file, *arrays)  # named arr_0, arr_1, ...
    Path(f"{path}.json").write_text(text, encoding="utf-8")


def read(path: str) -> Any:
    """What `write` has kept at `path`, whose files are removed."""
    tree = json.loads(Path(f"{path}.json").read_text(encoding="utf-8"))
    arrays: list[Array] = []
    if os.path.exists(f"{path}.npz"):
        with np.load(f"{path}.npz", allow_pickle=False) as file:
            arrays = [file[f"arr_{i}"] for i in range(len(file.files))]
        os.unlink(f"{path}.npz")
    os.unlink(f"{path}.json")
    return unpacked(tree, arrays)


def packed(value: Any, arrays: list[Array]) -> Any:
    """JSON for `value`, whose arrays are put into the list.

    Raises: TypeError for what cannot travel
    """
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, complex):
        return {"complex": [value.real.hex(), value.imag.hex()]}
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [packed(item, arrays) for item in value]}
    if isinstance(value, dict):
        pairs = [[packed(k, arrays), packed(v, arrays)] for k, v in value.items()]
        return {"dict": pairs}
    if is_dataclass(value) and type(value).__name__ in KINDS:
        parts = [packed(getattr(value, part.name), arrays) for part in fields(value)]
        return {type(value).__name__: parts}
    raise TypeError(f"a {type(value).__name__} cannot be handed to another process")


def unpacked(tree: Any, arrays: list[Array]) -> Any:
    """The value of which `packed` made `tree`."""
    if not isinstance(tree, dict):
        return tree
    ((kind, content),) = tree.items()
    if kind == "float":
        return float.fromhex(content)
    if kind == "complex":
        return complex(*[float.fromhex(part) for part in content])
    if kind == "array":
        return arrays[content]
    if kind == "dict":
        return {unpacked(k, arrays): unpacked(v, arrays) for k, v in content}
    items = [unpacked(item, arrays) for item in content]
    if kind == "list":
        return items
    return tuple(items) if kind == "tuple" else KINDS[kind](*items)
