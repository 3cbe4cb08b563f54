"""What packages of users add by entry points: ONNX handlers, API rows, causes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

ACME = '''
from msconvert.api_mapping.table.rule import Rule
from msconvert.converter.onnx_ops.registry import onnx_op
from msconvert.troubleshooter.diagnosis.causes import Cause
from msconvert.troubleshooter.diagnosis.layers.linear import Linear

ROWS = (
    Rule("acme.fused_relu(x, slope=0.0)", "ops.leaky_relu(x, alpha=slope)", returns="tensor"),
    Rule("torch.brand_new(input)", "ops.relu(input)", returns="tensor"),
)
OURS = (Rule("torch.relu(input)", "ops.abs(input)"),)
CAUSE = Cause("acme", "Acme's scale", (Linear,), lambda layer, case: iter(()))


@onnx_op("Twice", 1, domain="com.acme")
def twice(node, x):
    """Twice(x) -> y."""
    return x + x
'''


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """msconvert, with what was installed beside it."""
    path = os.pathsep.join([str(folder / "site"), *filter(None, sys.path)])
    return subprocess.run(
        [sys.executable, "-m", "msconvert", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )


def install(folder: Path, group: str, entry: str) -> None:
    info = folder / "site" / "acme-1.dist-info"
    info.mkdir(parents=True)
    (folder / "site" / "acme.py").write_text(ACME)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[{group}]\nours = {entry}\n")


def write_model(path: Path) -> None:
    nodes = [
        helper.make_node("Twice", ["x"], ["y"], name="twice", domain="com.acme"),
        helper.make_node("Relu", ["y"], ["z"]),
    ]
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3]) for name in "xz"]
    graph = helper.make_graph(nodes, "g", values[:1], values[1:])
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.acme", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), path)


def test_a_handler_for_a_domain_of_the_user(tmp_path: Path) -> None:
    write_model(tmp_path / "m.onnx")
    before = run(tmp_path, "--model_file", "m.onnx", "--no-verify", "--output", "before")
    assert before.returncode == 1
    assert "MS101 com.acme::Twice 'twice'" in before.stderr
    install(tmp_path, "msconvert.onnx_ops", "acme")
    after = run(tmp_path, "--model_file", "m.onnx", "--no-verify", "--output", "after")
    assert after.returncode == 0, after.stderr
    assert "ops.relu(x + x)" in (tmp_path / "after" / "m.py").read_text()


def test_what_onnx_runtime_cannot_run_is_not_called_equal(tmp_path: Path) -> None:
    write_model(tmp_path / "m.onnx")
    install(tmp_path, "msconvert.onnx_ops", "acme")
    done = run(tmp_path, "--model_file", "m.onnx")
    assert done.returncode == 1
    assert "MS108 ONNX Runtime does not open the original" in done.stderr


def test_rows_for_apis_that_the_table_has_not(tmp_path: Path) -> None:
    source = "import acme\nimport torch\n\n\ndef f(x: torch.Tensor):\n"
    source += "    return acme.fused_relu(x, slope=0.1) + torch.brand_new(x)\n"
    (tmp_path / "f.py").write_text(source)
    (tmp_path / "site").mkdir()
    before = json.loads(run(tmp_path, "scan", "f.py", "--json").stdout)
    assert "torch.brand_new" not in before["totals"]["blockers"]
    (tmp_path / "site").rmdir()
    install(tmp_path, "msconvert.api_rows", "acme:ROWS")
    done = run(tmp_path, "source", "f.py", "--output", "new")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "new" / "f.py").read_text()
    assert "ops.leaky_relu(x, alpha=0.1) + ops.relu(x)" in text
    assert "import torch" not in text
    assert "import acme" not in text
    assert "leaky_relu" in run(tmp_path, "api", "acme.fused_relu").stdout


@pytest.mark.parametrize(
    ("group", "entry", "problem"),
    [
        ("msconvert.api_rows", "acme:OURS", "the table has a row for torch.relu already"),
        ("msconvert.api_rows", "acme:CAUSE", "it is no list of"),
        ("msconvert.api_rows", "acme:missing", "has no attribute 'missing'"),
        ("msconvert.api_rows", "no_such_module", "No module named 'no_such_module'"),
        ("msconvert.onnx_ops", "acme:ROWS", "it is no module that has a function under @onnx_op"),
        ("msconvert.onnx_ops", "json", "it is no module that has a function under @onnx_op"),
    ],
)
def test_an_extension_that_is_of_no_use_is_told(
    group: str, entry: str, problem: str, tmp_path: Path
) -> None:
    install(tmp_path, group, entry)
    write_model(tmp_path / "m.onnx")
    (tmp_path / "f.py").write_text("import torch\nx = torch.relu(torch.ones(2))\n")
    command = ("scan", "f.py") if "rows" in group else ("--model_file", "m.onnx")
    done = run(tmp_path, *command)
    assert done.returncode == 1
    assert f"MS902 entry point 'ours' of {group}" in done.stderr
    assert problem in done.stderr
    assert "MS901" not in done.stderr


def test_causes_of_users_are_tried_behind_ours(tmp_path: Path) -> None:
    install(tmp_path, "msconvert.causes", "acme:CAUSE")
    code = "from msconvert.troubleshooter.diagnosis.causes import SPECIFIC, specific\n"
    code += "assert specific()[:-1] == SPECIFIC and specific()[-1].name == 'acme'"
    path = os.pathsep.join([str(tmp_path / "site"), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
