"""The trace of one network: read by the safetensors library and by `msconvert diff`."""

from __future__ import annotations

import json
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open

from msconvert.commands.main import main
from msconvert.tests.troubleshooter.compare import test_layers

torch = pytest.importorskip("torch")


def run(*arguments: str) -> tuple[int, str]:
    """Exit status and what is printed."""
    told = StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        status = main(arguments)
    return status, told.getvalue()


def trace_of(folder: Path, text: str, *more: str) -> tuple[dict[str, np.ndarray], dict]:
    (folder / "net.py").write_text(text)
    file = folder / "trace.safetensors"
    arguments = ["compare", str(folder / "net.py"), "--call", "Net()", "--shape", "2,3,8,8"]
    status, text = run(*arguments, "--trace", str(file), *more)
    assert status == 0, text
    assert "Recorded: 12 calls of layers" in text
    with safe_open(file, "numpy") as opened:
        arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118  # no dict
        return arrays, json.loads(opened.metadata()["msconvert_trace"])


def test_every_layer_is_in_it_and_equal_arrays_once(tmp_path: Path) -> None:
    arrays, manifest = trace_of(tmp_path, test_layers.ORIGINAL)
    calls = {call["layer"]: call for call in manifest["calls"]}
    assert manifest["framework"] == "torch"
    blocks = {f"blocks.{i}{part}" for i in (0, 1) for part in ("", ".conv", ".bn", ".relu")}
    assert set(calls) == {"", "stem", "blocks", "fc"} | blocks
    stored = {array.tobytes() for array in arrays.values()}
    assert len(stored) == len(arrays)
    named = [t["tensor"] for c in calls.values() for t in (*c["inputs"], *c["outputs"])]
    assert set(named) == set(arrays)
    assert len(named) > len(arrays)
    for call in calls.values():
        for tensor in (*call["inputs"], *call["outputs"]):
            array = arrays[tensor["tensor"]]
            assert list(array.shape) == tensor["shape"]
            assert tensor["maximum"] == pytest.approx(float(array.max()))
            assert tensor["norm"] == pytest.approx(float(np.linalg.norm(array)), rel=1e-6)
    bn = calls["blocks.0.bn"]
    assert bn["inputs"][0]["tensor"] == calls["blocks.0.conv"]["outputs"][0]["tensor"]


def test_traces_of_two_frameworks_are_compared_by_diff(tmp_path: Path) -> None:
    """With the same weights, by `--weights-a`, the tensors of each place are equal."""
    for side in "ab":
        (tmp_path / side).mkdir()
    names: dict = {}
    exec(test_layers.ORIGINAL, names)
    torch.save(names["Net"]().state_dict(), tmp_path / "net.pth")
    ours, theirs = str(tmp_path / "net.pth"), str(tmp_path / "net.ckpt")
    status, text = run("weights", ours, "--output", theirs)
    assert status == 0, text
    trace_of(tmp_path / "a", test_layers.ORIGINAL, "--weights-a", ours)
    trace_of(tmp_path / "b", test_layers.CONVERTED, "--weights-a", theirs)
    files = [str(tmp_path / side / "trace.safetensors") for side in "ab"]
    status, text = run("diff", *files, "--profile", "activations", "--json")
    assert status == 0, text
    pairs = {row["a"]: row["b"] for row in json.loads(text)["rows"]}
    assert pairs["stem"] == "stem"
    assert pairs["fc"] == "fc"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "Missing argument 'B'"),
        (["b.py", "--trace", "a.safetensors"], "a trace is of one network, not of two"),
        (["--trace", "a.npz"], "a trace is a .safetensors file"),
    ],
)
def test_what_is_no_trace(arguments: list[str], problem: str) -> None:
    status, text = run("compare", "a.py", *arguments)
    assert status == 2
    assert "MS105" in text
    assert problem in text


def test_a_file_that_exists_stays(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(test_layers.ORIGINAL)
    file = tmp_path / "t.safetensors"
    file.write_text("mine")
    arguments = ["compare", str(tmp_path / "net.py"), "--shape", "2,3,8,8", "--trace", str(file)]
    assert "MS107" in run(*arguments)[1]
    assert file.read_text() == "mine"
