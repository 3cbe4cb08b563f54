"""How much larger tensors may be than the files that they are read from.

A file of 4 MB may stand for terabytes: compressed zeros, holes, many tensors of the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from ..stored import Checkpoint, WeightFileError
from .opening import opened, stored_bytes

MOST_TIMES = 64
FREE_WRITTEN, FREE_READ = 256 << 20, 4 << 30
"""Tensors of fewer bytes may be so large whatever the file's size is."""


def is_free(total: int) -> bool:
    """Whether tensors of so many bytes may be read of a file of any size."""
    return total <= FREE_READ


def bounded(found: Checkpoint) -> Checkpoint:
    """The checkpoint itself. Raises: MS302 if reading it all would take no end of time"""
    total = sum(tensor.nbytes for tensor in found.tensors().values())
    if not is_free(total):
        refuse(found, total, "copy only what is to be compared to a file")
    return found


def refuse_expansion(found: Checkpoint, total: int) -> None:
    """Raises: MS302 if so many bytes are far more than the file has that they are made of"""
    if total > FREE_WRITTEN:
        refuse(found, total, "--force if it is meant")


def refuse(found: Checkpoint, total: int, advice: str) -> None:
    held = held_by((found.path, *found.files))
    if total > MOST_TIMES * held:
        raise WeightFileError(
            "MS302",
            found.path,
            "its tensors are far larger than itself",
            got=f"{total} bytes of tensors in {held} bytes on the disk",
            expected=f"at most {MOST_TIMES} times as many",
            advice=advice,
        )


def held_by(paths: Iterable[str]) -> int:
    """How many bytes of the disk files take up, each counted once."""
    total = 0
    for path in dict.fromkeys(map(os.path.realpath, paths)):
        try:
            descriptor, _size = opened(path)
        except OSError:  # a folder, or told when it was read
            continue
        total += stored_bytes(descriptor)
        os.close(descriptor)
    return total
