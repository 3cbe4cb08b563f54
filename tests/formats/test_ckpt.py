"""The .ckpt reader and writer: round trips, refusals, damage; see test_ckpt_mindspore.py too."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from msconvert.formats.ckpt import read_ckpt, write_ckpt
from msconvert.formats.stored import StoredTensor

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "bfloat16"]
LAYOUTS = {
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


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("chunk_bytes", [5, 512 << 20])
def test_what_is_written_is_read(tmp_path: Path, dtype: str, layout: str, chunk_bytes: int) -> None:
    array = LAYOUTS[layout](sample(dtype))
    write_ckpt(tmp_path / "x.ckpt", [("a", sample("?")), ("w", array)], chunk_bytes=chunk_bytes)
    stored = read_ckpt(tmp_path / "x.ckpt")["w"]
    assert isinstance(stored, StoredTensor)
    read = stored.array()
    assert (stored.shape, stored.nbytes, read.shape) == (array.shape, array.nbytes, array.shape)
    assert read.dtype == stored.dtype == array.dtype.newbyteorder("<")
    assert read.tobytes() == array.astype(read.dtype).tobytes()
    assert read.flags.aligned
    assert not read.flags.writeable
