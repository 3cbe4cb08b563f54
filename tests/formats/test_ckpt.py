"""The .ckpt reader and writer: round trips, refusals, damage. Real MindSpore: test_parity.py."""

from __future__ import annotations

import io
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.formats.ckpt import read_ckpt, write_ckpt
from msconvert.formats.stored import StoredTensor

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "bfloat16"]
LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "plain": lambda a: a,
    "transposed": lambda a: a.T,
    "strided": lambda a: a[::2, 1:],
    "reversed": lambda a: a[::-1],
    "broadcast": lambda a: np.broadcast_to(a[:1, :1], (5, 3)),
    "scalar": lambda a: a[1, 2].reshape(()),
    "big-endian": lambda a: a if a.dtype.kind == "V" else a.astype(a.dtype.newbyteorder(">")),
}


def sample(dtype: str) -> np.ndarray:
    kind = ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype
    return np.random.default_rng(1).integers(0, 100, (4, 6)).astype(kind)


def written(items: dict[str, np.ndarray | str], **options: int) -> bytes:
    stream = io.BytesIO()
    write_ckpt(stream, items.items(), **options)
    return stream.getvalue()


@pytest.fixture
def read(tmp_path: Path) -> Callable[[bytes], dict[str, np.ndarray | str]]:
    """`read(content)`: what a file of that content holds, every array loaded."""
    path = tmp_path / "x.ckpt"

    def load(content: bytes) -> dict[str, np.ndarray | str]:
        path.write_bytes(content)
        stored = read_ckpt(path)
        return {name: v if isinstance(v, str) else v.array() for name, v in stored.items()}

    return load


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("chunk_bytes", [5, 512 << 20])
def test_what_is_written_is_read(tmp_path: Path, dtype: str, layout: str, chunk_bytes: int) -> None:
    array = LAYOUTS[layout](sample(dtype))
    write_ckpt(tmp_path / "x.ckpt", [("a", sample("?")), ("w", array)], chunk_bytes=chunk_bytes)
    stored = read_ckpt(tmp_path / "x.ckpt")["w"]
    assert isinstance(stored, StoredTensor)
    loaded = stored.array()
    assert (stored.shape, stored.nbytes, loaded.shape) == (array.shape, array.nbytes, array.shape)
    assert loaded.dtype == stored.dtype == array.dtype.newbyteorder("<")
    assert loaded.tobytes() == array.astype(loaded.dtype).tobytes()
    assert loaded.flags.aligned
    assert not loaded.flags.writeable


def test_texts_and_the_order_are_kept(read: Callable) -> None:
    items = {"z": "grüße 🎈", "b": np.float32([1]), "a": "", "long.name" * 99: np.int8(3) * 1}
    found = read(written(items))
    assert list(found) == list(items)
    assert (found["z"], found["a"], found["b"].tolist()) == ("grüße 🎈", "", [1.0])


def test_an_aligned_array_is_a_view_of_the_file(tmp_path: Path) -> None:
    write_ckpt(tmp_path / "x.ckpt", [("w", np.ones(4 << 20, "u1"))])
    tracemalloc.start()
    loaded = read_ckpt(tmp_path / "x.ckpt").tensors()["w"].array()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert loaded.sum() == 4 << 20
    assert peak < 1 << 20


BIG = 512 << 20


def test_chunks_are_of_512_mib_and_nothing_is_copied_whole() -> None:
    heads: list[bytes] = []
    sizes: list[int] = []

    class Sink(io.BytesIO):
        def write(self, data: bytes) -> int:
            heads.append(bytes(data)) if len(data) < 99 else sizes.append(len(data))
            return len(data)

    one = np.ones((1, 1), ml_dtypes.bfloat16)
    tracemalloc.start()
    write_ckpt(Sink(), [("w", np.broadcast_to(one, (BIG // 512, 513)))])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(sizes) == BIG // 512 * 513 * 2
    full, rest = b"\x80\x80\x80\x80\x02", b"\x80\x80\x80\x01"  # varints of 512 and 2 MiB
    assert [head.endswith(full) for head in heads] == [True, True, False]
    assert heads[2].endswith(b"\x1a" + rest)
    assert peak < 32 << 20


def test_writing_a_transposed_memory_map_stays_small(tmp_path: Path) -> None:
    mapped = np.memmap(tmp_path / "raw", "f4", "w+", shape=(3000, 3000))
    mapped[:] = np.arange(3000, dtype="f4")
    tracemalloc.start()
    write_ckpt(tmp_path / "x.ckpt", [("t", mapped.T), ("m", mapped)])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20
    stored = read_ckpt(tmp_path / "x.ckpt").tensors()
    np.testing.assert_array_equal(stored["t"].array(), mapped.T)
    np.testing.assert_array_equal(stored["m"].array(), mapped)


@pytest.mark.parametrize(
    ("items", "problem"),
    [
        ([], "no parameters"),
        ([("", np.ones(2))], "its name is empty"),
        ([("a", np.ones(2)), ("b", "x"), ("a", np.ones(2))], "the name occurs twice"),
        ([("\ud800", np.ones(2))], "not valid Unicode"),
        ([("a", np.zeros((0, 4)))], "has no elements"),
        ([("a", np.zeros(2, "c8"))], "no complex64 elements"),
        ([("a", np.zeros(2, ml_dtypes.float8_e4m3fn))], "no float8_e4m3fn elements"),
        ([("a", np.array(["x"]))], "no <U1 elements"),
        ([("a", np.array([None]))], "no object elements"),
        ([("a", "x\0")], "ends in a NUL"),
        ([("a", "\udfff")], "not valid Unicode"),
    ],
)
def test_what_mindspore_would_not_read_back_is_refused(
    tmp_path: Path, items: list[tuple[str, np.ndarray | str]], problem: str
) -> None:
    with pytest.raises(MsconvertError, match=f"MS305 .*{problem}(.|\n)*try:"):
        write_ckpt(tmp_path / "x.ckpt", items)
    assert list(tmp_path.iterdir()) == []


def element(tag: bytes, *fields: bytes) -> bytes:
    """An element by hand, for lengths below 128."""
    tensor = b"".join(fields)
    content = b"\x0a" + bytes([len(tag)]) + tag + b"\x12" + bytes([len(tensor)]) + tensor
    return b"\x0a" + bytes([len(content)]) + content


F32 = b"\x12\x07Float32"
W = element(b"w", b"\x08\x02", F32, b"\x1a\x08", bytes(8))
V = element(b"v", b"\x08\x02", F32, b"\x1a\x08", bytes(8))
HALF = element(b"w", b"\x08\x04", F32, b"\x1a\x08", bytes(8))
HUGE_DIM = b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
DAMAGED = {
    "empty file": (b"", "empty"),
    "random": (b"\x37" * 40, "does not start here"),
    "zip": (b"PK\x03\x04" + bytes(40), "zip archive"),
    "pickle": (b"\x80\x02}q\x00.", "pickle"),
    "safetensors": (b"\x40" + bytes(7) + b'{"a"' + bytes(60), "safetensors"),
    "encrypted": (b"\xd8\x5e\x3a\x7f" + bytes(40), "encrypted .AES-GCM"),
    "one byte short": (W[:-1], "cut short"),
    "one byte long": (W + b"\x0a", "cut short"),
    "rest unknown": (W + b"abc", "does not start here"),
    "length of 2**70": (b"\x0a" + b"\xff" * 10 + b"\x01", "64 bits"),
    "dims beyond the bytes": (
        element(b"w", b"\x08\x80\x84\xaf\x5f", F32, b"\x1a\x00"),
        r"got: +0 bytes\n +expected: 800000000",
    ),
    "dims below the bytes": (
        element(b"w", b"\x08\x01", F32, b"\x1a\x08", bytes(8)),
        "does not have the size",
    ),
    "odd bytes": (element(b"w", b"\x08\x02", F32, b"\x1a\x07", bytes(7)), "7 bytes"),
    "negative dim": (element(b"w", b"\x08" + b"\xff" * 9 + b"\x01", F32), "dimension 0 is -1"),
    "huge dims": (element(b"w", HUGE_DIM, HUGE_DIM, F32, b"\x1a\x00"), "does not have the size"),
    "huge empty": (
        element(b"w", HUGE_DIM, b"\x08\x00", F32, b"\x1a\x00"),
        "does not have the size",
    ),
    "33 dims": (element(b"w", b"\x08\x01" * 33, F32, b"\x1a\x04", bytes(4)), "impossible"),
    "second half lost": (HALF + V, "does not have the size"),
    "three halves": (HALF * 3, "24 bytes in 3 parts"),
    "twice, adjacent": (W + W, "16 bytes in 2 parts"),
    "twice, apart": (W + V + W, "'w' is stored twice"),
    "parts of two shapes": (HALF + W, "differ in type or shape"),
    "tag without tensor": (b"\x0a\x03\x0a\x01a", "'a' has a name but no tensor"),
    "no tag": (b"\x0a\x00", "name of a parameter is missing"),
    "empty tag": (element(b"", b"\x08\x02", F32, b"\x1a\x08", bytes(8)), "empty name"),
    "tag not UTF-8": (element(b"\xff", F32, b"\x1a\x04", bytes(4)), "not valid UTF-8"),
    "no type": (element(b"w", b"\x08\x02", b"\x1a\x08", bytes(8)), "element type of 'w' does not"),
    "no content": (element(b"w", b"\x08\x02", F32), "content of 'w' is missing"),
    "unknown type": (element(b"w", b"\x12\x05Klang\x1a\x00"), "got: +Klang"),
    "complex": (element(b"w", b"\x12\x09Complex64\x1a\x08", bytes(8)), "got: +Complex64"),
    "rest in the tensor": (element(b"w", F32, b"\x1a\x04", bytes(4), b"\x20\x01"), "unknown data"),
    "rest in the element": (
        b"\x0a\x12\x0a\x01w\x12\x0b" + F32 + b"\x1a\x00\x20\x01",
        "unknown data",
    ),
    "map parameter": (b"\x0a\x05\x0a\x01m\x1a\x00", "MapParameter"),
    "text of 5 bytes": (element(b"s", b"\x08\x00\x12\x03str\x1a\x05", bytes(5)), "as a text"),
    "text beyond Unicode": (
        element(b"s", b"\x08\x00\x12\x03str\x1a\x04", b"\xff" * 4),
        "not valid Unicode",
    ),
    "wrong crc": (W + b"crc_num" + bytes(10), "CRC-32"),
    "crc only": (b"crc_num" + bytes(10), "no parameters"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damage_is_told(read: Callable, kind: str) -> None:
    content, problem = DAMAGED[kind]
    tracemalloc.start()
    with pytest.raises(MsconvertError, match=rf"MS302 .*x.ckpt(.|\n)*{problem}(.|\n)*try: "):
        read(content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


@pytest.mark.parametrize(
    ("content", "shape"),
    [
        (element(b"w", b"\x08\x00", F32, b"\x1a\x04", bytes(4)), ()),
        (element(b"w", F32, b"\x1a\x04", bytes(4)), ()),
        (element(b"w", b"\x08\x00\x08\x04", F32, b"\x1a\x00"), (0, 4)),
        (HALF * 2, (4,)),
        (HALF * 2 + element(b"w", b"\x08\x04", F32, b"\x1a\x00"), (4,)),
        (W + b"crc_num" + zlib.crc32(W).to_bytes(10, "big"), (2,)),
        (element(b"w", b"\x08\x02\x08\x02\x12\x04Int4\x1a\x04", bytes(4)), (2, 2)),
    ],
    ids=["scalar of old writers", "scalar", "empty", "chunks", "empty last", "crc", "int4"],
)
def test_whole_files_are_left_alone(read: Callable, content: bytes, shape: tuple[int]) -> None:
    assert read(content)["w"].shape == shape


def test_a_name_may_look_like_the_start_of_another_format(read: Callable) -> None:
    assert written({"abcd{": np.ones(2, "f4")})[8:9] == b"{"
    assert read(written({"abcd{": np.ones(2, "f4")}))["abcd{"].tolist() == [1, 1]


def test_data_that_looks_like_a_crc_is_data(read: Callable) -> None:
    content = np.frombuffer(b"crc_num" + bytes(10), "u1")
    assert read(written({"w": content}))["w"].tobytes() == content.tobytes()


SMALL = {
    "w.a": np.arange(1, 7, dtype="f4").reshape(2, 3),
    "t": "x",
    "b": np.int16(7) * np.ones((), "i2"),
}


def boundaries(content: bytes) -> set[int]:
    """Where one element ends and the next begins (all are shorter than 128 bytes)."""
    found, offset = set(), 0
    while offset < len(content):
        found.add(offset)
        offset += 2 + content[offset + 1]
    return found


def refused(read: Callable, content: bytes) -> bool:
    """Whether reading `content` ends in MS302."""
    try:
        read(content)
    except MsconvertError as error:
        return error.code == "MS302"
    return False


def test_every_truncation_is_seen_but_those_between_elements(
    read: Callable, tmp_path: Path
) -> None:
    content = written(SMALL)
    unseen = {size for size in range(len(content)) if not refused(read, content[:size])}
    assert unseen == boundaries(content) - {0}
    for size in unseen:
        read(content[:size])
        with pytest.raises(MsconvertError, match=r"MS302 .*parameters are missing"):
            read_ckpt(tmp_path / "x.ckpt").require(SMALL.keys())


def test_every_truncation_of_a_chunked_parameter_is_seen(read: Callable) -> None:
    content = written({"w": np.arange(6, dtype="f4")}, chunk_bytes=8)
    for size in range(len(content)):
        with pytest.raises(MsconvertError, match="MS302"):
            read(content[:size])


def flips(content: bytes) -> Iterator[bytes]:
    """`content` with each of its bits changed."""
    for bit in range(8 * len(content)):
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        yield bytes(flipped)


def test_every_flipped_bit_is_seen_or_changes_only_data_or_a_name(read: Callable) -> None:
    kinds = [(np.shape(v), getattr(v, "dtype", str)) for v in SMALL.values()]
    content = written(SMALL)
    unseen = [flipped for flipped in flips(content) if not refused(read, flipped)]
    for flipped in unseen:
        found = read(flipped)
        assert [(np.shape(v), getattr(v, "dtype", str)) for v in found.values()] == kinds
        changed = [name for name in SMALL if name not in found]
        assert len(changed) <= 1
        differing = [n for n in SMALL if n in found and np.any(found[n] != SMALL[n])]
        assert len(changed) + len(differing) == 1
    free_bytes = sum(getattr(v, "nbytes", 4) + len(name) for name, v in SMALL.items())
    assert 0 < len(unseen) <= 8 * free_bytes


def test_random_damage_ends_in_nothing_but_ms302(read: Callable) -> None:
    rng = np.random.default_rng(0)
    content = written(SMALL, chunk_bytes=8)
    for _round in range(2000):
        damaged = bytearray(content)
        for place in rng.integers(0, len(content), 4):
            damaged[place] = rng.choice([0, 1, 8, 10, 18, 26, 127, 128, 255])
        try:
            read(bytes(damaged[: rng.integers(1, len(content) + 1)]))
        except MsconvertError as error:
            if error.code != "MS302":
                raise


def test_with_a_crc_every_flipped_bit_is_seen(read: Callable) -> None:
    content = written(SMALL)
    content += b"crc_num" + zlib.crc32(content).to_bytes(10, "big")
    read(content)
    assert all(refused(read, flipped) for flipped in flips(content))


@pytest.mark.parametrize("kind", ["missing", "folder"])
def test_a_path_that_cannot_be_read_is_told(tmp_path: Path, kind: str) -> None:
    path = tmp_path if kind == "folder" else tmp_path / "x.ckpt"
    with pytest.raises(MsconvertError, match=r"MS302(.|\n)*check the path"):
        read_ckpt(path)


ONLY_COMPARED = {
    "Complex64": np.complex64([1 + 2j]),
    "Complex128": np.complex128([1 + 2j]),
    "Float8E4M3FN": np.array([1.5], ml_dtypes.float8_e4m3fn),
    "Float8E5M2": np.array([1.5], ml_dtypes.float8_e5m2),
}


@pytest.mark.parametrize("kind", ONLY_COMPARED)
def test_what_mindspore_writes_and_does_not_read_is_compared(tmp_path: Path, kind: str) -> None:
    array, name = ONLY_COMPARED[kind], kind.encode()
    fields = [b"\x12" + bytes([len(name)]) + name, b"\x1a" + bytes([array.nbytes]), array.tobytes()]
    path = tmp_path / "x.ckpt"
    path.write_bytes(element(b"w", b"\x08\x01", *fields))
    with pytest.raises(MsconvertError, match=f"MS302 (.|\n)*{kind}"):
        read_ckpt(path)
    stored = read_ckpt(path, comparing=True).tensors()["w"]
    assert (stored.type_name, stored.dtype) == (kind, array.dtype)
    np.testing.assert_array_equal(stored.array(), array)


def test_a_parameter_that_cannot_be_read_does_not_stop_the_others(tmp_path: Path) -> None:
    hifloat = element(b"h", b"\x08\x01\x12\x08HiFloat8\x1a\x01", b"0")
    (tmp_path / "x.ckpt").write_bytes(W + hifloat + V + W)
    found = read_ckpt(tmp_path / "x.ckpt", comparing=True)
    assert list(found) == ["v"]
    assert {name: error.problem for name, error in found.unreadable.items()} == {
        "h": "'h' has an element type that MindSpore reads from no checkpoint",
        "w": "parameter 'w' is stored twice",
    }


def test_blocks_are_aligned_whatever_the_parts(tmp_path: Path) -> None:
    array = np.arange(1000, dtype="f8").reshape(10, 100)
    for chunk_bytes in (801, 512 << 20):
        write_ckpt(
            tmp_path / "x.ckpt",
            [("odd", np.ones(chunk_bytes % 7, "u1")), ("w", array)],
            chunk_bytes=chunk_bytes,
            force=True,
        )
        stored = read_ckpt(tmp_path / "x.ckpt").tensors()["w"]
        blocks = [(block.copy(), block.flags.aligned) for block in stored.blocks(64)]
        assert all(aligned for _block, aligned in blocks)
        assert [block.size for block, _aligned in blocks] == [64] * 15 + [40]
        np.testing.assert_array_equal(np.concatenate([b for b, _a in blocks]), array.reshape(-1))
        stored.release()


@pytest.mark.parametrize("chunk_bytes", [801, 512 << 20])
@pytest.mark.parametrize("shape", [(10, 100), (), (1, 131073)])
def test_a_copy_is_the_callers_own(
    tmp_path: Path, chunk_bytes: int, shape: tuple[int, ...]
) -> None:
    array = np.random.default_rng(0).standard_normal(shape).astype("f4")
    items = [("odd", np.ones(3, "u1")), ("w", array)]
    write_ckpt(tmp_path / "x.ckpt", items, chunk_bytes=chunk_bytes, force=True)
    stored = read_ckpt(tmp_path / "x.ckpt").tensors()["w"]
    own = stored.copied()
    np.testing.assert_array_equal(own, array)
    assert (own.shape, own.dtype) == (array.shape, array.dtype)
    assert own.flags.writeable
    assert own.flags.aligned
    own[...] = 0
    np.testing.assert_array_equal(stored.copied(), array)
