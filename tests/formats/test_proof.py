"""What was written is read back: all of it, and what came out wrong is noticed wherever it is."""

from __future__ import annotations

import mmap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.formats import write_weights
from msconvert.formats.names.renaming import Wishes, unchanged
from msconvert.formats.storage.atomic import StagedStream
from msconvert.formats.transfer import proof
from msconvert.formats.transfer.conversion import Conversion, open_weights
from msconvert.formats.transfer.pages import Pages, place_of
from msconvert.formats.transfer.proof import Followed, Follower

BLOCK = proof.FOLLOWED_BYTES
LARGE = np.random.default_rng(0).integers(0, 255, 20 * BLOCK + 5000, np.uint8)


def mapped(path: Path, content: np.ndarray) -> np.ndarray:
    path.write_bytes(content.tobytes())
    with path.open("rb") as stream:
        return np.frombuffer(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)


@pytest.fixture
def source(tmp_path: Path) -> np.ndarray:
    return mapped(tmp_path / "source", LARGE)


Write = Callable[[Followed, memoryview], object]


def proven(folder: Path, source: np.ndarray, write: Write) -> int:
    """How many bytes are proven, of the source written behind a byte, which `write` may spoil."""
    path = folder / "written"
    with path.open("wb") as stream, Follower(path) as follower:
        followed = Followed(stream, follower, Pages())
        followed.write(b"x")
        write(followed, memoryview(source))
        stream.flush()
    with path.open("rb") as stream:
        written = np.frombuffer(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    return follower.proven(source, written[1:])


def in_blocks(stream: Followed, data: memoryview) -> None:
    for start in range(0, len(data), BLOCK):
        stream.write(data[start : start + BLOCK])


def test_what_was_followed_is_proven_but_for_a_short_end(
    tmp_path: Path, source: np.ndarray
) -> None:
    assert proven(tmp_path, source, in_blocks) == 20 * BLOCK
    assert proven(tmp_path, source, lambda stream, data: stream.write(data)) == len(LARGE)


def spoiled(at: int) -> Write:
    """A write with one bit changed."""

    def write(stream: Followed, data: memoryview) -> None:
        target = stream.stream
        plain = target.write

        def wrong(part: Any) -> int:
            start = target.tell() - 1
            if start <= at < start + len(part):
                part = bytearray(part)
                part[at - start] ^= 1
            return plain(part)

        stream.stream = type("Wrong", (), {"write": staticmethod(wrong)})()  # type: ignore[assignment]
        in_blocks(stream, data)

    return write


@pytest.mark.parametrize("block", [0, 7, 19])
def test_nothing_behind_a_wrong_bit_is_proven(
    tmp_path: Path, source: np.ndarray, block: int
) -> None:
    assert proven(tmp_path, source, spoiled(block * BLOCK + 77)) == block * BLOCK


@pytest.mark.parametrize(
    ("place", "is_known"), [(0, True), (1, False), (BLOCK, False), (20 * BLOCK + 1, True)]
)
def test_what_is_written_again_proves_nothing(
    tmp_path: Path, source: np.ndarray, place: int, is_known: bool
) -> None:
    def write(stream: Followed, data: memoryview) -> None:
        in_blocks(stream, data)
        stream.seek(place)
        stream.write(b"y")

    assert proven(tmp_path, source, write) == (20 * BLOCK if is_known else 0)


def test_other_bytes_of_the_source_are_not_proven(tmp_path: Path, source: np.ndarray) -> None:
    other = mapped(tmp_path / "other", LARGE)
    path = tmp_path / "written"
    with path.open("wb") as stream, Follower(path) as follower:
        in_blocks(Followed(stream, follower, Pages()), memoryview(source))
    with path.open("rb") as stream:
        written = np.frombuffer(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    assert follower.proven(source, written) == 20 * BLOCK
    assert follower.proven(source[BLOCK:], written[BLOCK:]) == 19 * BLOCK
    assert follower.proven(source[BLOCK:], written[: -BLOCK or None]) == 0
    assert follower.proven(other, written) == 0  # the same bytes, of which nobody knows
    assert follower.proven(LARGE, written) == 0


def test_places(source: np.ndarray) -> None:
    whole, part = place_of(source), place_of(source[10:].view(np.int16))
    assert whole is not None
    assert part is not None
    assert (whole.offset, part.offset, whole.source is part.source) == (0, 10, True)
    assert place_of(np.frombuffer(source[3:].data, np.uint8)) == place_of(source[3:])
    assert place_of(source[::2]) is None
    assert place_of(LARGE) is None


@pytest.mark.parametrize("name", ["out.ckpt", "out.safetensors", "out.pth"])
@pytest.mark.parametrize("at", [100_000, 540_000])
def test_a_disk_that_changes_a_bit_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, at: int
) -> None:
    """At both ends of a tensor: what was followed, and what is compared at last."""
    write_weights(tmp_path / "in.pth", [("a", LARGE[:554_288])], "pth")
    checkpoint = open_weights(tmp_path / "in.pth")
    plan = unchanged({"a": (554_288,)}, Wishes())
    Conversion(checkpoint, plan, {}).write(tmp_path / name, False, lambda step: None)
    assert (
        open_weights(tmp_path / name).tensors()["a"].array().tobytes() == LARGE[:554_288].tobytes()
    )
    write = StagedStream.write

    def wrong(self: StagedStream, data: Any) -> int:
        start = self.tell()
        if start <= at < start + len(data):
            data = bytearray(data)
            data[at - start] ^= 16
        return write(self, data)

    monkeypatch.setattr(StagedStream, "write", wrong)
    with pytest.raises(MsconvertError, match=r"MS311 .*'a' differs from 'a'"):
        Conversion(checkpoint, plan, {}).write(tmp_path / name, True, lambda step: None)
