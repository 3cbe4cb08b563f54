"""Small files that stand for far more than they hold: not written unless asked, not compared."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, save

from msconvert.child_process import Bounds, confined
from msconvert.commands.main import main
from msconvert.formats.ckpt import element_head
from msconvert.formats.pytorch.pth_writer import text
from msconvert.tests.formats.test_pth_hostile import archive, tensor

MB = 1 << 20
SMALL, LARGE = 300, 5000
"""Megabytes of tensors: more than may be written unasked, more than is compared."""


def npy_head(count: int) -> bytes:
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({count},), }}".ljust(117) + "\n"
    return b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text.encode()


def with_hole(path: Path, start: bytes, megabytes: int) -> None:
    with path.open("wb") as file:
        file.write(start)
        file.truncate(len(start) + megabytes * MB)


def deflated(path: Path, megabytes: int) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(-(-megabytes // 100)):
            with archive.open(f"x{number}.npy", "w", force_zip64=True) as member:
                member.write(npy_head(25 * MB))
                for _ in range(100):
                    member.write(bytes(MB))


def sparse_npy(path: Path, megabytes: int) -> None:
    with_hole(path, npy_head(megabytes * MB // 4), megabytes)


def sparse_ckpt(path: Path, megabytes: int) -> None:
    size = megabytes * MB
    with_hole(path, element_head("x", (size // 4,), "Float32", size), megabytes)


def sparse_safetensors(path: Path, megabytes: int) -> None:
    size = megabytes * MB
    entry = {"dtype": "F32", "shape": [size // 4], "data_offsets": [0, size]}
    text = json.dumps({"x": entry}).encode()
    with_hole(path, struct.pack("<Q", len(text)) + text, megabytes)


def index_of_sparse(path: Path, megabytes: int) -> None:
    sparse_safetensors(path.with_name("part.safetensors"), megabytes)
    path.write_text(json.dumps({"weight_map": {"x": "part.safetensors"}}))


def views(path: Path, megabytes: int) -> None:
    """Four elements, each tensor an expanded view of the first."""
    count, size = megabytes // 20, 5 * MB
    items = b"".join(text(f"x{i}") + tensor(shape=(size - i,), strides=(0,)) for i in range(count))
    path.write_bytes(archive(b"\x80\x02}(" + items + b"u."))


def shared(path: Path, megabytes: int) -> None:
    """Many tensors that lie at one place of the same file."""
    path.with_name("data.bin").write_bytes(bytes(MB))
    tensors = []
    for number in range(megabytes):
        tensor = TensorProto(name=f"x{number}", dims=[MB // 4], data_type=TensorProto.FLOAT)
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in (("location", "data.bin"), ("offset", "0"), ("length", str(MB))):
            tensor.external_data.add(key=key, value=value)
        tensors.append(tensor)
    save(helper.make_model(helper.make_graph([], "g", [], [], tensors)), path)


WRITTEN: dict[str, tuple[str, Callable[[Path, int], None]]] = {
    "deflated": ("a.npz", deflated),
    "a sparse ckpt": ("a.ckpt", sparse_ckpt),
    "a sparse safetensors": ("a.safetensors", sparse_safetensors),
    "an index of a sparse file": ("a.index.json", index_of_sparse),
    "views of one element": ("a.pth", views),
    "tensors at one place": ("a.onnx", shared),
}
COMPARED = WRITTEN | {"a sparse npy": ("a.npy", sparse_npy)}


@pytest.mark.parametrize("kind", WRITTEN)
def test_what_inflates_is_written_only_if_it_is_meant(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, make = WRITTEN[kind]
    make(tmp_path / name, SMALL)
    target = tmp_path / "out.safetensors"
    command = ["weights", str(tmp_path / name), "-o", str(target), "--names", "same"]
    assert confined(lambda tell: main(command), Bounds(200 << 20, 60)) == 1
    assert not target.exists()
    assert main(command) == 1
    told = capsys.readouterr().err
    assert "MS302" in told
    assert "far larger" in told
    assert "--force if it is meant" in told
    if kind in ("deflated", "tensors at one place"):
        assert main([*command, "--force"]) == 0
        assert target.stat().st_size > SMALL * MB


@pytest.mark.parametrize("kind", COMPARED)
def test_what_inflates_without_end_is_not_compared(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, make = COMPARED[kind]
    make(tmp_path / name, LARGE)
    command = ["diff", str(tmp_path / name), str(tmp_path / name)]
    assert confined(lambda tell: main(command), Bounds(200 << 20, 10)) == 2
    assert main(command) == 2
    told = "".join(capsys.readouterr())
    assert "MS302" in told or "far larger" in told


@pytest.mark.parametrize("kind", COMPARED)
def test_what_inflates_a_little_is_compared(kind: str, tmp_path: Path) -> None:
    name, make = COMPARED[kind]
    make(tmp_path / name, 50)
    command = ["diff", str(tmp_path / name), str(tmp_path / name)]
    assert confined(lambda tell: main(command), Bounds(400 << 20, 60)) == 0


def test_sparse_arrays_in_a_folder_are_not_compared(tmp_path: Path) -> None:
    sparse_npy(tmp_path / "a.npy", LARGE)
    sparse_npy(tmp_path / "b.npy", 1)
    command = ["diff", str(tmp_path), str(tmp_path)]
    assert confined(lambda tell: main(command), Bounds(400 << 20, 20)) == 2


def test_zeros_that_are_there_are_written(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.zeros(SMALL * MB // 4, np.float32))
    command = ["weights", str(tmp_path / "a.npz"), "-o", str(tmp_path / "b.safetensors")]
    assert main([*command, "--names", "same"]) == 0
