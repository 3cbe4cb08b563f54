"""Recomposing: each pattern fires once and keeps the numbers; near misses stay as they are."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from onnx import TensorProto, helper

from msconvert.converter.graph.graph import Graph
from msconvert.converter.recompose import RULES, recompose, rewrite
from msconvert.tests.converter.recomposed import (
    Case,
    assert_same_numbers,
    check,
    graph_of,
    model_of,
)

SQRT2 = "1.4142135381698608"
LAYER_NORM = """
m = ReduceMean<axes = [-1]>(x)
d = Sub(x, m)
s = Pow(d, 2)
v = ReduceMean<axes = [-1]>(s)
e = Add(v, 0.00001)
r = Sqrt(e)
n = Div(d, r)
"""
GELU = f"""
a = Div(x, {SQRT2})
b = Erf(a)
c = Add(b, 1)
"""
TANH_GELU = """
p = Pow(x, 3)
q = Mul(p, 0.044715)
s = Add(x, q)
t = Mul(s, 0.7978845834732056)
u = Tanh(t)
v = Add(1, u)
"""
GROUP = """
a = Reshape(x, @0:2:-1)
b = InstanceNormalization<epsilon = 0.001>(a, ones, zeros)
s = Shape(x)
n = Reshape(b, s)
"""
GROUP_WEIGHTS = (("w", (4, 1, 1)), ("b", (4, 1, 1)))
AFFINE = (("w", (8,)), ("b", (8,)))
WEIGHT = (("w", (8, 3)), ("b", (3,)))
IMAGE = "2,4,6,6"

FUSED = [
    Case("gelu, half last", GELU + "d = Mul(x, c)\ny = Mul(d, 0.5)", "Gelu"),
    Case("gelu, half first", GELU + "d = Mul(0.5, x)\ny = Mul(d, c)", "Gelu"),
    Case("gelu, half inside", GELU + "d = Mul(c, 0.5)\ny = Mul(x, d)", "Gelu"),
    Case("gelu, halved", GELU + "d = Mul(c, x)\ny = Div(d, 2)", "Gelu"),
    Case(
        "gelu, 0.7071",
        "a = Mul(0.7071, x)\nb = Erf(a)\nc = Add(1, b)\nd = Mul(x, c)\ny = Mul(d, 0.5)",
        "Gelu",
    ),
    Case("tanh gelu", TANH_GELU + "d = Mul(x, 0.5)\ny = Mul(d, v)", "Gelu"),
    Case("tanh gelu, half inside", TANH_GELU + "d = Mul(0.5, v)\ny = Mul(x, d)", "Gelu"),
    Case(
        "tanh gelu, products",
        """s = Mul(x, x)\nc = Mul(s, x)\nq = Mul(0.044715, c)\nt = Add(q, x)
        u = Mul(0.7978845834732056, t)\nw = Tanh(u)\nv = Add(w, 1)\nh = Mul(x, v)
        y = Mul(0.5, h)""",
        "Gelu",
    ),
    Case(
        "tanh gelu, factored",
        """k = Mul(x, 0.7978845834732056)\nq = Mul(0.044715, x)\nc = Mul(q, x)\nt = Add(c, 1)
        u = Mul(k, t)\nw = Tanh(u)\nv = Add(w, 1)\nh = Mul(0.5, x)\ny = Mul(h, v)""",
        "Gelu",
    ),
    Case("silu", "s = Sigmoid(x)\ny = Mul(s, x)", "Swish"),
    Case("quick gelu", "a = Mul(1.702, x)\ns = Sigmoid(a)\ny = Mul(x, s)", "Swish"),
    Case("relu of max", "y = Max(0, x)", "Relu"),
    Case("relu of clip", "y = Clip(x, 0)", "Relu"),
    Case("relu of clip 6", "y = Clip<min = 0.0>(x)", "Relu", opset=10),
    Case("relu6 of min", "a = Relu(x)\ny = Min(a, 6)", "Clip"),
    Case("relu6 of clip", "a = Relu(x)\ny = Clip<max = 6.0>(a)", "Clip", opset=10),
    Case("clip of min max", "a = Max(x, -1)\ny = Min(2, a)", "Clip"),
    Case("clip of max min", "a = Min(x, 1)\ny = Max(a, -1)", "Clip"),
    Case("leaky relu", "a = Mul(x, 0.1)\ny = Max(a, x)", "LeakyRelu"),
    Case("hard sigmoid", "a = Add(x, 3)\nb = Clip(a, 0, 6)\ny = Div(b, 6)", "HardSigmoid"),
    Case("hard sigmoid, unit", "a = Div(x, 6)\nb = Add(a, 0.5)\ny = Clip(b, 0, 1)", "HardSigmoid"),
    Case(
        "hard swish", "a = Add(3, x)\nb = Clip(a, 0, 6)\nc = Mul(x, b)\ny = Div(c, 6)", "HardSwish"
    ),
    Case(
        "hard swish of relu6",
        "a = Add(3, x)\nr = Relu(a)\nb = Min(r, 6)\nc = Mul(b, 0.16666667)\ny = Mul(x, c)",
        "HardSwish",
    ),
    Case(
        "hard swish of hard sigmoid",
        "a = HardSigmoid<alpha = 0.16666667>(x)\ny = Mul(x, a)",
        "HardSwish",
    ),
    Case("mish", "a = Softplus(x)\nb = Tanh(a)\ny = Mul(b, x)", "Mish"),
    Case("mish, log", "e = Exp(x)\nf = Add(e, 1)\na = Log(f)\nb = Tanh(a)\ny = Mul(x, b)", "Mish"),
    Case("softplus", "e = Exp(x)\nf = Add(1, e)\ny = Log(f)", "Softplus"),
    Case("threshold", "g = Greater(x, 20)\ns = Softplus(x)\ny = Where(g, x, s)", "Softplus"),
    Case("softsign", "a = Abs(x)\nb = Add(1, a)\ny = Div(x, b)", "Softsign"),
    Case(
        "layer norm",
        LAYER_NORM + "s2 = Mul(w, n)\ny = Add(s2, b)",
        "LayerNormalization",
        weights=AFFINE,
    ),
    Case(
        "layer norm, wide weights",
        LAYER_NORM + "s2 = Mul(n, w)\ny = Add(s2, b)",
        "LayerNormalization",
        weights=(("w", (1, 8)), ("b", (1, 8))),
    ),
    Case("layer norm, plain", LAYER_NORM + "y = Mul(n, 1)", "LayerNormalization"),
    Case(
        "layer norm, two centres",
        LAYER_NORM.replace("n = Div(d", "f = Sub(x, m)\ny = Div(f"),
        "LayerNormalization",
    ),
    Case(
        "layer norm, reciprocal, two axes",
        """m = ReduceMean<axes = [1, 2]>(x)\nd = Sub(x, m)\ns = Mul(d, d)
        v = ReduceMean<axes = [1, 2]>(s)\ne = Add(0.00001, v)\nr = Sqrt(e)\ni = Reciprocal(r)
        n = Mul(d, i)\ny = Mul(n, w)""",
        "LayerNormalization",
        x="2,3,8",
        weights=(("w", (3, 8)),),
    ),
    Case(
        "layer norm, opset 18",
        LAYER_NORM.replace("<axes = [-1]>(x)", "(x, @1)").replace("<axes = [-1]>(s)", "(s, @-1)")
        + "y = Mul(n, 1)",
        "LayerNormalization",
        opset=18,
    ),
    Case(
        "layer norm, TensorFlow",
        """m = ReduceMean<axes = [-1]>(x)\nd = Sub(x, m)\ns = Mul(d, d)
        v = ReduceMean<axes = [-1]>(s)\ne = Add(v, 0.001)\nr = Sqrt(e)\ni = Reciprocal(r)
        k = Mul(i, w)\nxs = Mul(x, k)\nms = Mul(m, k)\nt = Sub(b, ms)\ny = Add(xs, t)""",
        "LayerNormalization",
        weights=AFFINE,
    ),
    Case(
        "rms norm",
        """s = Pow(x, 2)\nm = ReduceMean<axes = [-1]>(s)\ne = Add(m, 0.000001)\nr = Sqrt(e)
        i = Reciprocal(r)\nn = Mul(x, i)\ny = Mul(w, n)""",
        "RMSNormalization",
        weights=(("w", (8,)),),
    ),
    Case(
        "softmax",
        "m = ReduceMax<axes = [1]>(x)\nd = Sub(x, m)\ne = Exp(d)\n"
        "s = ReduceSum(e, @1)\ny = Div(e, s)",
        "Softmax",
    ),
    Case("softmax, no shift", "e = Exp(x)\ns = ReduceSum(e, @0)\ny = Div(e, s)", "Softmax"),
    Case(
        "log softmax",
        "m = ReduceMax<axes = [1]>(x)\nd = Sub(x, m)\ne = Exp(d)\n"
        "s = ReduceSum(e, @-1)\nl = Log(s)\ny = Sub(d, l)",
        "LogSoftmax",
    ),
    Case(
        "softmax of nothing",
        "s = Softmax<axis = -1>(x)\nn = IsNaN(s)\ny = Where(n, 0.0, s)",
        "Softmax NanToNum",
    ),
    Case(
        "softmax of masked rows",
        "c = Less(x, 0.0)\nb = Where(c, -inf, x)\ns = Softmax<axis = 1>(b)\n"
        "n = IsNaN(s)\ny = Where(n, 0.0, s)",
        "Less Where MaskedSoftmax",
    ),
    Case("log softmax of sum", "s = ReduceLogSumExp<axes = [1]>(x)\ny = Sub(x, s)", "LogSoftmax"),
    Case(
        "unit length",
        "l = ReduceL2<axes = [1]>(x)\nc = Clip(l, 1e-12)\ns = Shape(x)\n"
        "e = Expand(c, s)\ny = Div(x, e)",
        "LpNormalization",
    ),
    Case(
        "unit length, sum",
        "q = Mul(x, x)\ns = ReduceSum(q, @1)\nr = Sqrt(s)\nc = Max(r, 1e-12)\ny = Div(x, c)",
        "LpNormalization",
    ),
    Case("dense", "a = MatMul(x, w)\ny = Add(a, b)", "Dense", weights=WEIGHT),
    Case("dense, bias first", "a = MatMul(x, w)\ny = Add(b, a)", "Dense", "2,5,8", WEIGHT),
    Case("dense, no bias", "y = MatMul(x, w)", "Dense", "2,5,8", WEIGHT[:1]),
    Case(
        "dense, row bias",
        "a = MatMul(x, w)\ny = Add(a, b)",
        "Dense",
        weights=(WEIGHT[0], ("b", (1, 3))),
    ),
    Case(
        "dense of gemm",
        "y = Gemm<transB = 1>(x, w, b)",
        "Dense",
        weights=(("w", (3, 8)), WEIGHT[1]),
    ),
    Case(
        "dense of gemm, alpha, beta",
        "y = Gemm<alpha = 2.0, beta = 0.5>(x, w, b)",
        "Dense",
        weights=WEIGHT,
    ),
    Case("dense of gemm, one bias", "y = Gemm(x, w, b)", "Dense", weights=(WEIGHT[0], ("b", (1,)))),
    Case("dense of gemm, add", "a = Gemm(x, w)\ny = Add(a, b)", "Dense", weights=WEIGHT),
    Case(
        "dense between reshapes",
        "a = Reshape(x, @-1:8)\nd = Gemm(a, w, b)\ny = Reshape(d, @2:5:3)",
        "Dense",
        "2,5,8",
        WEIGHT,
    ),
    Case(
        "dense, heads merged",
        "a = Reshape(x, @-1:8)\nd = Gemm(a, w, b)\ny = Reshape(d, @2:5:3)",
        "Reshape Dense",
        "2,5,2,4",
        WEIGHT,
    ),
    Case(
        "scale once",
        "a = Mul(x, 0.5)\nt = Transpose(x)\nk = Mul(t, 0.5)\ny = MatMul(a, k)",
        "Transpose Mul MatMul",
    ),
    Case(
        "conv bias",
        "a = Conv(x, w)\ny = Add(a, b)",
        "Conv",
        IMAGE,
        (("w", (3, 4, 3, 3)), ("b", (3, 1, 1))),
    ),
    Case("global average", "y = GlobalAveragePool(x)", "ReduceMean", IMAGE),
    Case("global maximum", "y = GlobalMaxPool(x)", "ReduceMax", IMAGE),
    Case("full average", "y = AveragePool<kernel_shape = [6, 6]>(x)", "ReduceMean", IMAGE),
    Case(
        "full average, padding not counted",
        "y = AveragePool<kernel_shape = [7, 7], pads = [0, 0, 1, 1]>(x)",
        "ReduceMean",
        IMAGE,
    ),
    Case(
        "full maximum",
        "y = MaxPool<kernel_shape = [6, 6], strides = [6, 6]>(x)",
        "ReduceMax",
        IMAGE,
    ),
    Case("average, flat", "a = GlobalAveragePool(x)\ny = Flatten(a)", "ReduceMean", IMAGE),
    Case(
        "average, squeezed", "a = GlobalAveragePool(x)\ny = Squeeze(a, @2:3)", "ReduceMean", IMAGE
    ),
    Case(
        "average, squeezed 11",
        "a = GlobalAveragePool(x)\ny = Squeeze<axes = [-1, 2]>(a)",
        "ReduceMean",
        IMAGE,
        opset=11,
    ),
    Case(
        "average, reshaped", "a = GlobalAveragePool(x)\ny = Reshape(a, @0:-1)", "ReduceMean", IMAGE
    ),
    Case(
        "average, reshaped, any batch",
        "a = GlobalAveragePool(x)\ny = Reshape(a, @-1:4)",
        "ReduceMean",
        "n,4,6,6",
    ),
    Case(
        "mean, reshaped",
        "a = ReduceMean(x, @-1:-2)\ny = Reshape(a, @2:4)",
        "ReduceMean",
        IMAGE,
        opset=18,
    ),
    Case(
        "transposes",
        "a = Transpose<perm = [1, 2, 0]>(x)\ny = Transpose<perm = [1, 0, 2]>(a)",
        "Transpose",
        "2,3,4",
    ),
    Case("transposes undone", "a = Transpose(x)\nb = Transpose(a)\ny = Relu(b)", "Relu"),
    Case("reshapes", "a = Reshape(x, @4:4)\ny = Reshape(a, @8:2)", "Reshape"),
    Case("reshape undone", "r = Relu(x)\na = Reshape(r, @4:4)\ny = Reshape(a, @2:8)", "Relu"),
    Case("axis put and taken", "a = Unsqueeze(x, @1)\nb = Squeeze(a, @-2)\ny = Relu(b)", "Relu"),
    Case(
        "axes put in", "a = Unsqueeze(x, @1)\nb = Unsqueeze(a, @1)\ny = Relu(b)", "Unsqueeze Relu"
    ),
    Case(
        "axes put in, in front and behind",
        "a = Unsqueeze(x, @1:-1)\nb = Unsqueeze(a, @0:3)\ny = Relu(b)",
        "Unsqueeze Relu",
        "5,4",
    ),
    Case(
        "axes put into a vector",
        "a = Unsqueeze(x, @1)\nb = Unsqueeze(a, @0)\ny = Unsqueeze(b, @3)",
        "Unsqueeze",
        "5",
    ),
    Case(
        "axis taken and put",
        "a = Squeeze(x, @1)\nb = Unsqueeze(a, @1)\ny = Relu(b)",
        "Relu",
        "2,1,3",
    ),
    Case(
        "moved axis",
        "a = Unsqueeze(x, @0)\nb = Transpose<perm = [3, 1, 2, 0, 4]>(a)\ny = Squeeze(b, @-2)",
        "Transpose",
        "5,2,3,4",
    ),
    Case(
        "last two swapped",
        "a = Reshape(x, @-1:5:3)\nb = Transpose<perm = [0, 2, 1]>(a)\ny = Reshape(b, @-1:4:3:5)",
        "Transpose",
        "n,4,5,3",
    ),
    Case(
        "pixel shuffle",
        "a = Reshape(x, @-1:2:2:2:3:5)\n"
        "b = Transpose<perm = [0, 1, 4, 2, 5, 3]>(a)\ny = Reshape(b, @-1:2:6:10)",
        "DepthToSpace",
        "2,8,3,5",
    ),
    Case(
        "pixel shuffle, depth first",
        "a = Reshape(x, @-1:2:2:2:3:5)\n"
        "b = Transpose<perm = [0, 3, 4, 1, 5, 2]>(a)\ny = Reshape(b, @-1:2:6:10)",
        "DepthToSpace",
        "n,8,3,5",
    ),
    Case(
        "index sliced",
        "a = Slice(x, @1, @2, @1, @1)\nb = Squeeze(a, @-2)\ny = Relu(b)",
        "Gather Relu",
        "2,3,4",
    ),
    Case(
        "index of a split",
        """a, b, c = Split<axis = 1>(x)
        d = Squeeze(c, @1)
        e = Squeeze(b, @1)
        f = Squeeze(a, @1)
        g = Sub(d, e)
        y = Sub(f, g)""",
        "Gather Gather Gather Sub Sub",
        "2,3,4",
    ),
    Case(
        "only the new axis moved",
        """a = Unsqueeze(x, @0)
        b = Transpose<perm = [1, 0, 2]>(a)
        c = Squeeze(b, @1)
        y = Relu(c)""",
        "Relu",
    ),
    Case("times one, plus nothing", "a = Mul(x, 1)\nb = Add(a, 0)\ny = Relu(b)", "Relu"),
]

LEFT_ALONE = [
    Case(
        "gelu with 1.41",
        GELU.replace(SQRT2, "1.41") + "d = Mul(x, c)\ny = Mul(d, 0.5)",
        "Div Erf Add Mul Mul",
    ),
    Case("gelu with 0.6", GELU + "d = Mul(x, c)\ny = Mul(d, 0.6)", "Div Erf Add Mul Mul"),
    Case(
        "gelu plus 2",
        GELU.replace("1)", "2)") + "d = Mul(x, c)\ny = Mul(d, 0.5)",
        "Div Erf Add Mul Mul",
    ),
    Case(
        "gelu of another",
        GELU + "z = Neg(x)\nd = Mul(z, c)\ny = Mul(d, 0.5)",
        "Div Erf Add Neg Mul Mul",
    ),
    Case(
        "tanh gelu, 0.0457",
        TANH_GELU.replace("0.044715", "0.0457") + "d = Mul(x, 0.5)\ny = Mul(d, v)",
        "Pow Mul Add Mul Tanh Add Mul Mul",
    ),
    Case("sigmoid of another", "a = Neg(x)\ns = Sigmoid(a)\ny = Mul(x, s)", "Neg Sigmoid Mul"),
    Case("clip from 1", "y = Clip(x, 1)", "Clip"),
    Case("max with 1", "y = Max(x, 1)", "Max"),
    Case("crossed limits", "a = Max(x, 2)\ny = Min(a, 1)", "Max Min", reason="the limits cross"),
    Case("slope above 1", "a = Mul(x, 1.5)\ny = Max(a, x)", "Mul Max", reason="the slope"),
    Case(
        "hard sigmoid, slope 0.2",
        "a = HardSigmoid(x)\ny = Mul(x, a)",
        "HardSigmoid Mul",
        reason="the slope is not 1/6",
    ),
    Case(
        "hard swish, 5",
        "a = Add(x, 3)\nb = Clip(a, 0, 5)\nc = Mul(x, b)\ny = Div(c, 6)",
        "Add Clip Mul Div",
    ),
    Case("hard sigmoid, plus 2", "a = Add(x, 2)\nb = Clip(a, 0, 6)\ny = Div(b, 6)", "Add Clip Div"),
    Case(
        "threshold 2",
        "g = Greater(x, 2)\ns = Softplus(x)\ny = Where(g, x, s)",
        "Greater Softplus Where",
        reason="the threshold",
    ),
    Case("log of 2 + exp", "e = Exp(x)\nf = Add(e, 2)\ny = Log(f)", "Exp Add Log"),
    Case("softsign, plus 2", "a = Abs(x)\nb = Add(2, a)\ny = Div(x, b)", "Abs Add Div"),
    Case(
        "layer norm, first axis",
        LAYER_NORM.replace("-1", "0") + "y = Mul(n, 2)",
        "ReduceMean Sub Pow ReduceMean Add Sqrt Div Mul",
        reason="it does not reduce the last axes",
    ),
    Case(
        "layer norm, two different axes",
        LAYER_NORM.replace("[-1]>(s)", "[0]>(s)") + "y = Relu(n)",
        "ReduceMean Sub Pow ReduceMean Add Sqrt Div Relu",
        reason="it reduces over different axes",
    ),
    Case(
        "layer norm, eps after the root",
        LAYER_NORM.replace("e = Add(v, 0.00001)\nr = Sqrt(e)", "q = Sqrt(v)\nr = Add(q, 0.00001)")
        + "y = Relu(n)",
        "ReduceMean Sub Pow ReduceMean Sqrt Add Div Relu",
    ),
    Case(
        "layer norm, cube",
        LAYER_NORM.replace("Pow(d, 2)", "Pow(d, 4)") + "y = Relu(n)",
        "ReduceMean Sub Pow ReduceMean Add Sqrt Div Relu",
    ),
    Case(
        "layer norm, unknown size",
        LAYER_NORM + "y = Relu(n)",
        "ReduceMean Sub Pow ReduceMean Add Sqrt Div Relu",
        x="2,n",
        reason="size",
    ),
    Case(
        "layer norm, weight of rows",
        LAYER_NORM + "y = Mul(n, w)",
        "LayerNormalization Mul",
        weights=(("w", (2, 1)),),
        reason="one per normalised position",
    ),
    Case(
        "layer norm, one factor",
        LAYER_NORM + "y = Mul(n, 3)",
        "LayerNormalization Mul",
        reason="one per normalised position",
    ),
    Case(
        "layer norm, wider weight",
        LAYER_NORM + "y = Mul(n, w)",
        "LayerNormalization Mul",
        weights=(("w", (1, 1, 8)),),
        reason="one per normalised position",
    ),
    Case(
        "softmax, two axes",
        "e = Exp(x)\ns = ReduceSum(e, @0:1)\ny = Div(e, s)",
        "Exp ReduceSum Div",
        reason="several axes",
    ),
    Case(
        "softmax of another",
        "e = Exp(x)\nz = Neg(x)\nf = Exp(z)\ns = ReduceSum(f, @1)\ny = Div(e, s)",
        "Exp Neg Exp ReduceSum Div",
    ),
    Case(
        "softmax, axis dropped",
        "e = Exp(x)\ns = ReduceSum<keepdims = 0>(e, @1)\ny = Div(e, s)",
        "Exp ReduceSum Div",
        "8,8",
        reason="not kept",
    ),
    Case(
        "unit length, large eps",
        "l = ReduceL2<axes = [1]>(x)\nc = Clip(l, 0.1)\ny = Div(x, c)",
        "ReduceL2 Clip Div",
        reason="large enough to be seen",
    ),
    Case("product of two values", "a = Neg(x)\ny = MatMul(x, a)", "Neg MatMul", "8,8"),
    Case("constant on the left", "y = MatMul(w, x)", "MatMul", "8,4", (("w", (3, 8)),)),
    Case(
        "stacked matrices",
        "y = MatMul(x, w)",
        "MatMul",
        "2,5,8",
        (("w", (2, 8, 3)),),
        reason="the constant is not a matrix",
    ),
    Case(
        "bias of rows",
        "a = MatMul(x, w)\ny = Add(a, b)",
        "Dense Add",
        "3,8",
        (WEIGHT[0], ("b", (3, 1))),
        reason="the bias is not one per unit",
    ),
    Case(
        "position added",
        "a = MatMul(x, w)\ny = Add(a, b)",
        "Dense Add",
        "2,8",
        (WEIGHT[0], ("b", (2, 3))),
        reason="the term is not one per unit",
    ),
    Case(
        "wider bias",
        "a = MatMul(x, w)\ny = Add(a, b)",
        "Dense Add",
        "2,8",
        (WEIGHT[0], ("b", (1, 1, 3))),
        reason="more dimensions",
    ),
    Case(
        "gemm of x transposed",
        "y = Gemm<transA = 1>(x, w, b)",
        "Gemm",
        "8,2",
        WEIGHT,
        reason="x is transposed",
    ),
    Case(
        "gemm, bias of rows",
        "y = Gemm(x, w, b)",
        "Gemm",
        "2,8",
        (WEIGHT[0], ("b", (2, 3))),
        reason="the bias is not one per unit",
    ),
    Case(
        "reshape mixes units",
        "d = Gemm(x, w)\ny = Reshape(d, @3:2)",
        "Dense Reshape",
        weights=WEIGHT[:1],
    ),
    Case(
        "reshape mixes units between",
        "a = Reshape(x, @-1:8)\nd = Gemm(a, w, b)\ny = Reshape(d, @3:10)",
        "Reshape Dense Reshape",
        "2,5,8",
        WEIGHT,
        reason="the last axis does not stay",
    ),
    Case(
        "conv, term of rows",
        "a = Conv(x, w)\ny = Add(a, b)",
        "Conv Add",
        IMAGE,
        (("w", (4, 4, 3, 3)), ("b", (4, 1))),
        reason="not one per channel",
    ),
    Case(
        "half pooling",
        "y = AveragePool<kernel_shape = [3, 6]>(x)",
        "AveragePool",
        IMAGE,
    ),
    Case(
        "padded pooling",
        "y = AveragePool<kernel_shape = [6, 6], pads = [1, 1, 1, 1]>(x)",
        "AveragePool",
        IMAGE,
    ),
    Case(
        "padding averaged too",
        "y = AveragePool<kernel_shape = [8, 8], pads = [1, 1, 1, 1], count_include_pad = 1>(x)",
        "AveragePool",
        IMAGE,
        reason="its padding is averaged too",
    ),
    Case(
        "mean of rows, flat",
        "a = ReduceMean(x, @2)\ny = Flatten(a)",
        "ReduceMean Flatten",
        IMAGE,
        opset=18,
        reason="other axes",
    ),
    Case(
        "flat from axis 2",
        "a = GlobalAveragePool(x)\ny = Flatten<axis = 2>(a)",
        "ReduceMean Flatten",
        IMAGE,
        reason="the result is not (n, c)",
    ),
    Case(
        "average, one axis squeezed",
        "a = GlobalAveragePool(x)\ny = Squeeze(a, @3)",
        "ReduceMean Squeeze",
        IMAGE,
        reason="other axes are squeezed",
    ),
    Case(
        "average, rows mixed",
        "a = GlobalAveragePool(x)\ny = Reshape(a, @4:2)",
        "ReduceMean Reshape",
        IMAGE,
        reason="the result is not (n, c)",
    ),
    Case(
        "reshape copies",
        "a = Reshape(x, @4:4)\ny = Reshape(a, @0:2:2)",
        "Reshape Reshape",
        reason="it copies sizes",
    ),
    Case(
        "another axis taken",
        "a = Unsqueeze(x, @1)\nb = Squeeze(a, @2)\ny = Relu(b)",
        "Unsqueeze Squeeze Relu",
        "2,1",
        reason="the axes differ",
    ),
    Case(
        "two indices sliced",
        "a = Slice(x, @1, @3, @1)\nb = Squeeze(a, @0)\ny = Relu(b)",
        "Slice Squeeze Relu",
        "1,3,4",
        reason="more than one index is taken",
    ),
    Case(
        "last index sliced",
        "a = Slice(x, @-1, @0, @1)\nb = Squeeze(a, @0)\ny = Relu(b)",
        "Slice Squeeze Relu",
        "1,3,4",
        reason="more than one index is taken",
    ),
    Case(
        "another axis than the sliced one",
        "a = Slice(x, @1, @2, @1)\nb = Squeeze(a, @0)\ny = Relu(b)",
        "Slice Squeeze Relu",
        "1,3,4",
        reason="another axis is squeezed",
    ),
    Case(
        "split into twos",
        "a, b = Split<axis = 1>(x)\nc = Squeeze(a, @0)\nd = Squeeze(b, @0)\ny = Sub(c, d)",
        "Split Squeeze Squeeze Sub",
        "1,4,3",
        reason="it is not split into ones",
    ),
    Case(
        "part of a split read unsqueezed",
        "a, b = Split<axis = 1>(x)\nc = Squeeze(a, @1)\ny = Sub(c, b)",
        "Split Squeeze Sub",
        "1,2,3",
        reason="a part is read unsqueezed",
    ),
    Case(
        "one pool of several",
        "a = MaxPool<kernel_shape = [3, 3], strides = [3, 3]>(x)\n"
        "y = MaxPool<kernel_shape = [3, 3], strides = [3, 3]>(a)",
        "MaxPool MaxPool",
        "2,4,9,9",
        reason="the same kernel elsewhere",
    ),
    Case(
        "channel shuffle",
        "a = Reshape(x, @2:2:4:3:5)\nb = Transpose<perm = [0, 2, 1, 3, 4]>(a)\n"
        "y = Reshape(b, @2:8:3:5)",
        "Reshape Transpose Reshape",
        "2,8,3,5",
    ),
    Case(
        "pixel unshuffle",
        "a = Reshape(x, @2:2:2:2:2:2)\n"
        "b = Transpose<perm = [0, 1, 3, 5, 2, 4]>(a)\ny = Reshape(b, @2:8:2:2)",
        "Reshape Transpose Reshape",
        "2,2,4,4",
    ),
    Case("times one, wider", "y = Mul(x, w)", "Mul", weights=(("w", (1, 1, 8)),)),
]


@cache
def prepared(case: Case) -> Graph:
    with TemporaryDirectory() as folder:
        return graph_of(model_of(case), Path(folder))


@pytest.mark.parametrize("case", FUSED, ids=lambda case: case.name)
def test_fused(case: Case) -> None:
    done = check(prepared(case), case.ops)
    told = [change.origin for change in done.changes] + [n.origin for n in done.graph.nodes]
    known = {label for node in prepared(case).nodes for label in node.origin}
    assert {label for origin in told for label in origin} == known, "a node is lost to the report"
    assert not recompose(done.graph).changes, "recomposing twice is not recomposing once"


@pytest.mark.parametrize("case", LEFT_ALONE, ids=lambda case: case.name)
def test_left_alone(case: Case) -> None:
    reasons = [item.reason for item in check(prepared(case), case.ops).kept]
    assert not case.reason or any(case.reason in reason for reason in reasons), reasons


@pytest.mark.parametrize("case", FUSED, ids=lambda case: case.name)
def test_what_is_read_elsewhere_stays(case: Case) -> None:
    """Each value in between as one more output of the graph: it is still made, and right."""
    graph = prepared(case)
    between = [out for node in graph.nodes for out in node.outputs if out not in graph.outputs]
    for value in between:
        shown = replace(graph, outputs=[*graph.outputs, value])
        done = recompose(shown)
        assert value in {out for node in done.graph.nodes for out in node.outputs}
        assert_same_numbers(shown, done.graph)


@pytest.mark.parametrize("case", FUSED, ids=lambda case: case.name)
def test_what_a_subgraph_reads_stays(case: Case, tmp_path: Path) -> None:
    """An If whose branch returns the last value in between."""
    model = model_of(case)
    made = [out for node in model.graph.node for out in node.output]
    if len(made) < 2:
        made = ["x", *made]
    kinds = {out: node.op_type for node in model.graph.node for out in node.output}
    kind = TensorProto.BOOL if kinds.get(made[-2]) == "IsNaN" else TensorProto.FLOAT
    branch = helper.make_graph(
        [helper.make_node("Identity", [made[-2]], ["inner"])],
        "branch",
        [],
        [helper.make_tensor_value_info("inner", kind, None)],
    )
    say = helper.make_tensor_value_info("flag", 9, [])
    node = helper.make_node("If", ["flag"], ["z"], then_branch=branch, else_branch=branch)
    model.graph.node.append(node)
    model.graph.input.append(say)
    model.graph.output.append(helper.make_tensor_value_info("z", kind, None))
    before = graph_of(model, tmp_path)
    assert_same_numbers(before, recompose(before).graph)


ELSEWHERE = {
    "batch_norm_scale",
    "batch_norm_bias",
    "group_norm",
    "group_norm_scale",
    "group_norm_bias",
    "norm_in_float32",
    "zero_states",
    "merged_directions",
    "stacked_layers",
    "batch_first",
    "roll",
    "rolls",
    "own_positions",
    "every_element",
    "mask_of_all",
    "gather_of_one_number",
    "expands",
    "slices",
    "pool_of_transposed",
    "fake_quantize",
    "rounded_before",
    "rounded_beside",
}
"""Rules that test_recompose_layers.py, _positions.py, _torch.py, test_own_sizes.py and
test_quantised_pairs.py need."""


@pytest.mark.parametrize("name", sorted(set(RULES) - ELSEWHERE))
def test_every_rule_is_needed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the rule some pattern above is no longer put together."""
    phases = tuple(tuple(r for r in phase if r.name != name) for phase in rewrite.PHASES)
    monkeypatch.setattr(rewrite, "PHASES", phases)
    results = (recompose(prepared(case)).graph.nodes for case in FUSED)
    wanted = [case.ops.split() for case in FUSED]
    assert [[node.op for node in nodes] for nodes in results] != wanted
