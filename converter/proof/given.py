"""The inputs with which a user wants the script compared: arrays in a file of NumPy's."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import UsageError
from .trial import Trial, TrialInput

Array = np.ndarray[Any, Any]

ADVICE = "write it by numpy.savez(FILE, name=array, ...)"


def given_inputs(path: Path, trial: Trial) -> tuple[Array, ...]:
    """The arrays of an .npz file, in the trial's order.

    Raises: MS105 if it cannot be read, or its arrays are not what the inputs take
    """
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files}
    except (OSError, ValueError, EOFError, AttributeError, TypeError, zipfile.BadZipFile) as error:
        raise _refusal(path, "it is no file of arrays", got=str(error)[:200]) from error
    wanted = [item.name for item in trial.inputs]
    if sorted(found) != sorted(wanted):
        got, expected = ", ".join(sorted(found)), ", ".join(wanted)
        raise _refusal(path, "its arrays are not the inputs", got=got, expected=expected)
    return tuple(_fitting(path, item, found[item.name]) for item in trial.inputs)


def _fitting(path: Path, item: TrialInput, array: Array) -> Array:
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
    return array


def _text(shape: Sequence[object]) -> str:
    return f"({', '.join(map(str, shape))})"


def _refusal(path: Path, problem: str, *, got: str = "", expected: str = "") -> UsageError:
    where = f"--inputs {path.name}"
    return UsageError("MS105", where, problem, got=got, expected=expected, advice=ADVICE)
