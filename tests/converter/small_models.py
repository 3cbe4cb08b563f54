"""Small ONNX files for the tests of loading and preparing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

from msconvert.converter.graph.graph import Graph
from msconvert.converter.graph.proto import to_model

Shape = Sequence[int | str | None]


def floats(name: str, shape: Shape | None, kind: int = TensorProto.FLOAT) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Mapping[str, Shape],
    outputs: Sequence[str],
    weights: Mapping[str, np.ndarray] | None = None,
    opset: int = 17,
) -> onnx.ModelProto:
    """A model with float32 inputs and outputs of unknown shape."""
    graph = helper.make_graph(
        nodes,
        "small",
        [floats(name, shape) for name, shape in inputs.items()],
        [floats(name, None) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in (weights or {}).items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def relu(shape: Shape = (2, 3)) -> onnx.ModelProto:
    return model([helper.make_node("Relu", ["x"], ["y"], name="act")], {"x": shape}, ["y"])


def saved(proto: onnx.ModelProto, folder: Path, name: str = "model.onnx") -> Path:
    path = folder / name
    path.write_bytes(proto.SerializeToString())
    return path


def external(name: str, dims: Sequence[int], location: str, **facts: int | str) -> onnx.TensorProto:
    """A float32 initialiser whose data is in another file."""
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=dims)
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, **facts}.items():
        tensor.external_data.add(key=key, value=str(value))
    return tensor


def run(proto: onnx.ModelProto | Graph | Path, feeds: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """What ONNX Runtime computes, without optimisation."""
    if isinstance(proto, Graph):
        proto = to_model(proto)
    data = str(proto) if isinstance(proto, Path) else proto.SerializeToString()
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    return session.run(None, {item.name: feeds[item.name] for item in session.get_inputs()})
