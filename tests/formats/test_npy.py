"""The .npy reader against NumPy: what it has saved is read, blocks and all."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.formats import read_folder, read_weights

ARRAYS = {
    "plain": np.arange(6.0).reshape(2, 3),
    "fortran": np.asfortranarray(np.arange(30_000, dtype="f4").reshape(100, 300)),
    "mapped": np.arange(100_000, dtype="i8").reshape(-1, 4),
    "mapped fortran": np.arange(100_000.0).reshape(-1, 4).T,
    "big-endian": np.arange(6, dtype=">i4"),
    "big-endian fortran": np.asfortranarray(np.arange(6, dtype=">f8").reshape(2, 3)),
    "scalar": np.array(3.0),
    "empty": np.zeros((0, 4), "f2"),
    "texts": np.array(["a", "bcd", "ü"]),
    "bytes": np.array([b"a", b"bcd"]),
    "bool": np.array([True, False]),
    "complex": np.arange(3).astype("c8") * 1j,
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_what_numpy_saves_is_read(tmp_path: Path, kind: str) -> None:
    array = ARRAYS[kind]
    np.save(tmp_path / "x.npy", array)
    stored = read_weights(tmp_path / "x.npy").tensors()["x"]
    found = stored.array()
    assert (stored.shape, stored.dtype) == (array.shape, array.dtype.newbyteorder("<"))
    assert found.dtype == stored.dtype
    assert found.flags.aligned
    assert not found.flags.writeable
    np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize("elements", [1000, 7])
@pytest.mark.parametrize("kind", ARRAYS)
def test_blocks_are_the_elements_in_order(tmp_path: Path, kind: str, elements: int) -> None:
    array = ARRAYS[kind]
    np.save(tmp_path / "x.npy", array)
    stored = read_weights(tmp_path / "x.npy").tensors()["x"]
    blocks = [block.copy() for block in stored.blocks(elements)]
    sizes = [elements] * (array.size // elements) + [array.size % elements]
    assert [block.size for block in blocks] == [size for size in sizes if size]
    assert all(block.dtype == stored.dtype for block in blocks)
    whole = np.concatenate(blocks) if blocks else np.zeros(0)
    np.testing.assert_array_equal(whole, array.reshape(-1))


def test_bfloat16_as_numpy_saves_it(tmp_path: Path) -> None:
    array = np.arange(4).astype(ml_dtypes.bfloat16)
    np.save(tmp_path / "x.npy", array)
    stored = read_weights(tmp_path / "x.npy").tensors()["x"]
    assert stored.type_name == "BFloat16"
    np.testing.assert_array_equal(stored.array(), array)


def test_a_folder_is_read_as_one(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    np.save(tmp_path / "a.npy", np.ones(2))
    np.save(tmp_path / "deep" / "b.npy", np.zeros((2, 2)))
    (tmp_path / "bad.npy").write_bytes(b"no array")
    (tmp_path / "read.me").write_text("x")
    found = read_folder(tmp_path)
    assert {name: tensor.shape for name, tensor in found.tensors().items()} == {
        "a": (2,),
        "deep/b": (2, 2),
    }
    assert list(found.unreadable) == ["bad"]
    assert found.others == ["read.me"]


def test_texts_that_are_no_unicode_are_told(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array(["ab", "c"]))
    data = (tmp_path / "x.npy").read_bytes()
    (tmp_path / "x.npy").write_bytes(data[:-1] + b"\x7f")
    stored = read_weights(tmp_path / "x.npy").tensors()["x"]
    with pytest.raises(MsconvertError, match=r"MS302 .*x\.npy: a text is not valid Unicode"):
        stored.array()
    with pytest.raises(MsconvertError, match=r"MS302 .*x\.npy: a text is not valid Unicode"):
        list(stored.blocks(1))
