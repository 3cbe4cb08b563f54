"""--inputs: script and original compared with arrays of the user's own."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from onnx import TensorProto, helper

from msconvert.commands.main import command
from msconvert.converter.convert import Options, converted
from msconvert.errors import MsconvertError
from msconvert.tests.converter.small_models import saved


def picky() -> onnx.ModelProto:
    """Takes rows by number: random numbers up to 7 are too large for its three rows."""
    nodes = [
        helper.make_node("Mul", ["i", "two"], ["j"]),
        helper.make_node("Gather", ["x", "j"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "picky",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ("n", 4)),
            helper.make_tensor_value_info("i", TensorProto.INT64, ("k",)),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [onnx.numpy_helper.from_array(np.array(2), "two")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def told(folder: Path, **arrays: Any) -> Options:
    np.savez(folder / "own.npz", **arrays)
    file = saved(picky(), folder)
    return Options(file, output=folder / "out", inputs=folder / "own.npz")


X = np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.mark.parametrize("rows", [3, 5, 9, 17, 40])
def test_inputs_of_the_users_own_are_what_is_compared_with(rows: int, tmp_path: Path) -> None:
    x = np.arange(4 * rows, dtype=np.float32).reshape(rows, 4)
    options = told(tmp_path, x=x, i=np.array([(rows - 1) // 2, 0]))
    report = converted(options, lambda step: None)
    assert report.ok, report.to_text()
    assert report.verification is not None
    assert {item.shape for item in report.verification.differences} == {(2, 4)}


def test_the_original_may_refuse_them(tmp_path: Path) -> None:
    report = converted(told(tmp_path, x=X, i=np.array([7])), lambda step: None)
    assert report.verification is not None
    assert "does not run the original" in report.verification.problem


REFUSED: dict[str, dict[str, Any]] = {
    "one is missing": {"x": X},
    "one is too many": {"x": X, "i": np.array([0]), "z": X},
    "another name": {"x": X, "index": np.array([0])},
    "another rank": {"x": X[0], "i": np.array([0])},
    "another size": {"x": X[:, :3], "i": np.array([0])},
    "another type": {"x": X.astype(np.float64), "i": np.array([0])},
    "another integer": {"x": X, "i": np.array([0], np.int32)},
    "objects": {"x": np.array([object()]), "i": np.array([0])},
}


@pytest.mark.parametrize("case", REFUSED)
def test_other_arrays_are_refused_and_nothing_is_written(case: str, tmp_path: Path) -> None:
    with pytest.raises(MsconvertError) as caught:
        converted(told(tmp_path, **REFUSED[case]), lambda step: None)
    assert caught.value.code == "MS105"
    assert "--inputs" in caught.value.where
    assert not (tmp_path / "out" / "model.py").exists()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no arrays", b"\x93NUMPY\x01\x00", b"\0"])
def test_what_is_no_file_of_arrays_is_refused(content: bytes, tmp_path: Path) -> None:
    options = told(tmp_path, x=X)
    (tmp_path / "own.npz").write_bytes(content)
    with pytest.raises(MsconvertError, match="--inputs"):
        converted(options, lambda step: None)


def archive(**members: bytes) -> bytes:
    """A zip archive of members that numpy.savez has not written."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as whole:
        for name, content in members.items():
            whole.writestr(name.replace("_npy", ".npy"), content)
    return buffer.getvalue()


def header(shape: str, descr: str = "'<f4'") -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"
    return b"\x93NUMPY\x01\x00v\x00" + text.encode().ljust(117) + b"\n1234"


ARCHIVES = {
    "members that are no arrays": (archive(x=b"hello", i=b"hello"), "no arrays"),
    "a member without a header": (archive(x_npy=b"hello", i_npy=b"hello"), "no file of arrays"),
    "terabytes by its header": (archive(x_npy=header("(100000000000, 4)")), "size of its shape"),
    "a negative size": (archive(x_npy=header("(-1, 4)")), "impossible"),
    "a header of code": (archive(x_npy=header("(1,)", "__import__('os').abort()")), "header"),
    "records": (archive(x_npy=header("(1,)", "[('a', '<f4')]")), "records"),
    "an array beside other things": (archive(x_npy=header("(1,)"), i=b"text"), "not the inputs"),
}


@pytest.mark.parametrize("case", ARCHIVES)
def test_archives_of_other_things_are_refused_unread(case: str, tmp_path: Path) -> None:
    options = told(tmp_path, x=X)
    content, words = ARCHIVES[case]
    (tmp_path / "own.npz").write_bytes(content)
    with pytest.raises(MsconvertError, match="--inputs") as caught:
        converted(options, lambda step: None)
    assert caught.value.code == "MS105"
    assert words in caught.value.problem


@pytest.mark.parametrize("kind", ["nothing", "folder", "pipe", "link to nothing", "device"])
def test_what_is_no_file_is_refused_and_not_waited_for(kind: str, tmp_path: Path) -> None:
    path = told(tmp_path, x=X).inputs
    assert path is not None
    path.unlink()
    make = {
        "folder": path.mkdir,
        "pipe": lambda: os.mkfifo(path),
        "link to nothing": lambda: path.symlink_to(tmp_path / "none"),
        "device": lambda: path.symlink_to("/dev/zero"),
    }
    make.get(kind, lambda: None)()
    options = Options(tmp_path / "model.onnx", output=tmp_path / "out", inputs=path)
    with pytest.raises(MsconvertError, match="it is no file of arrays"):
        converted(options, lambda step: None)


@pytest.mark.parametrize(
    ("x", "is_blind"),
    [
        (X * np.float32("nan"), True),
        (X + np.float32("inf"), True),
        (X[:0], True),
        (np.where(X > 5, np.float32("nan"), X), False),
        (X, False),
        (X.astype(">f4"), False),
    ],
)
def test_equal_numbers_that_prove_little_are_noted(x: Any, is_blind: bool, tmp_path: Path) -> None:
    rows = np.array([1, 0] if x.size else [], np.int64)
    report = converted(told(tmp_path, x=x, i=rows), lambda step: None)
    assert report.ok, report.to_text()
    assert ("prove little" in report.to_text()) == is_blind
    assert "with the inputs of --inputs" in report.to_text()


def test_the_command_takes_them(tmp_path: Path) -> None:
    told(tmp_path, x=X, i=np.array([1, 0]))
    flags = ["--model_file", str(tmp_path / "model.onnx"), "--output", str(tmp_path / "o")]
    flags += ["--inputs", str(tmp_path / "own.npz")]
    done = CliRunner().invoke(command, flags)
    assert done.exit_code == 0, done.output
    assert CliRunner().invoke(command, [*flags, "--no-verify"]).exit_code == 2
