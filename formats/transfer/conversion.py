"""A weight file written in another format under other names, one tensor at a time, and compared."""

from __future__ import annotations

import os
import threading
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np

from ...errors import MsconvertError
from .. import INDEX, PTH, kind_of, read_weights, write_weights
from ..blocks import Content, Streamed
from ..ckpt import read_ckpt
from ..limits import take_name
from ..names.naming import LEFT_OUT, Shape
from ..names.renaming import Added, Plan, Step
from ..pytorch.pth import is_pth, read_pth
from ..storage.atomic import Path, Transaction
from ..storage.expansion import refuse_expansion
from ..stored import Checkpoint, StoredTensor, Value
from .casting import cast
from .pages import Pages
from .proof import SMALL_BYTES, Followed, Follower, same
from .sharding import index_text, names_of_shards, split

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
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """A tensor to be written: its new name, what it is made of, its new shape.

    `turned`: the two axes of a matrix change places.
    """

    name: str
    tensor: StoredTensor
    shape: Shape
    turned: bool = False


@dataclass(frozen=True)
class Conversion:
    """Source and plan of a conversion; `tied`: further names that share a tensor (in a .pth).

    `for_pytorch`: the new names are PyTorch's, which a .safetensors says. `types`: the element
    types of new names that get another one. `more`: what is written besides the plan's tensors,
    `texts` what a .ckpt holds beside tensors.
    `shard_bytes`: so many bytes of tensors are in one file at most, if there are several.
    """

    source: Checkpoint
    plan: Plan
    tied: dict[str, str]
    for_pytorch: bool = False
    types: Mapping[str, np.dtype[Any]] = field(default_factory=dict)
    more: tuple[Part, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    shard_bytes: int | None = None

    def write(self, target: Path, force: bool, tell: Tell) -> Written:
        """Writes the file, or several and their index, and compares each tensor with its source.

        Nothing is written if anything fails. Raises: MS305, MS107, MS311 if a tensor differs
        """
        parts = by_name(self.parts())
        sizes = {part.name: self.size(part) for part in parts.values()}
        if not force:
            refuse_expansion(self.source, sum(sizes.values()))
        shards = split(sizes, self.shard_bytes)
        files = names_of_shards(os.path.basename(target), len(shards))
        folder = os.path.dirname(target)
        with Transaction(force=force) as transaction:
            for file, names in zip(files, shards, strict=True):
                path = os.path.join(folder, file)
                self.write_one(transaction, path, [parts[name] for name in names], tell)
            if len(files) > 1:
                text = index_text(sizes, dict(zip(files, shards, strict=True)), self.tied)
                files = (*files, f"{os.path.basename(target)}.{INDEX}")
                transaction.write_text(os.path.join(folder, files[-1]), text)
        count = len(sizes) + len(self.tied)
        return Written(count, sum(sizes.values()), tuple(os.path.join(folder, f) for f in files))

    def write_one(
        self, transaction: Transaction, target: Path, parts: Sequence[Part], tell: Tell
    ) -> None:
        """Writes one file and compares it."""
        stream = transaction.open(target)
        with on_its_way_to_disk(stream), transaction.preview() as folder:
            path = os.path.join(folder, os.path.basename(target))
            with Follower(path) as follower:
                self.put(Followed(stream, follower, Pages(self.source)), path, parts, tell)
            stream.flush()
            self.compare(path, parts, follower, tell)

    def put(self, target: Followed, path: Path, parts: Sequence[Part], tell: Tell) -> None:
        stream, format = typing.cast("BinaryIO", target), format_of(path)
        items = self.items(parts, tell)
        if format in PTH:
            from ..pytorch.pth_writer import write_pth

            write_pth(stream, items, tied=self.tied_in(parts))
        else:
            metadata = {"format": "pt"} if self.for_pytorch else None
            write_weights(stream, items, format, metadata=metadata)

    def tied_in(self, parts: Sequence[Part]) -> dict[str, str]:
        """The further names of these tensors."""
        names = {part.name for part in parts}
        return {name: other for name, other in self.tied.items() if other in names}

    def parts(self) -> list[Part]:
        """All that is written, in the order of the plan."""
        parts = [Part(s.new, self.tensor(s.old), s.shape, s.turned) for s in self.kept()]
        for added in self.plan.added:
            tensor = constant(added, self.tensor(added.like))
            parts.append(Part(tensor.name, tensor, tensor.shape))
        return [*parts, *self.more]

    def kept(self) -> list[Step]:
        return [step for step in self.plan.steps if step.new != LEFT_OUT]

    def items(self, parts: Sequence[Part], tell: Tell) -> Iterator[tuple[str, Value]]:
        """Each new name with what is written, a view of the mapped source if that is possible."""
        for number, part in enumerate(parts, 1):
            tell(f"writing {number} of {len(parts)}: {part.name}")
            yield part.name, self.content(part)
        yield from self.texts.items()

    def size(self, part: Part) -> int:
        """Bytes of the tensor in its new type."""
        return part.tensor.size * self.types.get(part.name, part.tensor.dtype).itemsize

    def content(self, part: Part) -> Content:
        """The tensor in its new shape and type."""
        content = content_of(part)
        return cast(part.name, content, self.types.get(part.name, content.dtype))

    def tensor(self, name: str) -> StoredTensor:
        found = self.source[name]
        assert isinstance(found, StoredTensor)
        return found

    def compare(self, path: Path, parts: Sequence[Part], follower: Follower, tell: Tell) -> None:
        """Reads the complete file. Raises: MS311 for what differs in anything"""
        written = open_weights(path)
        names = {part.name for part in parts}
        names |= self.tied_in(parts).keys() if format_of(path) in PTH else set()
        names |= self.texts.keys()
        if written.keys() != names:
            raise defect(path, "the names in the written file are others")
        for name, text in self.texts.items():
            if written[name] != text:
                raise defect(path, f"the text '{name}' differs")
        pages = Pages(self.source, written)
        for part in parts:
            tell(f"comparing {part.name}")
            if not same(self.content(part), written[part.name], follower, pages):
                raise defect(path, f"'{part.name}' differs from '{part.tensor.name}'")


def content_of(part: Part) -> Content:
    """The tensor in its new shape."""
    found = part.tensor
    if found.walk is not None and not part.turned and found.nbytes >= SMALL_BYTES:
        return Streamed(part.shape, found.dtype, found.blocks)
    array = found.array()
    return (array.T if part.turned else array).reshape(part.shape)


def by_name(parts: Iterable[Part]) -> dict[str, Part]:
    """The parts by their names. Raises: MS305 if two have the same"""
    found: dict[str, Part] = {}
    names: set[str] = set()
    for part in parts:
        take_name(part.name, names)
        found[part.name] = part
    return found


def constant(added: Added, like: StoredTensor) -> StoredTensor:
    """A tensor of the shape and type of another whose elements are all the same."""

    def load() -> np.ndarray[Any, Any]:
        return np.full(like.shape, added.value, like.dtype)

    return StoredTensor(added.name, like.type_name, like.shape, like.dtype, load)


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
