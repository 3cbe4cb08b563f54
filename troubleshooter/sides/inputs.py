"""What the networks are called with: made of shapes, or read from a file."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import MsconvertError, UsageError
from ...formats import kind_of, read_weights
from ..diff.values import array_of
from .child.messages import Array, Inputs, Tensor

DTYPES = {
    *("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"),
}
SMALL = 8
"""Integers that nothing bounds are drawn below it."""

EXPECTED = ".npz: arrays by position or by the names of the arguments; .npy: the one argument"

SHAPE = re.compile(r"(?P<sizes>[0-9]+(,[0-9]+)*|scalar)(:(?P<dtype>\w+))?(<(?P<below>[0-9]+))?")


@dataclass(frozen=True)
class InputShape:
    """One input to be made: integers are drawn from 0 to below `below`."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    below: int = SMALL


def shape_of(text: str) -> InputShape:
    """`1,3,32,32`, `2,16:int64<100`, `scalar:bool`. Raises: MS401"""
    found = SHAPE.fullmatch(text)
    dtype = (found["dtype"] or "float32") if found is not None else ""
    if found is None or dtype not in DTYPES:
        raise UsageError(
            "MS401",
            "--shape",
            f"{text!r} is no shape",
            expected="sizes, then an element type, then for integers a bound: 2,16:int64<100",
            advice=f"the element types are {', '.join(sorted(DTYPES))}",
        )
    sizes = () if found["sizes"] == "scalar" else tuple(map(int, found["sizes"].split(",")))
    return InputShape(sizes, dtype, int(found["below"] or SMALL))


def made(shapes: Sequence[InputShape], seed: int) -> Inputs:
    """Random inputs, the same for the same seed: normal, below the bound, or true and false."""
    numbers = [np.random.default_rng((seed, i)) for i in range(len(shapes))]
    arrays = [random_array(s, n) for s, n in zip(shapes, numbers, strict=True)]
    return Inputs(tuple(Tensor(str(array.dtype), array) for array in arrays))


def random_array(wanted: InputShape, numbers: np.random.Generator) -> Array:
    if wanted.dtype == "bool":
        return np.asarray(numbers.integers(0, 2, wanted.shape), bool)
    if wanted.dtype.startswith("float"):
        return np.asarray(numbers.standard_normal(wanted.shape), wanted.dtype)
    return np.asarray(numbers.integers(0, wanted.below, wanted.shape), wanted.dtype)


def from_file(file: Path) -> Inputs:
    """The arrays of an .npz file: by position if NumPy has named them, else by their names.

    A .npy is the one argument; other files, and folders, go by the names of the tensors in them.
    Raises: MS401 for what holds no tensors, or some that are no arguments
    """
    found = dict(tensors_in(file))
    if not found:
        raise UsageError("MS401", str(file), "there are no arrays in it", expected=EXPECTED)
    if kind_of(file) == "npy":
        return Inputs(tuple(found.values()))
    places = [f"arr_{i}" for i in range(len(found))]
    if set(places) == set(found):
        return Inputs(tuple(found[place] for place in places))
    return Inputs((), found)


def tensors_in(file: Path) -> Iterator[tuple[str, Tensor]]:
    """The tensors of a file, or of those in a folder. Raises: MS401 for what is none"""
    try:
        for name, stored in read_weights(file).items():
            array = None if isinstance(stored, str) else np.array(stored.array())
            if array is None or not is_number(array):
                got = "text" if array is None else str(array.dtype)
                problem = f"{name} is no tensor that a network can be called with"
                raise UsageError("MS401", str(file), problem, got=got, expected=EXPECTED)
            yield name, tensor_of(array)
    except UsageError:
        raise
    except (MsconvertError, OSError) as error:
        problem = "is no .npz file of arrays, nor another one of tensors"
        got = error.problem if isinstance(error, MsconvertError) else str(error)
        raise UsageError("MS401", str(file), problem, got=got, expected=EXPECTED) from error


def is_number(array: Array) -> bool:
    return array.dtype.kind in "biufc" or str(array.dtype) == "bfloat16"


def tensor_of(array: Array) -> Tensor:
    """An array as it travels: what NumPy does not know as what it knows."""
    dtype = str(array.dtype)
    return Tensor(dtype, array.astype(np.float32) if dtype == "bfloat16" else array)


CAST = "inputs of float64, as NumPy makes them, were cast to float32, which the weights are"


def narrowed(inputs: Inputs, dtypes: Collection[str]) -> tuple[Inputs, tuple[str, ...]]:
    """Inputs of float64 as float32 where all weights that hold floats are, and a word on it."""
    floats = {dtype for dtype in dtypes if "float" in dtype}
    if floats != {"float32"}:
        return inputs, ()
    counts = [0]
    found = Inputs(
        tuple(as_float32(value, counts) for value in inputs.args),
        {name: as_float32(value, counts) for name, value in inputs.kwargs.items()},
    )
    return (found, (CAST,)) if counts[0] else (inputs, ())


def as_float32(value: Any, counts: list[int]) -> Any:
    """The argument, its tensors of float64 narrowed and counted."""
    if isinstance(value, Tensor) and value.dtype == "float64":
        counts[0] += 1
        return Tensor("float32", value.array.astype(np.float32))
    if isinstance(value, tuple | list):
        return type(value)([as_float32(part, counts) for part in value])
    if isinstance(value, Mapping):
        return {key: as_float32(part, counts) for key, part in value.items()}
    return value


def given_inputs(value: Any) -> Inputs:
    """Arguments at hand, of NumPy's or any framework's tensors: one, a tuple or list, or a dict.

    A path is read as by `from_file`. Raises: MS401, MS105 for what holds no tensors
    """
    if isinstance(value, str | os.PathLike):
        return from_file(Path(value))
    if isinstance(value, Mapping):
        return Inputs((), {name: argument(part) for name, part in value.items()})
    several = value if isinstance(value, tuple | list) else (value,)
    return Inputs(tuple(argument(part) for part in several))


def argument(value: Any) -> Any:
    """One argument as it travels: tensors and arrays, among what holds them."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple | list):
        return type(value)([argument(part) for part in value])
    if isinstance(value, Mapping):
        return {key: argument(part) for key, part in value.items()}
    return tensor_of(array_of(value, "the inputs"))
