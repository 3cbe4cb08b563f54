"""An ONNX file's side: ONNX Runtime, and the values of all nodes."""

from __future__ import annotations

import importlib
import os
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from .caught import Caught
from .kernels import of_node, unsure
from .leaves import given
from .messages import (
    WEIGHTS,
    Array,
    Call,
    Forced,
    Held,
    Inputs,
    Keeping,
    LayerInfo,
    Leaf,
    Loaded,
    Noise,
    Recording,
    Source,
    Tensor,
    Value,
)
from .recording import ROLES, Accumulated, Kept, Unsteady, passed_by
from .rounding import SIZES, Variant, nudged, nudged_inputs
from .side import Side
from .sketch import WIDTH
from .store import Store, Views

AT_ONCE, FIRST, BYTES = 128, 8, 1 << 28
"""So many values are asked for in one run at most, in the first, and so many bytes if they are as
large as those before: to bound the memory that they take."""

PROVIDERS = ["CPUExecutionProvider"]

SIZING = ("scales", "roi")
"""Inputs of nodes that are no tensors, but say how large the results are."""

FREE = 2
"""What the first size of an input is taken to be where the file leaves it open."""


class OnnxSide(Side):
    """A graph on ONNX Runtime; each node is a layer, and the graph one around them."""

    def __init__(self) -> None:
        super().__init__()
        self.onnx = importlib.import_module(".onnx_graph", __package__)
        self.runtime: Any = importlib.import_module("onnxruntime")
        self.graph: Any = None
        self.file = ""
        self.weights: tuple[Any, ...] = ()

    def load(self, source: Source) -> Loaded:
        self.file = source.file
        self.graph = self.onnx.Graph(source.file)
        return Loaded((), False, True, inputs=tuple(x.name for x in self.graph.inputs))

    def construct(self, call: str, seed: int, stir: bool = True) -> tuple[Held, ...]:
        """`call`: WEIGHTS where the weights are wanted by the names that a network has for them."""
        module = importlib.import_module(".onnx_weights", __package__)
        folder = os.path.dirname(self.file)
        self.weights = module.weights_of(self.graph, folder) if call == WEIGHTS else ()
        return tuple(weight.held for weight in self.weights)

    def state(self) -> dict[str, Array]:
        """The constants by node and the names of the schema, and the weights by theirs."""
        folder = os.path.dirname(self.file)
        found: dict[str, Array] = {x.held.name: x.array for x in self.weights}
        missing: dict[str, list[str]] = {}
        for node in self.graph.nodes:
            for formal, name in node.constants.items():
                array = self.graph.constant(name, folder)
                place = f"{node.path}.{formal}"
                if array is not None:
                    found[place] = array
                else:
                    missing.setdefault(name, []).append(place)
        for name, array in self.folded(list(missing)):
            found.update(dict.fromkeys(missing[name], array))
        return found

    def folded(self, names: list[str]) -> Iterator[tuple[str, Array]]:
        """Constants that the file computes of others."""
        arrays: Sequence[Any] = ()
        if names:
            with Caught():
                arrays = self.opened(self.graph.folded(names)).run(names, {})
        yield from ((n, x) for n, x in zip(names, arrays, strict=False) if is_tensor(x))

    def own_inputs(self, seed: int) -> Inputs:
        """Random numbers of the declared shapes. Raises: ValueError where sizes are open"""
        return Inputs(tuple(random_input(x, (seed, i)) for i, x in enumerate(self.graph.inputs)))

    # runs

    def feeds(self, inputs: Inputs) -> dict[str, Array]:
        """Raises: TypeError where there are more or fewer inputs"""
        own = given(inputs, lambda tensor: tensor.array)
        names = [x.name for x in self.graph.inputs]
        if len(own.args) + len(own.kwargs) != len(names):
            wanted = f"{len(names)} inputs ({', '.join(names)})"
            raise TypeError(f"the graph takes {wanted}, not {len(own.args) + len(own.kwargs)}")
        fed = dict(zip(names, own.args, strict=False))
        unnamed = [name for name in names if name not in own.kwargs]
        rest = [key for key in own.kwargs if key not in names]
        fed.update({key: value for key, value in own.kwargs.items() if key in names})
        fed.update({name: own.kwargs[key] for name, key in zip(unnamed, rest, strict=False)})
        return {name: np.asarray(array) for name, array in fed.items()}

    def session(self, put: dict[str, Array], wanted: Sequence[str]) -> Any:
        return self.opened(self.graph.open(put, wanted))

    def opened(self, model: Any) -> Any:
        options = self.runtime.SessionOptions()
        options.log_severity_level = 4
        options.graph_optimization_level = self.runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.add_session_config_entry(
            "session.model_external_initializers_file_folder_path", os.path.dirname(self.file)
        )
        text = model.SerializeToString()
        return self.runtime.InferenceSession(text, options, providers=PROVIDERS)

    def values(
        self, feeds: dict[str, Array], put: dict[str, Array], wanted: Collection[str] | None = None
    ) -> Iterator[tuple[str, Any]]:
        """Each node's outputs by name, as the graph computes them around those in `put`.

        `wanted`: of these only, if that is said
        """
        feeds = {**feeds, **{self.onnx.PUT + name: array for name, array in put.items()}}
        names = [name for node in self.graph.nodes for name in node.outputs]
        names = [name for name in names if wanted is None or name in wanted]
        session = self.session(put, names)
        count = FIRST
        while names:
            some, names = names[:count], names[count:]
            found = session.run(some, feeds)
            most = max((getattr(x, "nbytes", 0) for x in found), default=0)
            count = min(AT_ONCE, max(1, BYTES // (most or 1)))
            yield from zip(some, found, strict=True)

    def record(
        self,
        inputs: Inputs,
        seed: int,
        mode: str,
        keeping: Keeping,
        plan: tuple[Forced, ...] = (),
    ) -> Recording:
        feeds = self.feeds(inputs)
        put = self.put(plan, Views())
        names = None if keeping.places is None else self.names(set(keeping.places))
        with Store(keeping.file, keeping.limit) as store:
            kept = Kept(self, store)
            known = {} if names is None else {x: passed_by(x) for x in self.every()}
            known |= {name: kept.value(name, as_tensor(x)) for name, x in feeds.items()}
            for name, array in self.values(feeds, put, names):
                if is_tensor(array):
                    known[name] = kept.value(name, as_tensor(array))
        sketches = np.array(kept.sketches).reshape(-1, WIDTH)
        return Recording(tuple(self.layers()), tuple(self.calls(known)), sketches)

    def every(self) -> Iterator[str]:
        for node in self.graph.nodes:
            yield from node.outputs

    def names(self, places: set[tuple[str, int, str]]) -> set[str]:
        """The values that these calls take or give."""
        calls = [("", *self.ends()), *((x.path, x.inputs, x.outputs) for x in self.graph.nodes)]
        return {
            name
            for path, *ends in calls
            for role, names in zip(ROLES, ends, strict=True)
            if (path, 0, role) in places
            for name in names
        }

    def put(self, plan: Sequence[Forced], views: Views) -> dict[str, Array]:
        """The arrays that stand in the place of values."""
        outputs = {node.path: node.outputs for node in self.graph.nodes}
        return {
            name: views.array(stored)
            for forced in plan
            for name, stored in zip(outputs.get(forced.path, ()), forced.outputs, strict=False)
            if stored is not None
        }

    def layers(self) -> Iterator[LayerInfo]:
        yield LayerInfo("", ("onnx.Graph",), {}, ())
        for node in self.graph.nodes:
            yield self.graph.layer(node)

    def calls(self, known: dict[str, Value]) -> Iterator[Call]:
        nodes = self.graph.nodes
        whole = [tuple(known[x] for x in names if x in known) for names in self.ends()]
        yield Call(0, "", 0, -1, 0, 2 * len(nodes) + 1, False, whole[0], whole[1])
        for i, node in enumerate(nodes, 1):
            inputs = tuple(known[x] for x in node.inputs if x in known)
            outputs = tuple(known[x] for x in node.outputs if x in known)
            yield Call(i, node.path, 0, 0, 2 * i - 1, 2 * i, False, inputs, outputs)

    def ends(self) -> tuple[list[str], list[str]]:
        return [x.name for x in self.graph.inputs], self.graph.outputs

    def noise(
        self,
        inputs: Inputs,
        seed: int,
        mode: str,
        calls: tuple[Call, ...],
        plan: tuple[Forced, ...],
        nudges: int,
    ) -> Noise:
        """Where values are put in the place of others, these are off by some steps of float32."""
        unsteady = Unsteady(self, calls, plan)
        spots = names_of(calls, is_stored=True)
        for variant in self.variants(inputs, nudges):
            put = self.put(plan, unsteady.views)
            own = {} if variant.is_nudged else dict(self.approximated(calls, unsteady.views))
            off = {k: nudged_array(x, unsteady.numbers, variant.size) for k, x in put.items()}
            for name, array in self.values(self.feeds(variant.inputs), {**own, **off}, spots):
                if name in spots and is_tensor(array):
                    number, i = spots[name]
                    leaf = Leaf("", as_tensor(own.get(name, array)))
                    unsteady.parts[number, "outputs"][i].add(leaf, variant.size)
        return unsteady.found()

    def approximated(self, calls: Sequence[Call], views: Views) -> Iterator[tuple[str, Array]]:
        """What MindSpore's kernels would give in the place of nodes of the same meaning, and might
        in that of constants: the exporter has computed these of others, nobody knows how."""
        for node, call in zip(self.graph.nodes, calls[1:], strict=True):
            if call.inputs and call.outputs and call.inputs[0].stored is not None:
                kind, options = node.proto.op_type, self.graph.layer(node).options
                y = of_node(kind, options, views.array(call.inputs[0].stored))
                if y is not None:
                    yield call.outputs[0].place, y
        uses = [item for node in self.graph.nodes for item in node.constants.items()]
        sizes = {name for formal, name in uses if formal in SIZING}
        computed = [name for node in self.graph.computed for name in node.output]
        names = [name for name in computed if name not in sizes]
        for name, x in self.folded(names):
            if x.dtype == np.float32 and x.size > 1:
                yield name, unsure(x)

    def floor(
        self, inputs: Inputs, seed: int, mode: str, recording: Recording, nudges: int
    ) -> tuple[tuple[float, ...], ...]:
        found = Accumulated(recording, as_tensor)
        spots = names_of(recording.calls)
        calls = recording.calls
        for variant in self.variants(inputs, nudges):
            for name, array in self.values(self.feeds(variant.inputs), {}):
                if name in spots and is_tensor(array) and not spots[name][1]:
                    found.note(calls[spots[name][0]], "outputs", [(name, array)])
        return tuple(tuple(row) for row in found.found)

    def variants(self, inputs: Inputs, nudges: int) -> Iterator[Variant]:
        for i in range(nudges):
            size = SIZES[i % len(SIZES)]
            numbers = np.random.RandomState(i)
            yield Variant(nudged_inputs(inputs, numbers, size), size, is_nudged=True)
        if self.for_mindspore:
            yield Variant(inputs)

    def pass_forward(self, inputs: Inputs, seed: int, mode: str) -> list[tuple[str, Any]]:
        options = self.runtime.SessionOptions()
        options.log_severity_level = 4
        session = self.runtime.InferenceSession(self.file, options, providers=PROVIDERS)
        found = session.run(self.graph.outputs, self.feeds(inputs))
        places = [f"[{i}]" for i in range(len(found))] if len(found) > 1 else [""]
        return list(zip(places, found, strict=True))

    def restore(self) -> None:
        """Nothing of a graph changes."""

    def is_tensor(self, value: Any) -> bool:
        return is_tensor(value)

    def tensor(self, value: Any) -> Tensor:
        return as_tensor(value)


def names_of(calls: Sequence[Call], *, is_stored: bool = False) -> dict[str, tuple[int, int]]:
    """For each value, or those that are stored, the number of the call that gives it, and the
    place there."""
    return {
        value.place: (call.number, i)
        for call in calls[1:]
        for i, value in enumerate(call.outputs)
        if value.stored is not None or not is_stored
    }


def random_input(declared: Any, seed: tuple[int, int]) -> Tensor:
    """Numbers for an input; a first size that is open is `FREE`."""
    tensor = declared.type.tensor_type
    sizes = [dim.dim_value for dim in tensor.shape.dim]
    sizes[:1] = [size or FREE for size in sizes[:1]]
    if 0 in sizes:
        raise ValueError(f"the input {declared.name} has open sizes: give --shape")
    helper = importlib.import_module("onnx.helper")
    dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    numbers = np.random.default_rng(seed)
    is_float = dtype.kind == "f"
    drawn = numbers.standard_normal(sizes) if is_float else numbers.integers(0, 2, sizes)
    return as_tensor(np.asarray(drawn, dtype))


def nudged_array(array: Array, numbers: np.random.RandomState, size: int) -> Array:
    found: Array = nudged(as_tensor(array), numbers, size).array
    return found


def is_tensor(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "biufc"


def as_tensor(array: Any) -> Tensor:
    return Tensor(str(array.dtype), array)
