"""ONNX's own node cases as scripts: converted with what must be constant made so, and run."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases
from onnx.backend.test.case.test_case import TestCase

from msconvert.converter import convert
from msconvert.converter.conversion_report import LEFT
from msconvert.converter.convert import Options
from msconvert.errors import MsconvertError

Array = np.ndarray[Any, Any]

CONSTANT: dict[str, Sequence[int]] = {
    "AffineGrid": (1,),
    "BatchNormalization": (1, 2, 3, 4),
    "BlackmanWindow": (0,),
    "CenterCropPad": (1,),
    "Col2Im": (1, 2),
    "ConstantOfShape": (0,),
    "Conv": (1, 2),
    "ConvInteger": (1, 2, 3),
    "ConvTranspose": (1, 2),
    "CumProd": (1,),
    "CumSum": (1,),
    "DFT": (1, 2),
    "Expand": (1,),
    "Dropout": (1, 2),
    "GRU": (1, 2, 3),
    "GroupNormalization": (1, 2),
    "HammingWindow": (0,),
    "HannWindow": (0,),
    "InstanceNormalization": (1, 2),
    "LSTM": (1, 2, 3, 7),
    "LayerNormalization": (1, 2),
    "MaxUnpool": (2,),
    "MelWeightMatrix": (0, 1, 2),
    "NonMaxSuppression": (2, 3, 4),
    "OneHot": (1,),
    "PRelu": (1,),
    "Pad": (1, 2, 3),
    "QLinearConv": (1, 2, 3, 4, 5, 6, 7, 8),
    "RMSNormalization": (1,),
    "RNN": (1, 2, 3),
    "Range": (0, 1, 2),
    "Reshape": (1,),
    "Resize": (1, 2, 3),
    "STFT": (1, 3),
    "Slice": (1, 2, 3, 4),
    "Split": (1,),
    "Squeeze": (1,),
    "Tile": (1,),
    "TopK": (1,),
    "Trilu": (1,),
    "Unsqueeze": (1,),
    "Upsample": (1,),
}
"""Inputs that files have as constants and these cases as inputs of the graph."""

REDUCTIONS = ("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean")
REDUCTIONS += ("ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare")
CONSTANT |= dict.fromkeys(REDUCTIONS, (1,))


@dataclass(frozen=True)
class NodeCase:
    """One case of one node: the model as it is converted, its inputs and what it must give."""

    name: str
    op: str
    model: onnx.ModelProto
    inputs: tuple[Any, ...]
    expected: tuple[Any, ...]


@dataclass(frozen=True)
class Script:
    """A case converted; `refusal` is why it could not be, `text` and `weights` are files' paths."""

    case: NodeCase
    path: Path
    refusal: str


def node_cases() -> Iterator[NodeCase]:
    """The direct cases, in the order of their names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ONNX's references divide by zero and overflow
        found = collect_testcases(None)
    for case in sorted(found, key=lambda case: case.name):
        if "_expanded" not in case.name:
            yield _with_constants(case)


def _with_constants(case: TestCase) -> NodeCase:
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    (node,) = model.graph.node
    inputs, expected = (tuple(map(_array, values)) for values in case.data_sets[0])
    names = [item.name for item in model.graph.input]
    wanted = {name for i, name in enumerate(node.input) if i in CONSTANT.get(node.op_type, ())}
    kept = []
    for name, value in zip(names, inputs, strict=True):
        if name in wanted:
            model.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
            del model.graph.input[[i.name for i in model.graph.input].index(name)]
        else:
            kept.append(value)
    label = f"{node.domain}::{node.op_type}" if node.domain else node.op_type
    return NodeCase(case.name, label, model, tuple(kept), expected)


def _array(value: Any) -> Any:
    """Tensors in ONNX's own form as arrays; sequences and optionals as they are."""
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    return np.asarray(value) if isinstance(value, np.generic | int | float) else value


@contextmanager
def quick() -> Iterator[None]:
    """Conversions without the formatter's processes and without waiting for the disk."""
    with (
        mock.patch("msconvert.converter.text.script.formatted", lambda source: source),
        mock.patch.object(os, "fsync", return_value=None),
    ):
        yield


def converted(case: NodeCase, folder: Path, target: str = "bundled") -> Script:
    """The case's script in `folder`. Anything but a refusal that msconvert words is an error."""
    model = folder / f"{case.name}.onnx"
    model.write_bytes(case.model.SerializeToString())
    options = Options(model, output=folder, target=target, verify=False, force=True)
    path = folder / f"{case.name}.py"
    try:
        report = convert.converted(options, lambda step: None)  # in this process: there are 1,400
    except MsconvertError as error:
        return Script(case, path, f"{error.code} {error.problem}")
    left = [node.note for node in report.nodes if node.status == LEFT]
    return Script(case, path, "; ".join(left))


def write_inputs(case: NodeCase, folder: Path) -> None:
    """The inputs as NAME.npz, as node_runner.py reads them."""
    arrays = [np.asarray(x) for x in case.inputs]
    kinds = np.array([x.dtype.name for x in arrays], dtype=str)
    plain = [x.astype(np.float32) if x.dtype.name == "bfloat16" else x for x in arrays]
    np.savez(folder / f"{case.name}.npz", *plain, kinds=kinds)


def difference(expected: Any, got: Any, name: str = "") -> str:
    """How an output differs from what the case expects; empty if it does not.

    bfloat16 may come as float32, which NumPy knows.
    """
    if not isinstance(expected, np.ndarray):
        expected = np.asarray(expected)
    narrow = expected.dtype.name == "bfloat16" and got.dtype == np.float32
    if (got.dtype != expected.dtype and not narrow) or got.shape != expected.shape:
        return f"{got.dtype}{got.shape} for {expected.dtype}{expected.shape}"
    if expected.dtype.kind in "iub":
        return (
            ""
            if np.array_equal(expected, got)
            else f"{got.ravel()[:6]}, not {expected.ravel()[:6]}"
        )
    return _difference_of_floats(expected, got, ROUNDED.get(name))


ROUNDED = {
    "test_averagepool_2d_ceil_last_window_starts_on_pad": 2e-4,
    "test_roialign_aligned_false": 2e-4,
    "test_roialign_aligned_true": 2e-4,
}
"""Cases that state their outputs with four digits."""

LIMITS = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-5, "float64": 1e-6}
"""Relative to the largest number of an output; ONNX's float64 references hold float32 constants."""


def _difference_of_floats(expected: Array, got: Array, limit: float | None) -> str:
    limit = LIMITS.get(expected.dtype.name, 1e-5) if limit is None else limit
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    a, b = expected.astype(wide), got.astype(wide)
    finite = np.isfinite(a)
    scale = np.abs(a[finite]).max(initial=1e-6)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return "other infinities or NaNs"
    worst = np.abs(a[finite] - b[finite]).max(initial=0)
    return "" if worst <= limit * scale else f"off by {worst:.2g} of {scale:.2g}"
