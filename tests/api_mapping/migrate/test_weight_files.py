"""Files of PyTorch's with more than weights in them, through `msconvert weights`."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from msconvert.api_mapping.source.compat_module import NAME, compat_module
from msconvert.api_mapping.table.target import Target
from msconvert.errors import MsconvertError
from msconvert.formats import read_weights
from msconvert.formats.names.renaming import Wishes
from msconvert.troubleshooter.weights import WeightSettings, convert_weights

from .running import loaded, migrated

pytestmark = pytest.mark.usefixtures("warm")

HEAD = """
import torch
from torch import nn
net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
checkpoint = torch.load("net.pth")
"""
TAIL = "values = [round(v, 5) for v in net(torch.ones(2, 3)).flatten().tolist()]\n"
FORMS = {
    "model": ('{"model": state, "epoch": 3}', 'net.load_state_dict(checkpoint["model"])\n'),
    "state_dict": (
        '{"state_dict": state, "best": 1.5}',
        "net.load_state_dict(checkpoint['state_dict'])\n",
    ),
    "model_state_dict": (
        '{"epoch": 1, "model_state_dict": state, "optimizer": {}}',
        'net.load_state_dict(checkpoint["model_state_dict"])\nepoch = checkpoint.get("epoch", 0)\n',
    ),
    "asked for": (
        '{"net": state}',
        'if "net" in checkpoint:\n    checkpoint = checkpoint["net"]\n'
        "net.load_state_dict(checkpoint)\n",
    ),
    "nested": (
        '{"state": {"net": state, "best": {1: 0.5, 2: 0.75}}, "shape": (3, 2)}',
        'net.load_state_dict(checkpoint["state"]["net"])\n'
        'assert checkpoint["state"]["best"][2] == 0.75 and checkpoint["shape"] == (3, 2)\n',
    ),
    "averaged": (
        '{"model": half(state), "model_ema": wrapped(state), "num_updates": 7}',
        'state = {n.replace("module.", ""): v for n, v in checkpoint["model_ema"].items()}\n'
        'net.load_state_dict(state)\nassert checkpoint["num_updates"] == 7\n',
    ),
    "history": (
        '{"model": state, "losses": [1.5, float("inf")], "classes": ("a", "b"), "args": None}',
        'net.load_state_dict(checkpoint["model"])\n'
        'assert checkpoint["losses"] == [1.5, float("inf")] and checkpoint["args"] is None\n'
        'assert checkpoint["classes"] == ("a", "b")\n',
    ),
    "a tensor beside": (
        '{"model": state, "mean": state["0.bias"] * 0 + 2, "epoch": 4}',
        'net.load_state_dict(checkpoint["model"])\n'
        'assert checkpoint["mean"].tolist() == [2, 2] and checkpoint["epoch"] == 4\n',
    ),
    "what has no place": (
        '{"model": state, "sparse": 1j, "kinds": {1, 2}, "epoch": 4}',
        'net.load_state_dict(checkpoint["model"])\nassert checkpoint["epoch"] == 4\n',
    ),
    "weights alone": ("state", "net.load_state_dict(checkpoint)\n"),
    "either": (
        '{"ema": state}',
        'net.load_state_dict(checkpoint.get("ema", checkpoint))\n',
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_converted_code_finds_what_the_file_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    torch = pytest.importorskip("torch")
    made, code = FORMS[form]
    torch.manual_seed(0)
    state = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2)).state_dict()
    names = {"state": state, "half": half, "wrapped": wrapped}
    torch.save(eval(made, names), tmp_path / "net.pth")  # of FORMS above
    left, right = both(tmp_path, f"{HEAD}{code}net.eval()\n{TAIL}")
    command = [sys.executable, "-m", "msconvert", "weights", "net.pth", "-o", "net.ckpt"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=900)
    shutil.copy(tmp_path / "net.ckpt", right.parent / "net.pth")
    monkeypatch.chdir(tmp_path)
    wanted = loaded(left).values
    monkeypatch.chdir(right.parent)
    assert loaded(right).values == wanted


def half(state: Any) -> dict[str, Any]:
    """Other values of a state, so that it shows which one was taken."""
    return {name: value / 2 for name, value in state.items()}


def wrapped(state: Any) -> dict[str, Any]:
    """The state of the network in DataParallel."""
    return {f"module.{name}": value for name, value in state.items()}


@pytest.mark.parametrize("target", ["net.ckpt", "net.safetensors", "sharded", "with a key"])
def test_only_a_checkpoint_in_one_file_has_place_for_more(tmp_path: Path, target: str) -> None:
    torch = pytest.importorskip("torch")
    state = torch.nn.Linear(300, 200).state_dict()
    torch.save({"model": state, "epoch": 3, "mean": torch.ones(2)}, tmp_path / "net.pth")
    more = {"sharded": ["--shard-size", "200KB"], "with a key": ["--key", "model"]}
    output = target if "." in target else "net.ckpt"
    source = str(tmp_path / "net.pth")
    command = ["weights", source, "--layer", "*=Linear", "--json", "-o", str(tmp_path / output)]
    done = subprocess.run(
        [sys.executable, "-m", "msconvert", *command, *more.get(target, [])],
        check=True,
        capture_output=True,
        text=True,
        timeout=900,
    )
    found = json.loads(done.stdout)
    assert found["around"] == (["mean"] if target == "net.ckpt" else [])
    assert found["not_taken"] == ([] if target == "net.ckpt" else [""])
    texts = [
        name for file in found["files"] if file.endswith("ckpt") for name in read_weights(file)
    ]
    assert ("structure" in texts) == (target == "net.ckpt")


def test_values_without_end_are_refused(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    inner: list[Any] = [0]
    for _ in range(40):
        inner = [inner, inner]
    torch.save({"model": {"weight": torch.ones(2, 2)}, "epoch": inner}, tmp_path / "net.pth")
    settings = WeightSettings(wishes=Wishes({"weight": "weight"}, [], (), ""))
    with pytest.raises(MsconvertError, match="without end"):
        convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", settings)


def test_what_was_left_out_is_said(tmp_path: Path) -> None:
    scope: dict[str, object] = {}
    text = compat_module(frozenset({"Weights"}), Target.BUNDLED)
    exec(compile(text, "_ms_compat.py", "exec"), scope)  # what msconvert has written
    found = scope["Weights"]({"fc.weight": 1})  # type: ignore[operator]
    assert found["model"] is found
    for name in ("epoch", "optimizer", "optimizer_state_dict", "args", "lr_scheduler", "rng_state"):
        with pytest.raises(KeyError, match="nothing beside them"):
            found[name]


def both(folder: Path, code: str) -> tuple[Path, Path]:
    """The code as a file, and what it is converted to."""
    found = migrated(folder, code)
    assert not found.left
    converted = folder / "converted"
    converted.mkdir()
    (converted / "net.py").write_text(found.text, encoding="utf-8")
    (converted / NAME).write_text(compat_module(found.needed, Target.BUNDLED), encoding="utf-8")
    return folder / "net.py", converted / "net.py"


def test_a_network_is_no_checkpoint(tmp_path: Path) -> None:
    source = (
        "import torch\nfrom torch import nn\nnet = nn.Linear(2, 2)\n"
        "torch.save(net, 'whole.pt')\ntorch.save(obj=net, f='whole.pt')\n"
        "torch.save(net.state_dict(), 'state.pt')\n"
    )
    found = migrated(tmp_path, source)
    assert [use.line for use in found.left] == [4, 5]
    assert found.text.count("MS201 line: torch.save has no counterpart") == 2
    assert found.text.count("save its state_dict()") == 2
