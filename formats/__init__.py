"""Safe, lazy readers and atomic writers of weight files; see docs/design.md."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, BinaryIO

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.formats: bare 'formats' would collide with others")

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..errors import MsconvertError
    from .atomic import Path
    from .stored import Checkpoint, Value

FORMATS = ("ckpt", "safetensors")
"""What MindSpore reads and writes."""
PTH = ("pth", "pt", "bin", "th", "tar")
"""Endings of PyTorch's files; the last as in `checkpoint.pth.tar`."""


def write_weights(
    target: BinaryIO | Path,
    items: Iterable[tuple[str, Value]],
    format: str,
    *,
    force: bool = False,
    crc: bool = False,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write `items` as `format`, to a stream or atomically to a path (existing: with `force`).

    `metadata` goes into a .safetensors; a .ckpt and a .pth have no place for it.
    Raises: MS305 for what the format cannot hold, MS107 if the path cannot be written
    """
    if format == "safetensors":
        from .safetensors import write_safetensors

        write_safetensors(target, items, force=force, crc=crc, metadata=metadata)
    elif format == "ckpt":
        from .ckpt import write_ckpt

        write_ckpt(target, items, force=force, crc=crc)
    elif format in PTH:
        from .pth_writer import write_pth

        write_pth(target, items, force=force)
    else:
        raise unknown_format(f"format {format!r}")


def read_weights(path: Path, format: str | None = None) -> Checkpoint:
    """The parameters of a weight file, lazily; its extension tells the format if none is given.

    Raises: MS302 for everything damaged or unknown, MS309 for what a PyTorch file must not ask for
    """
    chosen = os.path.splitext(path)[1].removeprefix(".") if format is None else format
    if chosen == "safetensors":
        from .safetensors import read_safetensors

        return read_safetensors(path)
    if chosen == "ckpt":
        from .ckpt import read_ckpt

        return read_ckpt(path)
    if chosen in PTH:
        from .pth import read_pth

        return read_pth(path)
    raise unknown_format(os.fspath(path))


def unknown_format(where: str) -> MsconvertError:
    """The MS302 error about a format that is none of FORMATS."""
    from .stored import WeightFileError

    expected = ", ".join((*FORMATS, PTH[0]))
    return WeightFileError("MS302", where, "unknown weight format", expected=expected)
