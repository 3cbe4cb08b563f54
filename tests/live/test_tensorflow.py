"""TensorFlow's files: told by their bytes, and handed to tf2onnx.

tf2onnx is not among what the tests need: a stand-in of its command writes an ONNX file and what it
was asked for. It shows the call, not what tf2onnx makes of a model.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import msconvert
from msconvert.commands.main import main
from msconvert.live import tensorflow
from msconvert.live.tensorflow import as_onnx, kind_of

DEMO = Path(msconvert.__file__).parent / "examples" / "demo.onnx"

STAND_IN = f"""
import json, shutil, sys
from pathlib import Path
if "broken" in " ".join(sys.argv):
    sys.exit("ValueError: an operator that tf2onnx does not know")
output = Path(sys.argv[sys.argv.index("--output") + 1])
Path(__file__).with_name("asked.json").write_text(json.dumps(sys.argv[1:]))
shutil.copy({str(DEMO)!r}, output)
"""

FILES = {
    "model.tflite": (b"\x1c\x00\x00\x00TFL3", "a TensorFlow Lite model"),
    "model.TFLITE": (b"\x1c\x00\x00\x00TFL3", "a TensorFlow Lite model"),
    "model.h5": (b"\x89HDF\r\n", "a Keras model"),
    "model.keras": (b"PK\x03\x04", "a Keras model"),
    "frozen.pb": (b"\x0a\x05input", "a frozen graph"),
    "saved_model.pb": (b"\x08\x01", "a SavedModel"),
    "onnx.pb": (DEMO.read_bytes(), None),
    "model.onnx": (b"\x0a\x05input", None),
    "empty.pb": (b"", None),
}


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a tf2onnx, which a Python started from here finds."""
    folder = tmp_path / "packages"
    for name in ("tf2onnx", "tensorflow"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text("")
    (folder / "tf2onnx" / "convert.py").write_text(STAND_IN)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder / "tf2onnx"


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_known_by_its_name_and_bytes(name: str, tmp_path: Path) -> None:
    content, kind = FILES[name]
    (tmp_path / name).write_bytes(content)
    assert kind_of(tmp_path / name) == kind


def test_a_saved_model_is_a_folder(tmp_path: Path) -> None:
    assert kind_of(tmp_path) is None
    (tmp_path / "saved_model.pb").write_bytes(b"\x08\x01")
    assert kind_of(tmp_path) == "a SavedModel"
    assert kind_of(tmp_path / "none.tflite") is None


CALLS = {
    "model.tflite": ({}, ["--tflite"], []),
    "model.h5": ({}, ["--keras"], []),
    "saved_model.pb": ({}, ["--saved-model"], []),
    "frozen.pb": (
        {"input_nodes": ["x", "m:1"], "output_nodes": ["y"], "shapes": [(1, 8, 8, 3)]},
        ["--graphdef"],
        ["--inputs", "x:0[1,8,8,3],m:1", "--outputs", "y:0"],
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_tf2onnx_is_told_the_file_and_its_ends(name: str, tmp_path: Path, stand_in: Path) -> None:
    settings, kind_flag, ends = CALLS[name]
    file = tmp_path / name
    file.write_bytes(FILES[name][0])
    kind = kind_of(file)
    assert kind is not None
    made = as_onnx(msconvert.Options(file, **settings), kind, tmp_path)
    asked = json.loads((stand_in / "asked.json").read_text())
    source = tmp_path if name == "saved_model.pb" else file
    whole = [*kind_flag, str(source), "--opset", "17", *ends, "--output", str(made)]
    assert asked == whole
    assert made.read_bytes() == DEMO.read_bytes()


def test_the_command_and_the_function_convert_what_it_makes(
    tmp_path: Path, stand_in: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "digits.tflite"
    file.write_bytes(FILES["model.tflite"][0])
    assert msconvert.convert(file).ok
    assert main(["--model_file", str(file), "--output", str(tmp_path / "out")]) == 0
    assert "They agree." in capsys.readouterr().out
    assert (tmp_path / "out" / "digits.py").is_file()


@pytest.mark.parametrize("name", [n for n, (_, kind) in FILES.items() if kind])
def test_without_tf2onnx_there_is_a_command_to_paste(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tensorflow, "find_spec", lambda name: None)
    file = tmp_path / name
    file.write_bytes(FILES[name][0])
    options = msconvert.Options(file, input_nodes=["x"], output_nodes=["y"])
    with pytest.raises(msconvert.MsconvertError) as caught:
        msconvert.convert(options)
    assert (caught.value.code, caught.value.where) == ("MS903", "tf2onnx and tensorflow")
    kind = FILES[name][1]
    assert kind is not None
    assert 'pip install "msconvert[tf]"' in caught.value.advice
    assert f"python -m tf2onnx.convert {tensorflow.FLAGS[kind]} " in caught.value.advice
    assert "msconvert --model_file" in caught.value.advice


def test_what_tf2onnx_refuses_is_told(tmp_path: Path, stand_in: Path) -> None:
    file = tmp_path / "broken.tflite"
    file.write_bytes(FILES["model.tflite"][0])
    with pytest.raises(msconvert.MsconvertError, match="tf2onnx does not convert") as caught:
        msconvert.convert(file)
    assert caught.value.code == "MS102"
    assert "an operator that tf2onnx does not know" in caught.value.got


def test_a_frozen_graph_needs_its_ends(tmp_path: Path) -> None:
    file = tmp_path / "frozen.pb"
    file.write_bytes(FILES["frozen.pb"][0])
    for settings in ({}, {"input_nodes": ["x"]}, {"output_nodes": ["y"]}):
        with pytest.raises(msconvert.MsconvertError) as caught:
            msconvert.convert(msconvert.Options(file, **settings))
        assert caught.value.code == "MS105"


def test_nothing_of_tensorflow_is_imported_here(tmp_path: Path, stand_in: Path) -> None:
    file = tmp_path / "model.tflite"
    file.write_bytes(FILES["model.tflite"][0])
    as_onnx(msconvert.Options(file), "a TensorFlow Lite model", tmp_path)
    assert not {"tensorflow", "tf2onnx"} & sys.modules.keys()
