"""One case: what is put into a folder, and the command that reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

from . import onnx_models, sources, weight_files

Make = Callable[[Path, Random], list[str]]
"""Puts the files of a case into a folder; the arguments of the command."""

TARGETS = (".ckpt", ".safetensors", ".pth")


def _onnx(folder: Path, random: Random) -> list[str]:
    (folder / "model.onnx").write_bytes(onnx_models.model(random))
    more = random.choice(([], [], [], ["--no-verify"], ["--target", "mindspore"], ["--json"]))
    more = [*more, *random.choice(([], [], [], ["--format", "safetensors"], ["--shape", "1,2,3"]))]
    return ["--model_file", "model.onnx", *more]


def _onnx_weights(folder: Path, random: Random) -> list[str]:
    (folder / "model.onnx").write_bytes(onnx_models.model(random))
    return _reading(folder, "model.onnx", random)


def _weights(kind: str) -> Make:
    def make(folder: Path, random: Random) -> list[str]:
        name = f"weights{weight_files.ENDINGS[kind]}"
        (folder / name).write_bytes(weight_files.weight_file(kind, random))
        return _reading(folder, name, random)

    return make


def _reading(folder: Path, name: str, random: Random) -> list[str]:
    if random.random() < 0.5:
        names = ["--names", "same"] if random.random() < 0.7 else []
        return ["weights", name, "-o", f"output/made{random.choice(TARGETS)}", *names]
    (folder / "other.safetensors").write_bytes(weight_files.seed("safetensors"))
    reports = random.choice(([], ["--json=output/d.json"], ["--html=output/d.html", "--csv"]))
    return ["diff", name, "other.safetensors", *reports]


def _python(folder: Path, random: Random) -> list[str]:
    (folder / "net.py").write_bytes(sources.source(random))
    return _read_source("net.py", random)


def _notebook(folder: Path, random: Random) -> list[str]:
    (folder / "net.ipynb").write_bytes(sources.notebook(random))
    return _read_source("net.ipynb", random)


def _read_source(name: str, random: Random) -> list[str]:
    if random.random() < 0.5:
        return ["source", name, "--output", "output"]
    return ["scan", name, *random.choice(([], ["--json"], ["--html=output/s.html", "--sarif"]))]


def _settings(folder: Path, random: Random) -> list[str]:
    (folder / "pyproject.toml").write_bytes(sources.settings(random))
    (folder / "net.py").write_text("import torch\nx = torch.ones(2).cuda()\n")
    return ["scan", "."] if random.random() < 0.6 else ["source", ".", "--output", "output"]


KINDS: dict[str, Make] = {
    "onnx": _onnx,
    "onnx-weights": _onnx_weights,
    "pth": _weights("pth"),
    "ckpt": _weights("ckpt"),
    "safetensors": _weights("safetensors"),
    "npz": _weights("npz"),
    "python": _python,
    "notebook": _notebook,
    "pyproject": _settings,
}
