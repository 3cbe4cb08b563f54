"""Picking a weight format, and staying light until one is picked."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.formats import FORMATS, read_weights, write_weights
from msconvert.formats.blocks import BLOCK_BYTES, byte_blocks

ITEMS = {"a": np.float32([1, 2]), "b": np.int64([[3]])}


@pytest.mark.parametrize("format", [*FORMATS, "pth"])
def test_a_format_is_written_and_known_by_its_extension(tmp_path: Path, format: str) -> None:
    path = tmp_path / "new" / f"x.{format}"
    write_weights(path, ITEMS.items(), format)
    stream = io.BytesIO()
    write_weights(stream, ITEMS.items(), format)
    assert stream.getvalue() == path.read_bytes()
    found = {name: tensor.array().tolist() for name, tensor in read_weights(path).tensors().items()}
    assert found == {"a": [1, 2], "b": [[3]]}


@pytest.mark.parametrize("format", [*FORMATS, "pth"])
def test_an_existing_file_is_replaced_only_by_force(tmp_path: Path, format: str) -> None:
    path = tmp_path / f"x.{format}"
    write_weights(path, ITEMS.items(), format)
    with pytest.raises(MsconvertError, match=r"MS107 .*exists already"):
        write_weights(path, [("c", np.ones(1))], format)
    assert set(read_weights(path)) == {"a", "b"}
    write_weights(path, [("c", np.ones(1))], format, force=True)
    assert set(read_weights(path)) == {"c"}


@pytest.mark.parametrize("format", FORMATS)
def test_items_that_fail_half_way_leave_nothing(tmp_path: Path, format: str) -> None:
    items = [("a", np.ones(9)), ("b", np.ones(9, "c16"))]
    with pytest.raises(MsconvertError, match="MS305"):
        write_weights(tmp_path / "new" / f"x.{format}", items, format)
    assert list(tmp_path.iterdir()) == []


def test_other_formats_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.h5").write_bytes(b"\x89HDF")
    with pytest.raises(MsconvertError, match=r"MS302 .*h5(.|\n)*ckpt, safetensors, pth"):
        read_weights(tmp_path / "x.h5")
    with pytest.raises(MsconvertError, match=r"MS302 .*npz(.|\n)*ckpt, safetensors, pth"):
        write_weights(tmp_path / "x.npz", [], "npz")


def test_importing_the_package_loads_no_numpy() -> None:
    code = "import sys, msconvert.formats; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_reading_arrays_loads_no_library_of_another_format(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones(2))
    np.savez(tmp_path / "x.npz", w=np.ones(2))
    code = (
        "import sys; from msconvert.formats import read_folder; "
        f"assert len(read_folder({str(tmp_path)!r})) == 2; "
        "sys.exit(bool({'onnx', 'safetensors', 'tempfile', 'torch'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


SHAPES = [(64, 64), (65, 63), (129, 1000), (1000, 130), (7, 4000), (3, BLOCK_BYTES)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8", "i1"])
def test_a_transposed_matrix_is_written_in_order(shape: tuple[int, int], dtype: str) -> None:
    array = np.random.default_rng(0).integers(-100, 100, shape).astype(dtype)
    blocks = b"".join(bytes(block) for block in byte_blocks(array.T))
    assert blocks == array.T.astype(array.dtype.newbyteorder("<")).tobytes()


@pytest.mark.parametrize("transposed", [False, True])
def test_blocks_stay_small(transposed: bool) -> None:
    array = np.arange(3 * BLOCK_BYTES // 4, dtype="i2").reshape(2, -1)
    array = array.T if transposed else array
    blocks = [bytes(block) for block in byte_blocks(array)]
    assert max(len(block) for block in blocks) <= BLOCK_BYTES
    assert b"".join(blocks) == array.tobytes()
