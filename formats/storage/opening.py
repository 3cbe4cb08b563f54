"""The one way in which files are opened that the user, or what he gave, names.

Whoever reads such a file asks here: a name may be that of a pipe that nobody writes to, of a device
that never ends, of a file of terabytes that takes no room on the disk.
"""

from __future__ import annotations

import errno
import json
import math
import os
import stat
from collections.abc import Callable
from typing import Any, TypeAlias

Path: TypeAlias = str | os.PathLike[str]

OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
OPEN_FLAGS |= getattr(os, "O_BINARY", 0)

READ_BYTES = 16 << 20
MOST_VALUES = 20_000_000
"""Of a JSON text: each takes up to a hundred bytes of memory, and in the text two."""
MOST_LEVELS = 100
"""So deep may lists and objects stand in one another: who walks them calls himself."""
MOST_DIGITS = 40
MOST_EXTENTS = 10_000
"""So many stretches of a file that has holes are looked at."""


class UnopenedError(OSError):
    """A file that is not opened, or not read; `strerror` says why, the others what was got."""

    def __init__(self, problem: str, got: str = "", expected: str = "") -> None:
        super().__init__(0, problem)
        self.got, self.expected = got, expected

    def __str__(self) -> str:
        facts = ", ".join(fact for fact in (self.got, self.expected) if fact)
        return f"{self.strerror}: {facts}" if facts else str(self.strerror)


def opened(path: Path, most: int | None = None, flags: int = OPEN_FLAGS) -> tuple[int, int]:
    """A descriptor of a regular file, and its size, which is at most `most` bytes.

    A pipe is not waited for. Raises: OSError, UnopenedError for what is no such file
    """
    try:
        descriptor = os.open(path, flags)
    except ValueError as error:  # a NUL in the name
        raise UnopenedError("its name is none that a file can have") from error
    try:
        return descriptor, regular_bytes(descriptor, most)
    except BaseException:
        os.close(descriptor)
        raise


def regular_bytes(descriptor: int, most: int | None = None) -> int:
    """The size of an opened file. Raises: UnopenedError if it is no file, or has more bytes"""
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise UnopenedError("it is a folder")
    if not stat.S_ISREG(status.st_mode):
        raise UnopenedError("not a regular file")
    if most is not None and status.st_size > most:
        raise too_large(status.st_size, most)
    return status.st_size


def reason(error: OSError) -> str:
    """Why a file was not opened or read, without its name."""
    return str(error) if isinstance(error, UnopenedError) else error.strerror or str(error)


def too_large(size: int, most: int) -> UnopenedError:
    return UnopenedError("it is too large", f"{size} bytes", f"at most {most}")


def bytes_of(path: Path, most: int) -> bytes:
    """All of a file of at most `most` bytes. Raises: OSError"""
    descriptor, size = opened(path, most)
    parts, left = [], most + 1
    try:
        while left > 0 and (part := os.read(descriptor, min(left, READ_BYTES))):
            parts.append(part)
            left -= len(part)
    finally:
        os.close(descriptor)
    if left == 0:  # it has grown, or does not say its size
        raise too_large(max(size, most + 1), most)
    return b"".join(parts)


def start_of(path: Path, size: int) -> bytes:
    """The first bytes of a file. Raises: OSError"""
    descriptor, _size = opened(path)
    try:
        return os.read(descriptor, size)
    finally:
        os.close(descriptor)


def text_of(path: Path, most: int) -> str:
    """The UTF-8 text of a file. Raises: OSError; ValueError if it is other text"""
    return decoded(bytes_of(path, most))


def decoded(data: bytes) -> str:
    """The text of these bytes. Raises: ValueError"""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        found = data[error.start : error.start + 1].hex()
        raise ValueError(f"it is not UTF-8: byte 0x{found} at {error.start}") from error


def json_of(path: Path, most: int) -> Any:
    """What the JSON in a file says. Raises: OSError; ValueError, for whatever is wrong with it"""
    return json_in(bytes_of(path, most))


def json_in(
    data: bytes,
    pairs: Callable[[list[tuple[str, Any]]], dict[str, Any]] | None = None,
    *,
    any_number: bool = False,
) -> Any:
    """What a JSON text says; `pairs` makes its objects. Raises: ValueError

    Lists and objects stand at most MOST_LEVELS deep in one another. Numbers are finite, and whole
    ones have at most MOST_DIGITS, unless there may be `any_number`.
    """
    count = sum(map(data.count, (b",", b"[", b"{")))
    if count > MOST_VALUES:
        raise ValueError(f"it has too many values: {count}, at most {MOST_VALUES}")
    text = decoded(data)
    try:
        if any_number:
            found = json.loads(text, object_pairs_hook=pairs)
        else:
            found = json.loads(
                text,
                object_pairs_hook=pairs,
                parse_int=whole,
                parse_float=finite,
                parse_constant=finite,
            )
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    level = [found]
    for _ in range(MOST_LEVELS):
        level = [inner for outer in level for inner in parts_of(outer)]
        if not level:
            return found
    raise ValueError(f"it is nested more than {MOST_LEVELS} deep")


def parts_of(value: Any) -> list[Any]:
    """The lists and objects that stand in a value themselves."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return []
    return [part for part in value if type(part) in (dict, list)]


def whole(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError(f"a number has {len(text)} digits, at most {MOST_DIGITS}")
    return int(text)


def finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:MOST_DIGITS]} is no finite number")
    return number


def stored_bytes(descriptor: int) -> int:
    """How many bytes of a file take room on the disk: all but its holes."""
    size = os.fstat(descriptor).st_size
    total = end = 0
    try:
        for _ in range(MOST_EXTENTS if hasattr(os, "SEEK_DATA") else 0):
            start = os.lseek(descriptor, end, os.SEEK_DATA)
            end = os.lseek(descriptor, start, os.SEEK_HOLE)
            total += end - start
    except OSError as error:  # only a hole is left, or the file system knows of none
        return total if error.errno == errno.ENXIO else size
    return total + size - end
