"""ckpt_to_safetensors and safetensors_to_ckpt: weight files in the other format."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..formats import read_weights, write_weights
from ..formats.storage.recovery import settle
from ..formats.stored import StoredTensor
from .engine.failure import ShapeError


def ckpt_to_safetensors(
    file_path: str,
    save_path: str | None = None,
    name_map: Mapping[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Writes each .ckpt as .safetensors: one file, or all in the folders rank* of a folder."""
    rewrite("ckpt_to_safetensors", file_path, save_path, name_map, file_name_regex)


def safetensors_to_ckpt(
    file_path: str,
    save_path: str | None = None,
    name_map: Mapping[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Writes each .safetensors as .ckpt: one file, or all in the folders rank* of a folder."""
    rewrite("safetensors_to_ckpt", file_path, save_path, name_map, file_name_regex)


def rewrite(
    where: str,
    given: str,
    save_path: str | None,
    name_map: Mapping[str, str] | None,
    pattern: str | None,
) -> None:
    """Raises: ValueError as MindSpore does, MS302 for a damaged file"""
    old, new = where.split("_to_")
    if save_path and os.path.splitext(save_path)[1]:
        raise ShapeError(where, "save_path must be a folder", got=save_path)
    if name_map is not None and not isinstance(name_map, dict):
        raise ShapeError(where, "name_map must be a dict", got=str(type(name_map)))
    for path, folder in files_of(where, Path(given), save_path, old):
        if pattern is not None and re.search(pattern, str(path)) is None:
            if path == Path(given):
                raise ShapeError(where, "the file does not match file_name_regex", got=given)
            continue
        held = read_weights(path, old)
        items = (
            ((name_map or {}).get(name, name), v.array() if isinstance(v, StoredTensor) else v)
            for name, v in held.items()
        )
        write_weights(folder / f"{path.stem}.{new}", items, new, force=True)


def files_of(
    where: str, given: Path, save_path: str | None, format: str
) -> Iterator[tuple[Path, Path]]:
    """The files to rewrite, each with the folder that it goes to."""
    if given.is_file():
        if given.suffix != f".{format}":
            raise ShapeError(where, f"the file must be a .{format}", got=str(given))
        yield given, Path(save_path) if save_path else given.parent
        return
    if not given.is_dir():
        raise ShapeError(where, "there is no such file or folder", got=str(given))
    folders = sorted(p for p in given.iterdir() if p.is_dir() and p.name.startswith("rank"))
    if not folders:
        raise ShapeError(where, "the folder has no folder rank*", got=str(given))
    for folder in folders:
        target = Path(save_path) / folder.name if save_path else folder
        settle(str(folder))
        for path in sorted(folder.glob(f"*.{format}")):
            yield path, target
