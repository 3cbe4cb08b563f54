"""Verification, with scripts that plain NumPy runs: what is wrong is found, and nothing else."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import parser
from onnxruntime import GraphOptimizationLevel

from msconvert.converter.graph.prepare import prepare
from msconvert.converter.proof import original
from msconvert.converter.proof.difference import difference
from msconvert.converter.proof.original import Original
from msconvert.converter.proof.run_script import opened_script
from msconvert.converter.proof.trial import sized, summed, trial_of, values
from msconvert.converter.proof.verify import (
    CONSTANT,
    Verification,
    VerifySpec,
    first_difference,
    intermediates,
    opened,
    verify,
)
from msconvert.converter.source.load import load
from msconvert.tests.converter import growth

FRAMEWORK = """
import numpy as np


class ms:
    GRAPH_MODE, PYNATIVE_MODE = 0, 1
    mode = None

    def set_context(mode, runtime_num_threads):
        ms.mode = mode

    class Tensor:
        def __init__(self, array):
            self.array = array

        def asnumpy(self):
            return self.array


def load():
    return lambda *tensors: network(*[tensor.array for tensor in tensors])


"""
"""As much of a framework as `run_script` needs; what follows defines `network`."""

SOFTMAX = """<ir_version: 8, opset_import: ["" : 17]>
agraph (float[batch, 4] x) => (float[batch, 4] y) {
  double = Add(x, x)
  shifted = Sub(double, x)
  y = Softmax<axis = -1>(shifted)
}"""

RIGHT = """
def network(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return ms.Tensor(e / e.sum(-1, keepdims=True))
"""


def tried(
    folder: Path, model: str | onnx.ModelProto, script: str, spec: VerifySpec | None = None
) -> Verification:
    """The verification of `script` (the part after the framework) against `model`."""
    path = folder / "model.onnx"
    onnx.save(parser.parse_model(model) if isinstance(model, str) else model, path)
    (folder / "script.py").write_text(FRAMEWORK + script, encoding="utf-8")
    if spec is None:
        spec = VerifySpec.of(prepare(load(path)).graph)
    return verify(path, folder / "script.py", spec)


def test_a_right_script_passes_at_two_sizes_in_both_modes(tmp_path: Path) -> None:
    result = tried(tmp_path, SOFTMAX, RIGHT)
    assert result.problem == ""
    assert result.passed
    assert first_difference(result) is None
    assert [(item.mode, item.shape) for item in result.differences] == [
        ("pynative", (2, 4)),
        ("graph", (2, 4)),
        ("pynative, x (3, 4)", (3, 4)),
        ("graph, x (3, 4)", (3, 4)),
    ]
    assert all(0 <= item.error < 1e-6 and item.cosine > 1 - 1e-9 for item in result.differences)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.onnx", "script.py"]


def test_a_wrong_factor_is_found(tmp_path: Path) -> None:
    result = tried(
        tmp_path, SOFTMAX, RIGHT.replace("return ms.Tensor(", "return ms.Tensor(1.001 * ")
    )
    assert not result.passed
    assert [item.error for item in result.differences] == pytest.approx([1e-3] * 4, rel=0.01)
    assert [item.relative for item in result.differences] == pytest.approx([1e-3] * 4, rel=0.01)


STEEP = """<ir_version: 8, opset_import: ["" : 17]>
agraph (float[batch, 40] x) => (float[batch, 40] y) <float steep = {5000.0}> {
  scaled = Mul(x, steep)
  y = Sin(scaled)
}"""


@pytest.mark.parametrize(("wrong", "holds"), [(0.0, True), (0.02, False)])
def test_rounding_that_grows_is_measured_and_said(
    wrong: float, holds: bool, tmp_path: Path
) -> None:
    """The script computes in float64, so that it is off by what float32 rounds, and no more."""
    script = (
        "def network(x):\n    y = np.sin(x.astype(np.float64) * 5000.0)\n"
        f"    return ms.Tensor((y + {wrong}).astype(np.float32))\n"
    )
    result = tried(tmp_path, STEEP, script)
    assert result.passed is holds
    assert max(item.error for item in result.differences) > 1e-4
    assert [text for text in result.remarks if text.startswith("rounding grows")] != [] or not holds


def test_a_wrong_graph_mode_is_found(tmp_path: Path) -> None:
    script = RIGHT.replace("return", "e = e if ms.mode else e + 1\n    return")
    result = tried(tmp_path, SOFTMAX, script)
    assert [item.mode for item in result.differences if item.passed] == [
        "pynative",
        "pynative, x (3, 4)",
    ]


def test_a_frozen_batch_is_found(tmp_path: Path) -> None:
    script = RIGHT.replace("e /", "e.reshape(2, 4) /")
    assert "cannot reshape array of size 12" in tried(tmp_path, SOFTMAX, script).problem


SCRIPTS_THAT_FAIL = {
    "raises": ("def network(x):\n    raise KeyError('weight')", "KeyError: 'weight'"),
    "no network": ("", "NameError: name 'network' is not defined"),
    "exits": ("raise SystemExit(3)", "exit status 3"),
    "two outputs": ("def network(x):\n    return ms.Tensor(x), ms.Tensor(x)", "returns 2 outputs"),
}


@pytest.mark.parametrize("name", SCRIPTS_THAT_FAIL)
def test_a_script_that_fails_is_reported_with_its_last_words(name: str, tmp_path: Path) -> None:
    script, words = SCRIPTS_THAT_FAIL[name]
    result = tried(tmp_path, SOFTMAX, script)
    assert not result.passed
    assert words in result.problem


def test_a_script_that_hangs_is_stopped(tmp_path: Path) -> None:
    spec = VerifySpec.of(prepare(load(saved(tmp_path, SOFTMAX))).graph)
    script = "import time\n\ntime.sleep(60)"
    result = tried(tmp_path, SOFTMAX, script, replace(spec, timeout_s=2))
    assert result.problem == "the script did not finish within 2 s"


def test_shape_and_element_type_must_be_equal(tmp_path: Path) -> None:
    wide = tried(tmp_path, SOFTMAX, RIGHT.replace("np.exp(x", "np.exp(x.astype(np.float64)"))
    assert wide.differences[0].remark == "element type float64, expected float32"
    flat = tried(tmp_path, SOFTMAX, RIGHT.replace("(e / e", "(e[None] / e"))
    assert flat.differences[0].remark == "shape (1, 2, 4), expected (2, 4)"


def saved(folder: Path, model: str) -> Path:
    path = folder / "model.onnx"
    onnx.save(parser.parse_model(model), path)
    return path


CHAIN = """<ir_version: 8, opset_import: ["" : 17]>
agraph (float[2, 4] x) => (float[2, 4] y) {
  a = Exp(x)
  b = Sqrt(a)
  c = Tanh(b)
  y = Neg(c)
}"""


def test_cut_at_both_ends(tmp_path: Path) -> None:
    graph = prepare(load(saved(tmp_path, CHAIN)), inputs=["a"], outputs=["c", "b"]).graph
    spec = VerifySpec.of(graph)
    script = "def network(a):\n    b = np.sqrt(a)\n    return ms.Tensor(np.tanh(b)), ms.Tensor(b)"
    result = tried(tmp_path, CHAIN, script, spec)
    assert result.problem == ""
    assert result.passed
    assert [item.output for item in result.differences] == ["c", "b"] * 2


def test_another_shape_than_the_file_declares(tmp_path: Path) -> None:
    graph = prepare(load(saved(tmp_path, CHAIN))).graph
    trial = trial_of(graph)
    longer = replace(trial, inputs=(replace(trial.inputs[0], shape=(5, 4)),))
    script = "def network(x):\n    return ms.Tensor(-np.tanh(np.sqrt(np.exp(x))))"
    result = tried(tmp_path, CHAIN, script, VerifySpec(longer))
    assert (result.problem, result.passed) == ("", True)
    assert result.differences[0].shape == (5, 4)


def test_the_first_wrong_intermediate_is_named(tmp_path: Path) -> None:
    path = saved(tmp_path, CHAIN)
    names = intermediates(path, prepare(load(path)).graph)
    assert names == ["a", "b", "c", "y"]
    spec = VerifySpec.of(prepare(load(path), outputs=names).graph)
    script = (
        "def network(x):\n    a = np.exp(x)\n    b = np.sqrt(a) + np.float32(0.01)\n"
        "    c = np.tanh(b)\n    return tuple(ms.Tensor(v) for v in (a, b, c, -c))"
    )
    found = first_difference(tried(tmp_path, CHAIN, script, spec))
    assert found is not None
    assert (found.output, found.mode) == ("b", "pynative")


def test_external_data_is_read_in_place(tmp_path: Path) -> None:
    weight = np.arange(4000, dtype=np.float32).reshape(1000, 4)
    model = parser.parse_model(
        CHAIN.replace("Exp(x)", "Add(x, w)").replace("[2, 4] y", "[1000, 4] y")
    )
    model.graph.initializer.append(onnx.numpy_helper.from_array(weight, "w"))
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1
    onnx.save(model, tmp_path / "model.onnx", save_as_external_data=True, location="weights.bin")
    graph = prepare(load(tmp_path / "model.onnx"), outputs=["a"]).graph
    weight_code = "np.arange(4000.0, dtype=np.float32).reshape(-1, 4)"
    script = f"def network(x):\n    return ms.Tensor(x + {weight_code})"
    (tmp_path / "script.py").write_text(FRAMEWORK + script, encoding="utf-8")
    result = verify(tmp_path / "model.onnx", tmp_path / "script.py", VerifySpec.of(graph))
    assert (result.problem, result.passed) == ("", True)


EMBEDDING = """<ir_version: 8, opset_import: ["" : 17]>
agraph (int64[batch, seq] tokens, int64[batch, seq] attention_mask) => (float[batch, seq, 3] y)
<float[5, 3] table = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15}, int64[1] axis = {2}> {
  same = Identity(tokens)
  rows = Gather<axis = 0>(table, same)
  mask = Unsqueeze(attention_mask, axis)
  wide = Cast<to = 1>(mask)
  y = Mul(rows, wide)
}"""


def test_indices_stay_below_the_size_of_what_they_index(tmp_path: Path) -> None:
    trial = trial_of(prepare(load(saved(tmp_path, EMBEDDING))).graph)
    assert [item.below for item in trial.inputs] == [5, 2]
    assert sized(trial) == ((2, 8), (2, 8))
    assert sized(trial, 1) == ((3, 5), (3, 5))
    tokens, mask = values(trial, ((50, 50), (50, 50)), seed=0)
    assert (np.unique(tokens).tolist(), np.unique(mask).tolist()) == ([0, 1, 2, 3, 4], [0, 1])
    assert np.array_equal(tokens, values(trial, ((50, 50), (50, 50)), seed=0)[0])


CACHED = """<ir_version: 8, opset_import: ["" : 17]>
agraph (float[batch, seq] x, float[batch, past] cache, float[batch, total] mask)
    => (float[batch, both] y, float[batch, total] z) {
  y = Concat<axis = 1>(cache, x)
  z = Add(y, mask)
}"""


def test_a_size_may_be_the_sum_of_two_others(tmp_path: Path) -> None:
    path = saved(tmp_path, CACHED)
    spec = VerifySpec.of(prepare(load(path)).graph)
    shapes = list(summed(spec.trial))
    assert (((2, 8), (2, 8), (2, 16)), ((3, 5), (3, 5), (3, 10))) in shapes
    script = (
        "def network(x, cache, mask):\n    y = np.concatenate((cache, x), axis=1)\n"
        "    return ms.Tensor(y), ms.Tensor(y + mask)"
    )
    assert tried(tmp_path, CACHED, script, spec).passed
    assert not tried(tmp_path, CACHED, script.replace("y + mask", "y - mask"), spec).passed


EDGES = """<ir_version: 8, opset_import: ["" : 17]>
agraph (float[nodes, 3] x, int64[2, edges] ends) => (float[edges, 3] y) <int64 one = {1}> {
  source = Gather(ends, one)
  y = Gather(x, source)
}"""


def test_indices_stay_below_a_size_that_only_has_a_name(tmp_path: Path) -> None:
    """Edges of a graph: they are picked from one input, and index the nodes of another."""
    trial = trial_of(prepare(load(saved(tmp_path, EDGES))).graph)
    for nodes in (2, 5):
        drawn = values(trial, ((nodes, 3), (2, 400)), seed=0)[1]
        assert np.unique(drawn).tolist() == list(range(nodes))


def test_what_is_computed_in_half_precision_is_held_against_it(tmp_path: Path) -> None:
    """A network that takes and gives float32, and rounds to float16 inside."""
    text = """<ir_version: 8, opset_import: ["" : 17]>
agraph (float[2, 4] x) => (float[2, 4] y) {
  a = Cast<to = 10>(x)
  b = Exp(a)
  y = Cast<to = 1>(b)
}"""
    near = "def network(x):\n    return ms.Tensor(np.exp(x.astype(np.float64)).astype(np.float32))"
    assert tried(tmp_path, text, near).passed
    assert not tried(tmp_path, text, near.replace("x.astype", "1.02 * x.astype")).passed
    assert not tried(tmp_path, CHAIN, near).passed


BAKED = """<ir_version: 8, opset_import: ["" : 17]>
agraph (float[batch, 4] x) => (float[batch, 4] y) <int64[2] shape = {2, 4}> {
  y = Reshape(x, shape)
}"""


def test_sizes_that_the_original_refuses_are_said(tmp_path: Path) -> None:
    result = tried(tmp_path, BAKED, "def network(x):\n    return ms.Tensor(x)")
    assert result.passed
    assert {item.mode for item in result.differences} == {"pynative", "graph"}
    assert "the original itself does not run with x (3, 4)" in result.remarks[0]


def test_a_model_that_ignores_its_inputs_is_said(tmp_path: Path) -> None:
    constant = CHAIN.replace("y = Neg(c)", "zero = Sub(c, c)\n  y = Cos(zero)")
    constant = constant.replace('"" : 17', '"" : 22')
    script = "def network(x):\n    return ms.Tensor(np.ones_like(x))"
    assert tried(tmp_path, constant, script).remarks == (CONSTANT,)
    assert tried(tmp_path, SOFTMAX, RIGHT).remarks == ()


def test_what_a_script_writes_is_harmless_to_a_terminal(tmp_path: Path) -> None:
    problem = tried(tmp_path, SOFTMAX, "raise ValueError('\x1b[31m' + 'a' * 9999)").problem
    assert "\\x1b[31m" in problem
    assert len(problem) < 2000


def test_an_original_that_does_not_open_is_said(tmp_path: Path) -> None:
    spec = VerifySpec.of(prepare(load(saved(tmp_path, CHAIN))).graph)
    assert tried(tmp_path, CHAIN, RIGHT, spec).problem == ""
    (tmp_path / "model.onnx").write_bytes(b"\x08\x08")
    result = verify(tmp_path / "model.onnx", tmp_path / "script.py", spec)
    assert "ONNX Runtime does not open the original" in result.problem


def ratio(got: object, expected: object, dtype: str = "float32") -> float:
    return difference("y", "graph", np.array(got, dtype), np.array(expected, dtype), 1e-4).error


def test_figures_of_hand_made_arrays() -> None:
    found = difference("y", "graph", np.array([1.0, 2.0, 4.5]), np.array([1.0, 2.5, 4.0]), 1e-4)
    assert (found.absolute, found.relative, found.error) == (0.5, 0.2, 0.125)
    assert found.cosine == pytest.approx(24 / np.sqrt(25.25 * 23.25))
    assert ratio([0, 0], [0, 0]) == 0
    assert ratio([0, 1e-3], [0, 0]) == pytest.approx(1e-3)
    assert ratio([], []) == 0
    assert ratio(3, 3) == 0


def test_nan_and_infinity_are_equal_only_in_place() -> None:
    nan, inf = float("nan"), float("inf")
    assert ratio([nan, inf, -inf, 1], [nan, inf, -inf, 1]) == 0
    assert ratio([nan, 1], [1, nan]) == inf
    assert ratio([inf], [-inf]) == inf
    assert ratio([inf, 1], [1, 1]) == inf


def test_integers_and_text_must_be_equal() -> None:
    found = difference("y", "graph", np.array([1, 2, 3]), np.array([1, 2, 4]), 1e-4)
    assert not found.passed
    assert found.remark.startswith("1 of 3 elements are not equal")
    assert difference("y", "graph", np.array([1, 2]), np.array([1, 2]), 1e-4).passed
    assert not difference("y", "graph", np.array(["a"]), np.array(["b"]), 1e-4).passed
    assert not difference("y", "graph", np.array([True]), np.array([False]), 1e-4).passed
    zero = difference("y", "graph", np.array([0, 1]), np.array([0, 0]), 1e-4)
    assert not zero.passed


def test_half_precision_has_its_own_tolerance() -> None:
    one = np.ones(3, np.float16)
    assert difference("y", "graph", one + np.float16(0.004), one, 1e-4).passed
    assert not difference("y", "graph", one + np.float16(0.02), one, 1e-4).passed


@pytest.mark.parametrize(
    ("unread", "kind"), [(0, str), (1, str), (5, str), (6, bytes), (7, bytes), (60, bytes)]
)
def test_weights_that_nothing_reads_are_left_out_where_they_are_many(
    unread: int, kind: type[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ONNX Runtime's time for them is quadratic."""
    given: list[str | bytes] = []
    open_one = Original._open

    def noted(model: str | bytes, options: object) -> object:
        given.append(model)
        return open_one(model, options)

    monkeypatch.setattr(original, "MOST_UNREAD", 5)
    monkeypatch.setattr(Original, "_open", staticmethod(noted))
    path = tmp_path / "model.onnx"
    onnx.save(growth.unread(unread + 1), path)
    runs = Original(path, VerifySpec.of(prepare(load(path)).graph).trial, unread=unread)
    x = np.ones((2, 3), np.float32)
    assert np.array_equal(runs.run({"x": x})[0], x)
    assert [type(model) for model in given] == [kind]
    for model in given:
        if isinstance(model, bytes):
            assert len(onnx.ModelProto.FromString(model).graph.initializer) == 1


QUANTISED = """<ir_version: 8, opset_import: ["" : 17]>
agraph (float[20, 40] x) => (float[20, 40] y)
<float fine = {0.013}, uint8 low = {120}, float coarse = {0.03}, uint8 high = {110}> {
  q = QuantizeLinear(x, fine, low)
  d = DequantizeLinear(q, fine, low)
  p = Softmax<axis = -1>(d)
  r = QuantizeLinear(p, coarse, high)
  y = DequantizeLinear(r, coarse, high)
}"""


def test_what_is_quantised_is_computed_as_the_file_says(tmp_path: Path) -> None:
    """ONNX Runtime's kernels of integers give some elements of this one a step more."""
    path = tmp_path / "model.onnx"
    onnx.save(parser.parse_model(QUANTISED), path)
    x = np.random.default_rng(1).standard_normal((20, 40)).astype(np.float32)
    (found,) = opened(path, VerifySpec.of(prepare(load(path)).graph)).run({"x": x})
    rounded = np.clip(np.rint(x / np.float32(0.013)), -120, 135) * np.float32(0.013)
    shares = np.exp(rounded) / np.exp(rounded).sum(-1, keepdims=True)
    steps = shares / np.float32(0.03)
    sure = np.abs(steps % 1 - 0.5) > 1e-3  # a half is a matter of rounding
    assert np.allclose(found[sure], (np.rint(steps) * np.float32(0.03))[sure], atol=1e-6)
    assert sure.mean() > 0.95


def test_the_original_is_computed_node_by_node(tmp_path: Path) -> None:
    """ONNX Runtime's optimiser dies of some files whose nodes it computes, as of a half network."""
    path = tmp_path / "model.onnx"
    onnx.save(parser.parse_model(QUANTISED), path)
    session = opened(path, VerifySpec.of(prepare(load(path)).graph)).session
    level = session.get_session_options().graph_optimization_level
    assert level == GraphOptimizationLevel.ORT_DISABLE_ALL


def test_a_script_is_run_without_a_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it imports is kept compiled, the script itself is not: its folder is the user's."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "path", [*sys.path])
    script = tmp_path / "net.py"
    for number in (1, 2):
        script.write_text(f"number = {number}\n")
        assert opened_script(script).number == number
    assert os.listdir(tmp_path) == ["net.py"]
