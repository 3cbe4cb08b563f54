"""The changes of a conversion as a unified diff, which `git apply` and `patch -p1` take."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from ...formats.storage.opening import bytes_of
from ..analysis.files.reading import MAX_BYTES
from ..findings.workers import shown_path
from .tree import Tree

BYTES = "latin-1"
"""Gives each byte a character: lines are compared and written as they are, whatever they are in."""
NO_NEWLINE = "\\ No newline at end of file\n"
NOTHING = "/dev/null"


def diff_of(tree: Tree) -> Iterator[bytes]:
    """The diff of each file that changes, and of each that is new."""
    for file in tree.files:
        if file.data is not None:
            yield unified(shown_path(file.path), file.before, file.data)
    for module in tree.modules:
        if not module.foreign:
            before = bytes_of(module.path, MAX_BYTES) if module.path.exists() else None
            yield unified(shown_path(module.path), before, module.text.encode())


def unified(name: str, before: bytes | None, after: bytes) -> bytes:
    """The diff of one file; b"" if it stays as it is."""
    path = name.lstrip("/")
    source = NOTHING if before is None else f"a/{path}"
    lines = difflib.unified_diff(lines_of(before or b""), lines_of(after), "", "", n=3)
    body = "".join(line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}" for line in lines)
    hunks = body.partition("@@")
    head = f"--- {source}\n+++ b/{path}\n".encode()
    return head + f"@@{hunks[2]}".encode(BYTES) if hunks[1] else b""


def lines_of(data: bytes) -> list[str]:
    """The lines with their newlines, which are all that ends one."""
    *whole, last = data.decode(BYTES).split("\n")
    return [*(f"{line}\n" for line in whole), *([last] if last else [])]
