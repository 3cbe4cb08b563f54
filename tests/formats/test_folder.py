"""Folders and checkpoints in several files: what is found, under which names, what is refused."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
import safetensors.numpy
from onnx import numpy_helper

from msconvert.errors import MsconvertError
from msconvert.formats import read_folder, read_weights, write_weights
from msconvert.formats.shelf import MOST_OPEN
from msconvert.formats.stored import Checkpoint
from msconvert.tests.privileges import without_privileges

torch = pytest.importorskip("torch")

W = {"w": np.arange(6, dtype="f4").reshape(2, 3)}
ONNX = onnx.helper.make_model(
    onnx.helper.make_graph([], "g", [], [], [numpy_helper.from_array(W["w"], "w")])
)
FILES: dict[str, Callable[[Path], object]] = {
    "npy": lambda path: np.save(path, W["w"]),
    "npz": lambda path: np.savez(path, **W),
    "ckpt": lambda path: write_weights(path, W.items(), "ckpt"),
    "safetensors": lambda path: safetensors.numpy.save_file(W, path),
    "pth": lambda path: torch.save({"w": torch.from_numpy(W["w"])}, path),
    "onnx": lambda path: path.write_bytes(ONNX.SerializeToString()),
}


def values(found: Checkpoint) -> dict[str, list]:
    return {name: tensor.array().tolist() for name, tensor in found.tensors().items()}


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("ending", ["", ".dump"])
def test_the_kind_is_known_without_the_ending(tmp_path: Path, kind: str, ending: str) -> None:
    FILES[kind](tmp_path / f"x.{kind}")
    path = (tmp_path / f"x.{kind}").rename(tmp_path / f"x{ending}")
    assert list(values(read_weights(path)).values()) == [W["w"].tolist()]


def test_pytorch_in_a_ckpt(tmp_path: Path) -> None:
    FILES["pth"](tmp_path / "x.ckpt")
    assert values(read_weights(tmp_path / "x.ckpt")) == {"w": W["w"].tolist()}


def test_all_kinds_in_one_folder(tmp_path: Path) -> None:
    for kind, write in FILES.items():
        folder = tmp_path / kind / "deep"
        folder.mkdir(parents=True)
        write(folder / f"x.{kind}")
    (tmp_path / "notes.txt").write_text("no weights")
    (tmp_path / "bad.ckpt").write_bytes(b"no weights")
    found = read_folder(tmp_path)
    assert set(values(found)) == {
        *(f"{kind}/deep/x:w" for kind in FILES if kind != "npy"),
        "npy/deep/x",
    }
    assert set(found.unreadable) == {"bad"}
    assert found.others == ["notes.txt"]
    with pytest.raises(MsconvertError, match=r"MS302 .*bad\.ckpt"):
        read_weights(tmp_path)
    found.release()


def test_one_container_gives_its_own_names(tmp_path: Path) -> None:
    FILES["ckpt"](tmp_path / "x.ckpt")
    assert set(read_weights(tmp_path)) == {"w"}


def test_files_that_differ_in_their_ending_only_keep_it(tmp_path: Path) -> None:
    FILES["ckpt"](tmp_path / "x.ckpt")
    FILES["npz"](tmp_path / "x.npz")
    FILES["npy"](tmp_path / "x.npy")
    assert set(read_folder(tmp_path)) == {"x.ckpt:w", "x.npz:w", "x.npy"}


def test_more_files_than_stay_open(tmp_path: Path) -> None:
    count = MOST_OPEN + 20
    for number in range(count):
        items = [("w", np.full(3, number, "f4")), ("text", "x")]
        write_weights(tmp_path / f"{number:03}.ckpt", items, "ckpt")
    before = len(os.listdir("/proc/self/fd"))
    found = read_folder(tmp_path)
    assert len(os.listdir("/proc/self/fd")) - before <= MOST_OPEN
    tensors = found.tensors()
    assert [tensors[f"{n:03}:w"].array().tolist() for n in range(count)] == [
        [n] * 3 for n in range(count)
    ]
    assert [len(list(tensors[f"{n:03}:w"].blocks(2))) for n in range(count)] == [2] * count
    assert found["000:text"] == "x"
    (tmp_path / "000.ckpt").chmod(0o600)
    write_weights(tmp_path / "000.ckpt", [("w", np.zeros(4, "f4"))], "ckpt", force=True)
    with pytest.raises(MsconvertError, match=r"MS302 .*has changed since"):
        tensors["000:w"].array()


# links, pipes, folders


def test_a_loop_of_links_is_told(tmp_path: Path) -> None:
    FILES["npy"](tmp_path / "x.npy")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "self.npy").symlink_to(tmp_path / "self.npy")
    (tmp_path / "gone.npy").symlink_to(tmp_path / "nothing")
    found = read_folder(tmp_path)
    assert set(found) == {"x"}
    assert {name: error.problem for name, error in found.unreadable.items()} == {
        "loop": "a link to a folder that it lies in",
        "self": "cannot be read (Too many levels of symbolic links)",
        "gone": "no such file",
    }


def test_links_that_make_endless_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each folder leads to the next one twice: 2**30 paths."""
    monkeypatch.setattr("msconvert.formats.folder.MAX_FILES", 1000)
    for number in range(30):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name in "ab":
            (folder / name).symlink_to(tmp_path / str(number + 1))
    with pytest.raises(MsconvertError, match=r"MS302 .*more than 1000 files and folders"):
        read_folder(tmp_path / "0")


def test_hidden_folders_are_not_entered(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    FILES["npy"](tmp_path / ".git" / "x.npy")
    FILES["npy"](tmp_path / "y.npy")
    found = read_folder(tmp_path)
    assert (set(found), found.others) == ({"y"}, [".git/"])


def test_a_linked_folder_and_a_linked_file_are_read(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    FILES["npy"](tmp_path / "elsewhere" / "x.npy")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "folder").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "in" / "y.npy").symlink_to(tmp_path / "elsewhere" / "x.npy")
    assert set(read_folder(tmp_path / "in")) == {"folder/x", "y"}


def test_pipes_and_folders_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npy")
    os.mkfifo(tmp_path / "pipe.ckpt")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder.npy").mkdir()
    found = read_folder(tmp_path)
    assert {error.problem for error in found.unreadable.values()} == {"not a regular file"}
    assert set(found.unreadable) == {"pipe.npy", "pipe.ckpt"}


def test_nested_too_deep(tmp_path: Path) -> None:
    (tmp_path / "/".join("d" * 70)).mkdir(parents=True)
    (error,) = read_folder(tmp_path).unreadable.values()
    assert error.problem == "nested too deep"


@pytest.mark.parametrize("name", ["nothing", "x.npy", "nul\0"])
def test_what_is_no_folder(tmp_path: Path, name: str) -> None:
    FILES["npy"](tmp_path / "x.npy")
    with pytest.raises(MsconvertError, match=r"MS302(.|\n)*check the path"):
        read_folder(tmp_path / name)


def test_a_folder_that_may_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "no").mkdir(mode=0)
    with without_privileges():
        assert "Permission denied" in read_folder(tmp_path).unreadable["no"].problem


# several files


def sharded(folder: Path, **changes: str) -> Path:
    """A checkpoint in two files and its index, some names of which are in another file."""
    for number, name in enumerate("ab", 1):
        path = folder / f"model-0000{number}-of-00002.safetensors"
        safetensors.numpy.save_file({name: np.full(3, number, "f4"), f"{name}2": W["w"]}, path)
    files = {"b": "model-00002-of-00002.safetensors", "a": "model-00001-of-00002.safetensors"}
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": files | changes}))
    return index


def test_an_index_names_the_tensors_and_their_files(tmp_path: Path) -> None:
    index = sharded(tmp_path)
    found = read_weights(index)
    assert values(found) == {"b": [2, 2, 2], "a": [1, 1, 1]}
    assert len(found.others) == 2
    assert values(read_folder(tmp_path)) == values(found)


def test_shards_of_pytorch(tmp_path: Path) -> None:
    """Each part alone could lose a prefix that stands before all its names."""
    for number in (1, 2):
        state = {f"module.{number}": torch.full((2,), number)}
        torch.save(state, tmp_path / f"pytorch_model-0000{number}-of-00002.bin")
    files = {f"module.{n}": f"pytorch_model-0000{n}-of-00002.bin" for n in (1, 2)}
    index = tmp_path / "pytorch_model.bin.index.json"
    index.write_text(json.dumps({"weight_map": files}))
    assert values(read_weights(index)) == {"module.1": [1, 1], "module.2": [2, 2]}


def test_parts_without_an_index(tmp_path: Path) -> None:
    sharded(tmp_path).unlink()
    assert set(read_folder(tmp_path)) == {"a", "a2", "b", "b2"}
    second = tmp_path / "model-00002-of-00002.safetensors"
    before = second.read_bytes()
    safetensors.numpy.save_file({"a": W["w"], "b": W["w"]}, second)
    twice = read_folder(tmp_path)
    assert (set(twice), set(twice.unreadable)) == ({"a2", "b"}, {"a"})
    second.write_bytes(before)
    (tmp_path / "model-00001-of-00002.safetensors").unlink()
    found = read_folder(tmp_path)
    assert set(found) == {"b", "b2"}
    (error,) = found.unreadable.values()
    assert (error.problem, error.got, error.expected) == ("parts of it are missing", "1 files", "2")


@pytest.mark.parametrize("file", ["../x.ckpt", "/etc/passwd", r"..\x", "", r"C:\x", "a/../../x"])
def test_an_index_that_leads_away(tmp_path: Path, file: str) -> None:
    with pytest.raises(MsconvertError, match=r"MS302 .*not in its folder"):
        read_weights(sharded(tmp_path, a=file), comparing=True)


def test_a_part_that_is_missing_or_lacks_a_tensor(tmp_path: Path) -> None:
    index = sharded(tmp_path, c="model-00003-of-00002.safetensors", a="no.ckpt", d="d\0")
    more = '"x": "model-00002-of-00002.safetensors", "b":'
    index.write_text(index.read_text().replace('"b":', more))
    found = read_weights(index, comparing=True)
    assert list(found) == ["b"]
    assert set(found.unreadable) == {"a", "c", "d", "x"}
    with pytest.raises(MsconvertError, match="MS302"):
        read_weights(index)


@pytest.mark.parametrize("file", ["model.safetensors.index.json", "sub", ".", "x.txt", "./sub/../"])
def test_an_index_names_weight_files_only(tmp_path: Path, file: str) -> None:
    (tmp_path / "sub").mkdir()
    FILES["npy"](tmp_path / "sub" / "x.npy")
    (tmp_path / "x.txt").write_text("x")
    index = sharded(tmp_path, a=file)
    with pytest.raises(MsconvertError, match="MS302"):
        read_weights(index)
    name = "model.safetensors.index.json"  # whole, beside a part that it does not name
    assert set(read_folder(tmp_path).unreadable) & {f"{name}:a", name}


INDEXES = {
    "no JSON": b"{",
    "nested": b"[" * 100_000,
    "a list": b"[]",
    "no map": b'{"weight_map": {}}',
    "numbers": b'{"weight_map": {"a": 1}}',
    "twice": b'{"weight_map": {"a": "x", "a": "y"}}',
    "no text": b"\xff\xfe\xfd",
    "empty": b"",
}


@pytest.mark.parametrize("kind", INDEXES)
def test_a_damaged_index(tmp_path: Path, kind: str) -> None:
    (tmp_path / "x.index.json").write_bytes(INDEXES[kind])
    with pytest.raises(MsconvertError, match=r"MS302 .*x\.index\.json"):
        read_weights(tmp_path / "x.index.json", comparing=True)
    assert set(read_folder(tmp_path).unreadable) == {"x"}


# MindSpore's dumps, named as MindSpore 2.10 has named them


DUMPS = {
    "BiasAdd.Default_fc-Dense_BiasAdd-op0.0.0.1795318898757630.output.0.DefaultFormat.Float32": 1,
    "BiasAdd.Default_fc-Dense_BiasAdd-op0.0.0.1795318898757216.input.0.DefaultFormat.Float32": 2,
    "BiasAdd.Default_fc-Dense_BiasAdd-op0.0.0.1795318898999999.output.0.DefaultFormat.Float32": 3,
    "Parameter.fc_bias.0.0.1795318898759643.output.0.DefaultFormat": 4,
    "Parameter.1.2.3.output.0.DefaultFormat": 5,
}


def test_dumps_are_named_alike_in_every_run(tmp_path: Path) -> None:
    folder = tmp_path / "rank_0" / "Net" / "0" / "0"
    folder.mkdir(parents=True)
    for name, value in DUMPS.items():
        np.save(folder / f"{name}.npy", value)
    found = values(read_folder(tmp_path))
    assert {name.removeprefix("rank_0/Net/0/0/"): value for name, value in found.items()} == {
        "BiasAdd.Default_fc-Dense_BiasAdd-op0.output.0": 1,
        "BiasAdd.Default_fc-Dense_BiasAdd-op0.input.0": 2,
        "BiasAdd.Default_fc-Dense_BiasAdd-op0.output.0.2": 3,
        "Parameter.fc_bias.output.0": 4,
        "Parameter.1.2.3.output.0.DefaultFormat": 5,
    }
