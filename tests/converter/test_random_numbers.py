"""Operators that draw: the script draws of the same distribution, all else is compared exactly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, parser

import msconvert.converter.convert as conversion
import msconvert.runtime as ms
from msconvert.converter.convert import ALL_DRAWN, DRAWN_INSIDE, Options, convert
from msconvert.converter.proof.verify import DRAWN
from msconvert.tests.converter.conversion import converted, imported

Array = np.ndarray[Any, Any]

HEAD = '<ir_version: 8, opset_import: ["" : 17]>\n'
NOISE = f"""{HEAD}agraph (float[batch, 8] x) => (float[batch, 8] y) {{
  hidden = Tanh(x)
  noise = RandomNormalLike<mean = 1.0, scale = 0.5>(hidden)
  sum = Add(hidden, noise)
  y = Sin(sum)
}}"""
"""Whose noise is an input of the comparison."""

TWICE = f"""{HEAD}agraph (float[batch, 6] x) => (float[batch, 6] y, int64[batch, 6] order) {{
  first = RandomUniformLike(x)
  second = RandomUniformLike(x)
  kept = Bernoulli(second)
  k = Constant<value = int64[1] {{6}}>()
  drawn, order = TopK(first, k)
  y = Mul(x, kept)
}}"""
FIXED = f"""{HEAD}agraph (float[2, 3] x) => (float[2, 3] y) {{
  noise = RandomUniform<shape = [2, 3], low = -1.0, high = 3.0>()
  y = Add(x, noise)
}}"""
CHANCES = f"""{HEAD}agraph (float[batch, 6] x) => (float[batch, 6] y) {{
  chances = Sigmoid(x)
  kept = Bernoulli(chances)
  y = Mul(x, kept)
}}"""
"""Whose probabilities nothing but the draw reads."""

ONLY = f"""{HEAD}agraph (float[2, 3] x) => (float[2, 3] y) {{
  y = RandomNormalLike(x)
}}"""
LOOP = f"""{HEAD}agraph (float[4] x, int64 n) => (float[4] y) {{
  yes = Constant<value = bool {{1}}>()
  y = Loop(n, yes, x) <body = step (int64 i, bool go, float[4] before) =>
    (bool on, float[4] after) {{
    on = Identity(go)
    noise = RandomNormalLike(before)
    after = Add(before, noise)
  }}>
}}"""


def saved(folder: Path, text: str) -> Path:
    path = folder / "model.onnx"
    onnx.save(parser.parse_model(text), path)
    return path


KINDS = {"noise": (NOISE, 8), "twice": (TWICE, 6), "fixed": (FIXED, 3), "chances": (CHANCES, 6)}


@pytest.mark.parametrize(("text", "width"), KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("how", ["as it is", "shapes", "given", "safetensors"])
def test_all_but_the_draws_is_compared(text: str, width: int, how: str, tmp_path: Path) -> None:
    x = np.linspace(-2, 2, 2 * width, dtype=np.float32).reshape(2, width)
    np.savez(tmp_path / "given.npz", x=x)
    options = {
        "as it is": {},
        "shapes": {"shapes": [[2, width]]},
        "given": {"inputs": tmp_path / "given.npz"},
        "safetensors": {"weights_format": "safetensors"},
    }[how]
    report = convert(Options(saved(tmp_path, text), output=tmp_path / "out", **options))
    assert report.verification is not None
    assert report.verification.problem == ""
    assert report.verification.passed
    assert len(report.verification.differences) >= 2
    assert DRAWN in report.verification.remarks
    assert any("draws other numbers" in finding.text for finding in report.findings)
    drawn = [node.status for node in report.nodes if node.node.startswith(("Random", "Bern"))]
    assert set(drawn) == {"converted"}, "nobody has compared what is drawn"
    assert "verified" in {node.status for node in report.nodes}


NEW = NOISE.replace('"" : 17', '"" : 22')
"""Of a version for which ONNX Runtime has no kernel: ONNX's own evaluator draws."""

CALLED = """<ir_version: 8, opset_import: ["" : 17, "own" : 1]>
agraph (float[batch, 8] x) => (float[batch, 8] y) {
  noisy = own.Noisy(x)
  y = own.Noisy(noisy)
}
<domain: "own", opset_import: ["" : 17]>
Noisy (a) => (b) {
  noise = RandomUniformLike(a)
  sum = Add(a, noise)
  b = Tanh(sum)
}"""
"""What is drawn in a function that the file brings along."""


@pytest.mark.parametrize("text", [NEW, CALLED], ids=["new", "called"])
def test_the_original_draws_where_it_must_be_made_ready_first(text: str, tmp_path: Path) -> None:
    report = convert(Options(saved(tmp_path, text), output=tmp_path / "out"))
    assert report.verification is not None
    assert report.verification.problem == ""
    assert report.verification.passed
    assert DRAWN in report.verification.remarks


@pytest.mark.parametrize(("text", "problem"), [(LOOP, DRAWN_INSIDE), (ONLY, ALL_DRAWN)])
def test_what_cannot_be_compared_is_not_called_equal(
    text: str, problem: str, tmp_path: Path
) -> None:
    report = convert(Options(saved(tmp_path, text), output=tmp_path / "out"))
    assert report.verification is not None
    assert report.verification.problem == problem
    assert not report.ok


@pytest.mark.parametrize(
    ("text", "right", "wrong"), [(NOISE, "sin", "cos"), (CHANCES, "sigmoid", "tanh")]
)
def test_a_wrong_script_is_found_around_a_draw(
    text: str, right: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = conversion.script_of

    def changed(*given: Any) -> str:
        return written(*given).replace(f"ops.{right}(", f"ops.{wrong}(")

    monkeypatch.setattr(conversion, "script_of", changed)
    report = convert(Options(saved(tmp_path, text), output=tmp_path / "out"))
    assert report.verification is not None
    assert report.verification.problem == ""
    assert not report.verification.passed
    assert any(f"made by {right.title()}" in finding.text for finding in report.findings)


def drawing(op: str, inputs: int, attrs: dict[str, Any]) -> onnx.ModelProto:
    """One operator, of 20,000 numbers: between 0 and 1, or for Multinomial in rows of three."""
    width = 3 if op == "Multinomial" else 10
    shape = [20_000 // width if width == 10 else 1, width]
    node = helper.make_node(op, ["x"][:inputs], ["y"], **attrs)
    infos = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)][:inputs]
    out = helper.make_value_info("y", onnx.TypeProto())
    graph = helper.make_graph([node], "g", infos, [out])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


CASES: dict[str, tuple[str, int, dict[str, Any], float, float]] = {
    "uniform": ("RandomUniform", 0, {"shape": [2000, 10]}, 0.5, 12**-0.5),
    "uniform moved": (
        "RandomUniform",
        0,
        {"shape": [20000], "low": 2.0, "high": 6.0},
        4,
        12**-0.5 * 4,
    ),
    "uniform like": ("RandomUniformLike", 1, {"low": -1.0}, 0.0, 12**-0.5 * 2),
    "normal": ("RandomNormal", 0, {"shape": [2000, 10]}, 0.0, 1.0),
    "normal moved": ("RandomNormal", 0, {"shape": [20000], "mean": 3.0, "scale": 0.5}, 3.0, 0.5),
    "normal like": ("RandomNormalLike", 1, {"mean": -1.0, "scale": 2.0}, -1.0, 2.0),
    "bernoulli": ("Bernoulli", 1, {}, 0.5, 0.5),
    "bernoulli of whole numbers": ("Bernoulli", 1, {"dtype": TensorProto.INT64}, 0.5, 0.5),
    "multinomial": ("Multinomial", 1, {"sample_size": 20_000}, 1.0, (2 / 3) ** 0.5),
}
"""Operator, inputs, attributes; mean and deviation of what it draws."""


@pytest.mark.parametrize("name", CASES)
def test_the_distribution_is_onnx_s(name: str, tmp_path: Path) -> None:
    op, inputs, attrs, mean, deviation = CASES[name]
    path = tmp_path / "model.onnx"
    onnx.save(drawing(op, inputs, attrs), path)
    script = converted(path, tmp_path / "out", verify=False).script
    given = [ms.ops.ones((1, 3)) * 0.5 if op == "Multinomial" else ms.ops.ones((2000, 10)) * 0.5]
    with imported(script) as module:
        network = module.load()
        first, second = (network(*given[:inputs]).asnumpy() for _ in range(2))
    assert first.size == 20_000
    assert not np.array_equal(first, second), "each call draws anew"
    assert np.mean(first) == pytest.approx(mean, abs=5 * deviation / 20_000**0.5)
    assert np.std(first) == pytest.approx(deviation, rel=0.05)


def test_a_scalar_is_drawn(tmp_path: Path) -> None:
    model = drawing("RandomNormal", 0, {})
    shape = helper.make_attribute("shape", [], attr_type=onnx.AttributeProto.INTS)
    model.graph.node[0].attribute.append(shape)
    onnx.save(model, tmp_path / "model.onnx")
    script = converted(tmp_path / "model.onnx", tmp_path / "out", verify=False).script
    with imported(script) as module:
        assert module.load()().shape == ()


SAID = """
import numpy as np
import mindspore as ms
import model
ms.set_context(device_target="CPU")
found = []
for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
    ms.set_context(mode=mode)
    y = model.load()(ms.ops.ones((500, 8), ms.float32) * 0.5).asnumpy()
    found.append([y.shape == (500, 8), bool(abs(np.arcsin(y)).mean() > 0.5)])
print("FOUND", found)
"""


def test_the_real_mindspore_draws_as_well(
    run_mindspore: Callable[..., str], tmp_path: Path
) -> None:
    converted(saved(tmp_path, NOISE), tmp_path / "out", "mindspore", verify=False)
    said = run_mindspore(tmp_path / "out", "-c", SAID)
    assert "FOUND [[True, True], [True, True]]" in said
