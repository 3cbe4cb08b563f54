"""Tensors and gradients written to .npy files from within a program, to be compared afterwards."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np

from ...errors import UsageError
from ...formats.storage.atomic import Path, Transaction
from ..diff.values import array_of, checkpoint_of, framework_of

MODES = ("npy", "print")
NUMBERS = count()
"""What is saved is numbered in the order in which that happens."""


def save(
    file: Path,
    data: Any,
    suffix: str | None = None,
    output_mode: str = "npy",
    *,
    auto_id: bool = True,
) -> list[str]:
    """Writes tensors of either framework as .npy; the paths, which `msconvert diff` compares.

    `file`: `out/conv` becomes out/0_conv.npy, the next out/1_...; without `auto_id` out/conv.npy.
    Of a list or a dict each tensor is a file of its own, out/0_conv_weight.npy. `suffix` is put
    before the ending. What exists is overwritten. `output_mode` "print" prints them instead.
    Raises: MS105 for what is no tensor, MS107 if a file cannot be written
    """
    check(suffix, output_mode)
    if output_mode == "print":
        for name, array in parts_of(data):
            sys.stdout.write(f"{path_of(file, None, name, suffix).removesuffix('.npy')} {array}\n")
        return []
    number = next(NUMBERS) if auto_id else None
    written = []
    with Transaction(force=True) as files:
        for name, array in parts_of(data):
            path = path_of(file, number, name, suffix)
            np.save(files.open(path), array)
            written.append(path)
    return written


def check(suffix: object, output_mode: str) -> None:
    """Raises: TypeError, MS105"""
    if not isinstance(suffix, str | None):
        raise TypeError(f"suffix is a text, not {type(suffix).__name__}; auto_id goes by its name")
    if output_mode not in MODES:
        expected = " or ".join(MODES)
        problem = "there is no such output_mode"
        raise UsageError("MS105", "save", problem, got=repr(output_mode), expected=expected)


def parts_of(data: Any) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """The tensors in `data` with their names within it; "" if it is one itself."""
    if hasattr(data, "detach") or hasattr(data, "asnumpy") or isinstance(data, np.ndarray):
        yield "", array_of(data, "save")
        return
    for name, tensor in checkpoint_of(data, "save").tensors().items():
        yield name if name != "value" else "", tensor.array()


def path_of(file: Path, number: int | None, name: str, suffix: str | None) -> str:
    """The path of one tensor; a name from within the data leads to no other folder."""
    folder, stem = os.path.split(os.fspath(file))
    inner = "".join("_" if letter in "/\\\0." else letter for letter in name)
    before = None if number is None else str(number)
    parts = (before, stem.removesuffix(".npy") or "tensor", inner, suffix)
    return os.path.join(folder, "_".join(part for part in parts if part) + ".npy")


def save_grad(
    file: Path, data: Any, suffix: str | None = "backward", output_mode: str = "npy"
) -> Any:
    """`data`, whose gradient is written as `save` does once it is computed: go on with the result.

    `conv` becomes 0_conv_backward.npy.
    Raises: TypeError for what is no tensor of PyTorch's, MindSpore's or the runtime's
    """

    check(suffix, output_mode)

    def keep(gradient: Any) -> None:
        save(file, gradient, suffix, output_mode)

    if hasattr(data, "register_hook") and hasattr(data, "detach"):
        data.register_hook(keep)
        return data
    if not hasattr(data, "asnumpy"):
        raise TypeError(f"a tensor was expected, not {type(data).__name__}")

    def kept(gradient: Any) -> Any:
        keep(gradient)
        return gradient

    return framework_of(data).ops.InsertGradientOf(kept)(data)
