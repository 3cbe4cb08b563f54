"""What the processes tell each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Source:
    """A file to import: under which name, with which folders first on the path of imports."""

    file: str
    module: str
    paths: tuple[str, ...]


@dataclass(frozen=True)
class Failure:
    """What the user's code raised; `line` of `file` is the last of theirs on the way, 0 if none.

    `stack` is Python's traceback, for who wants it all.
    """

    kind: str
    message: str
    file: str = ""
    line: int = 0
    code: str = ""
    stack: str = ""


@dataclass(frozen=True)
class Loaded:
    """What a module offers: networks' classes, and the functions `build`, `inputs`, `load`.

    `inputs`: the names of a graph's, in order.
    """

    classes: tuple[str, ...]
    has_build: bool
    has_inputs: bool
    has_load: bool = False
    inputs: tuple[str, ...] = ()


WEIGHTS = "weights"
"""What makes a graph's network: its weights by name."""


@dataclass(frozen=True)
class Layer:
    """A module or cell on the way to a parameter: its attribute's name, the names of its classes.

    `classes` are full names, the most special first.
    """

    name: str
    classes: tuple[str, ...]


@dataclass(frozen=True)
class Held:
    """A parameter or buffer of a network, by its path and the layers that lead to it.

    `same_as` is the path under which it is listed first, where it is used twice.
    """

    name: str
    layers: tuple[Layer, ...]
    leaf: str
    shape: tuple[int, ...]
    dtype: str
    trainable: bool
    saved: bool = True
    same_as: str = ""


@dataclass(frozen=True)
class Tensor:
    """A tensor's elements; bfloat16 is held as float32, and `dtype` says what it is."""

    dtype: str
    array: Array


@dataclass(frozen=True)
class Inputs:
    """The arguments of one call: tensors among numbers, text, tuples, lists and dicts."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Leaf:
    """One value of a result by its place in it: a tensor, or a number or text as it is.

    `noise`: how far PyTorch's own results are apart where only rounding differs, the largest
    of any element. `approximated`: how far they are from what MindSpore's kernels would make of
    them. `unsure`: for integers, where these results are not all the same.
    """

    label: str
    value: Any
    noise: float = 0.0
    approximated: float = 0.0
    unsure: Array | None = None


@dataclass(frozen=True)
class Outcome:
    """What one run gave: outputs, gradients by parameter, parameters and buffers afterwards.

    `remark` says what the reader must know.
    """

    outputs: tuple[Leaf, ...]
    gradients: tuple[Leaf, ...] = ()
    state: tuple[Leaf, ...] = ()
    remark: str = ""


@dataclass(frozen=True)
class Stored:
    """Where a recorded array is: in which file, from which byte on."""

    file: str
    offset: int
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Keeping:
    """What is kept of a run: up to `limit` bytes of tensors, in `file`.

    `places`: of what these calls take or give, each by its path, its index and "inputs" or
    "outputs"; of the others no more is known than that they are. None: of all.
    """

    file: str
    limit: int
    places: tuple[tuple[str, int, str], ...] | None = None


@dataclass(frozen=True)
class Value:
    """A tensor that was recorded: its place among arguments or results, what is known of it.

    `digest` is the same for equal arrays; `row` that of its sketch among the recording's.
    `stored` is None where only the sketch was kept. `is_plain`: whether it is one whole number all
    over; within a block its digest has, behind `MARK`, which operator has given it.
    """

    place: str
    dtype: str
    shape: tuple[int, ...]
    digest: str
    row: int
    stored: Stored | None
    is_plain: bool = False


MARK = "@"


def unmarked(value: Value) -> str:
    """The digest of the array itself."""
    return value.digest.partition(MARK)[0]


@dataclass(frozen=True)
class Line:
    """A line of the user's code: its text, and of it the expression that called; 0 if none did.

    `last`: the line on which the expression ends. `function`: in which it stands. `callers`: the
    lines of the same block that led here, the innermost first.
    """

    file: str = ""
    number: int = 0
    text: str = ""
    expression: str = ""
    last: int = 0
    function: str = ""
    callers: tuple[Line, ...] = ()


@dataclass(frozen=True)
class LayerInfo:
    """A layer of a network: its path, its classes as in `Layer`, its simple attributes.

    `parameters` are the names, in the layer, of weights and buffers that are its own. `scope`: of
    a node of ONNX, the path of the module that it was exported from. `line`: which makes it.
    `takes`: what the schema calls that node's inputs, its constants among them, in order.
    """

    path: str
    classes: tuple[str, ...]
    options: dict[str, Any]
    parameters: tuple[str, ...]
    scope: str = ""
    line: Line = field(default_factory=Line)
    takes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Call:
    """One call of a layer; `number` counts calls as they begin, `ended` all begins and ends.

    `index` counts the calls of this layer, `parent` is the number of the call around it, -1 if
    none. `ended` is -1 if it has raised something.
    """

    number: int
    path: str
    index: int
    parent: int
    began: int
    ended: int
    training: bool
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]


@dataclass(frozen=True)
class Draw:
    """So many numbers drawn for dropout: in which call of which layer, how manieth there."""

    path: str
    index: int
    count: int
    size: int


@dataclass(frozen=True)
class Recording:
    """One run of a network; `sketches` has a row for each distinct tensor: see `sketch.py`.

    `buffers`: what is not trained, as it is after the run.
    """

    layers: tuple[LayerInfo, ...]
    calls: tuple[Call, ...]
    sketches: Array
    buffers: tuple[Leaf, ...] = ()
    failure: Failure | None = None
    draws: tuple[Draw, ...] = ()


@dataclass(frozen=True)
class Forced:
    """What a call of a layer is given, and what is put in the place of its results.

    None where the network's own tensors stay.
    """

    path: str
    index: int
    inputs: tuple[Stored | None, ...]
    outputs: tuple[Stored | None, ...]


@dataclass(frozen=True)
class Probe:
    """A tensor of a run that is exchanged for a recorded one, to learn the gradient of that.

    `key` is the same for the tensor of the other network that it answers to. `is_asked`: whether
    what the network has there itself is differentiated.
    """

    key: int
    path: str
    index: int
    role: str
    position: int
    stored: Stored
    is_asked: bool = True


@dataclass(frozen=True)
class Noise:
    """How far runs are apart where only rounding differs: of calls, of buffers afterwards."""

    calls: tuple[CallNoise, ...]
    buffers: tuple[Leaf, ...]


@dataclass(frozen=True)
class CallNoise:
    """How far the tensors of a call are apart where only rounding differs: inputs, then outputs.

    `number` is that of the call in the recording. The leaves are without their values.
    """

    number: int
    inputs: tuple[Leaf, ...]
    outputs: tuple[Leaf, ...]


@dataclass(frozen=True)
class Part:
    """An expression of the user's, in the module of a file if it names one."""

    text: str
    source: Source | None = None


@dataclass(frozen=True)
class TrainingPlan:
    """How a network is trained, on these batches, each the arguments of a step.

    `make`: the function that makes the step; or loss, optimiser and schedule by themselves.
    `epoch`: so many batches are one. `nudge`: 0, or which of the runs off by rounding this is.
    """

    batches: tuple[Any, ...]
    epoch: int
    seed: int
    make: Part | None = None
    loss: Part | None = None
    optimizer: Part | None = None
    schedule: Part | None = None
    nudge: int = 0


@dataclass(frozen=True)
class Snapshot:
    """One tensor for each parameter: elements of all behind one another, and whole norms.

    Of a large tensor it is a sample; the norm of one that is not there is -1.
    """

    values: Array
    norms: Array


@dataclass(frozen=True)
class ParameterGroup:
    """Parameters of which an optimiser has been told the same."""

    names: tuple[str, ...]
    options: dict[str, Any]


@dataclass(frozen=True)
class Update:
    """A step of an optimiser, in the batch of this number: what it was given and did.

    `kinds`: the names of its class and those behind it. `states`: by the optimiser's own names.
    """

    batch: int
    kinds: tuple[str, ...]
    groups: tuple[ParameterGroup, ...]
    used: Snapshot
    before: Snapshot
    after: Snapshot
    states: dict[str, Snapshot]


@dataclass(frozen=True)
class BatchRecord:
    """What one batch came to: its loss, the network's first output with its gradient.

    `gradients`: of each backward pass. `average`: the moving average of the weights, if any.
    """

    loss: float | None
    training: bool
    outputs: tuple[Array, ...]
    pulls: tuple[Array, ...]
    gradients: tuple[Snapshot, ...]
    weights: Snapshot
    average: Snapshot | None


@dataclass(frozen=True)
class Training:
    """All batches of a training, and what its optimisers did.

    `trained`: the parameters that gradients were asked for.
    """

    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    trained: tuple[str, ...]
    start: Snapshot
    batches: tuple[BatchRecord, ...]
    updates: tuple[Update, ...]


@dataclass(frozen=True)
class Operator:
    """A function, method or operator that a block's own code called, in the order of these calls.

    `name`: as the framework has it, `torch.nn.functional.softmax`, `Tensor.__add__`. `arguments`:
    by their names, "0", "1" where these are not known; a tensor among them is "#k", k its place in
    `inputs`. `layer`: of a layer in the block its path, of the block's own inputs and result "";
    then `name` is one of `PLACES`.
    """

    name: str
    arguments: dict[str, Any]
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    line: Line
    layer: str = ""
    index: int = 0


GIVEN, CALLED, RESULT = PLACES = ("given", "called", "result")
"""What is no operator: what the block is given, a layer in it, what the block gives."""


@dataclass(frozen=True)
class Block:
    """One call of a layer, operator by operator; `sketches` as in a `Recording`.

    `parameters`: the names of what the layers hold, by the digests of their values.
    """

    operators: tuple[Operator, ...]
    sketches: Array
    parameters: dict[str, str]
    failure: Failure | None = None


KINDS: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        *(Source, Failure, Loaded, Layer, Held, Tensor, Inputs, Leaf, Outcome),
        *(
            Stored,
            Keeping,
            Value,
            LayerInfo,
            Call,
            Draw,
            Recording,
            Forced,
            CallNoise,
            Noise,
            Probe,
        ),
        *(Part, TrainingPlan, Snapshot, ParameterGroup, Update, BatchRecord, Training),
        *(Line, Operator, Block),
    )
}
"""The classes that may travel."""
