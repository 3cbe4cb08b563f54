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
