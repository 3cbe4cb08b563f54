"""Ends what a write has left whose process was killed: all of its files become new, or none.

`marks.py` says what there is. A write that had committed is finished, any other undone; one whose
process lives is left alone. What there is may as well be a trap: nothing is followed that leads out
of the folders that are marked, no link is, and nothing is renamed or replaced that is not as the
journal says.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

from ...errors import MsconvertError, printable
from .marks import (
    JOURNAL,
    LOCKS,
    NAME,
    OPEN,
    POINTER,
    UNDO,
    DoubtfulError,
    Mark,
    Member,
    State,
    content,
    is_trusted,
    locked,
    name_of,
    opened,
)

RARELY, LONG_S = 100, 0.005
"""Nobody looks again into a folder that took long for so many times as long, whatever happens."""
RECENT_NS = 100_000_000
"""Two changes of a folder within this may show the same time."""
MOST_SCANS = 10_000
PATIENCE_S = 5.0
"""So long a living process is given to rename its files."""
PAUSE_S = 0.01
LEFT = "what an interrupted run has left"


@dataclass
class Settled:
    """What was found in a folder, when, how long that took, and when names in it had changed last.

    `unsettled`: targets that may be old while others of their write are new, with the reason.
    `renewed`: those that became new just now.
    """

    at: float = 0.0
    took: float = 0.0
    changed: int = 0
    unsettled: dict[str, str] = field(default_factory=dict)
    renewed: set[str] = field(default_factory=set)

    @property
    def is_whole(self) -> bool:
        """Whether nothing in the folder was found cut off."""
        return not self.unsettled and not self.renewed


SEEN: dict[str, Settled] = {}


def settle(folder: str, own: str = "") -> Settled:
    """Ends the dead writes that have left something in a folder; each is told in a line.

    `own`: the token of a write of the caller's.
    """
    if not LOCKS:
        return Settled()
    where = os.path.abspath(folder)
    known, now, changed = SEEN.get(where), time.monotonic(), last_change(where)
    if known is not None:
        is_early = known.took > LONG_S and now - known.at < RARELY * known.took
        if is_early or known.changed == changed:
            return known
    tokens = tokens_in(where) - {own}
    found = Settled(now, time.monotonic() - now, changed)
    for token in sorted(tokens):
        settle_one(os.path.realpath(where), token, found)
    if tokens or time.time_ns() - changed < RECENT_NS:
        found.changed = 0  # it may be well again, or dead, at any time
    if found.unsettled:
        found.took = 0.0
    if len(SEEN) >= MOST_SCANS:
        SEEN.clear()
    SEEN[where] = found
    return found


def last_change(folder: str) -> int:
    """When a name in the folder came or went; 0 if there is no folder to ask."""
    try:
        return os.stat(folder).st_mtime_ns
    except (OSError, ValueError):
        return 0


def settle_now(folder: str) -> Settled:
    """As `settle`, of what a process of ours has left that died just now."""
    SEEN.pop(os.path.abspath(folder), None)
    return settle(folder)


def tokens_in(folder: str) -> set[str]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.name.startswith(".msconvert-")]
    except (OSError, ValueError):  # told by who opens what is in it
        return set()
    return {found["token"] for found in map(NAME.fullmatch, names) if found is not None}


def settle_below(folder: str) -> None:
    """Ends the dead writes in a folder and in all folders in it, but for links."""
    for where, _folders, _files in os.walk(folder):
        settle(where)


def settled(path: str | os.PathLike[str], code: str = "MS302") -> None:
    """Ends dead writes in the folder of a file that is going to be read.

    Raises: `code` if the file is one of a set that cannot be made whole; MS303 if the set was made
    whole just now, and this program runs what was one of its scripts
    """
    path = os.fspath(path)
    real = os.path.realpath(path) if os.path.islink(path) else path
    found = settle(os.path.dirname(real) or ".")
    if found.is_whole:
        return
    real = os.path.realpath(real)
    if real in found.unsettled:
        problem = f"it is one of several files of a write that was cut off: {found.unsettled[real]}"
        raise MsconvertError(code, path, problem, advice="write them again, all")
    loaded = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    scripts = [file for file in loaded if file and os.path.realpath(file) in found.renewed]
    if scripts:
        problem = f"{os.path.basename(scripts[0])} was replaced, too, and its former self runs"
        raise MsconvertError("MS303", path, problem, advice="run it again")


@dataclass(frozen=True)
class Write:
    """What is left of one write: its folders by their paths, the first being its home."""

    home: str
    token: str
    state: str
    mark: Mark

    @cached_property
    def folders(self) -> dict[str, Mark]:
        """Its folders that say that they are, and what they say."""
        return dict(self._folders())

    def _folders(self) -> Iterator[tuple[str, Mark]]:
        yield self.home, self.mark
        for name in dict.fromkeys(self.mark.folders):
            folder = os.path.normpath(os.path.join(self.home, name))
            mark = pointer_in(folder, self.token)
            if mark is None:
                continue
            if not mark.home or is_same(os.path.join(folder, mark.home), self.home):
                yield os.path.realpath(folder), mark

    def folder_of(self, member: Member) -> str:
        return os.path.normpath(os.path.join(self.home, member.folder))

    def path(self, member: Member, kind: str) -> str:
        name = name_of(self.token, f"{member.number}.{kind}")
        return os.path.join(self.folder_of(member), name)

    def target(self, member: Member) -> str:
        return os.path.join(self.folder_of(member), member.name)

    @property
    def control(self) -> str:
        return os.path.join(self.home, name_of(self.token, self.state))


def pointer_in(folder: str, token: str) -> Mark | None:
    """What the pointer of a write in a folder says; None if there is none that is ours."""
    try:
        descriptor = opened(folder, name_of(token, POINTER))
    except (OSError, DoubtfulError):
        return None
    try:
        return Mark.of(content(descriptor))
    except DoubtfulError:
        return None
    finally:
        os.close(descriptor)


def is_same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def settle_one(folder: str, token: str, found: Settled) -> None:
    """Ends one write that has left something in a folder, if it is dead."""
    pointer = pointer_in(folder, token)
    if pointer is not None and not pointer.home:
        remove_empty(folder, token)
        return
    home = folder if pointer is None else os.path.realpath(os.path.join(folder, pointer.home))
    try:
        descriptor, state = control_of(home, token)
        if descriptor < 0:
            tell_removed(folder, clear(folder, token, pointer or Mark(), olds=False))
            return
    except DoubtfulError as error:
        tell(folder, f"{LEFT} is not touched: {error}")
        return
    except OSError as error:
        tell(folder, f"{LEFT} cannot be removed: {error.strerror}")
        return
    try:
        end(home, token, state, descriptor, found)
    finally:
        os.close(descriptor)


def remove_empty(folder: str, token: str) -> None:
    """Removes a pointer whose writer died before it had written where it leads to."""
    with suppress(OSError, DoubtfulError):
        descriptor = opened(folder, name_of(token, POINTER))
        try:
            is_dead = locked(descriptor) and is_there(
                f"{folder}/{name_of(token, POINTER)}", descriptor
            )
            if is_dead and not Mark.of(content(descriptor)).home:
                os.unlink(os.path.join(folder, name_of(token, POINTER)))
                tell_removed(folder, 1)
        finally:
            os.close(descriptor)


def control_of(home: str, token: str) -> tuple[int, str]:
    """The file whose lock its writer has, and its kind; -1 if there is none any more.

    Raises: DoubtfulError, PermissionError
    """
    for kind in (JOURNAL, UNDO, OPEN, JOURNAL, UNDO):  # they are renamed in this order
        with suppress(FileNotFoundError, NotADirectoryError):
            return opened(home, name_of(token, kind)), kind
    return -1, ""


def end(home: str, token: str, state: str, descriptor: int, found: Settled) -> None:
    """Ends the write, or notes why not; where its process lives, it is given time to rename."""
    try:
        write = Write(home, token, state, Mark.of(content(descriptor)))
    except DoubtfulError as error:
        tell(home, f"{LEFT} is not touched: {error}")
        return
    deadline = time.monotonic() + (0.0 if state == OPEN else PATIENCE_S)
    while (dead := locked(descriptor)) is False and time.monotonic() < deadline:
        time.sleep(PAUSE_S)
    if not dead:
        if state != OPEN:
            note(write, "its process lives and does not go on", found)
        return
    if not is_there(write.control, descriptor):
        return  # it has been ended meanwhile
    try:
        ENDINGS[state](write, found)
    except (DoubtfulError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        if state == OPEN:
            tell(home, f"{LEFT} cannot be removed: {reason}")
            return
        note(write, str(reason), found)
        tell(home, f"a write that was cut off cannot be ended: {reason}", *names_of(write))


def is_there(path: str, descriptor: int) -> bool:
    """Whether a file still has the name under which it was opened."""
    try:
        return os.path.samestat(os.lstat(path), os.fstat(descriptor))
    except OSError:
        return False


def note(write: Write, reason: str, found: Settled) -> None:
    for member in write.mark.members:
        found.unsettled[os.path.realpath(write.target(member))] = reason


def abandon(write: Write, found: Settled) -> None:
    """Removes what a write has left that had not committed."""
    removed = remove(write)
    tell_removed(write.home, removed)


def finish(write: Write, found: Settled) -> None:
    """Renames what a committed write had not renamed yet. Raises: DoubtfulError, OSError"""
    left = [member for member in write.mark.members if is_left(write, member)]
    for member in left:
        target = write.target(member)
        os.replace(write.path(member, "tmp"), target)
        found.renewed.add(os.path.realpath(target))
    remove(write)
    tell(write.home, "a write that was cut off is finished now", *names_of(write))


def is_left(write: Write, member: Member) -> bool:
    """Whether a file is still to be renamed. Raises: DoubtfulError if it must not be"""
    if member.folder not in ("", ".", *write.mark.folders):
        raise DoubtfulError("it names a folder that does not say so")
    temporary, target = write.path(member, "tmp"), write.target(member)
    content, there = State.of(temporary), State.of(target)
    if content is None:
        if there == member.old and there != member.new:
            raise DoubtfulError(f"the new content of {member.name} is gone")
        return False
    check_folder(write, write.folder_of(member), temporary)
    if content != member.new:
        raise DoubtfulError(f"the new content of {member.name} was changed")
    is_folder = os.path.isdir(target) and not os.path.islink(target)
    if is_folder or there not in (None, member.old):
        raise DoubtfulError(f"{member.name} has been changed since")
    return True


def check_folder(write: Write, folder: str, file: str) -> None:
    """Raises: DoubtfulError for a folder that is not one of the write's, or a file of others"""
    if os.path.realpath(folder) not in write.folders:
        raise DoubtfulError("it names a folder that does not say so")
    status = os.lstat(file)
    if stat.S_ISDIR(status.st_mode) or not is_trusted(status, folder):
        raise DoubtfulError("it names what is not its own")


def take_back(write: Write, found: Settled) -> None:
    """Brings the old files back of a write that was being undone. Raises: as `finish`"""
    steps: list[Callable[[], None]] = []
    for member in write.mark.members:
        kept, target = write.path(member, "old"), write.target(member)
        there = State.of(target)
        if os.path.lexists(kept):
            check_folder(write, write.folder_of(member), kept)
            if there not in (None, member.new, member.old):
                raise DoubtfulError(f"{member.name} has been changed since")
            steps.append(lambda kept=kept, target=target: os.replace(kept, target))  # type: ignore[misc]
        elif member.old is None and there == member.new:
            check_folder(write, write.folder_of(member), target)
            steps.append(lambda target=target: os.unlink(target))  # type: ignore[misc]
    for step in steps:
        step()
    remove(write)
    tell(write.home, "a write that was cut off while it failed is undone now", *names_of(write))


ENDINGS: dict[str, Callable[[Write, Settled], None]] = {
    OPEN: abandon,
    JOURNAL: finish,
    UNDO: take_back,
}


def remove(write: Write) -> int:
    """Removes all that is left of a write in its folders, the file with the lock last."""
    removed = 0
    for folder, mark in reversed(
        write.folders.items()
    ):  # those that were made come behind where they are
        removed += clear(folder, write.token, mark, olds=True)
    os.unlink(write.control)
    return removed + 1


def clear(folder: str, token: str, mark: Mark, *, olds: bool) -> int:
    """Removes a write's temporary files, folders that it had made, if empty, then its pointer.

    The former content of a file is removed with `olds`, or if it has another name.
    """
    kinds = (".tmp", ".view", ".old") if olds else (".tmp", ".view")
    start = name_of(token, "")
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if entry.name.startswith(start)]
    doomed = [name for name in names if NAME.fullmatch(name) and name.endswith(kinds)]
    for name in doomed:
        discard(os.path.join(folder, name))
    for path in reversed(mark.made):
        if not goes_through_link(folder, path):
            with suppress(OSError):  # something is in it, or it had not been made
                os.rmdir(os.path.join(folder, path))
    pointers = [name for name in names if name == name_of(token, POINTER)]
    for name in pointers:
        discard(os.path.join(folder, name))
    return len(doomed) + len(pointers)


def discard(path: str) -> None:
    """Removes a file, a link or a folder with all that is in it, if it is there."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError:
        if not os.path.isdir(path) or os.path.islink(path):
            raise
        import shutil  # with all compressions that Python has

        shutil.rmtree(path)


def goes_through_link(folder: str, path: str) -> bool:
    parts = path.split("/")
    return any(
        os.path.islink(os.path.join(folder, *parts[: number + 1])) for number in range(len(parts))
    )


def names_of(write: Write) -> tuple[str, ...]:
    """The first of the files of a write, and how many more there are."""
    names = [member.name for member in write.mark.members]
    more = (f"and {len(names) - 3} more",) if len(names) > 3 else ()
    return (*names[:3], *more)


def tell_removed(folder: str, count: int) -> None:
    if count:
        files = f"{count} file{'s' if count > 1 else ''}"
        tell(folder, f"{LEFT} was removed: {files}")


def tell(folder: str, text: str, *names: str) -> None:
    """One line, on stderr where the program does nothing else with messages."""
    import logging

    line = f"{folder}: {text}" + (f": {', '.join(names)}" if names else "")
    logging.getLogger("msconvert.formats").warning("msconvert: %s", printable(line, 600))
