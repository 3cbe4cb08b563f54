"""Pickles of numbers (.pkl): arrays of NumPy's, numbers, lists and dictionaries of them.

Nothing of the file is run: its instructions are followed by a machine that knows no functions
but those that make such values.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..stored import Checkpoint, StoredTensor, damage, map_file, refuse_many
from .pickle_machine import PickleMachine, refusal
from .torch_globals import NumpyArray, known

if TYPE_CHECKING:
    from ..storage.atomic import Path

NUMBERS = (bool, int, float)
EMPTY: tuple[Any, ...] = ()
MAX_LEVELS = 50
TYPES = {
    "float64": "Float64",
    "float32": "Float32",
    "float16": "Float16",
    "bool": "Bool",
    **{f"int{n}": f"Int{n}" for n in (8, 16, 32, 64)},
    **{f"uint{n}": f"UInt{n}" for n in (8, 16, 32, 64)},
}


def read_pkl(path: Path, *, comparing: bool = False) -> Checkpoint:
    """The arrays of a pickle, by the keys that lead to them; lists of numbers are arrays, too.

    Raises: MS302 for what is damaged or holds no numbers, MS309 for anything else
    """
    where = os.fspath(path)
    source = map_file(path)

    def storage(reference: Any) -> Any:
        raise refusal(where, "a storage outside of the pickle")

    machine = PickleMachine(where, source, 0, len(source), known, storage)
    content = machine.run()
    name = os.path.splitext(os.path.basename(where))[0]
    found = {label or name: array for label, array in arrays_in(where, content, "", 0)}
    refuse_many(where, len(found))
    if not found:
        raise damage(where, "there are no numbers in it", type(content).__name__)
    return Checkpoint(where, {label: tensor_of(label, array) for label, array in found.items()})


def arrays_in(where: str, value: Any, label: str, level: int) -> Iterator[tuple[str, Any]]:
    """Each array by the keys that lead to it, with dots between; texts and None are left out."""
    if level > MAX_LEVELS:
        raise damage(where, "nested too deep", f"{level} levels", f"at most {MAX_LEVELS}")
    if isinstance(value, NumpyArray):
        if value.array is not None:
            yield label, value.array
    elif isinstance(value, NUMBERS):
        yield label, np.asarray(value, None if abs(value) < 1 << 62 else np.float64)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from arrays_in(where, inner, joined(label, key), level + 1)
    elif isinstance(value, list | tuple):
        array = of_numbers(value)
        if array is not None:
            yield label, array
            return
        for i, inner in enumerate(value):
            if inner is None or inner is EMPTY:  # of which there may be millions
                continue
            yield from arrays_in(where, inner, joined(label, i), level + 1)


def joined(label: str, key: object) -> str:
    return f"{label}.{key}" if label else str(key)


def of_numbers(values: list[Any] | tuple[Any, ...]) -> Any:
    """Numbers, or rows of as many numbers, as an array; None for anything else."""
    if not values:
        return None
    if isinstance(values[0], NUMBERS):
        return row_of(values)
    if not isinstance(values[0], list | tuple) or row_of(values[0]) is None:
        return None
    rows = [row_of(value) for value in values if isinstance(value, list | tuple)]
    sizes = {None if row is None else row.size for row in rows}
    is_even = len(rows) == len(values) and len(sizes) == 1 and None not in sizes
    return np.array(rows) if is_even else None


def row_of(values: list[Any] | tuple[Any, ...]) -> Any:
    """Numbers as an array of one axis; None for anything else, and for nothing."""
    if not values or not all(isinstance(value, NUMBERS) for value in values):
        return None
    is_whole = all(isinstance(value, int) and abs(value) < 1 << 62 for value in values)
    return np.array(values, None if is_whole else np.float64)


def tensor_of(label: str, array: Any) -> StoredTensor:
    kind = TYPES.get(array.dtype.name, array.dtype.name)
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return StoredTensor(label, kind, array.shape, little.dtype, lambda: little)
