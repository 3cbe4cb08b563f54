"""Compressed TFRecord files give the rows of those that are not, or one clear error."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

import msconvert.runtime.dataset as ds
from msconvert.tests.runtime.dataset.row_runner import tfrecord

WHOLE = b"".join(map(tfrecord, range(5)))
PACKED: dict[str, tuple[str, bytes]] = {
    "gzip": ("GZIP", gzip.compress(WHOLE)),
    "zlib": ("ZLIB", zlib.compress(WHOLE)),
    "stored": ("ZLIB", zlib.compress(WHOLE, 0)),
    "two members": ("GZIP", gzip.compress(WHOLE[:100]) + gzip.compress(WHOLE[100:])),
    "not compressed": ("", WHOLE),
}
BAD: dict[str, tuple[str, bytes, str]] = {
    "cut gzip": ("GZIP", PACKED["gzip"][1][:60], "cut off"),
    "cut zlib": ("ZLIB", PACKED["zlib"][1][:60], "cut off"),
    "other packing": ("GZIP", PACKED["zlib"][1], "cannot be unpacked"),
    "plain": ("ZLIB", WHOLE, "cannot be unpacked"),
    "no records": ("GZIP", gzip.compress(b"x" * 100), "no TFRecord"),
}


def rows(path: Path, packing: str) -> list[list[object]]:
    data = ds.TFRecordDataset(str(path), shuffle=False, compression_type=packing)
    read: Callable[..., object] = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    return [[value.tolist() for value in row] for row in read]


@pytest.mark.parametrize("form", PACKED)
def test_the_rows_are_those_of_the_whole_file(form: str, tmp_path: Path) -> None:
    packing, data = PACKED[form]
    (tmp_path / "plain").write_bytes(WHOLE)
    (tmp_path / "packed").write_bytes(data)
    found = rows(tmp_path / "packed", packing)
    assert len(found) == 5
    assert found == rows(tmp_path / "plain", "")


@pytest.mark.parametrize("form", BAD)
def test_what_cannot_be_unpacked_is_told(form: str, tmp_path: Path) -> None:
    packing, data, told = BAD[form]
    (tmp_path / "packed").write_bytes(data)
    with pytest.raises(RuntimeError, match=told):
        rows(tmp_path / "packed", packing)


def test_an_unknown_packing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "packed").write_bytes(WHOLE)
    with pytest.raises(ValueError, match="compression_type"):
        rows(tmp_path / "packed", "gzip")
