"""The safetensors reader and writer; the library itself is the oracle."""

from __future__ import annotations

import io
import json
import struct
import zlib
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import safetensors.numpy

from msconvert.errors import MsconvertError
from msconvert.formats.safetensors import read_safetensors, write_safetensors

MIXED = {
    'w.é"\\\n': np.arange(6, dtype="f4").reshape(2, 3),
    "b": np.array(1.5, ml_dtypes.bfloat16),
    "empty": np.zeros((0, 4), "f4"),
    **{
        f"n.{d}": np.arange(5).astype(d)
        for d in ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]
    },
}


def written(items: dict[str, np.ndarray]) -> bytes:
    stream = io.BytesIO()
    write_safetensors(stream, items.items())
    return stream.getvalue()


def file_of(header: object, data: bytes) -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def test_the_bytes_are_those_of_the_library() -> None:
    assert written(MIXED) == safetensors.numpy.save(MIXED, {"format": "ms"})


def test_what_the_library_writes_is_read(tmp_path: Path) -> None:
    safetensors.numpy.save_file(MIXED, tmp_path / "x.safetensors", {"format": "ms"})
    stored = read_safetensors(tmp_path / "x.safetensors").tensors()
    assert stored.keys() == MIXED.keys()
    for name, array in MIXED.items():
        read = stored[name].array()
        assert (read.dtype, read.shape, stored[name].shape) == (array.dtype, *[array.shape] * 2)
        assert read.tobytes() == array.tobytes()
        assert read.flags.aligned
        assert not read.flags.writeable


def test_any_layout_is_written_in_c_order() -> None:
    array = np.arange(24, dtype=">i4").reshape(2, 3, 4)
    for layout in (array.T, array[:, ::-2], np.broadcast_to(array[:1, :1], (2, 3, 4))):
        read = safetensors.numpy.load(written({"w": layout}))["w"]
        np.testing.assert_array_equal(read, layout)


def test_packed_int4_is_known_by_the_metadata(tmp_path: Path) -> None:
    packed = {"q": np.array([[1, 2]], "i1")}
    safetensors.numpy.save_file(packed, tmp_path / "x.safetensors", {"q": "Int4"})
    assert read_safetensors(tmp_path / "x.safetensors").tensors()["q"].type_name == "Int4"


def test_a_stored_crc_is_compared(tmp_path: Path) -> None:
    arrays = {"b": np.float32([1, 2]), "a": np.int8([3])}
    crc = 0
    for name in sorted(arrays):
        crc = zlib.crc32(arrays[name].tobytes(), zlib.crc32(name.encode(), crc))
    content = safetensors.numpy.save(arrays, {"crc_num": str(crc)})
    path = tmp_path / "x.safetensors"
    path.write_bytes(content)
    assert set(read_safetensors(path)) == {"a", "b"}
    path.write_bytes(content[:-1] + b"\x07")
    with pytest.raises(MsconvertError, match="CRC-32"):
        read_safetensors(path)


@pytest.mark.parametrize(
    ("items", "problem"),
    [
        ({"s": "text"}, "holds no texts"),
        ({"c": np.zeros(2, "c8")}, "complex64"),
        ({"f": np.zeros(2, ml_dtypes.float8_e5m2)}, "float8_e5m2"),
        ({"": np.zeros(2)}, "empty"),
        ({"__metadata__": np.zeros(2)}, "twice"),
        ({}, "no parameters"),
    ],
)
def test_what_cannot_be_held_is_refused(items: dict[str, np.ndarray], problem: str) -> None:
    with pytest.raises(MsconvertError, match=f"MS305.*{problem}"):
        written(items)


ONE = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
DAMAGED = {
    "empty": b"",
    "garbage": b"\xff" * 64,
    "huge header": struct.pack("<Q", 1 << 62) + b"{}",
    "one byte short": file_of({"a": ONE}, bytes(7)),
    "one byte long": file_of({"a": ONE}, bytes(9)),
    "overlap": file_of({"a": ONE, "b": ONE}, bytes(8)),
    "gap": file_of({"a": ONE | {"data_offsets": [4, 12]}}, bytes(12)),
    "huge shape": file_of({"a": ONE | {"shape": [1 << 40, 1 << 40]}}, bytes(8)),
    "negative": file_of({"a": ONE | {"shape": [-2]}}, bytes(8)),
    "float8": file_of({"a": ONE | {"dtype": "F8_E4M3", "shape": [8]}}, bytes(8)),
    "rank 99": file_of({"a": ONE | {"shape": [1] * 98 + [2]}}, bytes(8)),
    "nothing in it": file_of({}, b""),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damage_is_told(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(DAMAGED[kind])
    with pytest.raises(MsconvertError, match=r"MS302 .*x.safetensors.*: ") as told:
        read_safetensors(path)
    assert told.value.advice


def test_every_truncation_is_seen(tmp_path: Path) -> None:
    content = written(MIXED)
    path = tmp_path / "x.safetensors"
    for size in range(len(content)):
        path.write_bytes(content[:size])
        with pytest.raises(MsconvertError, match="MS302"):
            read_safetensors(path)


ONLY_COMPARED = ("C64", "F8_E4M3", "F8_E5M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ", "F8_E8M0")


def test_what_mindspore_does_not_read_is_compared(tmp_path: Path) -> None:
    """Elements of less than a byte are told, and do not shift what lies behind them."""
    data, header = b"", {}
    sizes = {**dict.fromkeys(ONLY_COMPARED, 16), "C64": 128, "F4": 8, "F6_E2M3": 12, "U8": 16}
    for kind, size in sizes.items():
        place = (len(data), len(data) + size)
        header[kind] = {"dtype": kind, "shape": [16], "data_offsets": place}
        data += bytes(range(size))
    (tmp_path / "x.safetensors").write_bytes(file_of(header, data))
    found = read_safetensors(tmp_path / "x.safetensors", comparing=True)
    assert set(found.unreadable) == {"F4", "F6_E2M3"}
    for name, stored in found.tensors().items():
        assert stored.array().tobytes() == bytes(range(sizes[name])), name
        assert b"".join(block.tobytes() for block in stored.blocks(5)) == bytes(range(sizes[name]))
    with pytest.raises(MsconvertError, match=r"MS302 .*reads from no checkpoint"):
        read_safetensors(tmp_path / "x.safetensors")
    torch = pytest.importorskip("torch")
    theirs = torch.float8_e4m3fn
    bits = torch.arange(16, dtype=torch.uint8).view(theirs).float().numpy()
    np.testing.assert_array_equal(found.tensors()["F8_E4M3"].array().astype("f4"), bits)
