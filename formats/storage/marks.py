"""What a write leaves in folders until it is done: small files that say what belongs together.

Of a write, whose files are all called `.msconvert-TOKEN.KIND`, there are

- in the first of its folders, `open` while it goes on, `journal` from the moment on at which it
  counts as done, `undo` while it is taken back: a line of JSON for each fact. The process that
  writes holds a lock on this file, so that whoever gets the lock knows that it is dead;
- in each other folder, `pointer`, which leads to the first;
- beside each target, `N.tmp`, its new content, and `N.old`, its former one; `N.view`, a preview.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from . import opening

try:
    import fcntl
except ImportError:  # Windows: nothing says whether a process lives, so nothing is marked
    fcntl = None  # type: ignore[assignment]

LOCKS = fcntl is not None
OPEN, JOURNAL, UNDO, POINTER = "open", "journal", "undo", "pointer"
NAME = re.compile(
    r"\.msconvert-(?P<token>[0-9a-f]{16})\."
    r"(?P<kind>open|journal|undo|pointer|[0-9]{1,7}\.(tmp|old|view))"
)
MAX_BYTES = 4 << 20
"""Of a mark: some 50,000 files can be named in it."""
MAX_LINE, MAX_PATH = 64 << 10, 4096
OPEN_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
OPEN_FLAGS |= getattr(os, "O_CLOEXEC", 0)


class DoubtfulError(Exception):
    """A mark that no write of ours has left so, or that somebody else has."""


def name_of(token: str, kind: str) -> str:
    return f".msconvert-{token}.{kind}"


@dataclass(frozen=True)
class State:
    """What tells a file from another one of the same name: its size, and when it was written."""

    size: int
    written: int

    @classmethod
    def of(cls, path: str) -> Self | None:
        """Of the file, or the link itself, at `path`; None if there is none."""
        try:
            status = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return cls(status.st_size, status.st_mtime_ns)


@dataclass(frozen=True)
class Member:
    """One file of a write: its target, by its name in which folder; the content's number there.

    `new` is the content to come, `old` what is to be replaced, None if there is nothing.
    """

    folder: str
    number: int
    name: str
    new: State
    old: State | None

    def entry(self) -> list[Any]:
        old = [None, None] if self.old is None else [self.old.size, self.old.written]
        return [self.folder, self.number, self.name, self.new.size, self.new.written, *old]

    @classmethod
    def at(cls, entry: object) -> Self:
        """Raises: ValueError for what `entry` has not made"""
        if not isinstance(entry, list) or len(entry) != 7:
            raise ValueError("a file is named in another way")
        folder, number, name, *sizes = entry
        new, old = sizes[:2], sizes[2:]
        if not all(is_number(part) for part in (number, *new)):
            raise ValueError("a number was expected")
        if old != [None, None] and not all(map(is_number, old)):
            raise ValueError("a number was expected")
        if not isinstance(folder, str) or not is_plain(name):
            raise ValueError("a file of the same folder was expected")
        return cls(folder, number, name, State(*new), State(*old) if is_number(old[0]) else None)


@dataclass(frozen=True)
class Mark:
    """What the lines of a mark say: of a pointer `home` and `made`, of a journal all but `home`.

    Folders are relative to the one that the mark is in; those that were `made` are below it.
    """

    home: str = ""
    folders: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()

    @classmethod
    def of(cls, text: bytes) -> Self:
        """Raises: DoubtfulError for what is no mark; a last line without its end is left out"""
        found: dict[str, list[Any]] = {"home": [], "folder": [], "made": [], "member": []}
        for line in text.split(b"\n")[:-1]:
            try:
                ((key, value),) = loaded(line).items()
                found[key].append(Member.at(value) if key == "member" else text_in(value))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise DoubtfulError("it is not as msconvert writes it") from error
        if not all(is_below(path) for path in found["made"]):
            raise DoubtfulError("it names a folder that is not below its own")
        home = found["home"][0] if found["home"] else ""
        return cls(home, tuple(found["folder"]), tuple(found["made"]), tuple(found["member"]))


def loaded(line: bytes) -> Any:
    if len(line) > MAX_LINE:
        raise ValueError("a line is too long")
    return json.loads(line)


def line_of(key: str, value: object) -> bytes:
    return json.dumps({key: value}).encode() + b"\n"


def is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63


def is_plain(name: object) -> bool:
    """Whether it is the name of a file in a folder, and leads nowhere else."""
    return isinstance(name, str) and name not in ("", ".", "..") and not set(name) & set("/\\\0")


def is_below(path: str) -> bool:
    return all(map(is_plain, path.split("/")))


def text_in(value: object) -> str:
    if not isinstance(value, str) or "\0" in value or len(value) > MAX_PATH:
        raise ValueError("a path was expected")
    return value


def opened(folder: str, name: str) -> int:
    """A descriptor of a mark. Raises: OSError if there is none; DoubtfulError if it is not ours"""
    path = os.path.join(folder, name)
    try:
        try:
            descriptor, _size = opening.opened(path, MAX_BYTES, os.O_RDWR | OPEN_FLAGS)
        except (FileNotFoundError, opening.UnopenedError):
            raise
        except OSError as error:  # what cannot be written can be read all the same
            if os.path.islink(path):
                raise DoubtfulError("it is a link") from error
            descriptor, _size = opening.opened(path, MAX_BYTES, os.O_RDONLY | OPEN_FLAGS)
    except opening.UnopenedError as error:
        raise DoubtfulError("it is no small file") from error
    try:
        if not is_trusted(os.fstat(descriptor), folder):
            raise DoubtfulError("it is another user's")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def is_trusted(status: os.stat_result, folder: str) -> bool:
    """Whether a file was put into a folder by us, or by whose folder it is."""
    return status.st_uid in (os.geteuid(), os.stat(folder).st_uid)


def content(descriptor: int) -> bytes:
    """All of a mark that has been opened."""
    parts = []
    left = MAX_BYTES + 1
    os.lseek(descriptor, 0, os.SEEK_SET)
    while left > 0 and (part := os.read(descriptor, min(left, 1 << 20))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def locked(descriptor: int) -> bool | None:
    """Takes the lock on a file: False if another process has it, None if it knows no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without them
        return None
    return True


def append(descriptor: int, lines: Iterable[bytes]) -> None:
    """Adds to the end of a mark. Raises: OSError, also if it grows too large"""
    data = memoryview(b"".join(lines))
    before = os.lseek(descriptor, 0, os.SEEK_END)
    if before + len(data) > MAX_BYTES:
        raise OSError(0, "too many files at once")
    try:
        while len(data) > 0:
            data = data[os.write(descriptor, data) :]
    except OSError:
        os.ftruncate(descriptor, before)  # half a line would spoil those that come after it
        raise
