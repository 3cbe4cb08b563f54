"""Pairs by names, rules, shapes and values; no pair where there is no reason for one."""

from __future__ import annotations

import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.formats.stored import StoredTensor
from msconvert.troubleshooter.pairing import pair_up


def stored(**arrays: np.ndarray) -> dict[str, StoredTensor]:
    """Tensors as the readers give them; their names have `__` for a full stop."""
    found = {}
    for name, array in arrays.items():
        name = name.replace("__", ".")
        found[name] = StoredTensor(name, "Float32", array.shape, array.dtype, lambda a=array: a)
    return found


def shaped(**shapes: tuple[int, ...]) -> dict[str, StoredTensor]:
    """The same of shapes only: whoever reads values fails."""

    def load() -> np.ndarray:
        raise AssertionError("the data was read")

    return {
        (key := name.replace("__", ".")): StoredTensor(key, "Float32", shape, np.dtype("f4"), load)
        for name, shape in shapes.items()
    }


def names(pairs: tuple) -> dict[str | None, str | None]:
    return {pair.a: pair.b for pair in pairs}


def test_equal_names_come_first() -> None:
    a = shaped(x__weight=(3, 4), x__bias=(3,))
    assert [(p.a, p.b, p.how, p.confidence) for p in pair_up(a, a)] == [
        ("x.weight", "x.weight", "name", 1.0),
        ("x.bias", "x.bias", "name", 1.0),
    ]


def test_a_map_by_hand() -> None:
    a, b = shaped(x=(2,), y=(2,)), shaped(y=(2,), z=(2,))
    assert names(pair_up(a, b, naming={"x": "y", "y": "z"})) == {"x": "y", "y": "z"}
    assert names(pair_up(b, a, naming={"x": "y", "y": "z"})) == {"y": "x", "z": "y"}
    with pytest.raises(MsconvertError, match="MS310 --map: the map pairs no name"):
        pair_up(a, b, naming={"q": "r"})
