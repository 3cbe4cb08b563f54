"""The members of a zip archive, stored uncompressed as PyTorch's files have them, or deflated.

Nothing is extracted: a member is a range of bytes of the mapped file. Every range is checked, so
that no two overlap and none leaves the file. Source: PKWARE's APPNOTE 6.3.
"""

from __future__ import annotations

import mmap
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from ..stored import WeightFileError, damage

END, CENTRAL, LOCAL = b"PK\x05\x06", b"PK\x01\x02", b"PK\x03\x04"
END64, LOCATOR64 = b"PK\x06\x06", b"PK\x06\x07"
END_BYTES, CENTRAL_BYTES, LOCAL_BYTES, END64_BYTES, LOCATOR64_BYTES = 22, 46, 30, 56, 20
MAX_COMMENT = 0xFFFF
UNKNOWN32, ZIP64_ID = 0xFFFFFFFF, 1
ENCRYPTED = 0x1
STORED, DEFLATED = 0, 8
MAX_RATIO = 1032
"""To so many bytes a deflated one can grow."""
READ_BYTES, PIECE_BYTES = 64 << 10, 512 << 10
MAX_MEMBERS = 200_000
"""Large models have thousands of tensors; each name here costs memory."""


@dataclass(frozen=True)
class Member:
    """A file of the archive: its name, the bytes it takes up, its CRC-32 (0: none was made).

    `size` is that of its content, which takes up `packed` bytes in the archive.
    """

    name: str
    offset: int
    size: int
    crc: int
    packed: int
    deflated: bool = False


def compressed(where: str, name: str) -> WeightFileError:
    return damage(where, f"'{name}' is compressed, which torch.save never does")


def members_of(where: str, source: mmap.mmap, deflated: bool = False) -> dict[str, Member]:
    """The members by name, all checked; compressed ones only where `deflated` allows it.

    Raises: MS302 for what is cut short, compressed, encrypted, overlapping, stored twice, or
    named as a path that leads out of the archive
    """
    start, end, count = directory_of(where, source)
    found: dict[str, Member] = {}
    for member in central_entries(where, source, (start, end), count):
        refuse_paths(where, member.name)
        if member.deflated and not deflated:
            raise compressed(where, member.name)
        if member.name in found:
            raise damage(where, f"the archive has '{member.name}' twice")
        found[member.name] = member
    refuse_overlaps(where, found, start)
    return found


def directory_of(where: str, source: mmap.mmap) -> tuple[int, int, int]:
    """First byte, end and number of entries of the central directory. Raises: MS302"""
    place = source.rfind(END, max(0, len(source) - END_BYTES - MAX_COMMENT))
    if place < 0 or place + END_BYTES > len(source):
        raise damage(where, "the zip archive is cut short: its directory is missing")
    *_disks, count, size, start, comment = struct.unpack_from("<4H2IH", source, place + 4)[1:]
    if place + END_BYTES + comment != len(source):
        raise damage(where, "data follows the zip archive, or its directory is damaged")
    end = place
    locator = place - LOCATOR64_BYTES
    if locator >= 0 and source[locator : locator + 4] == LOCATOR64:
        end = struct.unpack_from("<Q", source, locator + 8)[0]
        if end + END64_BYTES > locator or source[end : end + 4] != END64:
            raise damage(where, "the directory of the zip archive is damaged")
        count, size, start = struct.unpack_from("<QQQ", source, end + 32)
    if start + size != end:
        raise damage(
            where,
            "the directory of the zip archive is not where it says",
            f"bytes {start} to {start + size}",
            f"up to byte {end}",
        )
    if count > MAX_MEMBERS or count * CENTRAL_BYTES > size:
        raise damage(where, "the zip archive has too many members", str(count))
    return start, end, count


def central_entries(
    where: str, source: mmap.mmap, directory: tuple[int, int], count: int
) -> Iterator[Member]:
    """Each entry of the central directory, with where its data begins. Raises: MS302"""
    place, end = directory
    for _number in range(count):
        if place + CENTRAL_BYTES > end or source[place : place + 4] != CENTRAL:
            raise damage(where, "the directory of the zip archive is damaged")
        flags, method = struct.unpack_from("<2H", source, place + 8)
        crc, packed, size, name_size, extra_size, note = struct.unpack_from(
            "<3I3H", source, place + 16
        )
        (local,) = struct.unpack_from("<I", source, place + 42)
        name_end = place + CENTRAL_BYTES + name_size
        if name_end + extra_size + note > end:
            raise damage(where, "the directory of the zip archive is damaged")
        raw = source[place + CENTRAL_BYTES : name_end]
        name = text_of(where, raw)
        extra = source[name_end : name_end + extra_size]
        size, packed, local = widened(where, extra, (size, packed, local))
        if flags & ENCRYPTED or method not in (STORED, DEFLATED):
            how = "encrypted" if flags & ENCRYPTED else f"compressed by method {method}"
            raise damage(where, f"'{name}' is {how}, which neither PyTorch nor NumPy does")
        if size > packed * MAX_RATIO or (method == STORED and size != packed):
            got = f"{packed} bytes for {size}"
            raise damage(where, f"'{name}' has two sizes that cannot both be right", got)
        offset = data_of(where, source, local, raw)
        yield Member(name, offset, size, crc, packed, method == DEFLATED)
        place = name_end + extra_size + note
    if place != end:
        raise damage(where, "the directory of the zip archive has more than it says")


def widened(where: str, extra: bytes, short: tuple[int, int, int]) -> tuple[int, int, int]:
    """Size, packed size and offset, with their 64-bit values where 32 bits are not enough."""
    if UNKNOWN32 not in short:
        return short
    place = 0
    while place + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, place)
        wide = [value == UNKNOWN32 for value in short]
        if kind == ZIP64_ID and length >= 8 * sum(wide) and place + 4 + length <= len(extra):
            values = iter(struct.unpack_from(f"<{sum(wide)}Q", extra, place + 4))
            size, packed, local = (
                next(values) if is_wide else value
                for value, is_wide in zip(short, wide, strict=True)
            )
            return size, packed, local
        place += 4 + length
    raise damage(where, "a size in the directory of the zip archive is missing")


def data_of(where: str, source: mmap.mmap, local: int, name: bytes) -> int:
    """Where the data behind a local header begins, which must have this name. Raises: MS302"""
    if local + LOCAL_BYTES > len(source) or source[local : local + 4] != LOCAL:
        raise damage(where, f"'{text_of(where, name)}' is not where the zip archive says")
    name_size, extra_size = struct.unpack_from("<2H", source, local + 26)
    name_start = local + LOCAL_BYTES
    if source[name_start : name_start + name_size] != name:
        raise damage(where, f"'{text_of(where, name)}' has another name in front of its data")
    return int(name_start + name_size + extra_size)


def text_of(where: str, raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise damage(where, "a name in the zip archive is not UTF-8", repr(raw[:80])) from error


def refuse_paths(where: str, name: str) -> None:
    """Raises: MS302 for a name that would lead out of the folder it is extracted to"""
    parts = name.split("/")
    if not name or "\\" in name or "\0" in name or ".." in parts or name[0] == "/":
        raise damage(where, "a member of the archive has a path for a name", repr(name))
    if ":" in parts[0]:
        raise damage(where, "a member of the archive has a path for a name", repr(name))


def refuse_overlaps(where: str, members: dict[str, Member], end: int) -> None:
    """Raises: MS302 for members that share bytes, or reach beyond byte `end`"""
    reached = 0
    for member in sorted(members.values(), key=lambda each: each.offset):
        if member.offset < reached:
            raise damage(where, f"'{member.name}' shares its bytes with another member")
        reached = member.offset + member.packed
        if reached > end:
            got = f"{max(0, end - member.offset)} bytes up to the directory"
            raise damage(where, f"'{member.name}' is cut short", got, f"{member.packed} bytes")


def content_of(where: str, source: mmap.mmap, member: Member) -> Iterator[bytes]:
    """The content of a member in pieces of at most PIECE_BYTES; the last one comes if all is right.

    Raises: MS302 for other bytes than its CRC-32 and its size say
    """
    pieces = inflated(where, source, member) if member.deflated else stored(source, member)
    crc = passed = 0
    for piece in pieces:
        crc, passed = zlib.crc32(piece, crc), passed + len(piece)
        if passed > member.size:
            break
        yield piece
    if passed != member.size:
        got = f"{passed} bytes" if passed < member.size else f"more than {member.size} bytes"
        raise damage(where, f"'{member.name}' has another size", got, f"{member.size} bytes")
    if member.crc not in (0, crc):
        problem = f"the data of '{member.name}' does not fit its CRC-32"
        raise damage(where, problem, f"0x{crc:08x}", f"0x{member.crc:08x}")


def stored(source: mmap.mmap, member: Member) -> Iterator[bytes]:
    end = member.offset + member.size
    for start in range(member.offset, end, PIECE_BYTES):
        yield source[start : min(end, start + PIECE_BYTES)]


def inflated(where: str, source: mmap.mmap, member: Member) -> Iterator[bytes]:
    """What a deflated member unpacks to. Raises: MS302 where that is damaged"""
    place, end = member.offset, member.offset + member.packed
    machine = zlib.decompressobj(-zlib.MAX_WBITS)
    while not machine.eof:
        packed = machine.unconsumed_tail
        if not packed:
            packed = source[place : min(end, place + READ_BYTES)]
            place += len(packed)
        try:
            piece = machine.decompress(packed, PIECE_BYTES)
        except zlib.error as error:
            problem = f"the compressed data of '{member.name}' is damaged"
            raise damage(where, problem, str(error)) from error
        if not packed and not piece:
            return
        yield piece
