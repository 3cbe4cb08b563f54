"""ONNX Runtime on the user's file: the numbers that a converted script is held against."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import onnxruntime as ort
from onnxruntime.capi import onnxruntime_pybind11_state as failures

from ...child_process import THREADS
from ..graph.functions import inlined
from ..guard import MALFORMED, reason_of
from .trial import Trial

if TYPE_CHECKING:
    from onnx.reference import ReferenceEvaluator

Array = np.ndarray[Any, Any]

REFUSALS: tuple[type[Exception], ...] = (
    failures.Fail,
    failures.InvalidArgument,
    failures.InvalidGraph,
    failures.InvalidProtobuf,
    failures.NotImplemented,
    failures.RuntimeException,
    RuntimeError,
    ValueError,
)
"""What ONNX Runtime raises when it cannot open or run a model; protobuf, for one over 2 GB."""

MOST_UNREAD = 10_000
"""Weights that nothing reads: ONNX Runtime looks through all to drop each, 26 s for 100,000."""

EXTERNAL_FOLDER = "session.model_external_initializers_file_folder_path"


class Original:
    """The file, opened between the trial's inputs and outputs.

    A whole model is opened by its path, so that external data and files over 2 GB work; of a cut
    one, or one with many weights that are `unread`, a part is made that still reads the file's
    external data. What `trains` is opened as in inference: nothing is dropped, statistics stay.
    Without being `optimised`, ONNX Runtime computes node by node, as the file says: its optimiser
    rounds otherwise, and dies of some files; it never computes in integers what the file says in
    floating-point numbers. Raises: one of REFUSALS
    """

    def __init__(
        self,
        path: Path,
        trial: Trial,
        *,
        unread: int = 0,
        trains: bool = False,
        optimised: bool = False,
    ) -> None:
        options = ort.SessionOptions()
        if not optimised:
            options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 4
        options.intra_op_num_threads = THREADS
        # Threads that spin until the next node comes are a seventh of a conversion's CPU time.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # Weights that are packed for faster products are copied for three runs.
        options.add_session_config_entry("session.disable_prepacking", "1")
        options.add_session_config_entry("session.disable_quant_qdq", "1")
        self.path, self.outputs = path, list(trial.outputs)
        self._keys: dict[str, list[Any]] = {}
        self.reference: ReferenceEvaluator | None = None
        try:
            self._open_session(path, trial, options, unread, trains=trains)
        except failures.NotImplemented:  # it has no kernel for an element type, as bfloat16's Add
            self.reference = reference_of(path, trial)

    def _open_session(
        self,
        path: Path,
        trial: Trial,
        options: ort.SessionOptions,
        unread: int,
        *,
        trains: bool,
    ) -> None:
        whole = unread <= MOST_UNREAD and not trains
        if whole:
            self.session = self._open(str(path), options)
            whole = self._is_whole(trial)
        if not whole:
            options.add_session_config_entry(EXTERNAL_FOLDER, str(path.resolve().parent))
            self.session = self._open(part(path, trial).SerializeToString(), options)

    @staticmethod
    def _open(model: str | bytes, options: ort.SessionOptions) -> ort.InferenceSession:
        return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def _is_whole(self, trial: Trial) -> bool:
        declared = {item.name: item.shape for item in self.session.get_inputs()}
        made = {item.name for item in self.session.get_outputs()}
        return (
            set(declared) == {item.name for item in trial.inputs}
            and made.issuperset(trial.outputs)
            and all(_allows(declared[item.name], item.shape) for item in trial.inputs)
        )

    def run(self, feeds: dict[str, Array]) -> list[Array]:
        """The outputs, in the trial's order. Raises: one of REFUSALS"""
        if self.reference is not None:
            return evaluated(self.reference, self.outputs, feeds)
        made = self.session.run(self.outputs, feeds)
        return [self._as_tensor(*pair) for pair in zip(self.outputs, made, strict=True)]

    def _as_tensor(self, name: str, value: Any) -> Any:
        """A ZipMap's dictionaries, one for each row, as a tensor with a column for each key."""
        if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
            return value
        if name not in self._keys:
            self._keys = keys_of_maps(self.path)
        keys = self._keys.get(name)
        if keys is None:
            return value
        return np.array([[row[key] for key in keys] for row in value], np.float32)


def reference_of(path: Path, trial: Trial) -> ReferenceEvaluator:
    """ONNX's own evaluator, in NumPy. Raises: RuntimeError if it cannot run the model"""
    from onnx.reference import ReferenceEvaluator  # 400 operators, which few files need

    try:
        wanted = part(path, trial)
        onnx.load_external_data_for_model(wanted, str(path.resolve().parent))
        return ReferenceEvaluator(wanted)
    except MALFORMED as error:
        raise RuntimeError(f"ONNX's evaluator does not open it: {reason_of(error)}") from error


def evaluated(
    evaluator: ReferenceEvaluator, outputs: list[str], feeds: dict[str, Array]
) -> list[Any]:
    """What ONNX's evaluator makes of the inputs. Raises: RuntimeError if it cannot"""
    try:
        with np.errstate(all="ignore"):
            return list(evaluator.run(outputs, feeds))
    except MALFORMED as error:
        raise RuntimeError(f"ONNX's evaluator does not run it: {reason_of(error)}") from error


def keys_of_maps(path: Path) -> dict[str, list[Any]]:
    """Each ZipMap's output -> its keys, in the order of the columns that it takes."""
    nodes = onnx.load(path, load_external_data=False).graph.node
    return {node.output[0]: _keys_of(node) for node in nodes if node.op_type == "ZipMap"}


def _keys_of(node: onnx.NodeProto) -> list[Any]:
    """A ZipMap's labels, integers or text."""
    labels = [onnx.helper.get_attribute_value(item) for item in node.attribute]
    return [key.decode() if isinstance(key, bytes) else key for part in labels for key in part]


def _allows(declared: Sequence[int | str | None], shape: Sequence[int | str | None]) -> bool:
    """Whether a file's own shape takes every size that the trial may choose."""
    pairs = zip(declared, shape, strict=True)
    return len(declared) == len(shape) and all(
        not isinstance(theirs, int) or theirs == ours for theirs, ours in pairs
    )


def part(path: Path, trial: Trial) -> onnx.ModelProto:
    """The model between the trial's inputs and outputs, its local functions written out.

    External data stays where it is.
    """
    model = onnx.load(path, load_external_data=False)
    if model.functions:  # names of values in them are those that the graph has when they are gone
        model = inlined(model, str(path))
    graph = model.graph
    inputs = {item.name for item in trial.inputs}
    nodes = list(_needed(graph, inputs, set(trial.outputs)))
    read = {name for node in nodes for name in _reads(node)} | set(trial.outputs)
    for node in nodes:
        _infer_only(node, read)
    del graph.node[:], graph.input[:], graph.output[:], graph.value_info[:]
    graph.node.extend(nodes)
    for item in trial.inputs:
        kind = onnx.helper.np_dtype_to_tensor_dtype(item.dtype)
        graph.input.append(onnx.helper.make_tensor_value_info(item.name, kind, item.shape))
    graph.output.extend(onnx.ValueInfoProto(name=name) for name in trial.outputs)
    kept = [item for item in graph.initializer if item.name in read - inputs]
    del graph.initializer[:]
    graph.initializer.extend(kept)
    return model


def _infer_only(node: onnx.NodeProto, read: set[str]) -> None:
    """Takes its training mode from a node, unless something reads what it gives in training."""
    if node.op_type == "Dropout" and not node.domain and len(node.input) > 2:
        del node.input[2:]
    if node.op_type != "BatchNormalization" or node.domain or read & set(node.output[1:]):
        return
    kept = [item for item in node.attribute if item.name != "training_mode"]
    if len(kept) < len(node.attribute):
        del node.attribute[:], node.output[1:]
        node.attribute.extend(kept)


def _needed(
    graph: onnx.GraphProto, inputs: set[str], outputs: set[str]
) -> Iterator[onnx.NodeProto]:
    """The nodes on the way from the inputs to the outputs, in the file's order.

    An output that an input replaces is renamed.
    """
    makers = {name: i for i, node in enumerate(graph.node) for name in node.output}
    wanted, kept = list(outputs - inputs), set()
    while wanted:
        i = makers.get(wanted.pop())
        if i is not None and i not in kept:
            kept.add(i)
            wanted.extend(name for name in _reads(graph.node[i]) if name not in inputs)
    for i in sorted(kept):
        node = onnx.NodeProto()
        node.CopyFrom(graph.node[i])
        for k, name in enumerate(node.output):
            node.output[k] = f"{name}/replaced" if name in inputs else name
        yield node


def _reads(node: onnx.NodeProto) -> Iterator[str]:
    """Every name that the node or a graph inside of it reads: too many rather than too few."""
    yield from node.input
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            yield from (item.name for item in graph.output)
            for inner in graph.node:
                yield from _reads(inner)
