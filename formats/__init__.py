"""Safe, lazy readers and atomic writers of weight files; see docs/design.md."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, BinaryIO, Protocol

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.formats: bare 'formats' would collide with others")

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..errors import MsconvertError
    from .storage.atomic import Path
    from .stored import Checkpoint, Value

FORMATS = ("ckpt", "safetensors")
"""What MindSpore reads and writes."""
PTH = ("pth", "pt", "bin", "th", "tar")
"""Endings of PyTorch's files; the last as in `checkpoint.pth.tar`."""
INDEX = "index.json"
"""The kind of a file that says which tensor is in which of several files."""
READ = (*FORMATS, *PTH, "npy", "npz", "onnx", "csv", "pkl", INDEX)
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
        from .pytorch.pth_writer import write_pth

        write_pth(target, items, force=force)
    else:
        raise unknown_format(f"format {format!r}")


def read_weights(path: Path, format: str | None = None, *, comparing: bool = False) -> Checkpoint:
    """The parameters of a weight file, lazily.

    Its kind is `format`, or what its ending says, or else its first bytes. A folder is read as
    `read_folder` does. With `comparing`, also elements that MindSpore reads from no checkpoint
    (complex, float8), and what cannot be read of a file that is whole otherwise does not stop the
    rest: it is listed in the checkpoint's `unreadable`.
    Raises: MS302 for everything damaged, unknown or far larger than its file, MS309 for what a
    PyTorch file must not ask for, MS102 and MS103 for what is wrong with an ONNX file
    """
    if format is None and os.path.isdir(path):
        return readable(read_folder(path), comparing)
    from .storage.expansion import bounded

    kind = kind_of(path) if format is None else format
    if kind in PTH:
        from .pytorch.pth import read_pth

        return bounded(read_pth(path, comparing=comparing))
    if kind == "npy":
        from .npy import read_npy

        return bounded(read_npy(path))
    if kind == INDEX:
        from .shards import read_index

        part = partial(read_part, comparing=comparing)
        return bounded(read_index(path, part, comparing=comparing))
    return bounded(reader_of(kind, path)(path, comparing=comparing))


def read_part(path: str, *, comparing: bool) -> Checkpoint:
    """One of the files that an index names, which is no index itself and no folder."""
    kind = kind_of(path)
    return read_weights(path, "" if kind in (None, INDEX) else kind, comparing=comparing)


def reader_of(kind: str | None, path: Path) -> Reader:
    """The function that reads files of this kind. Raises: MS302 if there is none"""
    if kind == "safetensors":
        from .safetensors import read_safetensors

        return read_safetensors
    if kind == "ckpt":
        from .ckpt import read_ckpt

        return read_ckpt
    if kind == "npz":
        from .npz import read_npz

        return read_npz
    if kind == "onnx":
        from .onnx_weights import read_onnx

        return read_onnx
    if kind == "csv":
        from .tables import read_csv

        return read_csv
    if kind == "pkl":
        from .pytorch.pickled_numbers import read_pkl

        return read_pkl
    from .stored import opened

    os.close(opened(os.fspath(path))[0])
    raise unknown_format(os.fspath(path), READ)


class Reader(Protocol):
    """Reads a file of several tensors."""

    def __call__(self, path: Path, *, comparing: bool) -> Checkpoint: ...


def kind_of(path: Path) -> str | None:
    """The kind of a weight file, one of READ; None if it is none."""
    from .kinds import kind_of

    return kind_of(path)


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


def unknown_format(where: str, expected: Iterable[str] = (*FORMATS, PTH[0])) -> MsconvertError:
    """The MS302 error about a format that is none of those expected."""
    from .stored import WeightFileError

    return WeightFileError("MS302", where, "unknown weight format", expected=", ".join(expected))
