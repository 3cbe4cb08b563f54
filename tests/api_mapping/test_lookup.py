"""`msconvert api NAME`: what a person may type, and what is shown."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from msconvert.api_mapping.reference import lookup
from msconvert.api_mapping.reference.card import cards
from msconvert.errors import MsconvertError


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("torch.nn.LeakyReLU", "torch.nn.LeakyReLU"),
        ("nn.LeakyReLU", "torch.nn.LeakyReLU"),
        ("LeakyReLU", "torch.nn.LeakyReLU"),
        ("leakyrelu", "torch.nn.LeakyReLU"),
        (" nn.LeakyReLU(0.2, inplace=True)", "torch.nn.LeakyReLU"),
        ("F.leaky_relu", "torch.nn.functional.leaky_relu"),
        ("ops.leaky_relu", "torch.nn.functional.leaky_relu"),
        ("mindspore.ops.leaky_relu", "torch.nn.functional.leaky_relu"),
        ("ms.ops.leaky_relu", "torch.nn.functional.leaky_relu"),
        ("mint.nn.functional.leaky_relu", "torch.nn.functional.leaky_relu"),
        ("models.resnet18", "torchvision.models.resnet18"),
        ("T.Resize", "torchvision.transforms.Resize"),
        ("mindspore.dataset.vision.CenterCrop", "torchvision.transforms.CenterCrop"),
        ("Conv2dTranspose", "torch.nn.ConvTranspose2d"),
    ],
)
def test_a_name_is_found_as_it_is_typed(query: str, name: str) -> None:
    assert lookup.names(query)[0] == name


@pytest.mark.parametrize("query", ["torch.nn.Leaky", "nn.LeakyRelu_", "torch.nn.LeekyReLU"])
def test_what_is_mistyped_gets_the_nearest_names(query: str) -> None:
    with pytest.raises(MsconvertError, match="MS200") as raised:
        cards(query)
    assert "torch.nn.LeakyReLU" in raised.value.advice


@pytest.mark.parametrize("query", ["torch.nn.LeakyR", "nn.leakyrel", "torch.nn.LeekyReLU"])
def test_the_nearest_name_is_the_first(query: str) -> None:
    assert lookup.nearest(query)[0] == "torch.nn.LeakyReLU"


@pytest.mark.parametrize(
    "query", ["ms.value_and_grad", "mindspore.value_and_grad", "value_and_grad"]
)
def test_a_name_that_only_advice_speaks_of_is_found(query: str) -> None:
    assert "torch.Tensor.backward" in lookup.names(query)


@pytest.mark.parametrize("query", ["", " ", "torch", "torch.", "torch.nn.", "torchvision"])
def test_a_module_has_too_many_names_to_be_listed(query: str) -> None:
    assert lookup.nearest(query) == ()


@pytest.mark.parametrize("query", ["", ".", "..", "torch", "torch.", "x" * 10_000, "\x1b[2J", "é"])
def test_what_is_no_name_is_refused_at_once(query: str) -> None:
    with pytest.raises(MsconvertError, match="MS200"):
        cards(query)


def api(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "msconvert", "api", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_command_shows_the_row() -> None:
    done = api("nn.LeakyReLU")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "torch.nn.LeakyReLU  differs"
    assert "  PyTorch    torch.nn.LeakyReLU(negative_slope=0.01, inplace=False)" in lines
    assert re.search(
        r"example +nn\.LeakyReLU\(\)\(x\)\n +-> nn\.LeakyReLU\(alpha=0\.01\)\(x\)", done.stdout
    )
    assert done.stdout == "\n".join(line.rstrip() for line in lines) + "\n"


def test_json_and_a_name_that_is_not_there() -> None:
    done = api("--json", "nn.LeakyReLU", "nn.LeakyRelux")
    assert done.returncode == 1
    assert [card["name"] for card in json.loads(done.stdout)] == ["torch.nn.LeakyReLU"]
    assert done.stderr.startswith("MS200 nn.LeakyRelux: the table has no such name")
    assert "try:      torch.nn.LeakyReLU" in done.stderr


def test_no_name_is_wrong_usage() -> None:
    assert api().returncode == 2
