"""What a network takes of a written file, seen in the network itself."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from msconvert.commands.main import main
from msconvert.errors import MsconvertError
from msconvert.formats import write_weights
from msconvert.troubleshooter.sides.child.loading import digest
from msconvert.troubleshooter.weights import NetworkCall, WeightSettings, convert_weights
from msconvert.troubleshooter.weights.fit import Fit, OtherShape
from msconvert.troubleshooter.weights.network import NetworkSide

pytestmark = pytest.mark.usefixtures("warm")

IN_MINDSPORE = """
import mindspore as ms
from mindspore import Parameter, Tensor, nn


class Net(nn.Cell):
    def __init__(self, outputs=3):
        super().__init__()
        self.conv = nn.Conv1d(3, 4, 2, has_bias=True)
        self.norm = nn.BatchNorm1d(4)
        self.fc = nn.Dense(4, outputs)
        self.shift = Parameter(Tensor([1.0, 2.0]), name="a_name_of_its_own")
        self.register_buffer("scale", ms.Tensor([1.0, 1.0]))


def no_network():
    return 7
"""
IN_PYTORCH = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, outputs=3):
        super().__init__()
        self.conv = nn.Conv1d(3, 4, 2)
        self.norm = nn.BatchNorm1d(4)
        self.fc = nn.Linear(4, outputs)
        self.a_name_of_its_own = nn.Parameter(torch.ones(2))
        self.register_buffer("scale", torch.ones(2))
"""

NUMBERS = np.random.default_rng(0)
SHAPES = {
    "conv.weight": (4, 3, 2),
    "conv.bias": (4,),
    "fc.weight": (3, 4),
    "fc.bias": (3,),
    **{f"norm.{name}": (4,) for name in ("weight", "bias", "running_mean", "running_var")},
    "a_name_of_its_own": (2,),
    "scale": (2,),
}
STATE = {name: NUMBERS.standard_normal(shape).astype("f4") for name, shape in SHAPES.items()}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("net.py").write_text(IN_MINDSPORE)
    Path("theirs.py").write_text(IN_PYTORCH)
    write_weights("net.pth", STATE.items(), "pth")
    return tmp_path


def fitted(call: str, output: str = "net.ckpt", python: Path | None = None, **more: object) -> Fit:
    network = NetworkCall(Path("net.py"), call, None if python is None else str(python))
    outcome = convert_weights("net.pth", output, WeightSettings(network=network, **more))  # type: ignore[arg-type]
    assert outcome.written is not None
    assert outcome.fit is not None
    assert outcome.is_done is outcome.fit.is_whole
    return outcome.fit


def expect_all_cases(python: Path | None) -> None:
    whole = fitted("Net()", python=python)
    assert whole.is_whole
    assert (len(whole.loaded), whole.cast) == (len(STATE), ())
    assert set(whole.loaded) >= {"a_name_of_its_own", "scale", "norm.moving_mean", "conv.weight"}
    other = fitted("Net(5)", "shards.safetensors", python, shard_bytes=50)
    assert other.shapes == (
        OtherShape("fc.weight", (3, 4), (5, 4)),
        OtherShape("fc.bias", (3,), (5,)),
    )
    assert (len(other.loaded), other.missing, other.unexpected) == (len(STATE) - 2, (), ())


def test_on_the_runtime() -> None:
    expect_all_cases(None)


def test_on_mindspore(mindspore_python: Path) -> None:
    expect_all_cases(mindspore_python)


def test_types_that_the_network_has_not() -> None:
    found = fitted("Net()", types=(("fc.*", "float16"), ("conv.*", "bfloat16")))
    assert found.is_whole
    assert found.cast == ("conv.weight", "conv.bias", "fc.weight", "fc.bias")


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    left = {name: array for name, array in STATE.items() if name != "conv.bias"}
    write_weights("other.pth", {**left, "more.weight": np.ones((1, 2, 3, 3), "f4")}.items(), "pth")
    assert main(["weights", "other.pth", "-o", "out.ckpt", "--net", "net.py:Net"]) == 1
    told = capsys.readouterr().out
    assert "Net() on the runtime: 9 loaded, 1 missing, 1 unexpected, 0 of another shape\n" in told
    assert "  missing   1: conv.bias\n  not its   1: more.weight\n" in told
    assert Path("out.ckpt").exists()
    call = ["--net", "net.py", "--call", "Net(outputs=2)", "--json"]
    assert main(["weights", "other.pth", "-o", "two.ckpt", *call]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] is False
    assert found["network"]["missing"] == ["conv.bias"]
    assert found["network"]["shape"][1] == {"name": "fc.bias", "shape": [3], "network": [2]}


def test_in_pytorch(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    assert main(["weights", "net.pth", "-o", "net.ckpt"]) == 0
    for output in ("back.pth", "back.safetensors"):
        layers = ["--layer", "conv=Conv1d", "--names", "pytorch", "--net", "theirs.py:Net"]
        assert main(["weights", "net.ckpt", "-o", output, *layers]) == 0
        told = capsys.readouterr().out
        assert "Net() on PyTorch: 10 loaded, 0 missing, 0 unexpected, 0 of another shape" in told


def test_values_that_did_not_arrive_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A network that says that it has loaded all, and has not."""
    take = NetworkSide.take

    def wrong(self: NetworkSide, files: tuple[str, ...], names: tuple[str, ...]) -> dict[str, str]:
        return take(self, files, names) | {"fc.bias": digest(np.zeros(3, "f4"))}

    monkeypatch.setattr(NetworkSide, "take", wrong)
    found = fitted("Net()")
    assert (found.differing, found.is_whole) == (("fc.bias",), False)
    assert "fc.bias" not in found.loaded


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (("--net", "none.py:Net"), 2, "MS401 none.py: there is no such file"),
        (("--net", "net.py"), 2, "--net names a class, FILE:CLASS, or --call says how"),
        (("--net", "net.py:Net", "--call", "Net()"), 2, "--net names a class, FILE:CLASS, or"),
        (("--call", "Net()"), 2, "--call is of no use without --net"),
        (("--python", "python"), 2, "--python is of no use without --net"),
        (("--net", "net.py:Other"), 1, "net.py: NameError: name 'Other' is not defined"),
        (("--net", "net.py", "--call", "no_network()"), 1, "gives a int, which is no Cell"),
        (("--net", "net.py:Net", "--python", "none"), 1, "MS401 none: this Python cannot"),
    ],
)
def test_what_is_no_network_is_told_before_anything_is_written(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], status: int, told: str
) -> None:
    assert main(["weights", "net.pth", "-o", "out.ckpt", *arguments]) == status
    assert told in capsys.readouterr().err
    assert not Path("out.ckpt").exists()


def test_a_process_that_dies(capsys: pytest.CaptureFixture[str]) -> None:
    Path("net.py").write_text(f"{IN_MINDSPORE}\nimport os\nos._exit(3)\n")
    with pytest.raises(MsconvertError, match=r"MS402 .*net.py: Crash: .*status 3"):
        fitted("Net()")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.arange(6, dtype="f4").reshape(2, 3), np.arange(6, dtype=">f4")),
        (np.arange(6, dtype="f4").reshape(2, 3).T, np.array([0, 3, 1, 4, 2, 5], "f4")),
        (np.zeros((0, 3)), np.zeros(0)),
    ],
)
def test_digests_are_of_the_elements(one: np.ndarray, other: np.ndarray) -> None:
    assert digest(one) == digest(other)
    assert digest(np.array(1.0)) != digest(np.array(-1.0))
