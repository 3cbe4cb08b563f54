"""Several files written together or not at all: temporary files, fsync, renames at the very end."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self, TypeAlias

from ..errors import FULL, MsconvertError

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
    """One output: its name as asked for, its final and temporary paths, what fills it."""

    name: str
    target: str
    temporary: str
    raw: StagedStream
    stream: io.BufferedWriter


class Transaction:
    """Output files that appear all together when the `with` block ends well, else not at all.

    Whatever ends the block early (KeyboardInterrupt too) removes the temporary files and the
    folders made for them, and leaves what was there before. Modes follow the umask. A symbolic
    link is followed: the file that it leads to is replaced.

    Raises: MS107 if a target exists and `force` is not set, or something cannot be written.
    """

    def __init__(self, *, force: bool = False) -> None:
        self.force = force
        self._staged: list[StagedFile] = []
        self._folders: list[str] = []

    def open(self, path: Path) -> BinaryIO:
        """A binary stream whose content becomes the file `path` at the end of the block."""
        target = os.path.realpath(path)
        self._check_free(target)
        if not self.force and os.path.islink(path):
            raise refusal(
                str(path), "the output exists already: a link", "--force or another folder"
            )
        if any(target == staged.target for staged in self._staged):
            raise refusal(target, "two outputs have the same path", "give them different names")
        folder = os.path.dirname(target)
        with os_failures_told(target):
            self._make_folder(folder)
            temporary = os.path.join(folder, f".msconvert-{os.urandom(8).hex()}.tmp")
            descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | O_BINARY, 0o666)
        raw = StagedStream(descriptor, target)
        stream: io.BufferedWriter = io.BufferedWriter(raw, 1 << 16)
        staged = StagedFile(os.path.basename(path), target, temporary, raw, stream)
        self._staged.append(staged)
        return staged.stream

    def write_text(self, path: Path, text: str) -> None:
        """Make `text`, in UTF-8 and with its own line ends, the content of the file `path`."""
        self.open(path).write(text.encode())

    @contextmanager
    def preview(self) -> Iterator[str]:
        """A folder that holds the outputs so far under their final names, while the block runs.

        For trying them before they replace anything; they are linked, not copied. Raises: MS107
        """
        first = self._staged[0].target
        with os_failures_told(first):
            shown = os.path.join(os.path.dirname(first), f".msconvert-{os.urandom(8).hex()}")
            os.mkdir(shown, 0o700)
        try:
            for staged in self._staged:
                staged.stream.flush()
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
        if not self.force and os.path.lexists(target):
            raise refusal(target, "the output exists already", "--force or another folder")

    def _make_folder(self, folder: str) -> None:
        """Create `folder` and those above it, each noted at once so that it can be removed."""
        missing = []
        while not os.path.lexists(folder):
            missing.append(folder)
            folder = os.path.dirname(folder)
        for path in reversed(missing):
            try:
                os.mkdir(path)
            except FileExistsError:  # another process was faster: the folder is theirs
                continue
            self._folders.append(path)

    def _commit(self) -> None:
        """Make the content durable, then rename; a failed rename brings the old files back."""
        for staged in self._staged:
            staged.stream.close()
        for staged in self._staged:
            self._check_free(staged.target)
        replaced: list[Replacement] = []
        try:
            for staged in self._staged:
                with os_failures_told(staged.target):
                    set_aside(staged.target, replaced)
                    os.replace(staged.temporary, staged.target)
            for folder in sorted({os.path.dirname(staged.target) for staged in self._staged}):
                sync_folder(folder)
        except BaseException:
            for replacement in reversed(replaced):
                replacement.undo()
            raise
        for replacement in replaced:
            replacement.forget()

    def _discard(self) -> None:
        """Remove what is left: temporary files (after a commit there are none), new folders."""
        for staged in self._staged:
            staged.raw.abandoned = True
            with suppress(MsconvertError):  # a full disk fails again on the last flush
                staged.stream.close()
            with suppress(OSError):  # renamed already, or the folder was taken away
                os.unlink(staged.temporary)
        for folder in reversed(self._folders):
            with suppress(OSError):  # somebody else has put a file there
                os.rmdir(folder)
        self._staged.clear()
        self._folders.clear()


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


def set_aside(target: str, replaced: list[Replacement]) -> None:
    """Keep the file `target` under a second name and note it in `replaced`."""
    if not os.path.lexists(target):
        replaced.append(Replacement(target, None))
        return
    kept = os.path.join(os.path.dirname(target), f".msconvert-{os.urandom(8).hex()}.old")
    replaced.append(Replacement(target, kept))
    try:
        os.link(target, kept)
    except OSError:  # a file system without hard links
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
    if error.errno in FULL:
        return refusal(target, "the disk is full", "free some space or another folder")
    if error.errno in REFUSED:
        return refusal(target, "no permission to write there", "another folder")
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        return refusal(target, "its folder is a file", "another folder")
    if error.errno == errno.ENAMETOOLONG:
        return refusal(target, "the name is too long", "a shorter name")
    return refusal(target, f"cannot be written ({error.strerror})", "another folder")
