"""What every test of a whole conversion asks: the files it wrote, and the script's own numbers."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnxruntime as ort
from ruff import find_ruff_bin

from msconvert.converter.conversion_report import ConversionReport
from msconvert.converter.convert import Options, convert

Array = np.ndarray[Any, Any]
MODES = ("PYNATIVE_MODE", "GRAPH_MODE")


@dataclass(frozen=True)
class Conversion:
    """A conversion and where its files are."""

    model: Path
    folder: Path
    report: ConversionReport

    @property
    def script(self) -> Path:
        return self.folder / f"{self.model.stem}.py"

    @property
    def checkpoint(self) -> Path:
        return self.folder / f"{self.model.stem}.ckpt"


def converted(
    model: Path, folder: Path, target: str = "bundled", verify: bool = True
) -> Conversion:
    options = Options(model_file=model, output=folder, target=target, verify=verify)
    return Conversion(model, folder, convert(options))


def files(folder: Path) -> dict[str, bytes]:
    """What a conversion wrote, by name."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def differences(first: dict[str, bytes], second: dict[str, bytes]) -> list[str]:
    """The files that are not the same to the byte; reports name the folder they are in."""
    names = sorted(first.keys() | second.keys())
    return [
        name
        for name in names
        if not name.startswith("report_") and first.get(name) != second.get(name)
    ]


@contextmanager
def imported(script: Path) -> Iterator[ModuleType]:
    """The script as a module, its folder on the path as when Python runs it."""
    sys.path.insert(0, str(script.parent))
    before = set(sys.modules)
    keep, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec = importlib.util.spec_from_file_location(script.stem, script)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module
    finally:
        sys.dont_write_bytecode = keep
        sys.path.remove(str(script.parent))
        for name in set(sys.modules) - before:
            if getattr(sys.modules[name], "__file__", None) == str(script.parent / f"{name}.py"):
                del sys.modules[name]


def outputs_of_script(
    module: ModuleType, checkpoint: Path, inputs: list[Array]
) -> list[list[Array]]:
    """The outputs in PyNative mode, then in graph mode."""
    ms = module.ms
    network = module.load(str(checkpoint))
    found = []
    for mode in MODES:
        ms.set_context(mode=getattr(ms, mode))
        results = network(*[ms.Tensor(array) for array in inputs])
        tensors = results if isinstance(results, tuple) else (results,)
        found.append([tensor.asnumpy() for tensor in tensors])
    ms.set_context(mode=ms.PYNATIVE_MODE)
    return found


def original_session(model: Path) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.log_severity_level = 3  # the light models list initialisers that nothing reads
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def outputs_of_original(model: Path, inputs: list[Array]) -> list[Array]:
    session = original_session(model)
    names = [item.name for item in session.get_inputs()]
    return list(session.run(None, dict(zip(names, inputs, strict=True))))


def error(got: Array, expected: Array) -> float:
    """Largest difference relative to the output's maximum; integers must be equal."""
    assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
    if expected.dtype.kind in "iub":
        return float(not np.array_equal(got, expected))
    return float(np.abs(got - expected).max() / np.abs(expected).max())


def remarks_of_ruff(script: Path) -> str:
    """What `ruff check` and `ruff format --check` say with their own settings; nothing if fine."""
    commands = (["check"], ["format", "--check"])
    said = [
        subprocess.run(
            [find_ruff_bin(), *command, "--isolated", "--no-cache", str(script)],
            capture_output=True,
            text=True,
            check=False,
        )
        for command in commands
    ]
    return "".join(done.stdout + done.stderr for done in said if done.returncode != 0)
