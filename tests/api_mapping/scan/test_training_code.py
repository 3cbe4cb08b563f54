"""Training loops: the scan tells of them what the source converter makes of them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from msconvert.api_mapping.source.outcome import counts_of
from msconvert.api_mapping.source.tree import convert_paths
from msconvert.api_mapping.table.target import Settings
from msconvert.tests.api_mapping.scan.projects import run_scan, scanned, uses

SCRIPTS = Path(__file__).parents[1] / "migrate" / "scripts"
BACKWARD = "torch.Tensor.backward"

HEAD = """\
import torch
from torch import nn

net = nn.Linear(4, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
x, y = torch.rand(3, 4), torch.tensor([0, 1, 0])
"""
LOOP = """
for _ in range(3):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
"""
SCALED = LOOP.replace("loss.back", "scaler.scale(loss).back").replace(
    "opt.step()", "scaler.step(opt)"
)
CLOSURE = """

def closure():
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    return loss


opt.step(closure)
"""
GIVEN = """

def step(loss: torch.Tensor) -> None:
    opt.zero_grad()
    loss.backward(torch.ones(()))
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
"""
NO_STEP = "\nnet(x).sum().backward()\n"
LONE = "\nnn.utils.clip_grad_norm_(net.parameters(), 1.0)\nopt.step()\n"

OPEN = {
    "plain": (LOOP, []),
    "scaled": (SCALED, []),
    "closure": (CLOSURE, []),
    "given": (GIVEN, ["zero_grad", "backward", "clip_grad_norm_", "step"]),
    "no step": (NO_STEP, []),
    "lone": (LONE, ["clip_grad_norm_", "step"]),
    "beside": (LOOP + NO_STEP, []),
}
"""What follows the head, and the uses that nobody rewrites."""


@pytest.mark.parametrize(("code", "left"), OPEN.values(), ids=OPEN)
def test_uses_in_training_code_are_open_where_the_converter_leaves_them(
    code: str, left: list[str], tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(HEAD + code)
    told = uses(scanned("train.py", cwd=tmp_path))
    found = [use["api"] for use in told if use.get("refusal") or use["verdict"] == "missing"]
    assert [api.rpartition(".")[2] for api in found] == left
    assert {use["api"] for use in told if use.get("code") == "MS201"} <= {BACKWARD}
    (file,) = convert_paths([tmp_path / "train.py"], Settings()).files
    assert counts_of(file).left == len(left)


@pytest.mark.parametrize("path", sorted(SCRIPTS.glob("*.py")), ids=lambda path: path.stem)
def test_the_scan_agrees_with_the_converter_about_whole_scripts(path: Path) -> None:
    report = scanned(path.name, cwd=path.parent)
    (file,) = convert_paths([path], Settings()).files
    opened = [u for u in uses(report) if u.get("refusal") or u["verdict"] == "missing"]
    assert len(opened) == counts_of(file).left
    code = ast.parse(file.data or b"")
    places = (node for node in ast.walk(code) if isinstance(node, ast.Attribute))
    calls = [p for p in places if p.attr == "backward" and ast.unparse(p.value) != "self"]
    assert len(calls) == [use["api"] for use in opened].count(BACKWARD)


def test_a_loop_that_is_converted_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(HEAD + LOOP)
    done = run_scan("train.py", "--fail-on", "missing", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "What stops it" not in done.stdout
    assert "Effort: 0 lines to change by hand" in done.stdout
    inner = "\ndef probe(loss: torch.Tensor) -> None:\n    loss.backward()\n"
    (tmp_path / "train.py").write_text(HEAD + LOOP + inner)
    done = run_scan("train.py", "--fail-on", "missing", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("train.py:16:10: MS201 torch.Tensor.backward has no counterpart")
    assert "What stops it (1 API)" in done.stdout
    totals = scanned("train.py", cwd=tmp_path)["totals"]
    (gradients,) = (row for row in totals["features"] if row["feature"] == "gradients")
    assert (totals["blockers"], gradients["uses"], gradients["converted"]) == ([BACKWARD], 2, 1)
