"""The .npz reader against NumPy; damaged archives, and those that unpack to far too much."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.formats import read_weights

ARRAYS = {
    "plain": np.arange(6.0).reshape(2, 3),
    "big": np.random.default_rng(0).random(300_000, "f4").reshape(100, -1),
    "transposed": np.arange(6).reshape(2, 3).T,
    "big-endian": np.arange(6, dtype=">i4"),
    "scalar": np.array(3.0),
    "empty": np.zeros((0, 4)),
    "texts": np.array(["a", "bcd"]),
    "a/b": np.float16([1, 2]),
}


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_what_numpy_saves_is_read(tmp_path: Path, save: Callable) -> None:
    save(tmp_path / "x.npz", **ARRAYS)
    found = read_weights(tmp_path / "x.npz").tensors()
    assert list(found) == list(ARRAYS)
    for name, array in ARRAYS.items():
        loaded = found[name].array()
        np.testing.assert_array_equal(loaded, array)
        assert loaded.dtype == found[name].dtype == array.dtype.newbyteorder("<")
        assert loaded.flags.aligned
        assert not loaded.flags.writeable
        blocks = [block.copy() for block in found[name].blocks(1000)]
        assert all(block.size == 1000 for block in blocks[:-1])
        whole = np.concatenate(blocks) if blocks else np.zeros(0)
        np.testing.assert_array_equal(whole, array.reshape(-1))


def npy(array: np.ndarray, header: bytes = b"", shape: bytes = b"") -> bytes:
    """A .npy, its shape replaced by another of the same length."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue().replace(header, shape) if header else stream.getvalue()


def archive(
    method: int = zipfile.ZIP_STORED, name: str = "w.npy", data: bytes = npy(np.ones(64))
) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as new:
        new.writestr(name, data)
        new.writestr("good.npy", npy(np.zeros(2)))
    return stream.getvalue()


def changed(data: bytes, place: int, form: str, value: int) -> bytes:
    """The archive with a number of its first directory entry changed."""
    start = data.index(b"PK\x01\x02") + place
    return data[:start] + struct.pack(form, value) + data[start + struct.calcsize(form) :]


LARGE = npy(np.ones((64, 1)), b"(64, 1), }            ", b"(64, 16000000000), }  ")
DEFLATED = archive(zipfile.ZIP_DEFLATED)
BAD_ARRAYS = {
    "objects": (archive(data=npy(np.array([None]))), "holds Python objects"),
    "no array": (archive(data=b"x" * 99), "not a .npy file"),
    "an empty member": (archive(data=b""), "not a .npy file"),
    "a shape of 8 TB": (
        archive(data=LARGE),
        "does not have the size",
    ),
    "deflated, a shape of 8 TB": (
        archive(zipfile.ZIP_DEFLATED, data=LARGE),
        "does not have the size",
    ),
    "more behind it": (archive(data=npy(np.ones(2)) + b"x"), "data follows the array"),
}
BAD_DATA = {
    "a changed bit": (archive().replace(b"\0\0\xf0\x3f", b"\0\0\xf1\x3f", 1), "CRC-32"),
    "another crc": (changed(archive(), 16, "<I", 1), "CRC-32"),
    "deflated, another crc": (changed(DEFLATED, 16, "<I", 1), "CRC-32"),
}
BAD_FILES = {
    "a path": (archive(name="../../w.npy"), "a path for a name"),
    "cut short": (archive()[:-40], "cut short"),
    "cut in the data": (archive()[:90], "cut short"),
    "a larger size": (changed(DEFLATED, 24, "<I", 1 << 30), "two sizes"),
    "bzip2": (archive(zipfile.ZIP_BZIP2), "compressed by method 12"),
    "encrypted": (changed(archive(), 8, "<H", 1), "encrypted"),
    "no arrays": (archive(name="w.txt").replace(b"good.npy", b"good.txt"), "holds no arrays"),
    "empty": (b"", "empty"),
}


def peak_of(action: Callable[[], object]) -> int:
    """The bytes that are allocated at most while `action` runs."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", BAD_FILES)
def test_a_damaged_archive_is_refused(tmp_path: Path, kind: str) -> None:
    data, problem = BAD_FILES[kind]
    (tmp_path / "x.npz").write_bytes(data)

    def read() -> None:
        with pytest.raises(MsconvertError, match=f"MS302 .*{problem}"):
            read_weights(tmp_path / "x.npz", comparing=True)

    assert peak_of(read) < 1 << 20


@pytest.mark.parametrize("kind", BAD_ARRAYS)
def test_a_bad_array_does_not_stop_the_others(tmp_path: Path, kind: str) -> None:
    data, problem = BAD_ARRAYS[kind]
    (tmp_path / "x.npz").write_bytes(data)

    def read() -> None:
        found = read_weights(tmp_path / "x.npz", comparing=True)
        assert list(found.unreadable) == ["w"]
        assert problem in found.unreadable["w"].text()
        assert found.tensors()["good"].array().tolist() == [0, 0]
        with pytest.raises(MsconvertError, match=f"MS302 .*{problem}"):
            read_weights(tmp_path / "x.npz")

    assert peak_of(read) < 2 << 20


@pytest.mark.parametrize("kind", BAD_DATA)
def test_changed_data_is_told_when_it_is_read(tmp_path: Path, kind: str) -> None:
    data, problem = BAD_DATA[kind]
    (tmp_path / "x.npz").write_bytes(data)
    found = read_weights(tmp_path / "x.npz").tensors()["w"]
    with pytest.raises(MsconvertError, match=f"MS302 .*{problem}"):
        found.array()
    with pytest.raises(MsconvertError, match=f"MS302 .*{problem}"):
        list(found.blocks(16))


def test_a_bomb_is_walked_in_little_memory_and_not_loaded(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_DEFLATED) as new:
        header = npy(np.zeros(1 << 26, "u1"))[:128]
        with new.open("w.npy", "w", force_zip64=True) as stream:
            stream.write(header + bytes(1 << 20))
            for _part in range(63):
                stream.write(bytes(1 << 20))
    assert (tmp_path / "x.npz").stat().st_size < 1 << 17
    found = read_weights(tmp_path / "x.npz").tensors()["w"]
    assert peak_of(lambda: sum(int(block.max()) for block in found.blocks(1 << 16))) < 4 << 20


def test_an_array_that_is_too_large_for_its_file_is_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("msconvert.formats.npz.FREE_BYTES", 1 << 16)
    np.savez_compressed(tmp_path / "x.npz", w=np.zeros(1 << 20))
    found = read_weights(tmp_path / "x.npz").tensors()["w"]

    def load() -> None:
        with pytest.raises(MsconvertError, match="far larger than the file"):
            found.array()

    assert peak_of(load) < 1 << 20
