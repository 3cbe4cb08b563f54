"""A model converted and run in this process, and what ONNX Runtime says of the original."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort

import msconvert.runtime as ms
from msconvert.converter.convert import Conversion, Options, script_of, understood

Array = np.ndarray[Any, Any]


def conversion(proto: onnx.ModelProto, folder: Path) -> Conversion:
    file = folder / "model.onnx"
    file.write_bytes(proto.SerializeToString())
    return understood(Options(model_file=file, output=folder))


def text_of(proto: onnx.ModelProto, folder: Path) -> str:
    """The script for the bundled runtime."""
    return script_of(conversion(proto, folder), "bundled")


def network_of(found: Conversion, text: str, folder: Path) -> Any:
    """The network of a script with the converted weights, all of which it must take."""
    module = ModuleType("emitted")
    module.__file__ = str(folder / "model.py")
    exec(compile(text, "model.py", "exec"), module.__dict__)  # the text under test
    own = [v for v in vars(module).values() if getattr(v, "__module__", "") == "emitted"]
    network = [v for v in own if isinstance(v, type)][-1]()
    weights = {p.name: ms.Parameter(ms.Tensor(np.array(p.weight.array))) for p in found.found}
    if weights:
        missing, unused = ms.load_param_into_net(network, weights, strict_load=True)
        assert (missing, unused) == ([], [])
    assert len(list(network.get_parameters())) == len(weights)
    return network.set_train(False)


def original_outputs(proto: onnx.ModelProto, inputs: list[Array]) -> list[Array]:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(
        proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [item.name for item in session.get_inputs()]
    return list(session.run(None, dict(zip(names, inputs, strict=True))))


def assert_agrees(proto: onnx.ModelProto, folder: Path, inputs: list[Array]) -> str:
    """The script computes what ONNX Runtime computes on the file; returns its text."""
    found = conversion(proto, folder)
    text = script_of(found, "bundled")
    results = network_of(found, text, folder)(*[ms.Tensor(x) for x in inputs])
    tensors = results if isinstance(results, tuple) else (results,)
    expected = original_outputs(proto, inputs)
    assert len(tensors) == len(expected)
    for tensor, array in zip(tensors, expected, strict=True):
        got = tensor.asnumpy()
        assert (got.shape, got.dtype) == (array.shape, array.dtype)
        size = float(np.abs(array[np.isfinite(array)]).max(initial=1e-6))
        np.testing.assert_allclose(got, array, rtol=1e-4, atol=1e-5 * size)
    return text
