"""A weight file written in another format under other names, one tensor at a time, and compared."""

from __future__ import annotations

import os
import threading
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np

from ..errors import MsconvertError
from . import PTH, kind_of, read_weights, write_weights
from .atomic import Path, Transaction
from .blocks import Content, Streamed
from .casting import cast
from .ckpt import read_ckpt
from .naming import LEFT_OUT
from .pages import Pages
from .proof import Followed, Follower, same
from .pth import is_pth, read_pth
from .renaming import Added, Plan, Step
from .stored import Checkpoint, StoredTensor, Value

SYNC_BYTES, PAUSE_S = 32 << 20, 0.02
"""So much is forced to the disk at once while more is written, and looked for so often."""

Tell = Callable[[str], None]


def open_weights(path: Path, key: str | None = None) -> Checkpoint:
    """The weights in a file of any kind; PyTorch's are known by their first bytes.

    Raises: MS302, MS309 as the readers do
    """
    if (is_pth(path) and kind_of(path) != "npz") or format_of(path) in PTH:
        return read_pth(path, key)
    if format_of(path) == "ckpt":
        return read_ckpt(path, aligned=False)  # the arrays are only written, block by block
    return read_weights(path)


def format_of(path: Path) -> str:
    """The ending of a file's name."""
    return os.path.splitext(path)[1].removeprefix(".").lower()


@dataclass(frozen=True)
class Written:
    """What a conversion wrote: how many tensors and bytes, all compared with their sources."""

    tensors: int
    bytes: int


@dataclass(frozen=True)
class Conversion:
    """Source and plan of a conversion; `tied`: further names that share a tensor (in a .pth).

    `for_pytorch`: the new names are PyTorch's, which a .safetensors says. `types`: the element
    types of new names that get another one.
    """

    source: Checkpoint
    plan: Plan
    tied: dict[str, str]
    for_pytorch: bool = False
    types: Mapping[str, np.dtype[Any]] = field(default_factory=dict)

    def write(self, target: Path, force: bool, tell: Tell) -> Written:
        """Writes the file and compares each tensor in it with its source.

        Nothing is written if anything fails. Raises: MS305, MS107, MS311 if a tensor differs
        """
        with Transaction(force=force) as transaction:
            stream = transaction.open(target)
            with on_its_way_to_disk(stream), transaction.preview() as folder:
                path = os.path.join(folder, os.path.basename(target))
                with Follower(path) as follower:
                    self.put(Followed(stream, follower, Pages(self.source)), path, tell)
                stream.flush()
                return self.compare(path, follower, tell)

    def put(self, target: Followed, path: Path, tell: Tell) -> None:
        stream, format = typing.cast("BinaryIO", target), format_of(path)
        if format in PTH:
            from .pth_writer import write_pth

            write_pth(stream, self.items(tell), tied=self.tied)
        else:
            metadata = {"format": "pt"} if self.for_pytorch else None
            write_weights(stream, self.items(tell), format, metadata=metadata)

    def kept(self) -> list[Step]:
        return [step for step in self.plan.steps if step.new != LEFT_OUT]

    def items(self, tell: Tell) -> Iterator[tuple[str, Value]]:
        """Each new name with its array, a view of the mapped source."""
        kept = self.kept()
        for number, step in enumerate(kept, 1):
            tell(f"writing {number} of {len(kept)}: {step.new}")
            yield step.new, self.content(step)
        for added in self.plan.added:
            yield added.name, self.constant(added)

    def content(self, step: Step) -> Content:
        """The tensor in its new shape and type."""
        found = self.tensor(step.old)
        content: Content
        if found.walk is not None and not step.turned:
            content = Streamed(step.shape, found.dtype, found.blocks)
        else:
            array = found.array()
            content = (array.T if step.turned else array).reshape(step.shape)
        return cast(step.new, content, self.types.get(step.new, content.dtype))

    def tensor(self, name: str) -> StoredTensor:
        found = self.source[name]
        assert isinstance(found, StoredTensor)
        return found

    def constant(self, added: Added) -> np.ndarray[Any, Any]:
        like = self.tensor(added.like)
        return np.full(like.shape, added.value, self.types.get(added.name, like.dtype))

    def compare(self, path: Path, follower: Follower, tell: Tell) -> Written:
        """Reads the complete file. Raises: MS311 for what differs in anything"""
        written = open_weights(path)
        kept = self.kept()
        names = {*(step.new for step in kept), *(a.name for a in self.plan.added)}
        names |= set(self.tied) if format_of(path) in PTH else set()
        if written.keys() != names:
            raise defect(path, "the names in the written file are others")
        pages = Pages(self.source, written)
        for step in kept:
            tell(f"comparing {step.new}")
            if not same(self.content(step), written[step.new], follower, pages):
                raise defect(path, f"'{step.new}' differs from '{step.old}'")
        for added in self.plan.added:
            if not same(self.constant(added), written[added.name], follower, pages):
                raise defect(path, f"'{added.name}' is not constant")
        sizes = [value.nbytes for value in written.tensors().values()]
        return Written(len(sizes), sum(sizes))


def defect(path: Path, problem: str) -> MsconvertError:
    """The MS311 error about a written file that is not what it should be."""
    advice = "look at the disk and the memory of this machine; if they are well, report it"
    return MsconvertError("MS311", os.fspath(path), problem, advice=advice)


@contextmanager
def on_its_way_to_disk(stream: BinaryIO) -> Iterator[None]:
    """Forces to the disk what is written while the block runs; the file's close makes sure."""
    done = threading.Event()

    def force() -> None:
        forced = 0
        with suppress(OSError):  # told when the file is written or closed
            while not done.wait(PAUSE_S):
                size = os.fstat(stream.fileno()).st_size
                if size - forced >= SYNC_BYTES:
                    os.fsync(stream.fileno())
                    forced = size

    thread = threading.Thread(target=force, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
