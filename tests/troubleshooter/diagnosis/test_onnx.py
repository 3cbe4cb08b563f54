"""ONNX's operators: read as ONNX Runtime computes them, and causes that only they show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

from msconvert.numerics.distance import distance
from msconvert.tests.troubleshooter.diagnosis.recorded import Array, numbers, pair_of
from msconvert.troubleshooter.compare.records import FunctionRecord, LayerRecord
from msconvert.troubleshooter.diagnosis import compare_options, diagnose
from msconvert.troubleshooter.diagnosis.functions.reading import call_of
from msconvert.troubleshooter.diagnosis.reading import describe
from msconvert.troubleshooter.diagnosis.reading.description import widened
from msconvert.troubleshooter.diagnosis.reading.from_onnx import OPERATORS

X = numbers


@dataclass(frozen=True)
class Node:
    """An operator; its inputs by the schema's names, in order, those in `given` at a call."""

    op: str
    inputs: Mapping[str, Array]
    given: tuple[str, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    outputs: int = 1
    opset: int = 18

    def record(self) -> LayerRecord:
        made = self.run()
        constants = {k: v for k, v in self.inputs.items() if k not in self.given}
        given = tuple(self.inputs[name] for name in self.given)
        kind = f"onnx.{self.op}"
        return LayerRecord("", kind, "onnx", self.attributes, constants, given, made, False)

    def run(self) -> tuple[Array, ...]:
        names = [f"y{k}" for k in range(self.outputs)]
        node = helper.make_node(self.op, list(self.inputs), names, **self.attributes)
        values = [
            helper.make_tensor_value_info(k, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
            for k, v in self.inputs.items()
            if k in self.given
        ]
        results = [helper.make_tensor_value_info(k, onnx.TensorProto.FLOAT, None) for k in names]
        constants = [
            numpy_helper.from_array(v, k) for k, v in self.inputs.items() if k not in self.given
        ]
        graph = helper.make_graph([node], "g", values, results, constants)
        opsets = [helper.make_opsetid("", self.opset)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
        session = onnxruntime.InferenceSession(model.SerializeToString())
        feeds = {k: v for k, v in self.inputs.items() if k in self.given}
        return tuple(session.run(None, feeds))


def node(op: str, inputs: Mapping[str, Array], **attributes: Any) -> Node:
    """The first input is given at a call, the others are constants."""
    return Node(op, inputs, (next(iter(inputs)),), attributes)


def positive(*shape: int) -> Array:
    return np.abs(X(*shape)) + 0.5


LSTM = {"X": X(5, 2, 3), "W": X(2, 16, 3), "R": X(2, 16, 4, seed=1), "B": X(2, 32)}
IMAGE = X(2, 4, 7, 6)
STATISTICS = {"input_mean": X(4, seed=3), "input_var": positive(4)}

NODES = [
    node("Conv", {"X": IMAGE, "W": X(6, 2, 3, 2), "B": X(6)}, group=2, strides=[2, 1],
         pads=[1, 0, 2, 1], dilations=[1, 2]),
    node("Conv", {"X": IMAGE, "W": X(6, 4, 3, 3)}, auto_pad="SAME_UPPER", strides=[2, 2]),
    node("Conv", {"X": IMAGE, "W": X(6, 4, 3, 3)}, auto_pad="SAME_LOWER", strides=[2, 2]),
    node("ConvTranspose", {"X": IMAGE, "W": X(4, 3, 3, 2), "B": X(3)}, strides=[2, 1],
         pads=[1, 0, 0, 1], output_padding=[1, 0]),
    node("MaxPool", {"X": IMAGE}, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1],
         ceil_mode=1),
    node("AveragePool", {"X": IMAGE}, kernel_shape=[3, 2], strides=[2, 1], pads=[1, 1, 1, 0]),
    node("AveragePool", {"X": IMAGE}, kernel_shape=[3, 3], pads=[1, 1, 1, 1],
         count_include_pad=1),
    node("GlobalAveragePool", {"X": IMAGE}),
    node("GlobalMaxPool", {"X": IMAGE}),
    node("Gemm", {"A": X(3, 4), "B": X(5, 4), "C": X(5)}, transB=1, alpha=0.5, beta=2.0),
    node("Gemm", {"A": X(3, 4), "B": X(4, 5)}),
    node("MatMul", {"A": X(2, 3, 4), "B": X(4, 5)}),
    Node("MatMul", {"A": X(2, 3, 4), "B": X(2, 4, 5)}, ("A", "B")),
    Node("MatMul", {"A": X(3, 4), "B": X(2, 4, 5)}, ("B",)),
    Node("Sub", {"A": X(4), "B": X(3, 4)}, ("B",)),
    node("Div", {"A": X(3, 4), "B": positive(4)}),
    node("Add", {"A": X(3, 4), "B": X(4)}),
    node("Mul", {"A": X(3, 4), "B": X(4)}),
    node("Pow", {"X": positive(3, 4), "Y": np.array(3.0, np.float32)}),
    Node("Gather", {"data": X(9, 4), "indices": np.array([[1, 8]])}, ("indices",)),
    node("BatchNormalization", {"X": IMAGE, "scale": X(4), "B": X(4, seed=1), **STATISTICS},
         epsilon=1e-3),
    Node("LayerNormalization", {"X": X(2, 3, 4), "Scale": X(3, 4), "B": X(3, 4)}, ("X",),
         {"axis": 1, "epsilon": 1e-3}),
    node("InstanceNormalization", {"input": IMAGE, "scale": X(4), "B": X(4)}),
    Node("GroupNormalization", {"X": IMAGE, "scale": X(4), "bias": X(4)}, ("X",),
         {"num_groups": 2}, opset=21),
    node("LRN", {"X": IMAGE}, size=3, alpha=0.1, bias=2.0),
    *[
        node(op, {"X": 3 * X(3, 4)})
        for op in ("Relu", "Sigmoid", "Tanh", "Selu", "HardSwish", "Softplus", "Softsign", "Mish",
                   "Erf", "Exp", "Abs", "Neg", "LeakyRelu", "Elu", "HardSigmoid", "Softmax",
                   "LogSoftmax", "Identity", "Dropout")
    ],
    Node("Gelu", {"X": X(3, 4)}, ("X",), {"approximate": "tanh"}, opset=20),
    node("Celu", {"X": X(3, 4)}, alpha=0.5),
    node("PRelu", {"X": X(2, 4, 3), "slope": X(4, 1)}),
    node("Clip", {"input": X(3, 4), "min": np.array(-0.2, np.float32),
                  "max": np.array(0.6, np.float32)}),
    *[
        node("Resize", {"X": IMAGE, "roi": np.zeros(0, np.float32),
                        "scales": np.array([1, 1, 1.75, 2.5], np.float32)}, **settings)
        for settings in (
            {},
            {"nearest_mode": "floor", "coordinate_transformation_mode": "asymmetric"},
            {"mode": "linear"},
            {"mode": "linear", "coordinate_transformation_mode": "align_corners"},
            {"mode": "cubic", "cubic_coeff_a": -0.5},
            {"mode": "cubic", "coordinate_transformation_mode": "pytorch_half_pixel"},
        )
    ],
    node("Pad", {"data": IMAGE, "pads": np.array([0, 0, 1, 2, 0, 0, 0, 1])}, mode="reflect"),
    node("Pad", {"data": IMAGE, "pads": np.array([0, 0, 1, 2, 0, 0, 0, 1]),
                 "constant_value": np.array(2.5, np.float32)}),
    node("Flatten", {"input": IMAGE}),
    node("Transpose", {"data": IMAGE}, perm=[0, 2, 3, 1]),
    node("DepthToSpace", {"input": X(2, 8, 3, 4)}, blocksize=2),
    node("DepthToSpace", {"input": X(2, 8, 3, 4)}, blocksize=2, mode="CRD"),
    node("SpaceToDepth", {"input": X(2, 3, 4, 6)}, blocksize=2),
    Node("LSTM", LSTM, ("X",), {"hidden_size": 4, "direction": "bidirectional"}, 3),
    Node("GRU", {"X": X(5, 2, 3), "W": X(1, 12, 3), "R": X(1, 12, 4)}, ("X",),
         {"hidden_size": 4}, 2),
    Node("GRU", {"X": X(5, 2, 3), "W": X(1, 12, 3), "R": X(1, 12, 4), "B": X(1, 24)}, ("X",),
         {"hidden_size": 4, "linear_before_reset": 1, "direction": "reverse"}, 2),
    Node("RNN", {"X": X(5, 2, 3), "W": X(1, 4, 3), "R": X(1, 4, 4)}, ("X",),
         {"hidden_size": 4, "activations": ["Relu"]}, 2),
]  # fmt: skip


@pytest.mark.parametrize("one", NODES, ids=lambda one: f"{one.op} {dict(one.attributes)}"[:60])
def test_an_operator_in_numpy_is_onnx_runtimes(one: Node) -> None:
    record = one.record()
    description = describe(record)
    assert description is not None
    layer = description.built()
    assert layer is not None
    found = layer.outputs(*(widened(x) for x in record.inputs))
    assert distance(found, record.outputs) < 3e-6


def test_every_reader_is_used_in_a_case() -> None:
    """All but those that ONNX Runtime has no kernel for."""
    assert OPERATORS.keys() - {one.op for one in NODES} == {"RMSNormalization", "Swish"}


CUBIC = {"X": IMAGE, "roi": np.zeros(0, np.float32), "scales": np.array([1, 1, 2, 2], np.float32)}

FAULTS = {
    "cubic": (node("Resize", CUBIC, mode="cubic"),
              node("Resize", CUBIC, mode="cubic", cubic_coeff_a=-0.5),
              "the cubic coefficient is -0.75 (here: -0.5)"),
    "hard-sigmoid": (node("HardSigmoid", {"X": X(3, 4)}, alpha=1 / 6),
                     node("HardSigmoid", {"X": X(3, 4)}), "the slope is 0.166667 (here: 0.2)"),
    "axes-order": (node("Transpose", {"data": X(2, 3, 4)}, perm=[0, 2, 1]),
                   node("Transpose", {"data": X(2, 3, 4)}, perm=[1, 0, 2]),
                   "axes are (0, 2, 1) (here: (1, 0, 2))"),
    "reset-gate": (NODES[-3], replace(NODES[-3], attributes={"hidden_size": 4,
                                                            "linear_before_reset": 1}),
                   "linear_before_reset=0 (here:"),
    "softmax-axis": (node("Softmax", {"input": X(2, 3, 4)}, axis=1),
                     node("Softmax", {"input": X(2, 3, 4)}, axis=2), "axis is 1 (here: 2)"),
    "exchanged-inputs": (Node("Sub", {"A": X(3, 4), "B": X(3, 4, seed=1)}, ("A", "B")),
                         Node("Sub", {"B": X(3, 4, seed=1), "A": X(3, 4)}, ("A", "B")),
                         "inputs are in order (here: as (1, 0))"),
}  # fmt: skip


@pytest.mark.parametrize("cause", FAULTS)
def test_the_cause_is_told_first(cause: str) -> None:
    reference, candidate, text = FAULTS[cause]
    first, *_ = diagnose(pair_of(reference.record(), candidate.record()))
    assert (first.cause, first.agrees) == (cause, True)
    assert text in first.text


def test_attributes_of_float32_are_the_options_of_others() -> None:
    """As 1e-05 is read from a file: 9.999999747378752e-06."""
    one = node("BatchNormalization", {"X": IMAGE, "scale": X(4), "B": X(4), **STATISTICS})
    reference, candidate = one.record(), one.record()
    stored = replace(reference, options={"epsilon": float(np.float32(1e-5))})
    assert compare_options(pair_of(stored, candidate)) == ()


def places(*numbers: int) -> Array:
    return np.array(numbers, np.int64)


FARTHEST = 2**63 - 1
SLICES = (
    {"starts": places(1), "ends": places(FARTHEST), "axes": places(1), "steps": places(1)},
    {"starts": places(0), "ends": places(-1), "axes": places(-1), "steps": places(1)},
    {"starts": places(1, 0), "ends": places(3, 2)},
    {"starts": places(1, 0), "ends": places(FARTHEST, 4), "axes": places(2, 0),
     "steps": places(2, 3)},
    {"starts": places(-1), "ends": places(-FARTHEST), "axes": places(2), "steps": places(-1)},
    {"starts": places(0), "ends": places(2), "axes": places(0), "steps": places(1)},
)  # fmt: skip


@pytest.mark.parametrize("parts", SLICES, ids=str)
def test_a_slice_is_read_as_the_index_that_it_is(parts: dict[str, Array]) -> None:
    one = Node("Slice", {"data": X(4, 3, 5), **parts}, ("data",))
    arguments = {"data": "#0", **{name: tuple(x.tolist()) for name, x in parts.items()}}
    (given,) = one.run()
    call = call_of(FunctionRecord("onnx.Slice", "onnx", arguments, (X(4, 3, 5),), (given,), ""))
    assert call.kind == "getitem"
    np.testing.assert_array_equal(call.compute().astype(np.float32), given)


def test_places_that_are_tensors_are_no_index() -> None:
    arguments = {"data": "#0", "starts": "#1", "ends": "#2"}
    inputs = (X(4, 3), places(1), places(2))
    call = call_of(FunctionRecord("onnx.Slice", "onnx", arguments, inputs, (X(1, 3),), ""))
    assert call.kind == "slice"
