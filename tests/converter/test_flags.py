"""The flags of a conversion: every two values of every two of them, with the comparison."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.utils
import onnxruntime
import pytest
from onnx import ModelProto, helper

from msconvert import runtime
from msconvert.commands import main as cli
from msconvert.tests.bad_models import dense, model

Row = dict[str, str]

FLAGS: dict[str, tuple[str, ...]] = {
    "model": ("dense", "plain"),
    "format": ("", "ckpt", "safetensors"),
    "target": ("", "bundled", "mindspore"),
    "report": ("", "told", "out"),
    "output_nodes": ("", "positive", "y", "/act/Relu", "positive y"),
    "input_nodes": ("", "x", "hidden", "/first/Node"),
    "shape": ("", "2,3", "-1,3"),
    "force": ("", "new", "over another", "over itself"),
    "json": ("", "on"),
    "memory": ("", "3GB"),
    "timeout": ("", "100"),
}
"""Each flag with its values; "" leaves it out."""


def plain() -> ModelProto:
    """As `dense`, without weights."""
    nodes = [
        helper.make_node("Sin", ["x"], ["hidden"], name="/first/Node"),
        helper.make_node("Relu", ["hidden"], ["positive"], name="/act/Relu"),
        helper.make_node("Exp", ["positive"], ["y"], name="/second/Exp"),
    ]
    return model(nodes)


def weighted() -> ModelProto:
    """As `dense`, its first node by the name that `plain` has."""
    made = dense()
    made.graph.node[0].name = "/first/Node"
    return made


MODELS = {"dense": weighted, "plain": plain}


def covering(flags: Mapping[str, Sequence[str]]) -> list[Row]:
    """Rows in which every two values of every two flags meet; the same ones each time."""
    values = [[(name, value) for value in flags[name]] for name in flags]
    missing = {
        frozenset(pair)
        for one, other in itertools.combinations(values, 2)
        for pair in itertools.product(one, other)
    }
    rows = []
    while missing:
        row = dict(min(map(sorted, missing)))
        for name in [name for name in flags if name not in row]:
            met = [(len(missing & pairs_of(row | {name: value})), value) for value in flags[name]]
            row[name] = max(met)[1]
        missing -= pairs_of(row)
        rows.append({name: row[name] for name in flags})
    return rows


def pairs_of(row: Row) -> set[frozenset[tuple[str, str]]]:
    return set(map(frozenset, itertools.combinations(row.items(), 2)))


BASIC = [
    dict.fromkeys(FLAGS, "") | {"model": name, "format": format, "target": target}
    for name, format, target in itertools.product(
        *(FLAGS[f] for f in ("model", "format", "target"))
    )
]
"""What the script imports and loads follows from these three together."""
ROWS = [*BASIC, *covering(FLAGS)]


def arguments(row: Row) -> list[str]:
    """The command line of a row."""
    words = ["--model_file", f"{row['model']}.onnx", "--output", "out"]
    for name in ("format", "target", "report", "memory", "timeout"):
        words += [f"--{name}", row[name]] if row[name] else []
    for name in ("output_nodes", "input_nodes", "shape"):
        words += [f"--{name}", *row[name].split()] if row[name] else []
    words += ["--force"] if row["force"] else []
    return words + (["--json"] if row["json"] else [])


def wanted(row: Row, model: ModelProto) -> list[Any]:
    """What ONNX Runtime makes of `X`, between the values that the row names."""
    start = {"": "x", "/first/Node": "hidden"}.get(row["input_nodes"], row["input_nodes"])
    ends = {"": ["y"], "/act/Relu": ["positive"]}.get(row["output_nodes"])
    part = onnx.utils.Extractor(onnx.shape_inference.infer_shapes(model)).extract_model(
        [start], ends or row["output_nodes"].split()
    )
    session = onnxruntime.InferenceSession(part.SerializeToString())
    return list(session.run(None, {start: X}))


X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
RUN = """
import importlib.util, sys
import numpy as np
def results(file, x, ms):
    spec = importlib.util.spec_from_file_location("script", file)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    y = script.load()(ms.Tensor(x))
    return [one.asnumpy() for one in (y if isinstance(y, (tuple, list)) else (y,))]
"""


def compare(got: Sequence[Any], expected: Sequence[Any]) -> None:
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def prepared(row: Row, folder: Path) -> ModelProto:
    """The row's model, written into `folder`, with what an earlier run has left there."""
    proto = MODELS[row["model"]]()
    onnx.save(proto, folder / f"{row['model']}.onnx")
    if row["force"].startswith("over"):
        before = row | {"force": "", "json": ""}
        if row["force"] == "over another":
            before |= {"format": "safetensors", "target": "mindspore", "report": "out"}
        assert cli.main([*arguments(before), "--no-verify"]) == 0
    return proto


@pytest.mark.parametrize("row", ROWS, ids=[str(i) for i in range(len(ROWS))])
def test_flags_together(
    row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    proto = prepared(row, tmp_path)
    capfd.readouterr()
    assert cli.main(arguments(row)) == 0
    told = capfd.readouterr()
    assert told.err == ""
    report = json.loads(
        Path(row["report"] or "out", f"report_of_{row['model']}.json").read_text("utf-8")
    )
    assert (report["ok"], report["rate"]) == (True, 1.0)
    assert report["verification"]["differences"]
    assert json.loads(told.out) == report if row["json"] else "They agree." in told.out
    assert all(Path(name).is_file() for name in report["files"])
    weights = [name for name in report["files"] if name.endswith((".ckpt", ".safetensors"))]
    has_weights = row["model"] == "dense" and report["parameters"] > 0
    assert weights == ([f"out/dense.{row['format'] or 'ckpt'}"] if has_weights else [])
    script = Path("out", f"{row['model']}.py")
    imported = "mindspore" if row["target"] == "mindspore" else "msconvert.runtime"
    assert f"import {imported} as ms" in script.read_text("utf-8")
    if row["target"] != "mindspore":
        space: dict[str, Any] = {}
        exec(RUN, space)
        compare(space["results"](script, X, runtime), wanted(row, proto))


def test_the_scripts_for_mindspore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_mindspore: Callable[..., str]
) -> None:
    rows = [row for row in ROWS if row["target"] == "mindspore"]
    expected = []
    for i, row in enumerate(rows):
        (tmp_path / str(i)).mkdir()
        monkeypatch.chdir(tmp_path / str(i))
        expected.append(wanted(row, prepared(row | {"force": ""}, tmp_path / str(i))))
        assert cli.main(arguments(row)) == 0
    np.save(tmp_path / "x.npy", X)
    loop = """
import mindspore as ms
for i, name in enumerate(sys.argv[1:]):
    np.savez(f"y_{i}.npz", *results(name, np.load("x.npy"), ms))
"""
    names = [f"{i}/out/{row['model']}.py" for i, row in enumerate(rows)]
    run_mindspore(tmp_path, "-c", RUN + loop, *names)
    for i, result in enumerate(expected):
        with np.load(tmp_path / f"y_{i}.npz") as arrays:
            compare([arrays[name] for name in arrays.files], result)


def test_all_pairs_are_there() -> None:
    found = set().union(*map(pairs_of, ROWS))
    for one, other in itertools.combinations(FLAGS, 2):
        for a, b in itertools.product(FLAGS[one], FLAGS[other]):
            assert frozenset([(one, a), (other, b)]) in found
    assert len(ROWS) < 60
