"""Models exported from PyTorch by both exporters, converted and run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the models are written in PyTorch")

from msconvert.tests.converter.conversion import (
    Conversion,
    converted,
    differences,
    error,
    files,
    imported,
    outputs_of_original,
    outputs_of_script,
    remarks_of_ruff,
)
from msconvert.tests.models.catalog import EXPORTERS, ROWS, Exporter, ModelRow, export
from msconvert.tests.runtime.exported_gradients import wrong_gradients

CASES = [(row, exporter) for row in ROWS for exporter in EXPORTERS]
pytestmark = pytest.mark.sweep(each=("exported.0", "exported.1"))


@dataclass(frozen=True)
class Exported:
    """A row of the catalog as one exporter wrote it, converted."""

    row: ModelRow
    exporter: Exporter
    conversion: Conversion

    @property
    def script(self) -> str:
        return self.conversion.script.read_text(encoding="utf-8")


@pytest.fixture(
    scope="module", params=CASES, ids=[f"{row.name}-{exporter}" for row, exporter in CASES]
)
def exported(
    request: pytest.FixtureRequest, exported_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Exported:
    row, exporter = request.param
    path = export(row, exporter, exported_folder)
    return Exported(row, exporter, converted(path, tmp_path_factory.mktemp("out")))


def test_every_node_is_converted(exported: Exported) -> None:
    assert exported.conversion.report.rate == 1
    assert exported.conversion.report.ok


def test_numbers_are_the_originals_in_both_modes(exported: Exported) -> None:
    verification = exported.conversion.report.verification
    assert verification is not None
    assert verification.problem == ""
    assert {item.mode for item in verification.differences} >= {"pynative", "graph"}
    assert max(item.error for item in verification.differences) <= exported.row.tolerance


def test_the_test_finds_the_same_numbers(exported: Exported) -> None:
    conversion = exported.conversion
    inputs = [item.example(seed=3) for item in exported.row.inputs]
    expected = outputs_of_original(conversion.model, inputs)
    with imported(conversion.script) as module:
        for outputs in outputs_of_script(module, conversion.checkpoint, inputs):
            errors = [error(got, want) for got, want in zip(outputs, expected, strict=True)]
            assert max(errors) <= exported.row.tolerance


def test_pytorch_itself_says_the_same(exported: Exported) -> None:
    import torch

    conversion = exported.conversion
    inputs = [item.example(seed=4) for item in exported.row.inputs]
    with torch.no_grad():
        result = exported.row.module()(*[torch.from_numpy(array) for array in inputs])
    expected = result if isinstance(result, tuple) else (result,)
    with imported(conversion.script) as module:
        outputs = outputs_of_script(module, conversion.checkpoint, inputs)[1]
    errors = [error(got, want.numpy()) for got, want in zip(outputs, expected, strict=True)]
    assert max(errors) <= exported.row.tolerance


def test_one_step_of_training_has_pytorchs_gradients(exported: Exported) -> None:
    assert wrong_gradients(exported.row, exported.conversion) == []


def test_the_checkpoint_fits_exactly(exported: Exported) -> None:
    conversion = exported.conversion
    with imported(conversion.script) as module:
        ms = module.ms
        network = module.load(str(conversion.checkpoint))
        weights = ms.load_checkpoint(str(conversion.checkpoint))
        assert ms.load_param_into_net(network, weights) == ([], [])
        assert {name for name, _ in network.parameters_and_names()} == set(weights)


def test_the_script_is_as_ruff_wants_it(exported: Exported) -> None:
    assert remarks_of_ruff(exported.conversion.script) == ""


def test_twice_gives_the_same_bytes(exported: Exported, tmp_path: Path) -> None:
    converted(exported.conversion.model, tmp_path, verify=False)
    again = files(tmp_path)
    assert len(again) == 5
    assert differences(files(exported.conversion.folder), again) == []


NAMES = {
    "resnet18": ("class BasicBlock(nn.Cell):", "self.conv1 =", "self.layer1 =", "self.layer4 ="),
    "vgg": ("self.features =", "self.classifier ="),
    "vit": ("self.patch_embed =", "self.blocks =", "self.norm1 =", "self.qkv =", "self.fc1 ="),
    "encoder": ("self.layers =", "self.self_attn", "self.linear1 =", "self.norm2 ="),
    "lstm": ("self.embedding =", "self.lstm", "self.fc ="),
    "unet": ("self.inc =", "self.down1 =", "self.up3 =", "self.outc =", "self.double_conv ="),
    "gpt": ("self.wte =", "self.h =", "self.ln_1 =", "self.c_attn =", "self.mlp ="),
    "shared": ("self.inner =", "self.norm ="),
}
"""What the original's source has, and so must the script's."""


def test_names_are_the_originals(exported: Exported) -> None:
    names = [n for n in NAMES.get(exported.row.name, ()) if n != "class BasicBlock(nn.Cell):"]
    if exported.row.name == "resnet18" and exported.exporter == "dynamo":
        names.append("class BasicBlock(nn.Cell):")  # the older exporter tells no class names
    assert [name for name in names if name not in exported.script] == []


def test_scripts_are_short(exported: Exported) -> None:
    limit = {"encoder": 150, "resnet18": 120}.get(exported.row.name, 250)
    assert len(exported.script.splitlines()) <= limit
