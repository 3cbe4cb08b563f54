"""Tensors that lie in a mapped file, in one part or several, at any byte."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from .blocks import even
from .stored import Array, StoredTensor, array_at, let_go

Parts: TypeAlias = Sequence[tuple[int, int]]
"""First byte and size of each part."""


def tensor_in(
    source: mmap.mmap,
    parts: Parts,
    name: str,
    type_name: str,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    aligned: bool = True,
) -> StoredTensor:
    """The tensor whose elements are these parts, one behind the other; sizes were checked.

    Its array is a view if there is one part and that is aligned (or need not be), else a copy;
    then its blocks are copied one at a time.
    """
    first, (last, size) = parts[0][0], parts[-1]
    release = partial(let_go, source, first, last + size - first)
    if len(parts) > 1:
        load = partial(joined, source, parts, dtype, shape)
    else:
        load = partial(array_at, source, first, dtype, shape, aligned)
    is_view = len(parts) == 1 and not (aligned and first % dtype.itemsize)
    walk = None if is_view else partial(walk_parts, source, parts, dtype)
    return StoredTensor(name, type_name, shape, dtype, load, walk, release)


def joined(source: mmap.mmap, parts: Parts, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    """The read-only array that the parts are copied into."""
    whole = np.empty(sum(size for _start, size in parts), np.uint8)
    filled = 0
    for piece in pieces_of(source, parts):
        whole[filled : filled + piece.size] = piece
        filled += piece.size
    whole.flags.writeable = False
    return whole.view(dtype).reshape(shape)


def walk_parts(
    source: mmap.mmap, parts: Parts, dtype: np.dtype[Any], elements: int
) -> Iterator[Array]:
    """The elements in aligned blocks of `elements` and a rest; a part may end within an element."""
    total = sum(size for _start, size in parts)
    for block in even(pieces_of(source, parts), elements * dtype.itemsize, total):
        yield block.view(dtype)


def pieces_of(source: mmap.mmap, parts: Parts) -> Iterator[Array]:
    for start, size in parts:
        yield np.frombuffer(source, np.uint8, size, start if size else 0)
