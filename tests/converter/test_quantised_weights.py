"""Weights that are dequantised in the graph, as quantisers write them: nothing is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import parser

from msconvert.tests.converter.in_process import assert_agrees

NORM = """<ir_version: 8, opset_import: ["" : 17]>
agraph (float[n, 4, h, w] x) => (float[n, 4, h, w] y)
<int8[4] g = {{10, -20, 30, 40}}, int8[4] b = {{1, 2, -3, 4}}, int8[4] m = {{5, 6, 7, -8}},
 uint8[4] v = {{9, 30, 50, 70}}, float s = {{0.05}}> {{
  gamma = DequantizeLinear(g, s)
  beta = DequantizeLinear(b, s)
  mean = DequantizeLinear(m, s)
  variance = DequantizeLinear(v, s)
  y = {norm}
}}"""


@pytest.mark.parametrize(
    "norm",
    [
        "InstanceNormalization<epsilon = 0.01>(x, gamma, beta)",
        "BatchNormalization<epsilon = 0.01>(x, gamma, beta, mean, variance)",
    ],
)
def test_norms_take_weights_that_the_graph_computes(norm: str, tmp_path: Path) -> None:
    x = np.random.default_rng(0).standard_normal((2, 4, 3, 5), np.float32)
    assert_agrees(parser.parse_model(NORM.format(norm=norm)), tmp_path, [x])


SCALAR = """<ir_version: 8, opset_import: ["" : 17]>
agraph (float[n] x) => (float[n] y)
<float s = {0.05}, int8 z = {3}, float low = {-0.41}> {
  q = QuantizeLinear(low, s, z)
  bound = DequantizeLinear(q, s, z)
  y = Max(x, bound)
}"""


def test_a_number_is_quantised_though_the_axis_is_1_by_default(tmp_path: Path) -> None:
    x = np.linspace(-2, 2, 9, dtype=np.float32)
    assert_agrees(parser.parse_model(SCALAR), tmp_path, [x])


@pytest.mark.parametrize("op", ["QLinearAdd", "QLinearMul"])
@pytest.mark.parametrize("kind", ["int8", "uint8"])
def test_each_pair_of_integers_is_rounded_as_by_onnx_runtime(
    op: str, kind: str, tmp_path: Path
) -> None:
    """A rounding more or less is a step more or less, and a network makes many of it."""
    model = parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
    agraph ({kind}[256, 1] x, {kind}[1, 256] y) => ({kind}[256, 256] z)
    <float s = {{0.0371}}, {kind} a = {{7}}, float t = {{0.0213}}, {kind} b = {{90}},
     float u = {{0.0409}}, {kind} c = {{33}}>
    {{ z = com.microsoft.{op}(x, s, a, y, t, b, u, c) }}""")
    first = np.iinfo(kind).min
    numbers = np.arange(first, first + 256).astype(kind)
    assert_agrees(model, tmp_path, [numbers[:, None], numbers[None]])


def test_integers_are_pooled_as_floats(tmp_path: Path) -> None:
    """MindSpore takes what it pads for the largest of small negative ones."""
    model = parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
    agraph (int8[1, 2, 6, 6] x) => (int8[1, 2, 3, 3] y)
    { y = MaxPool<kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 0, 0]>(x) }""")
    x = np.random.default_rng(0).integers(-128, -1, (1, 2, 6, 6)).astype(np.int8)
    assert ".astype(ms.float32)" in assert_agrees(model, tmp_path, [x])
