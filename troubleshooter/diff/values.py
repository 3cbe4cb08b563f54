"""Values in memory as tensors with names: arrays, either framework's tensors, lists and dicts."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from ...errors import UsageError
from ...formats.element_types import BFLOAT16, type_name_of
from ...formats.stored import Checkpoint, Stored, StoredTensor
from ..measure.elements import Array

MAX_LEVELS = 50
NUMBERS = "biufcV"


def checkpoint_of(value: Any, side: str) -> Checkpoint:
    """The tensors in a value, named by their keys and places: "0", "encoder.weight".

    A network stands for its parameters and buffers.
    Raises: MS105 for what is no tensor, and for no tensors at all
    """
    state = state_of(value)
    entries: dict[str, Stored] = dict(named(value if state is None else state, side, ""))
    if not entries:
        raise UsageError("MS105", side, "there are no tensors in it", got=type(value).__name__)
    return Checkpoint(side, entries)


def state_of(value: Any) -> Mapping[str, Any] | None:
    """The parameters of a network of PyTorch's or MindSpore's; None for anything else."""
    for name in ("state_dict", "parameters_dict"):
        if hasattr(value, name) and not isinstance(value, type):
            found: Mapping[str, Any] = getattr(value, name)()
            return found
    return None


def named(value: Any, side: str, name: str, level: int = 0) -> Iterator[tuple[str, Stored]]:
    """Each tensor and text in a value, under its name."""
    if level > MAX_LEVELS:
        raise UsageError("MS105", f"{side} {name[:80]}", "values are nested too deep")
    if isinstance(value, str):
        yield name or "value", value
    elif isinstance(value, Mapping) or is_sequence(value):
        parts = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, part in parts:
            yield from named(part, side, f"{name}.{key}" if name else str(key), level + 1)
    elif value is not None:
        array = array_of(value, f"{side} {name}".strip())
        yield name or "value", stored(array, name or "value")


def is_sequence(value: Any) -> bool:
    """Whether it is a list or tuple that holds more than numbers."""
    if not isinstance(value, list | tuple):
        return False
    return not value or not all(isinstance(part, bool | int | float | complex) for part in value)


def stored(array: Array, name: str) -> StoredTensor:
    little = array.dtype.newbyteorder("<")
    return StoredTensor(name, type_name_of(little), array.shape, little, partial(same, array))


def same(array: Array) -> Array:
    return array


def array_of(value: Any, where: str) -> Array:
    """A tensor of NumPy's, PyTorch's, MindSpore's or the runtime's as an array.

    Raises: MS105 for what is none of them
    """
    if hasattr(value, "detach"):
        array = of_torch(value)
    elif hasattr(value, "asnumpy"):
        array = of_mindspore(value)
    else:
        array = np.asarray(value)
    if array.dtype.kind not in (*NUMBERS, "U", "S"):
        problem = "it is neither a tensor nor a list or dict of tensors"
        raise UsageError("MS105", where, problem, got=type(value).__name__)
    return array


def of_torch(value: Any) -> Array:
    """A tensor of PyTorch's; of types that NumPy has not, bit by bit."""
    torch = sys.modules["torch"]
    plain = value.detach().cpu().resolve_conj().resolve_neg()
    plain = plain.to_dense() if plain.layout != torch.strided else plain
    name = str(plain.dtype).removeprefix("torch.")
    if not name.startswith(("bfloat", "float8")):
        found: Array = plain.numpy()
        return found
    import ml_dtypes

    bits = plain.contiguous().view(torch.int16 if plain.element_size() == 2 else torch.uint8)
    wide: Array = bits.numpy().view(getattr(ml_dtypes, name))
    return wide


def of_mindspore(value: Any) -> Array:
    """A tensor of MindSpore's or the runtime's; bfloat16 by way of float32."""
    if str(value.dtype).lower() == "bfloat16":
        exact: Array = value.float().asnumpy().astype(BFLOAT16)
        return exact
    found: Array = np.asarray(value.asnumpy())
    return found


def framework_of(value: Any) -> Any:
    """MindSpore, or the runtime, whichever a tensor or network is of."""
    places = (kind.__module__ for kind in type(value).__mro__)
    name = "msconvert.runtime" if any(p.startswith("msconvert.") for p in places) else "mindspore"
    return import_module(name)
