"""Quantised files become layers of real weights, and layers that round what is between them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper, parser

from msconvert.converter.convert import Options, convert
from msconvert.tests.converter.in_process import assert_agrees

LAYER = "FakeQuantize("

HEAD = """<ir_version: 10, opset_import: ["" : 21]>
agraph (float[n, 4] x) => (float[n, 4] y)
<float s = {0.0371}, float t = {0.05}, float[1] one = {0.02}, float[4] many = {0.1, 0.2, 0.3, 0.4},
 float none = {0.0}, int8 a = {-7}, int8 b = {3}, uint8 c = {200}, uint16 d = {30000},
 int16 e = {-5}, int8[4] zeros = {0, 1, 2, 3}, int64[2] shape = {-1, 2}, int64[2] back = {-1, 4}>
"""

TOGETHER = {
    "int8": "q = QuantizeLinear(x, s, a) y = DequantizeLinear(q, s, a)",
    "uint8": "q = QuantizeLinear(x, s, c) y = DequantizeLinear(q, s, c)",
    "uint16": "q = QuantizeLinear(x, s, d) y = DequantizeLinear(q, s, d)",
    "int16": "q = QuantizeLinear(x, s, e) y = DequantizeLinear(q, s, e)",
    "no zero point": "q = QuantizeLinear(x, s) y = DequantizeLinear(q, s)",
    "a scale of one element": "q = QuantizeLinear(x, one, b) y = DequantizeLinear(q, one, b)",
    "two steps": """q = QuantizeLinear(x, s, a) r = DequantizeLinear(q, s, a)
        p = QuantizeLinear(r, t, a) y = DequantizeLinear(p, t, a)""",
}

APART = {
    "another scale": "q = QuantizeLinear(x, s, a) y = DequantizeLinear(q, t, a)",
    "another zero point": "q = QuantizeLinear(x, s, a) y = DequantizeLinear(q, s, b)",
    "scales along an axis": """q = QuantizeLinear<axis = 1>(x, many, zeros)
        y = DequantizeLinear<axis = 1>(q, many, zeros)""",
    "integers that are read": """q = QuantizeLinear(x, s, a) r = DequantizeLinear(q, s, a)
        f = Cast<to = 1>(q) y = Add(r, f)""",
}


def model(nodes: str) -> onnx.ModelProto:
    return parser.parse_model(HEAD + "{ " + nodes + " }")


def numbers() -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Also beyond what the integers hold, halves of steps, and zero."""
    wide = np.random.default_rng(0).normal(0, 6, (40, 4)).astype(np.float32)
    halves = (np.arange(-20, 20, dtype=np.float32)[:, None] + np.float32(0.5)) * np.float32(0.0371)
    return np.concatenate([wide, np.repeat(halves, 4, 1), np.zeros((1, 4), np.float32)])


@pytest.mark.parametrize("nodes", TOGETHER.values(), ids=TOGETHER)
def test_a_pair_is_a_layer(nodes: str, tmp_path: Path) -> None:
    text = assert_agrees(model(nodes), tmp_path, [numbers()])
    assert LAYER in text
    assert ".astype(" not in text


@pytest.mark.parametrize("nodes", APART.values(), ids=APART)
def test_what_is_no_pair_stays_arithmetic(nodes: str, tmp_path: Path) -> None:
    assert LAYER not in assert_agrees(model(nodes), tmp_path, [numbers()])


ONCE = {
    "at once": "",
    "reshaped": "m = Reshape(r, shape) r2 = Reshape(m, back)",
    "clipped at 0": "r2 = Relu(r)",
    "turned": "m = Transpose<perm = [1, 0]>(r) r2 = Transpose<perm = [1, 0]>(m)",
}


@pytest.mark.parametrize("moves", ONCE.values(), ids=ONCE)
def test_what_is_rounded_already_is_not_rounded_again(moves: str, tmp_path: Path) -> None:
    last = "r2" if moves else "r"
    text = assert_agrees(
        model(f"""q = QuantizeLinear(x, s, a) r = DequantizeLinear(q, s, a) {moves}
        p = QuantizeLinear({last}, s, a) y = DequantizeLinear(p, s, a)"""),
        tmp_path,
        [numbers()],
    )
    assert text.count(f" = {LAYER}") == 1


@pytest.mark.parametrize(("scale", "layers"), [("s", 1), ("t", 2)])
def test_what_is_rounded_beside_is_rounded_once(scale: str, layers: int, tmp_path: Path) -> None:
    """Some quantisers write a pair for each that reads a value."""
    text = assert_agrees(
        model(f"""q = QuantizeLinear(x, s, a) r = DequantizeLinear(q, s, a) u = Exp(r)
        p = QuantizeLinear(x, {scale}, a) v = DequantizeLinear(p, {scale}, a) y = Add(u, v)"""),
        tmp_path,
        [numbers() / 10],
    )
    assert text.count(f" = {LAYER}") == layers


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16"])
def test_no_integer_changes_when_it_is_rounded_again(kind: str) -> None:
    """What the rule stands on: x is q s, and q is found again whatever s is."""
    limits = np.iinfo(kind)
    steps = np.arange(2 * limits.min, 2 * limits.max + 1).astype(np.float32)  # less a zero point
    scales = np.random.default_rng(0).uniform(1e-6, 50, 60).astype(np.float32)
    for scale in [*scales, np.float32(1 / 3), np.float32(1e-30)]:
        assert np.array_equal(np.rint(steps * scale / scale), steps)


def blocks(count: int) -> onnx.ModelProto:
    """Convolutions as quantisers write them: weights by channels, biases of 32 bits."""
    rng = np.random.default_rng(0)
    nodes, held, x = [], {}, "x"
    for i in range(count):
        names = [f"layers.{i}.conv.{part}" for part in ("weight", "bias")]
        kernel = rng.integers(-128, 128, (4, 4, 3, 3)).astype(np.int8)
        held |= {f"{names[0]}_quantized": kernel}
        held |= {f"{names[0]}_scale": rng.uniform(1e-3, 2e-3, 4).astype(np.float32)}
        held |= {f"{names[1]}_quantized": rng.integers(-500, 500, 4).astype(np.int32)}
        held |= {f"{names[1]}_quantized_scale": rng.uniform(1e-4, 2e-4, 4).astype(np.float32)}
        held |= {f"s{i}": np.float32(0.03 + i / 100), f"z{i}": np.int8(i)}
        for name, scale in zip(names, ("_scale", "_quantized_scale"), strict=True):
            inputs = [f"{name}_quantized", name + scale]
            nodes.append(helper.make_node("DequantizeLinear", inputs, [f"{name}_d"], axis=0))
        scope = f"/layers/layers.{i}"
        y = [f"{scope}/{part}_out" for part in "cqdr"]
        inputs = [x, *(f"{name}_d" for name in names)]
        nodes.append(
            helper.make_node("Conv", inputs, y[:1], f"{scope}/conv/Conv", pads=[1, 1, 1, 1])
        )
        nodes.append(helper.make_node("QuantizeLinear", [y[0], f"s{i}", f"z{i}"], y[1:2]))
        nodes.append(helper.make_node("DequantizeLinear", [y[1], f"s{i}", f"z{i}"], y[2:3]))
        nodes.append(helper.make_node("Relu", y[2:3], y[3:], f"{scope}/relu/Relu"))
        x = y[3]
    nodes.append(helper.make_node("Identity", [x], ["y"]))
    kind = onnx.TensorProto.FLOAT
    ends = [helper.make_tensor_value_info(n, kind, ("n", 4, 6, 6)) for n in "xy"]
    weights = [numpy_helper.from_array(np.asarray(w), n) for n, w in held.items()]
    graph = helper.make_graph(nodes, "blocks", ends[:1], ends[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_blocks_that_differ_in_their_steps_are_one_class(tmp_path: Path) -> None:
    path = tmp_path / "blocks.onnx"
    onnx.save(blocks(4), path)
    report = convert(Options(path, output=tmp_path / "out"))
    assert report.ok
    text = (tmp_path / "out" / "blocks.py").read_text()
    assert text.count("(nn.Cell):") == 3  # the layer that rounds, the block, the network
    assert "for _ in range(4)" in text
    assert "8 quantised weights written as what the numbers stand for" in text
    names = (tmp_path / "out" / "weight_map_of_blocks.json").read_text()
    assert '"layers.3.conv.weight"' in names
    assert '"layers.3.conv.bias"' in names


@pytest.mark.parametrize("kind", ["INT4", "UINT4", "FLOAT8E4M3FN", "INT8", "INT16"])
@pytest.mark.parametrize("by_blocks", [False, True])
def test_weights_of_any_bits_are_a_layers(kind: str, by_blocks: bool, tmp_path: Path) -> None:
    """Also of types that MindSpore has not."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 8, 64 * 32).tolist()
    weight = helper.make_tensor("layer.weight", getattr(onnx.TensorProto, kind), (64, 32), values)
    steps = rng.random((2, 32) if by_blocks else 32).astype(np.float32)
    options = {"axis": 0, "block_size": 32} if by_blocks else {"axis": 1}
    nodes = [
        helper.make_node("DequantizeLinear", ["layer.weight", "s"], ["w"], **options),
        helper.make_node("MatMul", ["x", "w"], ["y"]),
    ]
    real = onnx.TensorProto.FLOAT
    x, y = (helper.make_tensor_value_info(n, real, ("n", k)) for n, k in (("x", 64), ("y", 32)))
    held = [weight, numpy_helper.from_array(steps, "s")]
    graph = helper.make_graph(nodes, "graph", [x], [y], held)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    text = assert_agrees(proto, tmp_path, [rng.standard_normal((3, 64)).astype(np.float32)])
    assert "self.layer = nn.Dense(64, 32, has_bias=False)" in text


def test_a_weight_and_the_same_quantised_have_two_names(tmp_path: Path) -> None:
    table = ", ".join(f"{i / 7 % 1:.3f}" for i in range(12))
    text = assert_agrees(
        parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]>
        agraph (int64[n] ids, float[n, 4] x) => (float[n, 3] y, float[n, 4] u, float[n, 4] v)
        <float[3, 4] "e.weight" = {{{table}}}, float s = {{0.05}}, int8[4] "e.b" = {{1, 2, 3, 9}},
         int8[4, 3] "e.weight_quantized" = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
         float[4] "e.bias" = {{1, 2, 3, 4.5}}, int8[4] "e.bias_quantized" = {{1, 2, 3, 4}}>
        {{ r = Gather("e.weight", ids)
          w = DequantizeLinear("e.weight_quantized", s)
          y = MatMul(r, w)
          b = DequantizeLinear("e.bias_quantized", s)
          u = Mul(x, b)
          v = Mul(x, "e.bias") }}"""),
        tmp_path,
        [np.array([0, 2, 1]), np.ones((3, 4), np.float32)],
    )
    assert text.count("self.bias") >= 2
