"""The arrays inside of a layer, wherever they stand, and the layer with one of them changed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np

from .layer import Array, Layer

Place = tuple[str | int, ...]
"""Names of fields and places in tuples, as ("layers", 0, 1, "w_ih")."""

L = TypeVar("L", bound=Layer)


def arrays(layer: Layer) -> dict[Place, Array]:
    """All arrays of a layer and of what it is made of."""
    return dict(found_in(layer, ()))


def found_in(value: Any, place: Place) -> Iterator[tuple[Place, Array]]:
    if isinstance(value, np.ndarray):
        yield place, value
    elif isinstance(value, tuple):
        for k, part in enumerate(value):
            yield from found_in(part, (*place, k))
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from found_in(getattr(value, field.name), (*place, field.name))


def replaced(layer: L, place: Place, value: Any) -> L:
    """`layer` with what stands at `place` changed.

    Raises: ValueError where it has no such place, or must have an array there
    """
    return within(layer, place, value)  # type: ignore[no-any-return]  # of the same type


def within(whole: Any, place: Place, value: Any) -> Any:
    if not place:
        return value
    first, *rest = place
    if isinstance(whole, tuple):
        k = int(first)
        if k >= len(whole):
            raise ValueError(f"there are {len(whole)} parts, and no place {k}")
        return (*whole[:k], within(whole[k], tuple(rest), value), *whole[k + 1 :])
    name = str(first)
    fields = {f.name: f for f in dataclasses.fields(whole)} if whole is not None else {}
    if name not in fields or (value is None and not rest and "None" not in str(fields[name].type)):
        raise ValueError(f"no place for {'an array' if value is not None else 'none'}: {name}")
    inner = within(getattr(whole, name), tuple(rest), value)
    return dataclasses.replace(whole, **{name: inner})


NAMES: dict[Place, str] = {
    ("projections", 0): "the query's projection",
    ("projections", 1): "the key's projection",
    ("projections", 2): "the value's projection",
    ("out",): "the output's projection",
}


def name_of(place: Place) -> str:
    """`weight`; `w_ih of layer 0` where it stands deeper."""
    *front, last = place
    if not front:
        return str(last)
    if front[0] == "layers":
        return f"{last} of layer {front[1]}" + (", backwards" if front[2] else "")
    return f"{last} of {NAMES.get(tuple(front), ' '.join(map(str, front)))}"
