"""NumPy's .npy, read without unpickling: a header of one known form, then the elements.

Thousands of small files are read in a moment: a header is parsed once however many files have it,
files are opened one at a time, small ones are read and large ones mapped.
Source: numpy/lib/_format_impl.py of NumPy 2.4 (versions 1.0, 2.0 and 3.0 of the format).
"""

from __future__ import annotations

import math
import mmap
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .blocks import element_blocks, even
from .element_types import little_endian, type_name_of
from .stored import (
    COPY_AGAIN,
    Array,
    Checkpoint,
    StoredTensor,
    WeightFileError,
    cannot_read,
    damage,
    is_possible,
    let_go,
    nothing,
    opened,
    releasing,
)

if TYPE_CHECKING:
    from .storage.atomic import Path

MAGIC = b"\x93NUMPY"
PREFIX_BYTES = 8
HEAD_BYTES = 512
"""What is read first of a file: NumPy's header takes 128 bytes."""
MAX_HEADER_BYTES = 1 << 16
"""Version 1.0 has no longer ones, and NumPy itself refuses more than 10,000 characters."""
MAPPED_BYTES = 256 << 10
"""Larger files are mapped, smaller ones read."""
KEPT_BYTES, MOST_KEPT_BYTES = 64 << 10, 64 << 20
"""Smaller files can be kept, so many bytes of them: to open one again takes longer than to compare
what is in it."""
ALIGNED = 64
"""Where NumPy lets the elements of a file begin."""

PLAIN = re.compile(
    r"\{'descr': '([<>|=]?)([a-zA-Z])([0-9]{0,9})', 'fortran_order': (True|False), "
    r"'shape': \(((?:[0-9]{1,19}, ?)*[0-9]{0,19})\),? ?\}[ ]*\n?"
)
"""A header as NumPy writes it for elements that are numbers or texts."""

OBJECTS = "it holds Python objects, stored as a pickle, which could run anything"
AMBIGUOUS = {
    "<V1": "elements of one byte whose type NumPy has not written down (a float8 or int4)",
    "<f1": "float8 elements, whose type NumPy has not written down",
}


Content: TypeAlias = bytes | memoryview | mmap.mmap | Array
"""The bytes of a file."""
Contents: TypeAlias = Callable[[], Content]


class HeaderError(ValueError):
    """What is wrong with a header, wherever it was read: problem, got, what to do."""

    def __init__(self, problem: str, got: str = "", advice: str = "") -> None:
        super().__init__(problem)
        self.problem, self.got, self.advice = problem, got, advice


class SmallFiles:
    """Whole small files, one behind the other in one piece of memory.

    NumPy asks for large pages for it: the kernel takes longer to give thousands of small ones than
    to copy what is in the files.
    """

    def __init__(self) -> None:
        self.memory: memoryview | None = None
        self.taken = 0

    def read(self, descriptor: int, size: int) -> memoryview | None:
        """The file's bytes, or how many of them there are; None: it is too large for what is left.

        Raises: OSError
        """
        if size > min(KEPT_BYTES, MOST_KEPT_BYTES - self.taken):
            return None
        if self.memory is None:
            self.memory = np.empty(MOST_KEPT_BYTES, np.uint8).data
        place = self.memory[self.taken : self.taken + size]
        self.taken += -(-size // ALIGNED) * ALIGNED
        return place[: os.readv(descriptor, [place])].toreadonly()


@dataclass(frozen=True)
class Layout:
    """What a header says: the elements' type, in the file's byte order, shape and order."""

    offset: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def little(self) -> np.dtype[Any]:
        """The elements' type as it is given out."""
        return little_endian(self.dtype)

    @property
    def type_name(self) -> str:
        """MindSpore's name of it."""
        return type_name_of(self.little)

    def tensor(
        self, where: str, name: str, contents: Contents, release: Callable[[], None] = nothing
    ) -> StoredTensor:
        """The array in the file at `where`, whose bytes `contents` gives."""
        load, walk = partial(self.load, contents), partial(self.walk, contents)
        if self.dtype.kind == "U":
            whole = partial(valid_texts, where, load)
            return StoredTensor(name, self.type_name, self.shape, self.little, whole)
        return StoredTensor(name, self.type_name, self.shape, self.little, load, walk, release)

    def view(self, content: Content) -> Array:
        """The elements as they lie in the file."""
        count = math.prod(self.shape)
        flat = np.frombuffer(content, self.dtype, count, self.offset if count else 0)
        return flat.reshape(self.shape, order="F" if self.fortran else "C")

    def load(self, contents: Contents) -> Array:
        array = self.view(contents())
        if not array.flags.aligned or self.dtype != self.little:
            array = array.astype(self.little)
            array.flags.writeable = False
        return array

    def walk(self, contents: Contents, elements: int) -> Iterator[Array]:
        content = contents()
        view = self.view(content)
        if view.flags.aligned or self.fortran:
            blocks = element_blocks(view, elements)
        else:
            blocks = self.in_order(iter([view.reshape(-1).view(np.uint8)]), elements)
        if not isinstance(content, mmap.mmap):
            return blocks
        return releasing(blocks, partial(let_go, content, self.offset, self.nbytes))

    def in_order(self, pieces: Iterator[Array], elements: int) -> Iterator[Array]:
        """The elements of an array in C order whose bytes come in pieces of any size."""
        for block in even(pieces, elements * self.dtype.itemsize, self.nbytes):
            yield block.view(self.dtype).astype(self.little, copy=False)


def read_npy(path: Path) -> Checkpoint:
    """The one array of a .npy, under the file's name without its ending; read when asked for.

    Raises: MS302 for everything damaged, and for elements that are no numbers or texts
    """
    where = os.fspath(path)
    name = os.path.basename(where).removesuffix(".npy")
    return Checkpoint(where, {name: npy_tensor(where, name)})


def npy_tensor(
    where: str, name: str, *, is_settled: bool = False, small: SmallFiles | None = None
) -> StoredTensor:
    """The array of the .npy at `where`, whose header is read and checked. Raises: MS302

    `is_settled`: as `stored.opened` has it. If there is room for it on `small`, all is read at
    once.
    """
    descriptor, size = opened(where, is_settled=is_settled)
    try:
        kept = small.read(descriptor, size) if small is not None else None
        head = start_of(descriptor, kept, HEAD_BYTES)
        needed = head_bytes(head)
        if needed > len(head):
            head = start_of(descriptor, kept, min(needed, MAX_HEADER_BYTES))
        layout = checked_layout(where, head, needed, size)
    except OSError as error:
        raise cannot_read(where, error) from error
    finally:
        os.close(descriptor)
    if kept is not None and len(kept) == size:
        return layout.tensor(where, name, lambda: kept)
    return layout.tensor(where, name, partial(contents, where, size))


def start_of(descriptor: int, content: memoryview | None, count: int) -> bytes:
    """The first bytes of a file, which may have been read. Raises: OSError"""
    return os.pread(descriptor, count, 0) if content is None else bytes(content[:count])


def valid_texts(where: str, load: Callable[[], Array]) -> Array:
    """The texts that `load` gives. Raises: MS302 for numbers in them that are no characters"""
    texts = load()
    if texts.size > 0 and texts.reshape(-1).view(np.uint32).max() > sys.maxunicode:
        raise damage(where, "a text is not valid Unicode")
    return texts


def contents(where: str, size: int) -> Content:
    """All bytes of a file that had `size`: read if they are few, else mapped. Raises: MS302"""
    descriptor, found = opened(where)
    try:
        if found != size:
            raise damage(where, "it has changed since it was listed", str(found), f"{size} bytes")
        if size > MAPPED_BYTES:
            return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
        content = os.read(descriptor, size)
    except OSError as error:
        raise cannot_read(where, error) from error
    finally:
        os.close(descriptor)
    if len(content) != size:
        raise damage(where, "the file is cut short", f"{len(content)} bytes", f"{size} bytes")
    return content


def checked_layout(where: str, head: bytes, needed: int, size: int) -> Layout:
    """What the header at the start of `head` says, of a file of `size` bytes. Raises: MS302"""
    try:
        layout = layout_of(head[: needed or PREFIX_BYTES], needed)
    except HeaderError as error:
        raise WeightFileError(
            "MS302", where, error.problem, got=error.got, advice=error.advice or COPY_AGAIN
        ) from error
    if layout.offset + layout.nbytes != size:
        problem = "the file does not have the size of its shape" + shown(layout)
        expected = f"{layout.nbytes} bytes"
        if layout.offset + layout.nbytes < size:
            problem = "data follows the array" + shown(layout)
        raise damage(where, problem, f"{size - layout.offset} bytes", expected)
    return layout


def shown(layout: Layout) -> str:
    return f" {list(layout.shape)} of {layout.dtype.name}"


def head_bytes(head: bytes) -> int:
    """How many bytes come before the elements, as the first twelve say; 0: not known."""
    if len(head) < PREFIX_BYTES + 4 or not head.startswith(MAGIC):
        return 0
    wide = head[6] > 1
    length = int.from_bytes(head[8:12] if wide else head[8:10], "little")
    return length + (12 if wide else 10)


@lru_cache(maxsize=512)
def layout_of(head: bytes, needed: int) -> Layout:
    """What the bytes before the elements say, which should be `needed`. Raises: HeaderError"""
    if not head.startswith(MAGIC):
        raise HeaderError("not a .npy file", f"bytes {head[:8].hex(' ')}", "check the path")
    if needed == 0:
        raise HeaderError("it is cut short within its header", f"{len(head)} bytes")
    if head[6:8] not in (b"\1\0", b"\2\0", b"\3\0"):
        version = f"{head[6]}.{head[7]}"
        raise HeaderError("an unknown version of the format", version, "save it with NumPy")
    if needed > MAX_HEADER_BYTES:
        raise HeaderError("its header is too long", f"{needed} bytes")
    if len(head) < needed:
        raise HeaderError("it is cut short within its header", f"{len(head)} bytes")
    start, encoding = (10 if head[6] == 1 else 12), ("utf-8" if head[6] == 3 else "latin1")
    text = head[start:].decode(encoding, "replace")
    found = PLAIN.fullmatch(text)
    if found is None:
        return Layout(needed, *unusual(text))
    order, letter, digits, fortran, sizes = found.groups()
    shape = tuple(int(size) for size in sizes.split(",") if size.strip())
    if len(shape) == 1 and "," not in sizes:
        raise HeaderError("the shape in its header is a number", sizes)
    return Layout(needed, dtype_of(order, letter, digits), checked_shape(shape), fortran == "True")


def unusual(text: str) -> tuple[np.dtype[Any], tuple[int, ...], bool]:
    """Element type, shape, order of a header that is not written as NumPy writes it."""
    import ast

    problem = "its header is damaged"
    plain_numbers = LONG.sub(r"\1", text.strip())
    try:
        facts = ast.literal_eval(plain_numbers) if len(text) <= MAX_LITERAL else None
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise HeaderError(problem, text[:80]) from error
    if not isinstance(facts, dict) or facts.keys() != {"descr", "fortran_order", "shape"}:
        raise HeaderError(problem, text[:80])
    descr, fortran, shape = facts["descr"], facts["fortran_order"], facts["shape"]
    if isinstance(descr, list):
        raise HeaderError("its elements are records", repr(descr)[:80], "save each field by itself")
    plain = DESCR.fullmatch(descr) if isinstance(descr, str) else None
    whole = isinstance(shape, tuple) and all(type(size) is int for size in shape)
    if plain is None or type(fortran) is not bool or not whole:
        raise HeaderError(problem, text[:80])
    return dtype_of(*plain.groups()), checked_shape(shape), fortran


MAX_LITERAL = 10_000
LONG = re.compile(r"([0-9])L(?=[,)])")
"""Numbers as Python 2 wrote them."""
DESCR = re.compile(r"([<>|=]?)([a-zA-Z])([0-9]{0,9})(?:\[.{0,20}\])?")


def checked_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape itself. Raises: HeaderError if no array can have it"""
    if any(size < 0 for size in shape) or not is_possible(shape):
        raise HeaderError("its shape is impossible", str(shape)[:80])
    return shape


NUMBERS = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8), "c": (8, 16)}
TEXTS = "US"
MAX_TEXT = 1 << 24
"""Characters of one text."""


def dtype_of(order: str, letter: str, digits: str) -> np.dtype[Any]:
    """NumPy's type of elements that are numbers or texts. Raises: HeaderError for others"""
    descr, size = order + letter + digits, int(digits or 0)
    if size in NUMBERS.get(letter, ()) or (letter in TEXTS and 0 < size <= MAX_TEXT):
        plain: np.dtype[Any] = np.dtype(descr)
        return plain
    if descr == "<V2":  # what NumPy calls ml_dtypes' bfloat16; plain bytes are |V2
        from .element_types import BFLOAT16

        return BFLOAT16
    if letter == "O":
        raise HeaderError(OBJECTS, descr, "in Python, save it as an array of numbers")
    if descr in AMBIGUOUS:
        advice = "save a view of the array as uint8, or a safetensors file"
        raise HeaderError(AMBIGUOUS[descr], descr, advice)
    raise HeaderError("its elements are neither numbers nor texts", descr, "save them as numbers")
