"""What headers may say of tensors and cannot be: refused by both commands, in little memory.

Each row is a whole file with one thing wrong in it; those that are right after all are read.
"""

from __future__ import annotations

import io
import json
import struct
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.formats.ckpt import element_head
from msconvert.tests.formats.test_pth_hostile import STORAGE, archive, state, tensor
from msconvert.troubleshooter.diff.opening import compare_paths
from msconvert.troubleshooter.diff.settings import Settings
from msconvert.troubleshooter.weights import WeightSettings
from msconvert.troubleshooter.weights.convert import convert_weights

CODES = ("MS302", "MS309")
MEMORY = 8 << 20
REFUSED, READ = True, False
Row = tuple[str, bytes, bool]
"""The name of a file, its content, and whether it is refused."""


def safetensors(text: str | bytes, data: bytes = bytes(16), length: int | None = None) -> bytes:
    raw = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<Q", len(raw) if length is None else length) + raw + data


def entry(shape: object = (4,), offsets: object = (0, 16), dtype: object = "F32") -> str:
    return json.dumps({"x": {"dtype": dtype, "shape": shape, "data_offsets": offsets}})


def of_safetensors() -> Iterator[Row]:
    for shape in ([0, 1 << 62], [1 << 62, 0, 1 << 62], [1 << 62, 4], [1 << 62, 1 << 62], [1 << 64]):
        yield f"shape {shape}", safetensors(entry(shape)), REFUSED
    for shape in ([True], [4.0], [-4], ["4"], [None], [[4]], "4", 4, {"a": 4}, None, [4, 4], [3]):
        yield f"shape {shape!r}", safetensors(entry(shape)), REFUSED
    for shape in ([0, 1 << 62], [1 << 62, 0, 1 << 62], [0, 1 << 63], [1 << 64, 0], [0] * 33):
        yield f"empty {shape}", safetensors(entry(shape, (0, 0)), b""), REFUSED
    offsets = ([16, 0], [True, 16], [0.0, 16.0], [0, 17], [1 << 62, (1 << 62) + 16], [-16, 0], [0])
    for places in offsets:
        yield f"offsets {places}", safetensors(entry(offsets=places)), REFUSED
    for dtype in ("F33", "", 1, None, True, "f32", "OBJECT", ["F32"]):
        yield f"dtype {dtype!r}", safetensors(entry(dtype=dtype)), REFUSED
    one = '{"dtype":"F32","shape":[4],"data_offsets":[0,16]}'
    yield "a name twice", safetensors(f'{{"x":{one},"x":{one.replace("F32", "I32")}}}'), READ
    yield "overlapping", safetensors(f'{{"x":{one},"y":{one}}}'), REFUSED
    for metadata in ("[]", "1", '"a"', '{"a":1}', '{"a":null}', '{"a":{"b":"c"}}', "[[]]"):
        yield (
            f"metadata {metadata}",
            safetensors(f'{{"__metadata__":{metadata},"x":{one}}}'),
            REFUSED,
        )
    for open_, close in ("[]", ['{"a":', "}"]):
        yield f"deep {open_}", safetensors(open_ * 50_000 + "1" + close * 50_000), REFUSED
    for length in (1 << 63, (1 << 64) - 1, 0, 1, 100_000_001, len(entry()) + 17):
        yield f"length {length}", safetensors(entry(), length=length), REFUSED
    yield "not UTF-8", safetensors(entry().encode().replace(b"x", b"\xff")), REFUSED
    yield "right", safetensors(entry()), READ


def npy(
    shape: str = "(4,)", descr: str = "'<f4'", fortran: str = "False", version: bytes = b"\1\0",
    data: bytes = bytes(16), more: str = "",
) -> bytes:  # fmt: skip
    text = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, {more}}}"
    text = text.ljust(117) + "\n"
    return b"\x93NUMPY" + version + struct.pack("<H", len(text)) + text.encode() + data


def of_npy() -> Iterator[Row]:
    shapes = (f"({'1, ' * 65})", "(-4,)", "(-1, -4)", "(True, 4)", "(4.0,)", "('4',)", "4", "[4]")
    for shape in (*shapes, "(0, 4611686018427387904)", f"({1 << 62}, 4)", f"({10**400},)", "(4j,)"):
        yield f"shape {shape[:30]}", npy(shape), REFUSED
    records = ("[('a', '<f4')]", "[('a', '<f4', (4,)), ('b', 'O')]", "'<f4,<f4'", "('<f4', (2,))")
    for descr in (
        "'|O'",
        "'O8'",
        *records,
        "'<m8[ns]'",
        "'<M8'",
        "'|V4'",
        "'<f3'",
        "'<f4' * 9",
        "1",
    ):
        yield f"descr {descr}", npy(descr=descr), REFUSED
    for fortran in ("1", "0", "None", "'False'", "not 1", "[]", "exit()"):
        yield f"fortran {fortran}", npy(fortran=fortran), REFUSED
    for version in (b"\x09\0", b"\0\0", b"\1\1", b"\xff\xff", b"\4\0"):
        yield f"version {version!r}", npy(version=version), REFUSED
    for size in (0, 5, 7, 9, 60, 127, 128, 143):
        yield f"cut at {size}", npy()[:size], REFUSED
    yield "more keys", npy(more="'a': 1"), REFUSED
    yield "data behind", npy(data=bytes(17)), REFUSED
    yield "right", npy(), READ
    yield "right, in the other order", npy(fortran="True"), READ


def npz(*members: tuple[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as new:
        for name, data in members:
            new.writestr(zipfile.ZipInfo(name), data, method)
    return stream.getvalue()


def patched(data: bytes, offset: int, value: int) -> bytes:
    """The archive with another number of 16 bits in every entry of its directory."""
    found = bytearray(data)
    place = found.find(b"PK\1\2")
    while place >= 0:
        found[place + offset : place + offset + 2] = struct.pack("<H", value)
        place = found.find(b"PK\1\2", place + 4)
    return bytes(found)


def of_npz() -> Iterator[Row]:
    good = ("x.npy", npy())
    for name in ("../x.npy", "a/../x.npy", "/x.npy", "..\\x.npy", "c:x.npy", "C:\\x.npy", "a/.."):
        yield f"name {name}", npz(good, (name, npy())), REFUSED
    for name in ("x", "x.npz", ".npy", "x.NPY", "x.npy.txt"):
        yield f"only {name}", npz((name, npy())), REFUSED
    yield "a name twice", npz(good, ("y.npy", npy())).replace(b"y.npy", b"x.npy"), REFUSED
    for flags in (1, 0x41, 0x2001, 0x801, 9):
        yield f"flags {flags}", patched(npz(good), 8, flags), REFUSED
    for method in (1, 6, 9, 12, 14, 93, 99, 0xFFFF):
        yield f"method {method}", patched(npz(good), 10, method), REFUSED
    for bad in (npy("(True,)"), npy("(-4,)"), npy(descr="'|O'"), npy(version=b"\x09\0"), b"", b"x"):
        yield f"member {bad[-150:]!r}"[:60], npz(("x.npy", bad)), REFUSED
    yield "right", npz(good, ("notes", b"x")), READ
    yield "right, deflated", npz(good, method=zipfile.ZIP_DEFLATED), READ


def of_pth() -> Iterator[Row]:
    for strides in ((-1,), (1 << 62,), ((1 << 63) - 1,), (5,), (2,), (), (1, 1)):
        yield f"strides {strides}", archive(state(tensor(strides=strides))), REFUSED
    for offset in (-1, 1, 4, (1 << 31) - 1, -(1 << 31)):
        yield f"offset {offset}", archive(state(tensor(offset=offset))), REFUSED
    for size in (5, 1 << 31, (1 << 32) - 1):
        yield f"size {size}", archive(state(tensor(shape=(size,)))), REFUSED
    good = tensor()
    four = b"J\4\0\0\0"
    huge = b"\x8a\x08" + (1 << 62).to_bytes(8, "little")
    below = b"\x8a\x08" + (-4).to_bytes(8, "little", signed=True)
    others = {
        "bool": b"\x88",
        "text": b"U\0014",
        "float": b"G" + struct.pack(">d", 4),
        "none": b"N",
    }
    for what, raw in (others | {"2**62": huge, "negative": below}).items():
        for number in range(good.count(four)):
            parts = good.split(four)
            changed = four.join(parts[: number + 1]) + raw + four.join(parts[number + 1 :])
            yield f"number {number} {what}", archive(state(changed)), REFUSED
    for size in (0, 1, 15, 17, 32):
        yield f"storage {size}", archive(state(good), **{"data/0": bytes(size)}), REFUSED
    for shape in ((0, 1 << 31, 1 << 31), (1 << 30, 0, 1 << 30), (0, *[1 << 20] * 3)):
        steps = (1,) * len(shape)
        yield f"empty {shape}", archive(state(tensor(shape=shape, strides=steps))), REFUSED
    yield "no rebuild", archive(state(STORAGE + b"Q")), REFUSED
    yield "right", archive(state(good)), READ
    yield "right, overlapping", archive(state(tensor(shape=(2, 2), strides=(1, 1)))), READ
    yield "right, repeated", archive(state(tensor(shape=(3, 4), strides=(0, 1)))), READ


def element(
    dims: tuple[int, ...] = (4,), size: int = 16, kind: str = "Float32", name: str = "x"
) -> bytes:
    return element_head(name, dims, kind, size) + bytes(size)


def of_ckpt() -> Iterator[Row]:
    shapes = (
        (1 << 62,),
        (1 << 62, 4),
        (1 << 63,),
        ((1 << 64) - 4,),
        (0, 1 << 62),
        (0, *[1 << 30] * 3),
    )
    for dims in (*shapes, (5,), (3,), (4, 4), (1 << 32, 1 << 32), (1,) * 33):
        size = 0 if 0 in dims else 16
        yield f"dims {dims}"[:60], element(dims, size), REFUSED
    for size in (0, 1, 15, 17, 20):
        yield f"size {size}", element(size=size), REFUSED
    for kind in ("Float33", "", "float32", "Float32\0", "str", "Object"):
        yield f"type {kind!r}", element(kind=kind), REFUSED
    other = element(name="y")
    yield "a name twice", element() + other + element(), REFUSED
    yield "chunks out of order", element(size=8) + other + element(size=8), REFUSED
    yield "chunks of two shapes", element(size=8) + element((2, 2), 8), REFUSED
    yield "chunks of two types", element(size=8) + element(size=8, kind="Int32"), REFUSED
    yield "too many chunks", element(size=8) * 3, REFUSED
    yield "too few chunks", element(size=8), REFUSED
    for size in (1, 5, 20, len(element()) - 1):
        yield f"cut at {size}", (element(name="y") + element())[: len(other) + size], REFUSED
    yield "right", element() + other, READ
    yield "right, in chunks", element(size=8) * 2 + other, READ


FAMILIES = {
    "safetensors": of_safetensors,
    "npy": of_npy,
    "npz": of_npz,
    "pth": of_pth,
    "ckpt": of_ckpt,
}
ROWS = [
    pytest.param(kind, data, refused, id=f"{kind}: {what}")
    for kind, rows in FAMILIES.items()
    for what, data, refused in rows()
]


@pytest.mark.parametrize(("kind", "data", "refused"), ROWS)
def test_both_commands_refuse_or_read(
    kind: str, data: bytes, refused: bool, tmp_path: Path
) -> None:
    path, out = tmp_path / f"x.{kind}", tmp_path / "out.safetensors"
    path.write_bytes(data)
    tracemalloc.start()
    found = compare_paths(path, path, Settings(profile="weights"), None, lambda step: None)
    code = None
    try:
        convert_weights(path, out, WeightSettings(names="same"))
    except MsconvertError as error:
        code = error.code
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < MEMORY
    problems = [row.problem for row in found.rows if row.status == "unreadable"]
    assert all(any(known in problem for known in CODES) for problem in problems)
    assert bool(problems) == refused
    assert out.exists() != refused
    assert code in (CODES if refused else (None,))
    assert refused or all(row.status == "ok" for row in found.rows)


def test_zeros_are_what_is_read(tmp_path: Path) -> None:
    """That the files are right but for what is changed in them."""
    from msconvert.formats import read_weights

    for kind, rows in FAMILIES.items():
        for what, data, refused in rows():
            if not refused:
                path = tmp_path / f"x.{kind}"
                path.write_bytes(data)
                for stored in read_weights(path).tensors().values():
                    np.testing.assert_array_equal(stored.array(), np.zeros(stored.shape), what)
