"""Tensors in another floating-point type, block by block; what would become infinite is refused."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from ..blocks import Content, Streamed, blocks_of
from ..limits import unholdable

TYPES: Mapping[str, np.dtype[Any]] = {
    "float32": np.dtype("<f4"),
    "float16": np.dtype("<f2"),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
}
"""What floating-point tensors can become."""
SAME = "same"


@cache
def is_floating(dtype: np.dtype[Any]) -> bool:
    """Whether the elements are real floating-point numbers, bfloat16 and float8 among them."""
    return dtype.name.startswith(("float", "bfloat"))


def wanted_type(rules: Sequence[tuple[str, str]], name: str) -> np.dtype[Any] | None:
    """The type that the last rule `(glob, type)` which fits the name asks for; None for none."""
    fitting = [kind for pattern, kind in rules if fnmatch.fnmatchcase(name, pattern)]
    return TYPES.get(fitting[-1]) if fitting else None


def cast(name: str, content: Content, dtype: np.dtype[Any]) -> Content:
    """The same numbers as elements of another type, rounded to the nearest.

    Raises: MS305, when it is written, for numbers beyond the range of the type
    """
    if dtype == content.dtype:
        return content

    def blocks(elements: int) -> Iterator[np.ndarray[Any, Any]]:
        for block in blocks_of(content, elements):
            with np.errstate(over="ignore"):
                found = block.astype(dtype)
            refuse_overflow(name, block, found)
            yield found

    return Streamed(content.shape, dtype, blocks)


def refuse_overflow(name: str, before: np.ndarray[Any, Any], after: np.ndarray[Any, Any]) -> None:
    """Raises: MS305 for a finite number that has become infinite"""
    lost = np.isfinite(before) & ~np.isfinite(after)
    if lost.any():
        value = float(before[lost][0])
        problem = f"its number {value:g} is beyond the range of {after.dtype}"
        advice = f"--dtype '{name}=same' keeps this one, --dtype bfloat16 has float32's range"
        raise unholdable(f"parameter '{name}'", problem, advice)
