"""The folders that callbacks write to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..engine.failure import ElementTypeError, ShapeError


def made_folder(where: str, path: Any) -> str:
    """The full path of a folder, made if it is not there.

    Raises: TypeError, ValueError (MS304) for what is no path, or cannot be made or written to
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ElementTypeError(where, "the folder is no path", got=repr(path), expected="text")
    if not str(path).strip():
        raise ShapeError(where, "the folder has no name", got=repr(path), expected="a path")
    found = os.path.realpath(path)
    try:
        Path(found).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refused(where, found, str(error)) from error
    effective = os.access in os.supports_effective_ids
    if not os.access(found, os.W_OK | os.X_OK, effective_ids=effective):
        raise refused(where, found, "there is no permission to write to it")
    return found


def refused(where: str, path: str, reason: str) -> ShapeError:
    advice = "give another directory=, or make this one and let this user write to it"
    return ShapeError(f"{where}: {path}", "the folder cannot be used", got=reason, advice=advice)
