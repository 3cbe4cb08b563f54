"""What a file may take and do: models that kill ONNX Runtime, or need memory without end."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from msconvert.converter import convert as steps
from msconvert.converter import model as preparing
from msconvert.converter.allowance import CPU_S, MEMORY, extend_for, largest_step
from msconvert.converter.convert import Options, convert
from msconvert.converter.graph.prepare import prepare
from msconvert.converter.source.load import load
from msconvert.errors import MsconvertError

FLOAT, INT32, STRING = TensorProto.FLOAT, TensorProto.INT32, TensorProto.STRING
DOUBLINGS = 30


def saved(
    folder: Path,
    nodes: list[onnx.NodeProto],
    inputs: list[tuple[str, int, list[int | str]]],
    output: tuple[str, int],
    weights: dict[str, np.ndarray] | None = None,
) -> Path:
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info(*item) for item in inputs],
        [helper.make_tensor_value_info(*output, None)],
        [numpy_helper.from_array(array, name) for name, array in (weights or {}).items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    model.ir_version = 9
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def recurrent(folder: Path, op: str, shape: list[int], directions: int = 1) -> Path:
    gates = {"LSTM": 16, "GRU": 12}[op]
    way = "forward" if directions == 1 else "bidirectional"
    attrs = {} if op == "LSTM" else {"linear_before_reset": 1}
    node = helper.make_node(op, ["x", "w", "r"], ["y"], hidden_size=4, direction=way, **attrs)
    w, r = np.ones((directions, gates, 3), "f"), np.ones((directions, gates, 4), "f")
    return saved(folder, [node], [("x", FLOAT, shape)], ("y", FLOAT), {"w": w, "r": r})


KILLING: dict[str, Callable[[Path], Path]] = {
    "LSTM of no batch": lambda folder: recurrent(folder, "LSTM", [5, 0, 3]),
    "LSTM of nothing": lambda folder: recurrent(folder, "LSTM", [0, 0, 3]),
    "bidirectional LSTM": lambda folder: recurrent(folder, "LSTM", [5, 0, 3], 2),
    "GRU of no batch": lambda folder: recurrent(folder, "GRU", [5, 0, 3]),
    "GRU of no steps": lambda folder: recurrent(folder, "GRU", [0, 2, 3]),
    "bidirectional GRU": lambda folder: recurrent(folder, "GRU", [5, 0, 3], 2),
}
"""Models on which ONNX Runtime 1.27 aborts its process."""


@pytest.mark.parametrize("name", KILLING)
def test_a_model_that_kills_onnx_runtime_is_told(name: str, tmp_path: Path) -> None:
    report = convert(Options(KILLING[name](tmp_path), output=tmp_path / "output"))
    assert not report.ok
    assert report.verification is not None
    problem = report.verification.problem
    assert problem.startswith("ONNX Runtime, with the original, was ended by SIGABRT")
    assert report.findings[-1].code == "MS108"
    assert len(list((tmp_path / "output").iterdir())) == 5


def test_a_constant_that_kills_onnx_runtime_is_told(tmp_path: Path) -> None:
    """Folding computes with it: -2**31 / -1 ends the process with SIGFPE."""
    nodes = [helper.make_node("Div", ["a", "b"], ["c"]), helper.make_node("Add", ["c", "x"], ["y"])]
    weights = {"a": np.full(3, -(2**31), np.int32), "b": np.full(3, -1, np.int32)}
    path = saved(tmp_path, nodes, [("x", INT32, [3])], ("y", INT32), weights)
    with pytest.raises(MsconvertError) as caught:
        convert(Options(path, output=tmp_path / "output"))
    told = "MS110 model.onnx: the conversion was ended by SIGFPE, while reading the model"
    assert caught.value.text().startswith(told)
    assert not (tmp_path / "output").exists()


@pytest.mark.parametrize(
    ("module", "step", "reached"),
    [
        (steps, "load", "reading the model"),
        (preparing, "prepare", "reading the model"),
        (preparing, "recompose", "reading the model"),
        (steps, "script_of", "writing the script"),
        (steps, "weight_map", "writing the script"),
        (steps, "write_weights", "writing the weights"),
        (steps, "_verified", "comparing with ONNX Runtime"),
    ],
)
def test_whatever_step_dies_nothing_is_left(
    module: object, step: str, reached: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "given").mkdir()
    model = recurrent(tmp_path / "given", "LSTM", [5, 1, 3])
    monkeypatch.setattr(module, step, lambda *a, **k: os._exit(9))
    with pytest.raises(MsconvertError) as caught:
        convert(Options(model, output=tmp_path / "new" / "output"))
    assert (caught.value.code, caught.value.where) == ("MS110", "model.onnx")
    assert caught.value.problem == f"the conversion ended with exit status 9, while {reached}"
    assert [path.name for path in tmp_path.iterdir()] == ["given"]


def doubled(op: str = "Concat", count: int = DOUBLINGS, **attrs: int) -> list[onnx.NodeProto]:
    names = ["x", *(f"v{i}" for i in range(count - 1)), "y"]
    return [helper.make_node(op, [a, a], [b], **attrs) for a, b in pairwise(names)]


def tiled(folder: Path) -> Path:
    weights = {"n": np.array([1000, 1000], np.int64)}
    nodes = [helper.make_node("Tile", ["x", "n"], ["y"])]
    return saved(folder, nodes, [("x", FLOAT, [100, 100])], ("y", FLOAT), weights)


def expanded(folder: Path) -> Path:
    weights = {"n": np.array([100_000, 100_000], np.int64)}
    nodes = [helper.make_node("Expand", ["x", "n"], ["v"]), helper.make_node("Exp", ["v"], ["y"])]
    return saved(folder, nodes, [("x", FLOAT, [1, 1])], ("y", FLOAT), weights)


def outer(folder: Path) -> Path:
    nodes = [helper.make_node("Mul", ["x", "z"], ["y"])]
    inputs = [("x", FLOAT, [60_000, 1]), ("z", FLOAT, [1, 60_000])]
    return saved(folder, nodes, inputs, ("y", FLOAT))


def of_constants(folder: Path) -> Path:
    nodes = [*doubled(axis=0), helper.make_node("Add", ["y", "b"], ["z"])]
    return saved(folder, nodes, [("b", FLOAT, [1])], ("z", FLOAT), {"x": np.ones((4, 4), "f")})


def grown_size(folder: Path) -> Path:
    """y as large as x a hundred thousand times: the second of ONNX Runtime's runs is refused."""
    names = [f"s{i}" for i in range(15)]
    nodes = [helper.make_node("Shape", ["x"], ["s0"])]
    nodes += [helper.make_node("Add", [a, a], [b]) for a, b in pairwise(names)]
    nodes.append(helper.make_node("Expand", ["z", "s14"], ["y"]))
    inputs = [("x", FLOAT, ["a", "b"]), ("z", FLOAT, [1, 1])]
    return saved(folder, nodes, inputs, ("y", FLOAT))


def huge(folder: Path) -> Path:
    node = helper.make_node("Relu", ["x"], ["y"])
    return saved(folder, [node], [("x", FLOAT, [2**60] * 2000)], ("y", FLOAT))


def texts(folder: Path) -> Path:
    nodes = doubled("StringConcat", 34)
    graph = helper.make_graph(
        nodes,
        "graph",
        [],
        [helper.make_tensor_value_info("y", STRING, [1])],
        [helper.make_tensor("x", STRING, [1], [b"abcdefgh"])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    model.ir_version = 9
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    return folder / "model.onnx"


NO_ROOM = r"Failed to allocate memory|std::bad_alloc|took more than 1\.6 GB of memory"
"""Whether ONNX Runtime or NumPy is the first to find none depends on what came before."""

LARGE: dict[str, tuple[Callable[[Path], Path], str]] = {
    "doubled": (
        lambda f: saved(f, doubled(axis=0), [("x", FLOAT, [4, 4])], ("y", FLOAT)),
        "the comparison needs 68.7 GB of memory and more at Concat 'y'",
    ),
    "doubled along another axis": (
        lambda f: saved(f, doubled(axis=1, count=28), [("x", FLOAT, [4, 4])], ("y", FLOAT)),
        "the comparison needs 17.2 GB of memory and more at Concat 'y'",
    ),
    "open sizes": (
        lambda f: saved(f, doubled(axis=0), [("x", FLOAT, ["n", 4])], ("y", FLOAT)),
        NO_ROOM,
    ),
    "constants": (of_constants, "the comparison needs 68.7 GB of memory and more at Concat 'y'"),
    "tiled": (tiled, "the comparison needs 40.0 GB of memory and more at Tile 'y'"),
    "expanded": (expanded, "the comparison needs 40.0 GB of memory and more at E"),
    "outer product": (outer, "the comparison needs 14.4 GB of memory and more at Mul 'y'"),
    "a size of sizes": (grown_size, NO_ROOM),
    "two thousand axes": (huge, "GB of memory and more at Relu 'y'"),
    "texts": (texts, NO_ROOM),
}


def peak() -> int:
    """The most bytes that a child of this process has had; it begins with those of the parent."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


@pytest.mark.parametrize("name", LARGE)
def test_memory_is_bounded(name: str, tmp_path: Path) -> None:
    build, words = LARGE[name]
    before, own = peak(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    try:
        report = convert(Options(build(tmp_path), output=tmp_path / "output"))
    except MsconvertError as error:
        said = error.text().removeprefix("MS110 model.onnx: the conversion ")
    else:
        assert report.verification is not None
        said = report.verification.problem
    assert re.search(words, said)
    assert "--memory" in said
    assert peak() == before or peak() < own + (2 << 30)


def test_a_comparison_without_end_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The script, in the time that is left of what was asked for."""

    def turning(*arguments: object) -> None:
        while True:
            pass

    monkeypatch.setattr("msconvert.converter.proof.verify.run_script", turning)
    model = recurrent(tmp_path, "LSTM", [5, 1, 3])
    report = convert(Options(model, output=tmp_path / "output", timeout_s=3))
    assert report.verification is not None
    problem = report.verification.problem
    assert problem.startswith("the script took more than ")
    assert problem.endswith(" s of CPU time (a larger --timeout SECONDS allows more)")


def test_a_conversion_without_end_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def turning(graph: object) -> None:
        while True:
            pass

    monkeypatch.setattr(preparing, "recompose", turning)
    model = recurrent(tmp_path, "LSTM", [5, 1, 3])
    with pytest.raises(MsconvertError) as caught:
        convert(Options(model, output=tmp_path / "output", timeout_s=2))
    assert caught.value.text() == (
        "MS110 model.onnx: the conversion took more than 2 s of CPU time, while reading the model\n"
        "  try:      --timeout 20 allows more, if you trust the file"
    )


def test_weights_allow_more_and_what_was_asked_for_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = load(recurrent(tmp_path, "LSTM", [5, 1, 3]))
    graph.constants["large"] = np.broadcast_to(np.float32(0), (1 << 24,))
    stored, graph.stored = graph.stored, 1 << 40
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr("msconvert.converter.allowance.extend", lambda *more: asked.append(more))
    extend_for(graph, None, None)
    extend_for(graph, 1, 1)
    weights = (1 << 26) + 4 * (48 + 64)
    assert asked == [(8 * weights, 64), (0, 0)]
    graph.nodes *= 5000
    extend_for(graph, None, None)
    assert asked[-1] == (8 * weights, 69)
    graph.stored = stored  # what holes in a file show is not there
    extend_for(graph, None, None)
    assert asked[-1][0] <= 8 * 8192
    assert Options(tmp_path).bounds.memory == MEMORY
    assert Options(tmp_path, timeout_s=7).bounds.cpu_s == 7
    assert Options(tmp_path).bounds.cpu_s == CPU_S


def test_the_largest_step_counts_what_is_known(tmp_path: Path) -> None:
    graph = prepare(load(outer(tmp_path))).graph
    size, node = largest_step(graph)
    assert (size, node) == (4 * 60_000**2, graph.nodes[0])
    graph.types.clear()
    assert largest_step(graph) == (0, graph.nodes[0])
