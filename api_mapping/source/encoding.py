"""The bytes of a converted source: in the encoding of the original, with its byte order mark."""

from __future__ import annotations

import io
import tokenize
from pathlib import Path

from ...formats.storage.opening import start_of
from .compat_module import HEADER, NAME
from .file import Migrated
from .notebook import rebuilt


def encoded(data: bytes, found: Migrated) -> bytes:
    """The converted file as bytes of the encoding that the original, `data`, is in.

    Raises: ValueError if the encoding has no such characters, or the file has changed
    """
    if found.cells:
        text = data.decode()
        return rebuilt(text, found.original, found.text, found.cells).encode()
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    if found.original.encode(encoding) != data:
        raise ValueError(f"the file's encoding, {encoding}, does not give back its bytes")
    try:
        return found.text.encode(encoding)
    except UnicodeEncodeError as error:
        problem = f"{found.text[error.start]!r} of the converted code is not in {encoding}"
        raise ValueError(f"{problem}: save the file in UTF-8 first") from None


def is_kept(path: Path) -> bool:
    """Whether a file is a compat module of an earlier run: it is converted already."""
    if path.name != NAME:
        return False
    try:
        start = start_of(path, len(HEADER))
    except OSError:  # told when it is read
        return False
    return start.decode(errors="replace").rstrip() == HEADER.rstrip()
