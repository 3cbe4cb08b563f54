"""export: a network as an ONNX file, which is its trace."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from onnx import (
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    numpy_helper,
)

from ..errors import MsconvertError
from ..formats.blocks import byte_blocks
from ..formats.storage.atomic import Transaction
from .cells.cell import Cell
from .checkpoint import UnsupportedError, require
from .engine import dtype as dtypes
from .engine.compiler import Slot, flatten, rebuild
from .engine.dtype import Array
from .engine.failure import ShapeError
from .engine.open_sizes import (
    ExportError,
    ExportTrace,
    FixedSizeError,
    OpenSizes,
    Run,
    plain_nodes,
    renamed,
)
from .engine.reference import needed_of, read_by
from .engine.session import IR_VERSION, OPSET_IMPORTS
from .engine.tape import taping
from .engine.tensor import Changes, Tensor
from .engine.trace import INLINE_LIMIT, tracing, widened

logger = logging.getLogger("msconvert.runtime")

FILE_FORMATS = ("AIR", "ONNX", "MINDIR")
MODEL_LIMIT = (2 << 30) - (64 << 20)
"""Bytes of weights from which on they have a file of their own: protobuf ends at 2 GiB."""
ALIGNMENT = 4096
"""Of the weights in that file, so that they can be mapped into memory."""

Axes = Mapping[str, Mapping[int, str]]
RUNS = 6
"""At so many sizes a network with open sizes is traced."""


def export(net: Any, *inputs: Any, file_name: str, file_format: str, **kwargs: Any) -> None:
    """Writes `net` as an ONNX file, as `mindspore.export`; training mode is off meanwhile.

    A size that is None in `Tensor(shape=[None, 3], dtype=ms.float32)` stays open in the file;
    so does what `dynamic_axes={"x": {0: "batch"}}` names. `input_names` and `output_names` rename.
    Raises: MS301 for MindIR, AIR and encryption; MS308 for what ONNX cannot hold
    """
    if file_format not in FILE_FORMATS:
        problem = f"'file_format' must be one of {list(FILE_FORMATS)}"
        raise ShapeError("export", problem, got=str(file_format))
    require("export", "file_name", file_name, str)
    if file_format != "ONNX":
        raise UnsupportedError(
            "MS301",
            f"export: {file_format}",
            "only MindSpore itself writes this format",
            advice="file_format='ONNX', or run the script on MindSpore",
        )
    if kwargs.get("enc_key") is not None:
        advice = "encrypt the file itself"
        raise UnsupportedError("MS301", "export: enc_key", "files are not encrypted", advice=advice)
    if kwargs.get("custom_func") is not None:
        raise ShapeError("export: custom_func", "it is for MindIR alone", got="ONNX")
    if not isinstance(net, Cell):
        raise ShapeError("export", "only a Cell can be exported", got=str(type(net)))
    names = kwargs.get("input_names"), kwargs.get("output_names")
    write_model(file_name, net, inputs, Options.of(*names, kwargs.get("dynamic_axes")))


@dataclass(frozen=True)
class Options:
    """How `mindspore.onnx.export` may be told to write the file."""

    input_names: Sequence[str] = ()
    output_names: Sequence[str] = ()
    dynamic_axes: Axes | None = None
    export_params: bool = True
    keep_initializers_as_inputs: bool = False

    @staticmethod
    def of(
        input_names: Any,
        output_names: Any,
        dynamic_axes: Any,
        export_params: bool = True,
        keep_initializers_as_inputs: bool = False,
    ) -> Options:
        """Raises: TypeError for what is no list, or no dictionary."""
        for name, value in (("input_names", input_names), ("output_names", output_names)):
            require("export", name, value, (list, tuple, type(None)))
        require("export", "dynamic_axes", dynamic_axes, (dict, type(None)))
        return Options(
            input_names or (),
            output_names or (),
            dynamic_axes or {},
            export_params,
            keep_initializers_as_inputs,
        )


@dataclass(frozen=True)
class Input:
    """A Tensor that the network is called with; an open size is the name of its axis."""

    name: str
    shape: tuple[int | str, ...]
    dtype: np.dtype[Any]
    known: tuple[int, ...]
    """The sizes of the Tensor that was given; -1 where it has none."""

    def at(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(sizes[n] if isinstance(n, str) else n for n in self.shape)


def write_model(
    file_name: str, net: Cell, inputs: tuple[Any, ...], options: Options, limit: int = MODEL_LIMIT
) -> None:
    """Writes the file, and beside it FILE.data if the weights are larger than `limit` bytes."""
    target = file_name if file_name.endswith(".onnx") else f"{file_name}.onnx"
    call = Call.of(net, inputs, options)
    with inference(net):
        model, weights = modelled(call, options)
    total = sum(array.nbytes for array in weights.values())
    with Transaction(force=True) as transaction:
        if total > limit:
            stream, beside = transaction.open(f"{target}.data"), f"{target}.data"
            place_outside(model, weights, stream, beside)
        else:
            place_inside(model, weights)
        transaction.open(target).write(model.SerializeToString())


def modelled(call: Call, options: Options) -> tuple[ModelProto, dict[str, Array]]:
    """The model without its weights, and those by name; traced without folding if it must be."""
    try:
        return assembled(call, options)
    except FixedSizeError as refusal:
        try:
            return assembled(replace(call, folds=False), options)
        except MsconvertError:
            raise refusal from None


def assembled(call: Call, options: Options) -> tuple[ModelProto, dict[str, Array]]:
    runs, named, sizes = traced_runs(call)
    model, weights = Assembly(named, runs, options).model()
    if sizes:
        warn_of_single(named, sizes, runs)
    return model, weights


@contextmanager
def inference(net: Cell) -> Iterator[None]:
    """Training mode off for `net` and all below it."""
    modes = [(cell, cell.training) for _, cell in net.cells_and_names()]
    net.set_train(False)
    try:
        with taping():
            yield
    finally:
        for cell, mode in modes:
            cell.__dict__["training"] = mode
        Changes.count += 1


@dataclass(frozen=True)
class Call:
    """How `net` is called: its inputs, the structure around them, whether traces fold."""

    net: Cell
    layout: Any
    inputs: tuple[Input, ...]
    folds: bool = True

    @staticmethod
    def of(net: Cell, inputs: tuple[Any, ...], options: Options) -> Call:
        leaves: list[Tensor] = []
        given = inputs or tuple(net.__dict__.get("_inputs", ()))
        layout = flatten(given, leaves)
        names = input_names(net, layout.parts, len(leaves), options.input_names)
        unknown = (options.dynamic_axes or {}).keys() - set(names)
        if unknown:
            got = f"{sorted(unknown)}; the inputs are {names}"
            raise ShapeError("export", "dynamic_axes names no input", got=got)
        found = [
            input_of(n, x, options.dynamic_axes or {}) for n, x in zip(names, leaves, strict=True)
        ]
        return Call(net, layout, tuple(found))

    def tied(self) -> Call:
        """The same with open sizes of the same axis taken to be equal."""
        inputs = [
            Input(
                x.name,
                tuple(f"axis_{k}" if isinstance(n, str) else n for k, n in enumerate(x.shape)),
                x.dtype,
                x.known,
            )
            for x in self.inputs
        ]
        return replace(self, inputs=tuple(inputs))

    def open_names(self) -> dict[str, tuple[int, int]]:
        """The names of the open sizes, each with its axis and its size in the Tensor given."""
        return {
            name: (axis, x.known[axis])
            for x in self.inputs
            for axis, name in enumerate(x.shape)
            if isinstance(name, str)
        }

    def run(self, sizes: Mapping[str, int]) -> Run:
        """The network traced with these sizes. Raises: MS308 for what no file can hold"""
        trace = ExportTrace()
        trace.folds = self.folds
        with tracing(trace):
            tensors = [trace.input(x.at(sizes), x.dtype) for x in self.inputs]
            results: list[Tensor] = []
            flatten(self.net(*rebuild(self.layout, tensors)), results)
            lifted = [trace.lift(y) for y in results]
            outputs = [trace.output(y) for y in results]
        if trace.updates:
            problem = "it changes a parameter or buffer while it infers"
            raise ExportError(self.net.cls_name, problem, advice="return the new value instead")
        if trace.sources:
            raise ExportError(self.net.cls_name, "it draws random numbers while it infers")
        if not outputs:
            raise ExportError(self.net.cls_name, "it gives no Tensor")
        return Run(trace, plain_nodes(needed_of(trace.nodes, outputs)), outputs, lifted)


def input_names(net: Cell, parts: Any, count: int, chosen: Sequence[str]) -> list[str]:
    """A name for every Tensor: what `construct` calls it, with a number in a tuple."""
    if chosen:
        if len(chosen) != count:
            got = f"{len(chosen)} names, {count} Tensors"
            raise ShapeError("export", "input_names needs a name for every Tensor", got=got)
        return list(chosen)
    names = [f"input{k}" for k in range(len(parts))]
    for k, parameter in enumerate(inspect.signature(net.construct).parameters.values()):
        if k < len(parts) and parameter.kind is not parameter.VAR_POSITIONAL:
            names[k] = parameter.name
    found: list[str] = []
    for name, part in zip(names, parts, strict=True):
        inside = len(slots(part))
        alone = isinstance(part, Slot)
        found += [name] if alone else [f"{name}_{i}" for i in range(inside)]
    return found


def slots(part: Any) -> list[Slot]:
    """The places of Tensors in a part of a layout."""
    if isinstance(part, Slot):
        return [part]
    return [slot for inner in getattr(part, "parts", ()) for slot in slots(inner)]


def input_of(name: str, x: Tensor, axes: Axes) -> Input:
    """The input for a Tensor; sizes that are -1 or named in `axes` are open."""
    shape: list[int | str] = [f"{name}_{k}" if n < 0 else n for k, n in enumerate(x.shape)]
    for axis, label in axes.get(name, {}).items():
        if not -len(shape) <= axis < len(shape):
            raise ShapeError("export", f"dynamic_axes: '{name}' has no such axis", got=str(axis))
        shape[axis] = label
    return Input(name, tuple(shape), x.content.dtype, x.shape)


def traced_runs(call: Call) -> tuple[list[Run], Call, dict[str, int]]:
    """The network traced at one choice of sizes, or at several if some are open.

    Sizes without a name are independent of each other, or, if the network does not run then,
    the same for the same axis.
    """
    if not call.open_names():
        return [call.run({})], call, {}
    refusal: Exception | None = None
    for candidate, choices in attempts(call):
        try:
            runs = [candidate.run(sizes) for sizes in choices]
        except ExportError:
            raise
        except NOT_AT_THIS_SIZE as error:
            refusal = error if refusal is None else refusal
        else:
            return runs, candidate, choices[0]
    problem, got = "it does not run at other sizes", str(refusal).split("\n")[0]
    raise FixedSizeError(call.net.cls_name, problem, got) from refusal


NOT_AT_THIS_SIZE = (ValueError, TypeError, IndexError, RuntimeError, ZeroDivisionError)
"""What a network may raise at sizes that it is not made for."""


def attempts(call: Call) -> Iterator[tuple[Call, list[dict[str, int]]]]:
    for candidate in (call, call.tied()):
        for choices in sizes_to_try(candidate.open_names()):
            yield candidate, choices


def warn_of_single(call: Call, sizes: Mapping[str, int], runs: list[Run]) -> None:
    """Warns if batches of one, which Python code often treats differently, need another graph."""
    one = {name: 1 if call.open_names()[name][0] == 0 else n for name, n in sizes.items()}
    try:
        OpenSizes([*runs, call.run(one)]).write()
    except (FixedSizeError, ValueError, IndexError, TypeError):
        logger.warning("export: the file of %s is for batches of 2 and more", call.net.cls_name)


def sizes_to_try(names: Mapping[str, tuple[int, int]]) -> Iterator[list[dict[str, int]]]:
    """Choices of sizes, RUNS each, for networks that take any, multiples of 32, or small ones."""
    rng = np.random.default_rng(0)
    for low, high, step in ((33, 75, 1), (2, 7, 32), (4, 16, 1), (7, 14, 32)):
        columns = {}
        for name, (axis, known) in names.items():
            start, stop, by = (2, 14, 1) if axis == 0 else (low, high, step)
            if axis > 0 and step == 1 and known > 1:
                start, stop = max(2, known // 2), max(known + 1, known // 2 + 12)
            columns[name] = rng.permutation(np.arange(start, stop))[:RUNS] * by
        count = min(map(len, columns.values()))
        yield [{name: int(column[k]) for name, column in columns.items()} for k in range(count)]


class Assembly:
    """The ONNX model of a traced network."""

    def __init__(self, call: Call, runs: list[Run], options: Options) -> None:
        self.call, self.runs, self.options = call, runs, options
        self.trace = runs[0].trace
        self.names: dict[str, str] = {}
        self.taken: set[str] = set()

    def model(self) -> tuple[ModelProto, dict[str, Array]]:
        """The model without its weights, and those by name."""
        call, run = self.call, self.runs[0]
        nodes, constants = run.nodes, dict(self.trace.constants)
        if len(self.runs) > 1:
            sizes = OpenSizes(self.runs)
            nodes = needed_of(sizes.write(), run.outputs)
            constants |= sizes.constants
        self.name_values()
        used = {name for node in nodes for name in read_by(node)}
        graph = GraphProto(name=call.net.cls_name)
        for symbol, given in zip(self.trace.inputs, call.inputs, strict=True):
            kind = dtypes.OF_NUMPY[symbol.dtype].onnx
            graph.input.append(helper.make_tensor_value_info(given.name, kind, given.shape))
        for name, symbol in zip(run.outputs, run.symbols, strict=True):
            graph.output.append(self.output(name, symbol.dtype))
        weights = self.weights({n: a for n, a in constants.items() if n in used})
        graph.node.extend(self.named(node) for node in nodes)
        self.add_weights(graph, weights)
        model = ModelProto(ir_version=IR_VERSION, producer_name="msconvert", graph=graph)
        model.opset_import.extend(OPSET_IMPORTS)
        return model, {w.name: weights[w.name] for w in graph.initializer}

    def name_values(self) -> None:
        """Inputs, outputs and parameters get the names that users know them by."""
        call, run = self.call, self.runs[0]
        known = {id(p): name for name, p in call.net.buffers_and_names()}
        known |= {id(p): p.name for p in call.net.get_parameters()}
        wanted = {s.name: x.name for s, x in zip(self.trace.inputs, call.inputs, strict=True)}
        chosen = list(self.options.output_names)
        if chosen and len(chosen) != len(run.outputs):
            got = f"{len(chosen)} names, {len(run.outputs)} results"
            raise ShapeError("export", "output_names needs a name for every result", got=got)
        alone = (
            ["output"] if len(run.outputs) == 1 else [f"output{k}" for k in range(len(run.outputs))]
        )
        wanted |= dict(zip(run.outputs, chosen or alone, strict=True))
        for held in self.trace.variables.values():
            wanted[held.name] = known.get(id(held.tensor), getattr(held.tensor, "name", held.name))
        for value, name in wanted.items():
            self.names[value] = free_name(name, self.taken)

    def name(self, value: str) -> str:
        """The name of a value in the file; a computed one gives way to those that users know."""
        if value and value not in self.names:
            self.names[value] = free_name(value, self.taken)
        return self.names.get(value, "")

    def named(self, node: NodeProto) -> NodeProto:
        copy = renamed(node, self.name)
        copy.name = copy.output[0]
        return copy

    def output(self, name: str, kind: np.dtype[Any]) -> ValueInfoProto:
        """The declaration of a result; sizes that are an input's have its name."""
        vectors = zip(*[s.shape for s in self.all_of(name)], strict=True)
        sizes: dict[Any, str] = {}
        for k, given in enumerate(self.call.inputs):
            for axis, label in enumerate(given.shape):
                if isinstance(label, str):
                    sizes[tuple(run.trace.inputs[k].shape[axis] for run in self.runs)] = label
        shape = [sizes.get(v) if len(set(v)) > 1 else None if v[0] < 0 else v[0] for v in vectors]
        wide = widened(np.empty(0, kind)).dtype
        return helper.make_tensor_value_info(self.names[name], dtypes.OF_NUMPY[wide].onnx, shape)

    def all_of(self, name: str) -> list[Any]:
        place = self.runs[0].outputs.index(name)
        return [run.symbols[place] for run in self.runs]

    def weights(self, constants: Mapping[str, Array]) -> dict[str, Array]:
        """The arrays by their names in the file; equal small constants only once."""
        variables = {held.name for held in self.trace.variables.values()}
        merged: dict[Any, str] = {}
        found: dict[str, Array] = {}
        for value, array in constants.items():
            small = array.nbytes <= INLINE_LIMIT
            key = (array.dtype, array.shape, array.tobytes() if small else id(array))
            if value not in variables and key in merged:
                self.names[value] = merged[key]
                continue
            name = self.name(value)
            found[name] = array
            if value not in variables:
                merged[key] = name
        return found

    def add_weights(self, graph: GraphProto, weights: Mapping[str, Array]) -> None:
        """Declares the weights: as initialisers, or parameters as inputs without values."""
        parameters = {
            self.names[v.name] for v in self.trace.variables.values() if v.name in self.names
        }
        for name, array in weights.items():
            kind = dtypes.OF_NUMPY[array.dtype].onnx
            inside = self.options.export_params or name not in parameters
            if inside:
                graph.initializer.append(TensorProto(name=name, data_type=kind, dims=array.shape))
            if not inside or (self.options.keep_initializers_as_inputs and name in parameters):
                graph.input.append(helper.make_tensor_value_info(name, kind, array.shape))


def free_name(name: str, taken: set[str]) -> str:
    """`name`, with a number behind it if it is taken already."""
    free, k = name, 1
    while free in taken:
        free, k = f"{name}_{k}", k + 1
    taken.add(free)
    return free


def place_inside(model: ModelProto, weights: Mapping[str, Array]) -> None:
    for held in model.graph.initializer:
        held.CopyFrom(numpy_helper.from_array(np.asarray(weights[held.name], order="C"), held.name))


def place_outside(
    model: ModelProto, weights: Mapping[str, Array], stream: Any, location: str
) -> None:
    """Writes the weights to `stream`, and where they stand into the model."""
    offset = 0
    for held in model.graph.initializer:
        array = weights[held.name]
        if array.nbytes <= INLINE_LIMIT:
            held.CopyFrom(numpy_helper.from_array(array, held.name))
            continue
        gap = -offset % ALIGNMENT
        stream.write(bytes(gap))
        offset += gap
        held.data_location = TensorProto.EXTERNAL
        facts = {"location": location.rsplit("/", 1)[-1], "offset": offset, "length": array.nbytes}
        for key, value in facts.items():
            held.external_data.add(key=key, value=str(value))
        for block in byte_blocks(array):
            stream.write(block)
        offset += array.nbytes
