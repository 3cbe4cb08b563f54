"""ONNX Runtime sessions: how they are opened, and the models that they are opened from."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import onnxruntime as ort
from onnx import (
    AttributeProto,
    GraphProto,
    ModelProto,
    NodeProto,
    OperatorSetIdProto,
    TensorProto,
    helper,
)
from onnxruntime.capi import onnxruntime_pybind11_state as ort_state

from . import dtype as dtypes
from .context import get_context
from .dtype import Array

OPSET = 20
"""The one version of ONNX's operators that the runtime writes: new enough for Gelu, GridSample
and DFT, old enough that ONNX Runtime's fusions know all of it."""
IR_VERSION = 9
OPSET_IMPORTS = [OperatorSetIdProto(domain="", version=OPSET)]

ORT_ERRORS: tuple[type[Exception], ...] = (
    ort_state.Fail,
    ort_state.InvalidArgument,
    ort_state.InvalidGraph,
    ort_state.NotImplemented,
    ort_state.RuntimeException,
    RuntimeError,
)
"""What ONNX Runtime raises when it refuses a model or its inputs."""

PROVIDERS = {
    "CPU": "CPUExecutionProvider",
    "GPU": "CUDAExecutionProvider",
    "Ascend": "CANNExecutionProvider",
}


FRACTIONS = ("ConvMulFusion", "ConvAddFusion")
"""What makes sums of fractions of sums of integers, and so changes what a Round makes of them."""

SPARING: list[bool] = []
"""Not empty where each graph runs once or twice: large weights are then left as they are, neither
copied, turned around nor packed beforehand, which would take them once or twice more."""

LARGE, LARGE_ONE = 64 << 20, 1 << 20
"""Bytes of weights that count as large, together and each."""

UNCHANGED = ("ConstantFolding", "TransposeOptimizer")
"""What makes other weights of weights."""

REPEATED = "CommonSubexpressionElimination"
SEARCHED = 200_000
"""Bytes of a graph, some 5,000 nodes, in which ONNX Runtime looks for nodes that compute the same:
its time for that grows with the square, to two minutes at 100,000 nodes."""

PROFILING: list[Callable[[Callable[[str], Any]], Any]] = []
"""Who opens the sessions of whole graphs, the last of them: by a function that takes how the names
of ONNX Runtime's profiles are to begin, or "" for a session without one."""


def node_of(
    op: str, inputs: Sequence[str], outputs: Sequence[str], attrs: Mapping[str, Any]
) -> NodeProto:
    """A node; attributes that are None are left out, and so are absent inputs at the end.

    ONNX allows an empty name there, but ONNX Runtime then fuses nothing.
    """
    given = list(inputs)
    while given and not given[-1]:
        given.pop()
    node = NodeProto(op_type=op, input=given, output=outputs)
    for name, value in attrs.items():
        if value is None:
            continue
        if isinstance(value, tuple) and not value:  # onnx cannot tell the type of an empty list
            node.attribute.append(AttributeProto(name=name, type=AttributeProto.INTS))
        else:
            node.attribute.append(helper.make_attribute(name, value))
    return node


def model_of(graph: GraphProto) -> bytes:
    """`graph` as the bytes of a model."""
    model = ModelProto(ir_version=IR_VERSION, producer_name="msconvert")
    model.opset_import.extend(OPSET_IMPORTS)
    model.graph.CopyFrom(graph)
    return bytes(model.SerializeToString())


def open_session(
    model: bytes, *, threads: int, optimise: bool, weights: Mapping[str, Array] | None = None
) -> Any:
    """A session of `model`; `weights` are its external initialisers, which are not copied.

    Units: threads 0 is the context's runtime_num_threads, or one per core (a pool of its own); 1
           runs on the caller's thread
    """

    def opened(profile: str = "") -> ort.InferenceSession:
        options = options_of(threads, optimise)
        sparing = bool(SPARING) and sum(x.nbytes for x in (weights or {}).values()) > LARGE
        left = [*(UNCHANGED if sparing else ()), *([REPEATED] if len(model) > SEARCHED else ())]
        if sparing:
            options.add_session_config_entry("session.disable_prepacking", "1")
        if profile:
            options.enable_profiling = True
            options.profile_file_prefix = profile
        if weights:
            held = [ort.OrtValue.ortvalue_from_numpy(array) for array in weights.values()]
            options.add_external_initializers(list(weights), held)
        if optimise and b"Round" in model:  # a sum in another order would be another step
            options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
            return ort.InferenceSession(
                model, options, providers=providers(), disabled_optimizers=(*FRACTIONS, *left)
            )
        return ort.InferenceSession(
            model, options, providers=providers(), disabled_optimizers=left or None
        )

    return PROFILING[-1](opened) if PROFILING and optimise else opened()


def options_of(threads: int, optimise: bool) -> ort.SessionOptions:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = threads or get_context("runtime_num_threads")
    options.enable_mem_pattern = False  # it allocates all once more at the second run
    # Between calls the cores belong to others.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    options.graph_optimization_level = (
        ort.GraphOptimizationLevel.ORT_ENABLE_ALL
        if optimise
        else ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    )
    return options


_warned: set[str] = set()


def providers() -> list[str]:
    """ONNX Runtime's providers for the context's device_target; the CPU where it is missing."""
    target = get_context("device_target")
    wanted = PROVIDERS[target]
    if wanted in ort.get_available_providers():
        return [wanted] if target == "CPU" else [wanted, PROVIDERS["CPU"]]
    if target not in _warned:
        _warned.add(target)
        warnings.warn(f"this ONNX Runtime has no {wanted}: running on the CPU", stacklevel=2)
    return [PROVIDERS["CPU"]]


BOILERPLATE = re.compile(
    r"^(\S+\.(h|cc):\d+ \S+ |\[ShapeInferenceError\] |\[ONNXRuntimeError\] : \d+ : \w+ : "
    r"|(\S+ )?onnxruntime::[\w:]+\([^()]*\) |\[with [^\]]*\] )+"
)
"""What stands before the reason: places and signatures in ONNX Runtime's own C++."""


def reason_of(error: Exception) -> str:
    """ONNX Runtime's message without its boilerplate."""
    text = str(error)
    for mark in ("Status Message: ", "Type Error: ", "Error: "):
        if mark in text:
            text = text.split(mark, 1)[1]
    text = text.rsplit(" was false. ", 1)[-1]
    return BOILERPLATE.sub("", text.strip()) or "ONNX Runtime refuses it, and does not say why"


def failed_op(error: Exception) -> str:
    """The operator of a session at which it failed; "" if that is not told."""
    found = re.search(r"while running (\w+) node", str(error))
    return "" if found is None else found[1]


def names(prefix: str, present: Iterable[bool]) -> list[str]:
    """`prefix` numbered for each that is present, the empty name for the others."""
    return [f"{prefix}{k}" if here else "" for k, here in enumerate(present)]


def placeholder(name: str, array: Array) -> TensorProto:
    """An initialiser whose data the session is given in memory."""
    made = TensorProto(
        name=name, data_type=dtypes.OF_NUMPY[array.dtype].onnx, data_location=TensorProto.EXTERNAL
    )
    made.dims.extend(array.shape)
    for key, value in (("location", "memory"), ("offset", "0"), ("length", str(array.nbytes))):
        made.external_data.add(key=key, value=value)
    return made
