"""What is known of one layer in one call, and of two that answer to each other.

These are handed to the diagnosis, which needs neither framework nor process for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

Array = np.ndarray[Any, Any]
Arrays = Mapping[str, Array]

SideName = Literal["torch", "onnx", "runtime", "mindspore", "recording"]

Phase = Literal["forward", "backward", "step"]
"""Where two layers part: in their outputs; in their gradients; in what a training step leaves."""

NOTHING: Arrays = MappingProxyType({})


@dataclass(frozen=True)
class LayerRecord:
    """One call of a layer, with everything that its result follows from.

    `path`: as in `layer1.0.bn2`, "" for the network itself; of a node of ONNX, its name.
    `kind`: the framework's class by its public name (`torch.nn.BatchNorm2d`,
    `mindspore.nn.BatchNorm2d`, which is the runtime's, too, `mindspore.mint.nn.Linear`,
    `onnx.BatchNormalization`); for a class of the user's the one that it is derived from, if that
    is a layer, else its own name.
    `options`: its attributes that are None, numbers, texts, or tuples of such, by their own names;
    of a node of ONNX, its attributes.
    `parameters`: weights and buffers as they were before the call, by the names that they have in
    the layer; of a node, its constant inputs by the names of the schema (`scale`, `B`).
    `inputs`: the tensors among its arguments; where an isolated call is judged, the reference's.
    `outputs`: the tensors of its result, in order.
    `call`: which of the calls of this layer, from 0.
    The last four are filled where phase is "backward" or "step": the gradient of the loss with
    respect to outputs, inputs and parameters; parameters and buffers after the training step.
    Units: arrays have the element type of the framework; bfloat16 is held as float32
    """

    path: str
    kind: str
    side: SideName
    options: Mapping[str, Any]
    parameters: Arrays
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    training: bool
    call: int = 0
    output_gradients: tuple[Array | None, ...] = ()
    input_gradients: tuple[Array | None, ...] = ()
    gradients: Arrays = field(default_factory=lambda: NOTHING)
    state_after: Arrays = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True)
class LayerPair:
    """A layer of the reference (A) and the one that answers to it (B), called with equal inputs.

    `renamed`: parameters of the reference by the names that they have in the candidate.
    `allowed`: how far each output may be from the reference's by rounding alone, absolute, the
    largest of any element. `away`: how far it is. `parts_in`: what differs. `lenders`: layers of
    the reference whose weights the candidate has.
    """

    reference: LayerRecord
    candidate: LayerRecord
    renamed: Mapping[str, str]
    allowed: tuple[float, ...]
    away: tuple[float, ...]
    parts_in: Phase = "forward"
    lenders: tuple[LayerRecord, ...] = ()


@dataclass(frozen=True)
class FunctionRecord:
    """One operator that a block's own code called: its name and arguments as they were recorded.

    `arguments`: a tensor among them is "#k", k its place in `inputs`. `expression`: the part of the
    line that it is.
    """

    name: str
    side: SideName
    arguments: Mapping[str, Any]
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    expression: str = ""
