"""NumPy's .npz: a zip archive of .npy files; stored ones are mapped, deflated ones streamed."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..errors import MsconvertError
from .blocks import element_blocks
from .npy import HEAD_BYTES, MAX_HEADER_BYTES, Layout, checked_layout, head_bytes
from .pytorch.zip_members import Member, content_of, members_of
from .stored import (
    Array,
    Checkpoint,
    Stored,
    StoredTensor,
    WeightFileError,
    damage,
    let_go,
    map_file,
)

if TYPE_CHECKING:
    from .storage.atomic import Path

SUFFIX = ".npy"
MAX_EXPANSION, FREE_BYTES = 4, 1 << 30
"""An array that is unpacked whole may be so many times as large as the file, and 1 GB more."""

RELEASED_PIECES = 32
"""After so many pieces the memory of those is let go of."""


def read_npz(path: Path, *, comparing: bool = False) -> Checkpoint:
    """The arrays of a .npz by their names, in its order; what is no array is in `others`.

    The CRC-32 of an array is compared when it is read. With `comparing`, an array that cannot be
    read is one in `unreadable`.
    Raises: MS302 for everything damaged, and for elements that are no numbers or texts
    """
    where = os.fspath(path)
    source = map_file(path)
    members = members_of(where, source, deflated=True)
    entries: dict[str, Stored] = {}
    unreadable: dict[str, MsconvertError] = {}
    others: list[str] = []
    for member in members.values():
        name = member.name.removesuffix(SUFFIX)
        if name == member.name or not name:
            others.append(member.name)
            continue
        try:
            entries[name] = tensor_of(where, source, member, name)
        except WeightFileError as error:
            if not comparing:
                raise
            unreadable[name] = error
    if not entries and not unreadable:
        raise damage(where, "the archive holds no arrays", ", ".join(others[:5]))
    return Checkpoint(where, entries, source=source, unreadable=unreadable, others=others)


def tensor_of(where: str, source: mmap.mmap, member: Member, name: str) -> StoredTensor:
    """The array in a member, whose header is read and checked. Raises: MS302"""
    head, is_whole = head_of(where, source, member)
    place = f"{where}: {name}"
    layout = checked_layout(place, head, head_bytes(head), member.size)
    if member.deflated:
        return Deflated(place, source, member, layout).tensor(name)
    mapped = Layout(member.offset + layout.offset, layout.dtype, layout.shape, layout.fortran)
    release = partial(let_go, source, member.offset, member.packed)
    return mapped.tensor(place, name, Checked(where, source, member, is_whole).archive, release)


def head_of(where: str, source: mmap.mmap, member: Member) -> tuple[bytes, bool]:
    """The bytes with the header, and whether these are all of the member: then they were compared.

    Raises: MS302
    """
    head, needed = b"", HEAD_BYTES
    for piece in content_of(where, source, member):
        head += piece[: needed - len(head)]
        needed = min(max(head_bytes(head), HEAD_BYTES), MAX_HEADER_BYTES)
        if len(head) >= needed:
            return head, False
    return head, True


@dataclass(eq=False)
class Checked:
    """An array that is not compressed: its CRC-32 is compared once, before it is first used."""

    where: str
    source: mmap.mmap
    member: Member
    is_right: bool = False

    def archive(self) -> mmap.mmap:
        """The mapped archive. Raises: MS302 if the array's bytes have changed since it was saved"""
        if not self.is_right:
            pieces = content_of(self.where, self.source, self.member)
            for number, _piece in enumerate(pieces):
                if number % RELEASED_PIECES == RELEASED_PIECES - 1:
                    let_go(self.source, self.member.offset, self.member.size)
            self.is_right = True
        return self.source


@dataclass(frozen=True, eq=False)
class Deflated:
    """An array that is compressed."""

    where: str
    source: mmap.mmap
    member: Member
    layout: Layout

    def tensor(self, name: str) -> StoredTensor:
        kind, shape, dtype = self.layout.type_name, self.layout.shape, self.layout.little
        return StoredTensor(name, kind, shape, dtype, self.load, self.walk)

    def load(self) -> Array:
        """The whole array, unpacked. Raises: MS302 for one that is far larger than the file"""
        size, limit = self.layout.nbytes, MAX_EXPANSION * len(self.source) + FREE_BYTES
        if size > limit:
            problem = "the array is far larger than the file that it is compressed in"
            raise damage(self.where, problem, f"{size} bytes", f"at most {limit} bytes")
        content = np.empty(size, np.uint8)
        filled = 0
        for piece in self.pieces():
            content[filled : filled + piece.size] = piece
            filled += piece.size
        content.flags.writeable = False
        whole = Layout(0, self.layout.dtype, self.layout.shape, self.layout.fortran)
        return whole.load(lambda: content)

    def walk(self, elements: int) -> Iterator[Array]:
        if self.layout.fortran:
            return element_blocks(self.load(), elements)
        return self.layout.in_order(self.pieces(), elements)

    def pieces(self) -> Iterator[Array]:
        """The bytes of the elements."""
        left = self.layout.offset
        for piece in content_of(self.where, self.source, self.member):
            yield np.frombuffer(piece, np.uint8, max(0, len(piece) - left), min(left, len(piece)))
            left = max(0, left - len(piece))
