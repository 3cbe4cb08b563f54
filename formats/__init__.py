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
READ = (*FORMATS, *PTH, "npy", "npz", "onnx")
"""What is read."""


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


def read_weights(path: Path, format: str | None = None, *, comparing: bool = False) -> Checkpoint:
    """The parameters of a weight file, lazily, of the kind that `format` or else its ending says.

    With `comparing`, also elements that MindSpore reads from no checkpoint (complex, float8), and
    what cannot be read of a file that is whole otherwise does not stop the rest: it is listed in
    the checkpoint's `unreadable`. A folder is read as `read_folder` does.
    Raises: MS302 for everything damaged or unknown, MS309 for what a PyTorch file must not ask for
    """
    if format is None and os.path.isdir(path):
        return readable(read_folder(path), comparing)
    kind = format or kind_of(path)
    if kind == "safetensors":
        from .safetensors import read_safetensors

        return read_safetensors(path, comparing=comparing)
    if kind == "ckpt":
        from .ckpt import read_ckpt

        return read_ckpt(path, comparing=comparing)
    if kind == "npy":
        from .npy import read_npy

        return read_npy(path)
    if kind == "npz":
        from .npz import read_npz

        return read_npz(path, comparing=comparing)
    if kind == "onnx":
        from .onnx_weights import read_onnx

        return read_onnx(path, comparing=comparing)
    if kind in PTH:
        from .pth import read_pth

        return read_pth(path)
    raise unknown_format(os.fspath(path), READ)


def read_folder(path: Path) -> Checkpoint:
    """Everything in the weight files under a folder; see folder.read_folder."""
    from .folder import read_folder

    return read_folder(path)


def readable(found: Checkpoint, comparing: bool) -> Checkpoint:
    """The checkpoint itself. Raises: why its first unreadable entry is so, unless `comparing`"""
    if not comparing:
        for error in found.unreadable.values():
            raise error
    return found


def kind_of(path: Path) -> str | None:
    """The kind of a weight file by its ending; None if it is none."""
    ending = os.path.splitext(path)[1].removeprefix(".").lower()
    return ending if ending in READ else None


def unknown_format(where: str, expected: Iterable[str] = (*FORMATS, PTH[0])) -> MsconvertError:
    """The MS302 error about a format that is none of those expected."""
    from .stored import WeightFileError

    return WeightFileError("MS302", where, "unknown weight format", expected=", ".join(expected))
