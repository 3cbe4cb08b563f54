"""Safe, lazy readers and atomic writers of weight files; see docs/design.md."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, BinaryIO

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.formats: bare 'formats' would collide with others")

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..errors import MsconvertError
    from .atomic import Path
    from .stored import Checkpoint, Value

FORMATS = ("ckpt", "safetensors")


def write_weights(
    target: BinaryIO | Path, items: Iterable[tuple[str, Value]], format: str, *, force: bool = False
) -> None:
    """Write `items` as `format`, to a stream or atomically to a path (existing: with `force`).

    Raises: MS305 for what the format cannot hold, MS107 if the path cannot be written
    """
    if format == "safetensors":
        from .safetensors import write_safetensors

        write_safetensors(target, items, force=force)
    elif format == "ckpt":
        from .ckpt import write_ckpt

        write_ckpt(target, items, force=force)
    else:
        raise unknown_format(f"format {format!r}")


def read_weights(path: Path) -> Checkpoint:
    """The parameters of a weight file, lazily; its extension tells the format.

    Raises: MS302 for everything damaged or unknown
    """
    extension = os.path.splitext(path)[1]
    if extension == ".safetensors":
        from .safetensors import read_safetensors

        return read_safetensors(path)
    if extension == ".ckpt":
        from .ckpt import read_ckpt

        return read_ckpt(path)
    raise unknown_format(os.fspath(path))


def unknown_format(where: str) -> MsconvertError:
    """The MS302 error about a format that is none of FORMATS."""
    from ..errors import MsconvertError

    return MsconvertError("MS302", where, "unknown weight format", expected=" or ".join(FORMATS))
