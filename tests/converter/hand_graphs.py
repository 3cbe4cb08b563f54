"""Small graphs written by hand, with the places that exporters tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

Array = np.ndarray[Any, Any]
Type = tuple[Any, tuple[int | str, ...]]

FLOAT = np.float32
SHAPE = (2, 3)
X: Mapping[str, Type] = {"x": (FLOAT, SHAPE)}
Y: Mapping[str, Type] = {"y": (FLOAT, SHAPE)}
W: Array = np.random.default_rng(0).standard_normal((3, 3)).astype(FLOAT)


def node(
    op: str, inputs: str, outputs: str, place: str = "", cls: str = "M", **attrs: Any
) -> onnx.NodeProto:
    """Names are separated by blanks. `place` is "/m/Relu" as PyTorch's older exporter writes it,
    or "m.relu" for the scope that its newer one tells, of class `cls`.
    """
    made = helper.make_node(op, inputs.split(), outputs.split(), **attrs)
    if place.startswith("/"):
        made.name = place
    elif place:
        parts = place.split(".")
        scopes = ["", *(".".join(parts[: i + 1]) for i in range(len(parts))), "op"]
        classes = ["pkg.Net", *[f"pkg.{cls}"] * len(parts), "aten.op"]
        made.metadata_props.add(key="pkg.torch.onnx.name_scopes", value=repr(scopes))
        made.metadata_props.add(key="pkg.torch.onnx.class_hierarchy", value=repr(classes))
    return made


def graph(
    nodes: Sequence[onnx.NodeProto],
    inputs: Mapping[str, Type] = X,
    outputs: Mapping[str, Type] = Y,
    weights: Mapping[str, Array] | None = None,
) -> onnx.ModelProto:
    """A model at opset 17; types are an element type and a shape."""
    made = helper.make_graph(
        nodes,
        "graph",
        [_info(name, kind) for name, kind in inputs.items()],
        [_info(name, kind) for name, kind in outputs.items()],
        [numpy_helper.from_array(np.asarray(a), n) for n, a in (weights or {}).items()],
    )
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _info(name: str, kind: Type) -> onnx.ValueInfoProto:
    element = helper.np_dtype_to_tensor_dtype(np.dtype(kind[0]))
    return helper.make_tensor_value_info(name, element, kind[1])


def inputs_for(model: onnx.ModelProto) -> list[Array]:
    """Random inputs; a size without a number is 2."""
    rng = np.random.default_rng(1)
    arrays = []
    for item in model.graph.input:
        dtype = helper.tensor_dtype_to_np_dtype(item.type.tensor_type.elem_type)
        shape = [d.dim_value or 2 for d in item.type.tensor_type.shape.dim]
        scale = 1 if dtype.kind == "f" else 50
        arrays.append((rng.standard_normal(shape) * scale).astype(dtype))
    return arrays
