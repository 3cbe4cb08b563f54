"""One row for each primitive with a vjp, and each way in which its gradient is computed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Sample:
    """A call of a primitive: differentiated with respect to its floating inputs.

    Inputs are shapes (numbers in [low, low + 2), no two equal) or arrays as they are. In float64
    unless `single`, where ONNX Runtime has no such kernel: then within `tolerance` of float32.
    """

    op: str
    inputs: tuple[Any, ...]
    attrs: dict[str, Any] = field(default_factory=dict)
    low: float = -1.0
    single: bool = False
    twice: bool = False
    outputs: int = 0
    tolerance: float = 1e-5

    def arrays(self) -> list[Any]:
        state = np.random.RandomState(len(self.op))
        made: list[Any] = []
        for k, given in enumerate(self.inputs):
            if isinstance(given, tuple):
                count = int(np.prod(given))
                spread = (np.arange(count) + 0.5) / max(count, 1) * 1.9 + self.low + k / 50
                made.append(state.permutation(spread).reshape(given))
            else:
                made.append(given)
        return made

    def __str__(self) -> str:
        shapes = [x if isinstance(x, tuple) else np.shape(x) for x in self.inputs if x is not None]
        return f"{self.op}-{'-'.join('x'.join(map(str, s)) for s in shapes)}-{self.attrs}"


def ints(*values: Any) -> np.ndarray:
    return np.array(values, np.int64)


def S(op: str, *inputs: Any, **options: Any) -> Sample:  # a table of rows
    return Sample(op, inputs, **options)


X = (3, 4)

UNARY = [
    *[S(op, X, low=low, twice=twice, single=single) for op, low, twice, single in (
        ("Abs", -1, False, False), ("Acos", -0.99, False, True), ("Acosh", 1.5, False, True),
        ("Asin", -0.99, False, True), ("Asinh", -1, False, True), ("Atan", -1, False, True),
        ("Cos", -1, True, False), ("Cosh", -1, False, True), ("Erf", -1, True, True),
        ("Exp", -1, True, False), ("Identity", -1, False, False), ("Log", 0.5, True, False),
        ("Neg", -1, False, False), ("Reciprocal", 0.5, True, False), ("Sin", -1, True, False),
        ("Sinh", -1, False, True), ("Sqrt", 0.5, True, False), ("Tan", -1, False, True),
        ("Tanh", -1, True, False), ("Celu", -1, False, True), ("Elu", -1, False, True),
        ("Gelu", -1, True, True), ("HardSwish", -4, False, True), ("LeakyRelu", -1, False, True),
        ("Mish", -1, True, True), ("Relu", -1, False, False), ("Selu", -1, False, True),
        ("Shrink", -0.97, False, True), ("Sigmoid", -1, True, False), ("Softplus", -1, True, True),
        ("Softsign", -1, False, True), ("Floor", -1, False, False), ("Ceil", -1, False, False),
        ("Round", -1, False, False), ("Sign", -1, False, False),
    )],
    S("Atanh", (2,), low=-0.9, single=True),
    S("HardSwish", X, low=2.2, single=True),
    S("Gelu", X, attrs={"approximate": "tanh"}, single=True, twice=True),
    S("HardSigmoid", X, low=-3.5, single=True),
    S("HardSigmoid", X, attrs={"alpha": 0.4, "beta": 0.6}, single=True),
    S("LeakyRelu", X, attrs={"alpha": 0.0}, single=True),
    S("ThresholdedRelu", X, attrs={"alpha": 0.3}, single=True),
    S("Clip", X, np.array(-0.5), np.array(0.4)),
    S("Clip", X, None, np.array(0.4)),
    S("Relu", ()),
    S("Relu", (0,)),
]  # fmt: skip

BINARY = [
    *[S(op, a, b, low=0.5, twice=True) for op in ("Add", "Sub", "Mul", "Div", "Pow")
      for a, b in ((X, X), (X, (4,)), ((3, 1), (2, 1, 4)), (X, ()))],
    S("Max", X, X), S("Max", X, (4,)), S("Min", X, X), S("Min", X, (3, 1), X),
    S("Mean", X, (4,), single=True), S("Sum", X, (4,), (1, 1), single=True),
    S("Mod", X, np.full(X, 0.37), attrs={"fmod": 1}),
    S("Where", np.arange(12).reshape(X) % 2 == 0, X, (4,)),
    S("PRelu", (2, 3, 4), (3, 1), single=True),
    S("Cast", X, attrs={"to": 11}, single=True),
]  # fmt: skip

AXES = [(None, 1), (ints(1), 1), (ints(0, -1), 0)]
REDUCTIONS = [
    *[S(f"Reduce{op}", (2, 3, 4), *([] if axes is None else [axes]), attrs={"keepdims": keep},
        low=low, twice=op in ("SumSquare", "LogSumExp"))
      for op, low in (("Sum", -1), ("Mean", -1), ("Max", -1), ("Min", -1), ("SumSquare", -1),
                      ("LogSumExp", -1))
      for axes, keep in AXES],
    *[S(f"Reduce{op}", (2, 3, 4), *([] if axes is None else [axes]), attrs={"keepdims": keep},
        low=0.5, single=True)
      for op in ("L1", "L2", "LogSum", "Prod") for axes, keep in AXES],
    S("Softmax", X, twice=True), S("Softmax", (2, 3, 4), attrs={"axis": 1}),
    S("LogSoftmax", X, twice=True), S("LogSoftmax", (2, 3, 4), attrs={"axis": 1}),
    S("CumSum", X, ints(1)[0]), S("CumSum", X, ints(0)[0], attrs={"exclusive": 1, "reverse": 1}),
    S("LpNormalization", X, low=0.3, attrs={"axis": 1}),
    S("LpNormalization", X, low=0.3, attrs={"axis": 0, "p": 1}),
    S("TopK", X, ints(2), attrs={"axis": 1}, outputs=2),
    *[S("MatMul", a, b, twice=True) for a, b in (
        ((3, 4), (4, 5)), ((2, 3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)), ((2, 1, 3, 4), (5, 4, 2)),
        ((4,), (4,)), ((4,), (4, 5)), ((3, 4), (4,)), ((2, 3, 4), (4,)), ((4,), (2, 4, 5)))],
    *[S("Gemm", (3, 4) if not ta else (4, 3), (4, 5) if not tb else (5, 4), c,
        attrs={"transA": ta, "transB": tb, "alpha": 0.5, "beta": 2.0}, twice=True)
      for ta, tb, c in ((0, 0, (5,)), (1, 0, (3, 1)), (0, 1, ()), (1, 1, (3, 5)))],
    S("Einsum", (2, 3, 4), (2, 4, 5), attrs={"equation": "bij,bjk->bik"}, single=True),
    S("Einsum", (2, 3, 4), (4, 5), attrs={"equation": "...j,jk"}, single=True),
    S("Einsum", (2, 3), (4,), attrs={"equation": "ij,k->ik"}, single=True),
]  # fmt: skip

SHAPING = [
    S("Concat", X, (2, 4), attrs={"axis": 0}),
    S("DepthToSpace", (1, 8, 2, 3), attrs={"blocksize": 2}),
    S("DepthToSpace", (1, 8, 2, 3), attrs={"blocksize": 2, "mode": "CRD"}, single=True),
    S("SpaceToDepth", (1, 2, 4, 6), attrs={"blocksize": 2}),
    S("Expand", (3, 1), ints(2, 3, 4)),
    S("Flatten", (2, 3, 4), attrs={"axis": 1}),
    S("Gather", (5, 4), ints(1, 0, 1)), S("Gather", (2, 5, 3), ints(4, -1), attrs={"axis": 1}),
    S("Gather", (5, 4), np.array([[0, 1], [1, 1]]), attrs={"axis": 1}),
    S("Gather", (5, 4), ints(2)[0], attrs={"axis": 0}),
    S("GatherElements", X, np.array([[0, 1, 1, 3], [2, 2, 0, -1]]), attrs={"axis": 1}),
    S("GatherND", (3, 4, 2), np.array([[0, 1], [2, 3], [0, 1]])),
    *[S("Pad", (3, 4), ints(1, 0, 2, 1), attrs={"mode": m}) for m in
      ("constant", "reflect", "edge", "wrap")],
    S("Pad", (3, 4), ints(0, -1, 1, -1)),
    S("Reshape", (2, 6), ints(3, 4)), S("Squeeze", (3, 1, 2), ints(1)),
    S("Unsqueeze", (3, 2), ints(0, 3)),
    S("ReverseSequence", (4, 2), ints(3, 2)),
    *[S("ScatterElements", (3, 4), np.array([[0, 1], [2, 3]]), (2, 2),
        attrs={"axis": 1, "reduction": r}) for r in ("none", "add", "mul", "max", "min")],
    *[S("ScatterND", (4, 3), np.array([[0], [2]]), (2, 3), attrs={"reduction": r})
      for r in ("none", "add", "mul", "max", "min")],
    S("Slice", (5, 6), ints(1), ints(4), ints(1)),
    S("Slice", (5, 6), ints(-3, 1), ints(2**40, 5), ints(1, 0)),
    S("Slice", (5, 6), ints(0, -1), ints(5, -(2**62)), ints(0, 1), ints(2, -1)),
    S("Split", (3, 6), ints(1, 5), attrs={"axis": 1}, outputs=2),
    S("Tile", (2, 3), ints(2, 3)), S("Transpose", (2, 3, 4), attrs={"perm": (2, 0, 1)}),
    S("Transpose", (2, 3, 4)), S("Trilu", (3, 4)), S("Trilu", (3, 4), ints(1)[0],
                                                    attrs={"upper": 0}),
]  # fmt: skip


def conv(x: Any, w: Any, *b: Any, op: str = "Conv", **attrs: Any) -> Sample:
    return S(op, x, w, *b, attrs=attrs, single=True, twice=len(b) == 0, tolerance=2e-3)


LAYERS = [
    conv((2, 3, 5, 6), (4, 3, 3, 3), (4,), pads=(1, 1, 1, 1)),
    conv((2, 3, 6, 7), (4, 3, 3, 2), strides=(2, 2), pads=(1, 0, 0, 1)),
    conv((2, 3, 7, 7), (4, 3, 2, 2), strides=(3, 3)),
    conv((1, 3, 6, 7), (4, 3, 3, 2), strides=(2, 2), pads=(1, 0, 0, 1)),
    conv((1, 3, 7, 7), (4, 3, 2, 2), strides=(3, 3)),
    conv((2, 3, 8, 9), (2, 3, 3, 2), pads=(1, 0, 1, 1)),
    conv((2, 3, 9, 9), (2, 3, 2, 3), pads=(2, 1, 0, 1), dilations=(2, 1)),
    conv((2, 2, 5, 5), (2, 1, 3, 2), group=2, pads=(1, 0, 0, 1)),
    conv((2, 18, 2, 2), (9, 18, 2, 2), pads=(1, 0, 0, 1)),
    conv((1, 2, 8, 8), (2, 2, 3, 3), dilations=(2, 2), pads=(1, 2, 1, 2)),
    conv((2, 3, 4, 4), (5, 3, 1, 1)),
    conv((2, 3, 4, 4), (5, 3, 1, 1), strides=(2, 2)),
    conv((2, 4, 5, 5), (6, 2, 3, 3), group=2, pads=(1, 1, 1, 1)),
    conv((2, 4, 5, 5), (4, 1, 3, 3), group=4, strides=(2, 2), pads=(1, 1, 1, 1)),
    conv((2, 3, 5, 6), (4, 3, 3, 3), auto_pad="SAME_UPPER", strides=(2, 2)),
    conv((2, 3, 5, 6), (4, 3, 2, 2), auto_pad="SAME_LOWER"),
    conv((2, 3, 9), (4, 3, 3), (4,), strides=(2,)),
    conv((1, 2, 4, 4, 4), (2, 2, 2, 2, 2)),
    conv((2, 3, 4, 4), (3, 4, 3, 3), (4,), op="ConvTranspose", pads=(1, 1, 1, 1)),
    conv((2, 3, 4, 4), (3, 2, 3, 3), op="ConvTranspose", strides=(2, 2), output_padding=(1, 0)),
    conv((2, 4, 4, 4), (4, 2, 2, 2), op="ConvTranspose", strides=(2, 2), group=2),
    conv((1, 3, 4, 4), (3, 2, 3, 3), op="ConvTranspose", strides=(2, 2), auto_pad="SAME_UPPER"),
    *[S("AveragePool", (2, 3, 6, 7), attrs=a, single=True, tolerance=1e-3) for a in (
        {"kernel_shape": (2, 2), "strides": (2, 2)},
        {"kernel_shape": (2, 7), "strides": (2, 7)},
        {"kernel_shape": (3, 2), "strides": (2, 1), "pads": (1, 1, 1, 0)},
        {"kernel_shape": (3, 2), "pads": (1, 1, 1, 0), "count_include_pad": 1},
        {"kernel_shape": (3, 3), "strides": (2, 2), "ceil_mode": 1},
        {"kernel_shape": (3, 3), "strides": (2, 2), "auto_pad": "SAME_UPPER"})],
    *[S("MaxPool", (2, 3, 6, 7), attrs=a, tolerance=1e-3) for a in (
        {"kernel_shape": (2, 2), "strides": (2, 2)},
        {"kernel_shape": (3, 3), "strides": (2, 2), "pads": (1, 1, 1, 1)},
        {"kernel_shape": (3, 3), "strides": (2, 2), "ceil_mode": 1})],
    S("MaxUnpool", (1, 1, 2, 2), np.array([[[[1, 3], [8, 15]]]]), single=True,
      attrs={"kernel_shape": (2, 2), "strides": (2, 2)}),
    conv((2, 18, 4, 5), (2, 18, 3, 2), strides=(2, 1), pads=(1, 0, 1, 0)),
    S("Col2Im", (2, 8, 6), ints(3, 4), ints(2, 2), single=True, tolerance=1e-3),
    S("Col2Im", (2, 8, 6), ints(3, 4), ints(2, 2), single=True, tolerance=1e-3,
      attrs={"strides": (2, 2), "pads": (1, 1, 0, 1)}),
    S("GlobalAveragePool", (2, 3, 4, 5), single=True),
    S("GlobalMaxPool", (2, 3, 4, 5), single=True),
    S("LayerNormalization", (2, 3, 4), (4,), (4,), twice=True, tolerance=1e-4),
    S("LayerNormalization", (2, 3, 4), (3, 4), attrs={"axis": 1, "epsilon": 0.1}),
    S("BatchNormalization", (4, 3, 2, 2), (3,), (3,), (3,), (3,), low=0.5, twice=True,
      attrs={"epsilon": 0.01}),
    S("InstanceNormalization", (2, 3, 4, 4), (3,), (3,), single=True, tolerance=2e-3),
    S("MeanVarianceNormalization", (2, 3, 2, 2), single=True, tolerance=2e-3),
    S("LRN", (2, 6, 2, 2), attrs={"size": 3, "alpha": 0.3, "bias": 2.0}, single=True),
    *[S("Resize", (1, 2, 3, 4), None, np.array([1, 1, 2, 1.5], np.float32),
        attrs={"mode": m, "coordinate_transformation_mode": c}, single=True)
      for m in ("nearest", "linear", "cubic") for c in ("half_pixel", "align_corners")],
    S("Resize", (1, 2, 6, 4), None, None, ints(1, 2, 4, 8), attrs={"mode": "linear"}, single=True),
    S("Resize", (1, 2, 4, 4), None, np.array([1, 1, 2, 2], np.float32), single=True,
      attrs={"nearest_mode": "floor", "coordinate_transformation_mode": "asymmetric"}),
]  # fmt: skip


def recurrent(op: str, gates: int, states: int, directions: int = 1, **attrs: Any) -> Sample:
    t, n, c, h, d = 3, 2, 2, 3, directions
    lengths = attrs.pop("lengths", None)
    if d == 2:
        attrs["direction"] = "bidirectional"
        if op == "RNN":
            attrs["activations"] = ("Tanh", "Tanh")
    shapes = [(t, n, c), (d, gates * h, c), (d, gates * h, h), (d, 2 * gates * h)]
    return Sample(op, (*shapes, lengths, *[(d, n, h)] * states), {"hidden_size": h, **attrs},
                  single=True, outputs=1 + states, tolerance=2e-3)  # fmt: skip


RECURRENT = [
    recurrent("LSTM", 4, 2),
    recurrent("LSTM", 4, 2, directions=2, lengths=np.array([3, 2], np.int32)),
    recurrent("LSTM", 4, 2, direction="reverse"),
    recurrent("GRU", 3, 1, linear_before_reset=1),
    recurrent("GRU", 3, 1, directions=2),
    recurrent("RNN", 1, 1, activations=("Relu",)),
    recurrent("RNN", 1, 1, directions=2),
]

ON_HOST = [
    S("NextAfter", (3, 4), (3, 4)),
]

POINTS = np.random.RandomState(3).uniform(-1.3, 1.3, (2, 2, 3, 2)).astype(np.float32)
"""Where images are sampled; some are outside."""

SAMPLING = [
    *[S("GridSample", (2, 2, 4, 5), POINTS, single=True, tolerance=2e-3,
        attrs={"mode": mode, "padding_mode": padding, "align_corners": corners})
      for mode, padding, corners in (
          ("linear", "zeros", 0), ("linear", "border", 1), ("linear", "reflection", 0),
          ("nearest", "zeros", 1), ("nearest", "reflection", 1), ("cubic", "zeros", 0),
          ("cubic", "border", 1), ("cubic", "reflection", 0))],
    S("GridSample", (1, 2, 3, 4), (1, 2, 3, 2), single=True, tolerance=3e-2,
      attrs={"mode": "cubic", "align_corners": 1}),
    S("GridSample", (1, 2, 3, 3, 3), (1, 2, 1, 2, 3), single=True, tolerance=5e-2,
      attrs={"mode": "linear"}),
    S("DeformConv", (1, 4, 4, 4), (4, 2, 2, 2), np.full((1, 16, 3, 3), 0.3, np.float32), (4,),
      (1, 8, 3, 3), single=True, tolerance=3e-3, attrs={"group": 2, "offset_group": 2}),
    S("DeformConv", (2, 2, 4, 5), (3, 2, 2, 2), (2, 8, 3, 3), single=True, tolerance=5e-2,
      attrs={"pads": (1, 1, 1, 1), "strides": (2, 2)}),
    S("LpPool", (2, 3, 6, 7), low=0.5, single=True,
      attrs={"kernel_shape": (2, 3), "strides": (2, 1), "pads": (1, 0, 0, 1)}),
    S("LpPool", (2, 3, 6), low=0.5, single=True, attrs={"kernel_shape": (2,), "p": 3}),
    S("GlobalLpPool", (2, 3, 4, 5), low=0.5, single=True, attrs={"p": 3}),
    S("Compress", (3, 4), np.array([False, True, True]), attrs={"axis": 0}),
    S("Compress", (3, 4), np.arange(12) % 3 == 0),
    S("Det", (2, 3, 3), low=0.3, single=True, tolerance=5e-3),
]  # fmt: skip

SAMPLES = [*ON_HOST, *SAMPLING, *UNARY, *BINARY, *REDUCTIONS, *SHAPING, *LAYERS, *RECURRENT]

WITHOUT_NUMBERS = frozenset({"CastLike", "Hardmax"})
"""Primitives with a vjp whose value does not change with their inputs, or only their type."""
