"""Files of very many small tensors: what is done for each of them takes little, and no more of it.

Each row has 20,000 tensors and three times the CPU seconds that it takes; what is done for each
pair of them takes a hundred times as many.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper, save

from msconvert.child_process import Bounds, confined
from msconvert.commands.main import main
from msconvert.errors import MsconvertError
from msconvert.formats import read_weights, stored, write_weights
from msconvert.formats.pytorch.pth import load_pth
from msconvert.tests.formats.test_pth_hostile import archive

MANY = 20_000
BOUNDS = Bounds(500 << 20, 9)


def items(count: int = MANY, name: str = "block{}.weight") -> Iterator[tuple[str, np.ndarray]]:
    for number in range(count):
        yield name.format(number), np.full(4, number, np.float32)


def of_npz(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as new:
        for name, array in items():
            stream = io.BytesIO()
            np.save(stream, array)
            new.writestr(f"{name}.npy", stream.getvalue())


def of_onnx(path: Path, name: str = "block{}.weight") -> None:
    tensors = [numpy_helper.from_array(array, key) for key, array in items(name=name)]
    save(helper.make_model(helper.make_graph([], "g", [], [], tensors)), path)


def made_names(path: Path) -> None:
    of_onnx(path, "onnx::MatMul_{}")


def of_index(path: Path) -> None:
    write_weights(path.with_name("part.safetensors"), items(), "safetensors")
    names = {name: "part.safetensors" for name, _array in items()}
    path.write_text(json.dumps({"weight_map": names}))


def plain(path: Path) -> None:
    write_weights(path, items(), path.suffix[1:])


WHOLE: dict[str, Callable[[Path], None]] = {
    "a.safetensors": plain,
    "a.ckpt": plain,
    "a.pth": plain,
    "a.npz": of_npz,
    "a.onnx": of_onnx,
    "a.index.json": of_index,
}


@pytest.mark.parametrize("name", WHOLE)
def test_many_tensors_are_compared_and_written(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    WHOLE[name](path)
    assert confined(lambda tell: main(["diff", str(path), str(path)]), BOUNDS) == 0
    out = tmp_path / "out.safetensors"
    command = ["weights", str(path), "-o", str(out), "--names", "same"]
    assert confined(lambda tell: main(command), BOUNDS) == 0
    found = read_weights(out).tensors()
    assert len(found) == MANY
    assert found["block777.weight"].array().tolist() == [777] * 4


def test_names_of_an_exporter_are_asked_about(tmp_path: Path) -> None:
    made_names(tmp_path / "a.onnx")
    command = ["weights", str(tmp_path / "a.onnx"), "-o", str(tmp_path / "b.ckpt")]
    assert confined(lambda tell: main(command), BOUNDS) == 1


def missing_shards(path: Path) -> None:
    names = {f"x{number}": f"part{number}.safetensors" for number in range(MANY)}
    path.write_text(json.dumps({"weight_map": names}))


def nested(path: Path) -> None:
    path.write_bytes(archive(b"\x80\x02)" + b"\x85" * 300_000 + b"."))


def marked(path: Path) -> None:
    path.write_bytes(archive(b"\x80\x02" + b"(" * 300_000 + b"t" * 300_000 + b"."))


def dotted(path: Path) -> None:
    write_weights(path, [("a." * 50_000 + "b", np.ones(1, np.float32))], "safetensors")


def unreadable_types(path: Path) -> None:
    tensors = [TensorProto(name=f"x{n}", dims=[1], data_type=99) for n in range(MANY)]
    save(helper.make_model(helper.make_graph([], "g", [], [], tensors)), path)


ODD: dict[str, tuple[str, Callable[[Path], None], int]] = {
    "an index of shards that are not there": ("a.index.json", missing_shards, 2),
    "nested tuples": ("a.pth", nested, 2),
    "nested marks": ("a.pth", marked, 2),
    "a name of many dots": ("a.safetensors", dotted, 0),
    "element types that nobody knows": ("a.onnx", unreadable_types, 2),
}


@pytest.mark.parametrize("what", ODD)
def test_odd_files_are_done_with_soon(what: str, tmp_path: Path) -> None:
    name, make, status = ODD[what]
    path = tmp_path / name
    make(path)
    assert confined(lambda tell: main(["diff", str(path), str(path)]), BOUNDS) == status
    command = ["weights", str(path), "-o", str(tmp_path / "b.safetensors"), "--names", "same"]
    assert confined(lambda tell: main(command), BOUNDS) == (1 if status else 0)


@pytest.mark.parametrize("comparing", [False, True])
@pytest.mark.parametrize("name", ["a.safetensors", "a.ckpt", "a.onnx", "a.index.json"])
def test_more_tensors_than_are_read_are_refused(
    name: str, comparing: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    WHOLE[name](tmp_path / name)
    read_weights(tmp_path / name, comparing=comparing)
    monkeypatch.setattr(stored, "MOST_TENSORS", MANY - 1)
    monkeypatch.setattr("msconvert.formats.ckpt.MOST_TENSORS", MANY - 1)
    with pytest.raises(MsconvertError, match="more tensors than are read of one file") as caught:
        read_weights(tmp_path / name, comparing=comparing)
    assert caught.value.code == "MS302"


def test_a_mark_is_no_value_that_a_pickle_can_keep(tmp_path: Path) -> None:
    for kept in (b"(q\0", b"((q\0", b"N(r\0\0\0\0", b"(\x94", b"((t(q\1"):
        path = tmp_path / "a.pth"
        path.write_bytes(archive(b"\x80\x02" + kept + b"N."))
        with pytest.raises(MsconvertError, match="remembers a value that it has not made"):
            load_pth(path)
