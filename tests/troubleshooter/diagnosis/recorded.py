"""Records of layers of PyTorch's and of the runtime's, as a comparison makes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from msconvert import runtime
from msconvert.runtime import nn as runtime_nn
from msconvert.troubleshooter.compare.records import LayerPair, LayerRecord
from msconvert.troubleshooter.sides.child.leaves import leaves
from msconvert.troubleshooter.sides.child.options import options_of

torch = pytest.importorskip("torch", reason="layers of PyTorch's are what is compared with")

Array = np.ndarray[Any, Any]


def numbers(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def stirred(module: Any, seed: int = 0) -> Any:
    """With other numbers in all of its parameters and buffers, variances positive."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, tensor in module.state_dict().items():
            if tensor.is_floating_point():
                random = torch.randn(tensor.shape, generator=generator)
                scale = 0.3 if tensor.ndim > 1 else 0.2
                positive = name.endswith(("running_var", "weight")) and tensor.ndim == 1
                tensor.copy_(1 + random.abs() * scale if positive else random * scale)
    return module


def torch_record(
    module: Any, *inputs: Array, training: bool = False, path: str = ""
) -> LayerRecord:
    module.train(training)
    state = {k: v.detach().numpy().copy() for k, v in module.state_dict().items()}
    with torch.no_grad():
        result = module(*(torch.from_numpy(x.copy()) for x in inputs))
    outputs = [v for _, v in leaves(result, torch.is_tensor) if torch.is_tensor(v)]
    kind = next(c for c in type(module).__mro__ if c.__module__.startswith("torch.nn.modules"))
    return LayerRecord(
        path,
        f"torch.nn.{kind.__name__}" if kind is not torch.nn.Module else type(module).__name__,
        "torch",
        options_of(module, set(vars(torch.nn.Module()))),
        state,
        inputs,
        tuple((y.float() if y.dtype == torch.bfloat16 else y).numpy() for y in outputs),
        training,
    )


def runtime_record(
    cell: Any, *inputs: Array, state: dict[str, Array] | None = None, training: bool = False
) -> LayerRecord:
    cell.set_train(training)
    for name, parameter in cell.parameters_and_names():
        if state is not None:
            value = state[name].reshape(parameter.shape)
            parameter.set_data(runtime.Tensor(value.astype(np.float32)))
    held = {name: p.asnumpy().copy() for name, p in cell.parameters_and_names()}
    result = cell(*(runtime.Tensor(x) for x in inputs))
    is_tensor = lambda v: isinstance(v, runtime.Tensor)  # noqa: E731
    outputs = [v for _, v in leaves(result, is_tensor) if is_tensor(v)]
    return LayerRecord(
        "",
        f"mindspore.nn.{type(cell).__name__}",
        "runtime",
        options_of(cell, set(vars(runtime_nn.Cell()))),
        held,
        inputs,
        tuple(y.asnumpy() for y in outputs),
        training,
    )


def pair_of(reference: LayerRecord, candidate: LayerRecord) -> LayerPair:
    return LayerPair(reference, candidate, {}, (), ())
