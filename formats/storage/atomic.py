"""Several files written together or not at all: temporary files, fsync, renames at the very end.

A journal makes the renames one step, whatever ends the process: `recovery` goes on where it was.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self, TypeAlias

from ...errors import FULL, MsconvertError
from .journal import Journal
from .marks import Member, State
from .recovery import discard, settle

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer  # collections.abc.Buffer is of Python 3.12

Path: TypeAlias = str | os.PathLike[str]

REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class StagedStream(io.FileIO):
    """A file under its temporary name; failures name the file that it is meant to become."""

    def __init__(self, descriptor: int, target: str) -> None:
        super().__init__(descriptor, "wb")
        self.target = target
        self.abandoned = False

    def write(self, data: Buffer) -> int:
        """Write some bytes of `data`. Raises: MS107 if the disk is full or fails."""
        try:
            with os_failures_told(self.target):
                return super().write(data)
        except MsconvertError:
            self.abandoned = True
            raise

    def close(self) -> None:
        """Force the content to the disk, unless it is abandoned, and close."""
        try:
            if not self.closed and not self.abandoned:
                with os_failures_told(self.target):
                    os.fsync(self.fileno())
        finally:
            super().close()


@dataclass(frozen=True)
class StagedFile:
    """One output: its name as asked for, its target and its temporary path, with the same number.

    `stream` fills it; None if it was made elsewhere, and may be a link or a folder.
    """

    name: str
    target: str
    temporary: str
    number: int
    raw: StagedStream | None = None
    stream: io.BufferedWriter | None = None

    def flush(self) -> None:
        if self.stream is not None and not self.stream.closed:
            self.stream.flush()

    def close(self) -> None:
        if self.stream is not None:
            self.stream.close()

    def abandon(self) -> None:
        """Drops the content, of which nothing may be there any more."""
        if self.raw is not None:
            self.raw.abandoned = True
        with suppress(MsconvertError):  # a full disk fails again on the last flush
            self.close()
        with suppress(OSError):  # renamed already, or the folder was taken away
            discard(self.temporary)


class Transaction:
    """Output files that appear all together when the `with` block ends well, else not at all.

    Whatever ends the block early (KeyboardInterrupt too) removes the temporary files and the
    folders made for them, and leaves what was there before; if the process is killed, whoever
    comes next does that, or finishes what had begun to appear. Modes follow the umask. A symbolic
    link is followed: the file that it leads to is replaced.

    What the files are made of is told as `inputs`: none of them is replaced, whatever link leads to
    it.

    Raises: MS107 if a target exists and `force` is not set, or something cannot be written.
    """

    def __init__(
        self, *, force: bool = False, inputs: Iterable[str | os.PathLike[str]] = ()
    ) -> None:
        self.force = force
        self._inputs = {found for path in inputs if (found := _identity(path)) is not None}
        self._staged: list[StagedFile] = []
        self._folders: list[str] = []
        self._scratch: list[str] = []
        self._journal = Journal()

    def open(self, path: Path) -> BinaryIO:
        """A binary stream whose content becomes the file `path` at the end of the block."""
        target = os.path.realpath(path)
        self._settle(target)
        self._check_free(target)
        if not self.force and os.path.islink(path):
            raise refusal(
                str(path), "the output exists already: a link", "--force or another folder"
            )
        if any(target == staged.target for staged in self._staged):
            raise refusal(target, "two outputs have the same path", "give them different names")
        with os_failures_told(target):
            number, temporary = self._temporary(os.path.dirname(target), "tmp")
            descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | O_BINARY, 0o666)
        raw = StagedStream(descriptor, target)
        stream: io.BufferedWriter = io.BufferedWriter(raw, 1 << 16)
        name = os.path.basename(path)
        self._staged.append(StagedFile(name, target, temporary, number, raw, stream))
        return stream

    def scratch(self, folder: Path) -> str:
        """An empty folder on the disk of `folder`, there while the block runs.

        What is made in it can be `adopted`.
        """
        target = os.path.realpath(folder)
        self._settle(os.path.join(target, ""))
        with os_failures_told(target):
            above = target if os.path.isdir(target) else os.path.dirname(target)
            _number, path = self._temporary(above, "tmp")
            self._scratch.append(path)
            os.mkdir(path, 0o700)
        return path

    def adopt(self, made: Path, path: Path) -> None:
        """Lets a file, a link or a folder that was made elsewhere become `path` at the end.

        A folder must be the only output, and take the place of none. It is moved at once.
        """
        folder = os.path.realpath(os.path.dirname(path))
        target = os.path.join(folder, os.path.basename(path))
        self._settle(target)
        if os.path.isdir(target) and not os.path.islink(target):
            raise refusal(target, "the output is a folder", "another folder")
        with os_failures_told(target):
            number, temporary = self._temporary(folder, "tmp")
            self._staged.append(StagedFile(os.path.basename(path), target, temporary, number))
            os.rename(made, temporary)

    def folder(self, path: Path) -> None:
        """Makes a folder, if it is not there, that is removed again if the block ends early."""
        with os_failures_told(str(path)):
            self._make_folder(os.path.realpath(path))

    def write_text(self, path: Path, text: str) -> None:
        """Make `text`, in UTF-8 and with its own line ends, the content of the file `path`."""
        stream = self.open(path)
        stream.write(text.encode())
        stream.close()  # there may be more files than a process may have open

    @contextmanager
    def preview(self) -> Iterator[str]:
        """A folder that holds the outputs so far under their final names, while the block runs.

        For trying them before they replace anything; they are linked, not copied. Raises: MS107
        """
        first = self._staged[0].target
        with os_failures_told(first):
            _number, shown = self._temporary(os.path.dirname(first), "view")
            os.mkdir(shown, 0o700)
        try:
            for staged in self._staged:
                staged.flush()
                with os_failures_told(staged.target):
                    show(staged.temporary, os.path.join(shown, staged.name))
            yield shown
        finally:
            clear(shown, [staged.name for staged in self._staged])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                self._commit()
                self._folders.clear()
        finally:
            self._discard()

    def _check_free(self, target: str) -> None:
        if os.path.isdir(target):
            raise refusal(target, "the output is a folder", "another folder")
        if self._inputs and _identity(target) in self._inputs:
            problem = "the output is a file that it is made of"
            raise refusal(target, problem, "another name or folder")
        if not self.force and os.path.lexists(target):
            raise refusal(target, "the output exists already", "--force or another folder")

    def _settle(self, target: str) -> None:
        """Ends dead writes where `target` will be. Raises: MS107 if one in its way cannot be"""
        folder = standing(os.path.dirname(target))
        reason = settle(folder, self._journal.token).unsettled.get(target)
        if reason is not None:
            problem = f"a write of it was cut off, and it cannot be ended: {reason}"
            raise refusal(target, problem, f"remove the files .msconvert-* in {folder}")

    def _temporary(self, folder: str, kind: str) -> tuple[int, str]:
        """A number that no other file has, and the path with it in a folder, which is made."""
        self._make_folder(folder)
        number = self._journal.number()
        return number, self._journal.path(folder, f"{number}.{kind}")

    def _make_folder(self, folder: str) -> None:
        """Create `folder` and those above it, each noted before so that it can be removed."""
        missing = []
        there = folder
        while not os.path.lexists(there):
            missing.append(there)
            there = os.path.dirname(there)
        self._journal.enter(there)
        for path in reversed(missing):
            self._journal.makes(there, path)
            try:
                os.mkdir(path)
            except FileExistsError:  # another process was faster: the folder is theirs
                continue
            self._folders.append(path)
        self._journal.enter(folder)

    def _commit(self) -> None:
        """Make the content durable, then rename; a failed rename brings the old files back."""
        for staged in self._staged:
            staged.close()
        for staged in self._staged:
            self._check_free(staged.target)
        replaced: list[Replacement] = []
        try:
            self._rename(replaced)
        except BaseException:
            self._journal.turn_back()
            for replacement in reversed(replaced):
                replacement.undo()
            raise
        for replacement in replaced:
            replacement.forget()

    def _rename(self, replaced: list[Replacement]) -> None:
        """Let each file take its target's place, which `replaced` notes."""
        is_several = len(self._staged) > 1  # one rename needs no journal
        if is_several:
            with os_failures_told(self._staged[0].target):
                self._journal.commit([self._member(staged) for staged in self._staged])
                for home in self._journal.folders[:1]:
                    sync_folder(home)
        for staged in self._staged:
            kept = self._journal.path(os.path.dirname(staged.target), f"{staged.number}.old")
            with os_failures_told(staged.target):
                set_aside(staged.target, kept, replaced, is_several)
                os.replace(staged.temporary, staged.target)
        for folder in sorted({os.path.dirname(staged.target) for staged in self._staged}):
            sync_folder(folder)

    def _member(self, staged: StagedFile) -> Member:
        """What the journal says of a file. Raises: OSError if it is gone"""
        status = os.lstat(staged.temporary)
        return Member(
            self._journal.relative(os.path.dirname(staged.target)),
            staged.number,
            os.path.basename(staged.target),
            State(status.st_size, status.st_mtime_ns),
            State.of(staged.target),
        )

    def _discard(self) -> None:
        """Remove what is left: temporary files (after a commit there are none), new folders."""
        for staged in self._staged:
            staged.abandon()
        for path in self._scratch:
            with suppress(OSError):  # it had not been made, or is a target now
                discard(path)
        for folder in reversed(self._folders):
            self._journal.leave(folder)
            with suppress(OSError):  # somebody else has put a file there
                os.rmdir(folder)
        self._journal.end()
        self._staged.clear()
        self._folders.clear()
        self._scratch.clear()


def _identity(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    """Which file it is, by whatever name; None if there is none."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def standing(folder: str) -> str:
    """The folder, or the nearest above it that exists."""
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    return folder


@dataclass(frozen=True)
class Replacement:
    """A target and where its previous content is kept; None: there was none."""

    target: str
    kept: str | None

    def undo(self) -> None:
        """Bring the previous state back."""
        with suppress(OSError):  # the other files are still to be restored
            if self.kept is None:
                os.unlink(self.target)
            else:
                os.replace(self.kept, self.target)
        self.forget()  # renaming onto another name of the same file does nothing

    def forget(self) -> None:
        """Drop the previous content."""
        if self.kept is not None:
            with suppress(OSError):  # gone already, or a leftover that must not undo the rest
                os.unlink(self.kept)


def set_aside(target: str, kept: str, replaced: list[Replacement], is_in_journal: bool) -> None:
    """Keep the file `target` under a second name, if there is one, and note it in `replaced`."""
    if not os.path.lexists(target):
        replaced.append(Replacement(target, None))
        return
    replaced.append(Replacement(target, kept))
    try:
        if os.path.islink(target):
            os.symlink(os.readlink(target), kept)
        else:
            os.link(target, kept)
    except OSError:  # a file system without hard links
        if is_in_journal:  # else it would be gone if the process died now
            os.rename(target, kept)


def show(path: str, name: str) -> None:
    """Give the file `path` a second name, on a file system of whatever kind."""
    try:
        os.link(path, name)
    except OSError:  # a file system without hard links
        os.symlink(path, name)


def clear(folder: str, names: Iterable[str]) -> None:
    """Remove a folder that these files are in, and perhaps more."""
    try:
        for name in names:
            os.unlink(os.path.join(folder, name))
        os.rmdir(folder)
    except OSError:
        import shutil  # takes long to import, and few need it

        shutil.rmtree(folder, ignore_errors=True)


def sync_folder(folder: str) -> None:
    """Force the names in `folder` to the disk, where the system lets a folder be opened."""
    if os.name == "nt":
        return
    with suppress(OSError):  # some file systems refuse it: the renames stand anyway
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


O_BINARY: int = getattr(os, "O_BINARY", 0)


def refusal(where: str, problem: str, advice: str) -> MsconvertError:
    """The MS107 error about the output file `where`."""
    return MsconvertError("MS107", where, problem, advice=advice)


@contextmanager
def os_failures_told(target: str) -> Iterator[None]:
    """Turn an OSError of the block into MS107 about the output file `target`."""
    try:
        yield
    except OSError as error:
        raise os_refusal(target, error) from error


def os_refusal(target: str, error: OSError) -> MsconvertError:
    """What the operating system's refusal to write `target` means, and what to do."""
    if error.errno == errno.EFBIG:
        return refusal(target, "files may not be that large here", "ulimit -f, or another folder")
    if error.errno in FULL:
        return refusal(target, "the disk is full", "free some space or another folder")
    if error.errno in REFUSED:
        return refusal(target, "no permission to write there", "another folder")
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        return refusal(target, "its folder is a file", "another folder")
    if error.errno == errno.ENAMETOOLONG:
        return refusal(target, "the name is too long", "a shorter name")
    return refusal(target, f"cannot be written ({error.strerror})", "another folder")


def whole_or_none(file: Path, write: Callable[[], object]) -> None:
    """Has `write` write a new file, which does not stay where it cannot be whole.

    Raises: OSError
    """
    try:
        write()
    except OSError:
        if os.path.exists(file):
            os.unlink(file)
        raise
