"""Files of PyTorch's with more than weights in them, through `msconvert weights`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from msconvert.api_mapping.source.compat_module import NAME, compat_module
from msconvert.api_mapping.table.target import Target

from .running import loaded, migrated

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
    torch.save(eval(made, {"state": state}), tmp_path / "net.pth")  # of FORMS above
    left, right = both(tmp_path, f"{HEAD}{code}net.eval()\n{TAIL}")
    command = [sys.executable, "-m", "msconvert", "weights", "net.pth", "-o", "net.ckpt"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=300)
    shutil.copy(tmp_path / "net.ckpt", right.parent / "net.pth")
    monkeypatch.chdir(tmp_path)
    wanted = loaded(left).values
    monkeypatch.chdir(right.parent)
    assert loaded(right).values == wanted


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
