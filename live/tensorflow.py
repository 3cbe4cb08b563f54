"""TensorFlow's files (frozen graphs, SavedModel, Keras, TFLite) as ONNX, by tf2onnx.

tf2onnx and TensorFlow run in a process of their own; neither is imported here.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from shlex import join

from ..converter.convert import Options
from ..errors import MsconvertError, UsageError, printable

FLAGS = {
    "a SavedModel": "--saved-model",
    "a frozen graph": "--graphdef",
    "a Keras model": "--keras",
    "a TensorFlow Lite model": "--tflite",
}
"""What a file is -> how tf2onnx is told it."""

OPSET = "17"
NEEDED = ("tf2onnx", "tensorflow")
LAST_LINES = 5

NODE = b"\x0a"
"""A frozen graph begins with a node, an ONNX file with its version."""


def kind_of(file: Path) -> str | None:
    """Which of TensorFlow's kinds the file or folder is, told by name and first bytes; or None."""
    if file.is_dir():
        return "a SavedModel" if (file / "saved_model.pb").is_file() else None
    suffix = file.suffix.lower()
    if suffix not in (".pb", ".h5", ".keras", ".tflite") or not file.is_file():
        return None
    if file.name == "saved_model.pb":
        return "a SavedModel"
    if suffix == ".pb":
        with file.open("rb") as stream:
            return "a frozen graph" if stream.read(1) == NODE else None
    return "a TensorFlow Lite model" if suffix == ".tflite" else "a Keras model"


def as_onnx(options: Options, kind: str, folder: Path) -> Path:
    """The ONNX file that tf2onnx makes, in `folder`.

    Raises: MS903 where it is not installed, MS105 for a frozen graph whose ends are not named,
    MS102 for what it does not convert
    """
    file = options.model_file
    if kind == "a frozen graph" and not (options.input_nodes and options.output_nodes):
        problem, expected = "a frozen graph does not say where it ends", "its inputs and outputs"
        advice = "--input_nodes NAME --output_nodes NAME"
        raise UsageError("MS105", str(file), problem, expected=expected, advice=advice)
    source = file.parent if file.name == "saved_model.pb" else file
    made = folder / f"{source.resolve().stem}.onnx"
    arguments = ["-m", "tf2onnx.convert", FLAGS[kind], str(source), *_ends(options)]
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise _not_installed(kind, file, missing, arguments, made.name)
    command = [sys.executable, *arguments, "--output", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0 or not made.is_file():
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        got = printable(" | ".join(lines[-LAST_LINES:]), 1500)
        problem = f"tf2onnx does not convert {kind}"
        raise MsconvertError("MS102", str(file), problem, got=got, advice="see what it says")
    return made


def _ends(options: Options) -> Iterator[str]:
    """The flags of inputs, outputs and shapes; a name without an index is a tensor's first."""
    yield from ("--opset", OPSET)
    names = [_tensor(name) for name in options.input_nodes or ()]
    shapes = [f"[{','.join(map(str, shape))}]" for shape in options.shapes or ()]
    pairs = [f"{n}{s}" for n, s in zip(names, shapes, strict=False)] + names[len(shapes) :]
    if pairs:
        yield from ("--inputs", ",".join(pairs))
    if options.output_nodes:
        yield from ("--outputs", ",".join(_tensor(name) for name in options.output_nodes))


def _tensor(name: str) -> str:
    return name if ":" in name else f"{name}:0"


def _not_installed(
    kind: str, file: Path, missing: list[str], arguments: list[str], made: str
) -> MsconvertError:
    """MS903 with the commands to paste, here or where TensorFlow is."""
    elsewhere = join(["python", *arguments, "--output", made])
    return MsconvertError(
        "MS903",
        " and ".join(missing),
        f"not installed, and {kind} is read with tf2onnx: {file.name}",
        advice=f'pip install "msconvert[tf]"; or, where TensorFlow is, {elsewhere}; '
        f"then msconvert --model_file {made}",
    )
