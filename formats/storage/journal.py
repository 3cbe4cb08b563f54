"""The marks of one write, as it makes them: whoever comes after it, if it dies, can end it."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import count

from .marks import (
    JOURNAL,
    LOCKS,
    OPEN,
    OPEN_FLAGS,
    POINTER,
    UNDO,
    Member,
    append,
    line_of,
    locked,
    name_of,
)

TRIES, PAUSE_S = 16, 0.005


class Journal:
    """Nothing is there before the first `enter`, nothing after `end`. Raises: OSError"""

    def __init__(self) -> None:
        self.token = os.urandom(8).hex()
        self.folders: list[str] = []
        self._numbers = count()
        self._descriptor = -1

    @property
    def home(self) -> str:
        """The folder that has the journal; the first that was entered."""
        return self.folders[0]

    def number(self) -> int:
        return next(self._numbers)

    def path(self, folder: str, kind: str) -> str:
        return os.path.join(folder, name_of(self.token, kind))

    def enter(self, folder: str) -> None:
        """Marks a folder that something is going to be put into."""
        if not LOCKS or folder in self.folders:
            return
        self.folders.append(folder)
        try:
            if len(self.folders) == 1:
                self._begin(folder)
                return
            append(self._descriptor, [line_of("folder", os.path.relpath(folder, self.home))])
            self._point(folder)
        except BaseException:
            self.folders.remove(folder)
            unlink([self.path(folder, POINTER), self.path(folder, OPEN)])
            if not self.folders:
                self._close()
            raise

    def makes(self, folder: str, below: str) -> None:
        """Notes that a folder is going to be made below one that was entered."""
        if not LOCKS:
            return
        path = os.path.relpath(below, folder)
        if folder == self.home:
            append(self._descriptor, [line_of("made", path)])
            return
        descriptor = os.open(self.path(folder, POINTER), os.O_RDWR | OPEN_FLAGS)
        try:
            append(descriptor, [line_of("made", path)])
        finally:
            os.close(descriptor)

    def _begin(self, folder: str) -> None:
        """Makes the file by whose lock we are known to live."""
        self._descriptor = made(self.path(folder, OPEN))

    def _point(self, folder: str) -> None:
        descriptor = made(self.path(folder, POINTER))
        try:
            append(descriptor, [line_of("home", os.path.relpath(self.home, folder))])
        finally:
            os.close(descriptor)

    def commit(self, members: Sequence[Member]) -> None:
        """From the moment on at which it returns, the new files count, if we die or not."""
        if not LOCKS:
            return
        append(self._descriptor, [line_of("member", member.entry()) for member in members])
        os.fsync(self._descriptor)
        os.rename(self.path(self.home, OPEN), self.path(self.home, JOURNAL))

    def relative(self, folder: str) -> str:
        """A folder as the journal names it."""
        return os.path.relpath(folder, self.home) if self.folders else ""

    def turn_back(self) -> None:
        """From now on the old files count again."""
        if self.folders:
            with suppress(OSError):  # it had not been committed
                os.rename(self.path(self.home, JOURNAL), self.path(self.home, UNDO))

    def leave(self, folder: str) -> None:
        """Removes the mark of a folder other than the first, if it has one."""
        if folder in self.folders[1:]:
            unlink([self.path(folder, POINTER)])

    def end(self) -> None:
        """Removes the marks; that with the lock last."""
        paths = [self.path(folder, POINTER) for folder in self.folders[1:]]
        for kind in (UNDO, JOURNAL, OPEN) if self.folders else ():
            paths.append(self.path(self.home, kind))
        unlink(paths)
        self.folders.clear()
        self._close()

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1


def made(path: str) -> int:
    """A new file that is locked; others may take it for that of a dead process before it is.

    Raises: OSError
    """
    for _ in range(TRIES):
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | OPEN_FLAGS, 0o666)
        except FileExistsError:
            time.sleep(PAUSE_S)
            continue
        if locked(descriptor) is not False and os.fstat(descriptor).st_nlink > 0:
            return descriptor
        os.close(descriptor)
    raise OSError(0, "others remove what is written there")


def unlink(paths: Sequence[str]) -> None:
    """Removes files, most of which are not there."""
    for path in paths:
        with suppress(OSError):  # what cannot be removed the next run tries to
            os.unlink(path)
