"""ONNX's LSTM, GRU and RNN nodes made by hand: directions, optional inputs, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from msconvert.tests.converter.conversion import (
    converted,
    error,
    imported,
    outputs_of_original,
    outputs_of_script,
)
from msconvert.tests.converter.recomposed import check, prepared_file
from msconvert.tests.converter.test_parity import RECURRENT, differences, prepared

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
C, H = 8, 4
TURN = [1, 0, 2]


@dataclass
class Built:
    """A model in the making: nodes, and the constants and inputs that they read."""

    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)

    def add(self, op: str, inputs: str, outputs: str, name: str = "", **attrs: object) -> Built:
        """One node; `-` is an absent name, `@1:2` the constant [1, 2]."""
        names = ["" if n == "-" else n for n in inputs.split()]
        for n in names:
            if n.startswith("@"):
                self.constants[n] = np.array([int(k) for k in n[1:].split(":")], np.int64)
        results = ["" if n == "-" else n for n in outputs.split()]
        self.nodes.append(helper.make_node(op, names, results, name=name, **attrs))
        return self

    def layer(
        self,
        op: str,
        direction: str,
        tail: str = "",
        x: str = "x",
        given: str = "b",
        outputs: str = "y h c",
        seed: int = 1,
        **attrs: object,
    ) -> Built:
        """One recurrent node; `given`: B, sequence_lens, initial_h, initial_c, P."""
        dirs = 2 if direction == "bidirectional" else 1
        rng, rows = np.random.default_rng(seed), GATES[op] * H
        width = C if not tail else dirs * H
        shapes = {"w": (dirs, rows, width), "r": (dirs, rows, H), "b": (dirs, 2 * rows)}
        shapes["p"] = (dirs, 3 * H)
        for name, shape in shapes.items():
            self.constants[name + tail] = rng.standard_normal(shape, np.float32)
        self.constants["lengths"] = np.array([5, 3], np.int32)
        self.states |= {n: dirs for n in given.split() if n in ("h0", "c0")}
        wanted = [n + tail if n in ("b", "p") else n for n in given.split()]
        attrs = {"linear_before_reset": 1} | attrs if op == "GRU" else attrs
        outputs = " ".join(outputs.split()[: 3 if op == "LSTM" else 2])
        inputs = " ".join([x, "w" + tail, "r" + tail, *wanted])
        name = attrs.pop("name", f"cell{tail}")
        return self.add(op, inputs, outputs, name, hidden_size=H, direction=direction, **attrs)

    def merged(self, raw: str, y: str, direction: str, name: str = "") -> Built:
        """y (seq, n, dirs h), as exporters write it."""
        if direction != "bidirectional":
            return self.add("Squeeze", f"{raw} @1", y, name)
        self.add("Transpose", raw, f"{raw}_moved", name and f"{name}_move", perm=[0, 2, 1, 3])
        return self.add("Reshape", f"{raw}_moved @0:0:-1", y, name)

    def save(self, folder: Path, outputs: str, x: tuple[int | str, ...] = (5, 2, C)) -> Path:
        read = {name for node in self.nodes for name in node.input}
        shapes = {"x": x, **{n: (rows, x[1], H) for n, rows in self.states.items()}}
        graph = helper.make_graph(
            self.nodes,
            "g",
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in shapes.items()],
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in outputs.split()],
            [numpy_helper.from_array(a, n) for n, a in self.constants.items() if n in read],
        )
        path = folder / "model.onnx"
        opsets = [helper.make_opsetid("", 17)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
        return path


def states_of(op: str) -> str:
    return "h c" if op == "LSTM" else "h"


def inputs_of(built: Built) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    shapes = [(5, 2, C), *((rows, 2, H) for rows in built.states.values())]
    return [rng.standard_normal(shape, np.float32) for shape in shapes]


DIRECTIONS = ("forward", "reverse", "bidirectional")
GIVEN = ["-", "b", "b - h0", "- - h0", "b - h0 c0", "b - - c0"]
SINGLE = [
    (op, direction, given)
    for op in GATES
    for direction in DIRECTIONS
    for given in GIVEN
    if op == "LSTM" or "c0" not in given
]


def single(op: str, direction: str, given: str) -> Built:
    return Built().layer(op, direction, given=given, outputs="y h c")


@pytest.mark.sweep(one_in=4)
@pytest.mark.parametrize(("op", "direction", "given"), SINGLE)
@pytest.mark.parametrize("x", [(5, 2, C), ("seq", "n", C)], ids=["static", "dynamic"])
def test_one_node(
    op: str, direction: str, given: str, x: tuple[int | str, ...], tmp_path: Path
) -> None:
    """Y as ONNX lays it out, (seq, dirs, n, h), and all final states."""
    built = single(op, direction, given)
    check_script(built, built.save(tmp_path, f"y {states_of(op)}", x))


def check_script(built: Built, path: Path) -> str:
    """Its numbers are ONNX Runtime's in both modes; returns the script."""
    done = converted(path, path.parent / "out", verify=False)
    inputs = inputs_of(built)
    expected = outputs_of_original(path, inputs)
    with imported(done.script) as module:
        for outputs in outputs_of_script(module, done.checkpoint, inputs):
            assert max(map(error, outputs, expected)) <= 1e-5
    return done.script.read_text(encoding="utf-8")


@pytest.mark.parametrize("outputs", ["y", "- h", "- - c"])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_absent_outputs(outputs: str, direction: str, tmp_path: Path) -> None:
    built = Built().layer("LSTM", direction, outputs=outputs)
    check_script(built, built.save(tmp_path, outputs.replace("-", "")))


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_relu(direction: str, tmp_path: Path) -> None:
    dirs = 2 if direction == "bidirectional" else 1
    built = Built().layer("RNN", direction, activations=["Relu"] * dirs)
    assert 'nonlinearity="relu"' in check_script(built, built.save(tmp_path, "y h"))


STEPWISE = [
    ("LSTM", "b lengths", {}),
    ("GRU", "b lengths", {}),
    ("LSTM", "b - - - p", {}),
    ("LSTM", "b", {"clip": 0.5}),
    ("LSTM", "b", {"input_forget": 1}),
    ("GRU", "b", {"linear_before_reset": 0}),
    ("GRU", "b", {"activations": ["Tanh", "Tanh"]}),
    ("RNN", "b", {"activations": ["Sigmoid"]}),
]
"""What no layer of MindSpore's says."""


@pytest.mark.sweep
@pytest.mark.parametrize("is_merged", [False, True], ids=["raw", "merged"])
@pytest.mark.parametrize(("op", "given", "attrs"), STEPWISE)
def test_step_by_step(
    op: str, given: str, attrs: dict[str, object], is_merged: bool, tmp_path: Path
) -> None:
    built = Built().layer(op, "forward", given=given, outputs="raw h", **attrs)
    built = built.merged("raw", "y", "forward") if is_merged else built.add("Neg", "raw", "y")
    done = converted(built.save(tmp_path, "y h"), tmp_path / "out")
    assert done.report.ok, done.report.to_text()


# -- several layers -------------------------------------------------------------------------


def stack(op: str, direction: str, depth: int = 2, given: bool = False) -> Built:
    """Layers of one module /rec, final states joined; y, h and c are made."""
    built, x = Built(), "x"
    dirs = 2 if direction == "bidirectional" else 1
    names = states_of(op).split()
    for k in range(depth):
        rows = f"@{k * dirs} @{(k + 1) * dirs} @0"
        for s in names if given else ():
            built.add("Slice", f"{s}0 {rows}", f"{s}0_{k}")
        states = " ".join(f"{s}0_{k}" for s in names) if given else ""
        outputs = " ".join([f"raw{k}", *(f"{s}_{k}" for s in names)])
        tail = f"_{k}" if k else ""
        given_text = f"b - {states}".strip()
        built.layer(op, direction, tail, x, given_text, outputs, k, name=f"/rec/{op}_{k}")
        x = "y" if k == depth - 1 else f"y_{k}"
        built.merged(f"raw{k}", x, direction, f"/rec/Merge_{k}")
    for s in names:
        built.add("Concat", " ".join(f"{s}_{k}" for k in range(depth)), s, f"/rec/{s}", axis=0)
    built.states = {f"{s}0": depth * dirs for s in names} if given else {}
    return built


@pytest.mark.sweep(one_in=4)
@pytest.mark.parametrize("given", [False, True], ids=["zeros", "given"])
@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("op", GATES)
def test_stack(op: str, direction: str, depth: int, given: bool, tmp_path: Path) -> None:
    built = stack(op, direction, depth, given)
    path = built.save(tmp_path, f"y {states_of(op)}", ("seq", "n", C))
    done = check(prepared_file(path), op, atol=1e-5)
    assert done.graph.nodes[0].attrs["num_layers"] == depth
    script = check_script(built, path)
    assert script.count(f"nn.{op}(") == 1
    assert "self.rec = " in script


def changed(wanted: str, **inputs: str) -> Callable[[Built], None]:
    """The node of that name or output with other inputs: `i0="x"`."""

    def change(built: Built) -> None:
        (node,) = (n for n in built.nodes if wanted in (n.name, *n.output))
        for key, value in inputs.items():
            node.input[int(key[1:])] = value

    return change


def renamed(built: Built) -> None:
    """The upper layer is of another module."""
    for node in built.nodes:
        is_upper = node.name.startswith(("/rec/GRU_1", "/rec/Merge_1"))
        node.name = node.name.replace("/rec", "/other") if is_upper else node.name


def twice(built: Built) -> None:
    """Layer 1 once more, on its own output: a module that is called twice."""
    for n in ("w", "r", "b"):
        built.constants[f"{n}_2"] = built.constants[f"{n}_1"]


LEFT = [
    ("the sequence in between is read", 2, lambda b: b.add("Neg", "y_0", "z"), "z", [1, 1]),
    ("a state is read alone", 2, lambda b: b.add("Neg", "h_0", "z"), "z", [1, 1]),
    ("states joined in another order", 2, changed("h", i0="h_1", i1="h_0"), "", [1, 1]),
    ("a bias only below", 2, changed("/rec/GRU_1", i3=""), "", [1, 1]),
    ("the same weights", 3, twice, "", [1, 1, 1]),
    ("other modules", 2, renamed, "", [1, 1]),
]


@pytest.mark.parametrize(("name", "depth", "change", "more", "layers"), LEFT)
def test_what_is_no_stack(
    name: str,
    depth: int,
    change: Callable[[Built], object],
    more: str,
    layers: list[int],
    tmp_path: Path,
) -> None:
    """Each layer stays on its own, and right."""
    built = stack("GRU", "bidirectional", depth)
    change(built)
    path = built.save(tmp_path, f"y h {more}")
    graph = prepared_file(path)
    wanted = ["GRU"] * len(layers) + ["Concat"] + (["Neg"] if more else [])
    done = check(graph, " ".join(wanted), atol=1e-5)
    found = [n.attrs["num_layers"] for n in done.graph.nodes if n.op == "GRU"]
    assert found == layers, done.kept
    check_script(built, path)


def test_states_of_other_layers(tmp_path: Path) -> None:
    """The upper layer starts with what PyTorch gives the lower one: two modules, right numbers."""
    built = stack("GRU", "forward", given=True)
    for node in built.nodes:
        if node.op_type == "Slice":
            node.input[1], node.input[2] = ("@1", "@2") if node.input[1] == "@0" else ("@0", "@1")
    path = built.save(tmp_path, "y h")
    assert check_script(built, path).count("nn.GRU(") == 2


@pytest.mark.parametrize("name", ["/rec/Transpose", "/Transpose", ""])
def test_batch_first(name: str, tmp_path: Path) -> None:
    """Transposes of the module's own, or of nobody's, are the argument; outer ones stay."""
    built = Built().add("Transpose", "x", "turned", name, perm=[1, 0, 2])
    built.layer("GRU", "forward", x="turned", outputs="raw h", name="/rec/GRU")
    built.merged("raw", "back", "forward", "/rec/Squeeze")
    built.add("Transpose", "back", "y", name and f"{name}_1", perm=[1, 0, 2])
    script = check_script(built, built.save(tmp_path, "y h"))
    assert ("batch_first=True" in script) == (name != "/Transpose")
    assert ("swapaxes" in script) == (name == "/Transpose")


@pytest.mark.parametrize(
    ("before", "after", "written"),
    [
        ([2, 0, 1], [1, 0, 2], 1),
        ([1, 0, 2], [1, 2, 0], 1),
        ([2, 0, 1], [1, 2, 0], 2),
    ],
)
def test_batch_first_merged_with_its_neighbours(
    before: list[int], after: list[int], written: int, tmp_path: Path
) -> None:
    """What was transposed outside the module is still, and the module remains a layer."""
    built = Built().add("Transpose", "x", "turned", "/rec/Transpose", perm=before)
    built.layer("GRU", "forward", x="turned", outputs="raw h", name="/rec/GRU")
    built.merged("raw", "back", "forward", "/rec/Squeeze")
    built.add("Transpose", "back", "y", "/rec/Transpose_1", perm=after)
    steps = (5, 2, C) if before == TURN else (5, C, 2)
    path = built.save(tmp_path, "y h", steps)
    done = converted(path, tmp_path / "out", verify=True)
    assert done.report.ok
    script = done.script.read_text(encoding="utf-8")
    assert f"self.rec = nn.GRU({C}, {H}, batch_first=True)" in script
    assert [script.count(".swapaxes(1, 2)"), script.count("nn.Cell)")] == [written, 1]


def test_mindspore_says_the_same(run_mindspore: Callable[..., str], tmp_path: Path) -> None:
    models = {f"{op}_{d}_{g}".replace(" ", "_"): single(op, d, g) for op, d, g in SINGLE}
    expected = {}
    for name, built in models.items():
        folder = tmp_path / f"made_{name}"
        folder.mkdir()
        path = built.save(folder, f"y {states_of(name.split('_')[0])}")
        expected[name] = prepared(path, inputs_of(built), tmp_path / name)
    assert differences(run_mindspore, tmp_path, expected, tolerance=RECURRENT) == {}
