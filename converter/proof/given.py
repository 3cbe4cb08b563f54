"""The inputs with which a user wants the script compared: arrays in a file of NumPy's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import UsageError
from ...formats.npz import read_npz
from ...formats.stored import StoredTensor, WeightFileError
from .trial import Trial, TrialInput

Array = np.ndarray[Any, Any]

ADVICE = "write it by numpy.savez(FILE, name=array, ...)"


def given_inputs(path: Path, trial: Trial) -> tuple[Array, ...]:
    """The arrays of an .npz file, in the trial's order.

    Raises: MS105 if it cannot be read, or its arrays are not what the inputs take
    """
    try:
        found = read_npz(path)
        names, wanted = sorted([*found, *found.others]), [item.name for item in trial.inputs]
        if names != sorted(wanted) or found.others:
            got, expected = ", ".join(names), ", ".join(wanted)
            raise _refusal(path, "its arrays are not the inputs", got=got, expected=expected)
        arrays = {name: one for name, one in found.items() if isinstance(one, StoredTensor)}
        return tuple(_fitting(path, item, arrays[item.name]) for item in trial.inputs)
    except WeightFileError as error:
        problem = f"it is no file of arrays: {error.problem}"
        raise _refusal(path, problem, got=error.got, expected=error.expected) from error


def _fitting(path: Path, item: TrialInput, array: StoredTensor) -> Array:
    """The array of an input, read once its header fits. Raises: MS105; WeightFileError"""
    fits = len(array.shape) == len(item.shape) and all(
        not isinstance(size, int) or size == own
        for size, own in zip(item.shape, array.shape, strict=True)
    )
    if not fits:
        got, expected = _text(array.shape), _text(item.shape)
        problem = f"input {item.name!r} has another shape"
        raise _refusal(path, problem, got=got, expected=expected)
    if array.dtype != item.dtype:
        got, expected = str(array.dtype), str(item.dtype)
        problem = f"input {item.name!r} has another element type"
        raise _refusal(path, problem, got=got, expected=expected)
    return array.array()


def _text(shape: Sequence[object]) -> str:
    return f"({', '.join(map(str, shape))})"


def _refusal(path: Path, problem: str, *, got: str = "", expected: str = "") -> UsageError:
    where = f"--inputs {path.name}"
    return UsageError("MS105", where, problem, got=got, expected=expected, advice=ADVICE)
