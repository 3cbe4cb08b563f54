"""Small networks in PyTorch, and what the converters make of them, ready to be spoiled."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import nn

from msconvert.api_mapping.source.output import write_tree
from msconvert.api_mapping.source.tree import convert_paths
from msconvert.api_mapping.table.target import Settings
from msconvert.converter.convert import Options, convert
from msconvert.formats import read_weights
from msconvert.formats.names.weight_map import read_weight_map
from msconvert.tests.models.catalog import silence_exporter, train_a_little
from msconvert.troubleshooter.weights import WeightSettings, convert_weights

from .fault import Reference, Weights

SOURCES = Path(__file__).with_name("networks")
CLASSES = {
    "classifier": "Classifier",
    "encoder": "Encoder",
    "tagger": "Tagger",
    "unet": "UNet",
    "tabular": "Tabular",
}


@dataclass(frozen=True)
class Converted:
    """A reference and the script that was converted from it.

    `call` makes both networks, `weights` are A's file or the whole of it; `tensors` the script's.
    """

    a: Path
    script: Path
    checkpoint: Path
    weights: Path | None
    inputs: Path
    call: str | None

    @cached_property
    def text(self) -> str:
        return self.script.read_text(encoding="utf-8")

    @cached_property
    def tensors(self) -> Weights:
        found = read_weights(self.checkpoint).tensors()
        return {name: np.array(tensor.load()) for name, tensor in found.items()}


class Workshop:
    """Makes each network once, in a folder; `calls`: what makes it, by the names of `sources`."""

    def __init__(
        self, folder: Path, sources: Path = SOURCES, calls: Mapping[str, str] | None = None
    ) -> None:
        self.folder = folder
        self.sources = sources
        self.calls = calls or {name: f"{kind}()" for name, kind in CLASSES.items()}
        self.made: dict[tuple[str, Reference], Converted] = {}

    def converted(self, name: str, reference: Reference) -> Converted:
        if (name, reference) not in self.made:
            make = self.from_torch if reference == "torch" else self.from_onnx
            self.made[name, reference] = make(name)
        return self.made[name, reference]

    def from_torch(self, name: str) -> Converted:
        """As `msconvert source` and `msconvert weights` do it."""
        _, network, inputs = self.network(name)
        folder = self.source(name)
        weights = self.folder / f"{name}.pth"
        torch.save(network.state_dict(), weights)
        checkpoint = self.folder / f"{name}.ckpt"
        known = read_weight_map(folder / f"weight_map_of_{name}.json")
        convert_weights(weights, checkpoint, WeightSettings(known=known))
        return Converted(
            self.sources / f"{name}.py",
            folder / f"{name}.py",
            checkpoint,
            weights,
            inputs,
            self.calls[name],
        )

    def source(self, name: str) -> Path:
        """The folder with the converted file."""
        folder = self.folder / "source"
        if not folder.exists():
            assert not write_tree(convert_paths((self.sources,), Settings()), folder)
        return folder

    def from_onnx(self, name: str) -> Converted:
        """As `msconvert --model_file` does it."""
        module, network, inputs = self.network(name)
        model = self.folder / f"{name}.onnx"
        exported(network, inputs_of(module), model)
        folder = self.folder / f"of_{name}"
        convert(Options(model_file=model, output=folder, verify=False))
        script = folder / f"{name}.py"
        return Converted(model, script, folder / f"{name}.ckpt", None, inputs, None)

    def network(self, name: str) -> tuple[ModuleType, nn.Module, Path]:
        """The module, the network as if trained, the file of its inputs."""
        module = imported(self.sources / f"{name}.py")
        with torch.random.fork_rng():
            torch.manual_seed(0)
            network: nn.Module = eval(self.calls[name], vars(module)).eval()
            train_a_little(network)
            inputs = self.folder / f"inputs_of_{name}.npz"
            np.savez(inputs, *[x.numpy() for x in inputs_of(module)])
        return module, network, inputs


def inputs_of(module: ModuleType) -> tuple[torch.Tensor, ...]:
    found = module.inputs()
    return found if isinstance(found, tuple) else (found,)


def imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"planted_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def exported(network: nn.Module, inputs: tuple[Any, ...], file: Path) -> None:
    """By TorchScript, with BatchNorm as it is, not folded into convolutions."""
    names = [f"input_{i}" for i in range(len(inputs))]
    with warnings.catch_warnings(), torch.no_grad():
        silence_exporter()
        warnings.filterwarnings("ignore", "It is recommended that constant folding be turned off")
        torch.onnx.export(
            *(network, inputs, file),
            input_names=names,
            training=torch.onnx.TrainingMode.PRESERVE,
            opset_version=17,
            dynamo=False,
        )
