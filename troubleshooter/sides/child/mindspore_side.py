"""The converted side: MindSpore, or the runtime that answers like it."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import numpy as np

from .dropping import alpha_dropout, dropout, without_dropout
from .loading import slots_of_cell, taken_by_cell
from .messages import Array, Held, Inputs, Layer, Tensor, TrainingPlan
from .operators.lines import Lines
from .operators.of_mindspore import watching
from .operators.watching import Watcher
from .randomness import DRAWS, stirred
from .rounding import RATE, SIZES, Variant, nudged, nudged_inputs
from .side import Side
from .training.in_mindspore import MindsporeWatch

RUNTIME = "msconvert.runtime"
DROPPING = {"dropout": 0, "dropout1d": 1, "dropout2d": 2, "dropout3d": 3}
"""The functions, and over how many axes each drops whole channels."""

INNER = {RUNTIME: f"{RUNTIME}.ops.activation", "mindspore": "mindspore.ops.function.nn_func"}
"""Where layers find these functions."""

STATISTICS = ("moving_mean", "moving_variance", "running_mean", "running_var")
LAYERS = {
    "Dropout": "dropout",
    "DropoutExt": "dropout",
    **{f"Dropout{n}d": f"dropout{n}d" for n in (1, 2, 3)},
}


class MindsporeSide(Side):
    """MindSpore under one of its names, in PyNative mode on the CPU."""

    calling = "construct"

    def __init__(self, package: str) -> None:
        super().__init__()
        self.ms = importlib.import_module(package)
        self.package = package
        self.network_class = self.ms.nn.Cell
        self.ms.set_context(mode=self.ms.PYNATIVE_MODE)
        self.ms.runtime.launch_blocking()  # so that an error comes where its line is
        answer_other_names(package)
        self.replace_functions()
        self.filled: dict[str, Array] = {}

    def replace_functions(self) -> None:
        """Random numbers that the other side has, too; and no dropout."""
        places = [self.ms.ops, self.ms.mint, self.ms.mint.nn.functional]
        for place in places:
            for name, draw in DRAWS.items():
                if hasattr(place, name):
                    setattr(place, name, self.chance.instead(getattr(place, name), draw, self.like))
        self.replace_dropout([*places, importlib.import_module(INNER[self.package])])

    def replace_dropout(self, places: list[Any]) -> None:
        functions = {k: dropout(self.dropping, self.constant, n) for k, n in DROPPING.items()}
        functions["_inner_dropout"] = functions["dropout"]  # MindSpore's attention calls it so
        functions["alpha_dropout"] = alpha_dropout(self.dropping, self.constant)
        for place in places:
            for name, function in functions.items():
                if hasattr(place, name):
                    setattr(place, name, function)
        for place in (self.ms.nn, self.ms.mint.nn):
            for name, function in LAYERS.items():
                if hasattr(place, name):
                    getattr(place, name).construct = layer_of(functions[function])

    def constant(self, array: Array, like: Any) -> Any:
        return self.ms.Tensor(array).astype(like.dtype)

    def like(self, made: Any, array: Array) -> Any:
        return self.ms.Tensor(array).astype(made.dtype)

    def seed_framework(self, seed: int) -> None:
        self.ms.set_seed(seed)

    def held(self) -> Iterator[Held]:
        cells = dict(self.network.cells_and_names())
        for name, x in self.network.parameters_and_names():
            yield self.one(name, x, cells, trainable=bool(x.requires_grad), saved=True)
        for path, cell in cells.items():
            names = (
                "_non_persistent_buffers_set",
                "_transient_buffers",
            )  # MindSpore's, the runtime's
            transient = set[str]().union(*[getattr(cell, name, ()) for name in names])
            for name, x in cell._buffers.items():
                if x is not None:
                    full = f"{path}.{name}" if path else name
                    yield self.one(full, x, cells, trainable=False, saved=name not in transient)

    def one(
        self, name: str, x: Any, cells: dict[str, Any], *, trainable: bool, saved: bool
    ) -> Held:
        path, leaf_name = name, ""
        while path not in cells:  # a name may have dots of its own
            path, _, part = path.rpartition(".")
            leaf_name = f"{part}.{leaf_name}" if leaf_name else part
        layers = tuple(layers_of(path, cells))
        return Held(name, layers, leaf_name, tuple(x.shape), dtype_of(x), trainable, saved)

    def prepare(self, seed: int, stir: bool) -> None:
        """Makes numbers of what is all zeros or ones, unless it is to stay; keeps them."""
        numbers = np.random.RandomState(seed)
        self.filled = {name: self.tensor(x).array for name, x in self.tensors().items()}
        changed = {}
        for held in self.held() if stir else ():
            if held.trainable or held.leaf in STATISTICS:
                changed[held.name] = stirred(self.filled[held.name], numbers)
        if changed:
            self.fill(changed)

    def tensors(self) -> dict[str, Any]:
        """Parameters and buffers by their paths."""
        return {**dict(self.network.parameters_and_names()), **dict(self.network.named_buffers())}

    def state(self) -> dict[str, Array]:
        """The values that it begins with."""
        return dict(self.filled)

    def slots(self) -> tuple[Held, ...]:
        return slots_of_cell(self)

    def take(self, files: tuple[str, ...], names: tuple[str, ...]) -> dict[str, str]:
        return taken_by_cell(self, files, names)

    def fill(self, values: dict[str, Array]) -> None:
        """Gives parameters and buffers, by their paths, these values."""
        self.filled.update(values)
        self.restore()

    def restore(self) -> None:
        buffers = {}
        parameters = dict(self.network.parameters_and_names())
        for name, array in self.filled.items():
            if name in parameters:
                own = parameters[name]
                own.set_data(self.ms.Tensor(array.copy()).astype(own.dtype))
            else:
                buffers[name] = self.ms.Tensor(array.copy())
        if buffers:
            self.network.load_state_dict(buffers, strict=False)

    def is_tensor(self, value: Any) -> bool:
        return isinstance(value, self.ms.Tensor)

    def tensor(self, value: Any) -> Tensor:
        dtype = dtype_of(value)
        plain = value.astype(self.ms.float32) if dtype == "bfloat16" else value
        return Tensor(dtype, np.array(plain.asnumpy()))

    def made(self, tensor: Tensor) -> Any:
        if tensor.dtype == "bfloat16":
            return self.ms.Tensor(tensor.array).astype(self.ms.bfloat16)
        return self.ms.Tensor(np.array(tensor.array))

    # layers

    def packages(self) -> tuple[str, ...]:
        return (os.path.dirname(str(self.ms.__file__)),)

    def watched(self, watcher: Watcher) -> contextlib.AbstractContextManager[None]:
        return watching(self.ms, watcher, Lines(self.packages()))

    def named_layers(self) -> list[tuple[str, Any]]:
        return list(self.network.cells_and_names())

    def own_tensors(self, layer: Any) -> dict[str, Any]:
        own = {**layer._params, **layer._buffers}
        return {name: x for name, x in own.items() if x is not None}

    def cast(self, tensor: Tensor, like: Any) -> Any:
        is_float = "Float" in str(like.dtype)
        x = self.ms.Tensor(np.array(tensor.array))
        return x.astype(like.dtype) if is_float == (tensor.array.dtype.kind == "f") else x

    def variants(self, inputs: Inputs, nudges: int) -> Iterator[Variant]:
        """Off by some steps of float32."""
        for i in range(nudges):
            size, numbers = SIZES[i % len(SIZES)], np.random.RandomState(i)
            plain = self.filled
            floats = {k: x for k, x in plain.items() if x.dtype == np.float32}
            self.filled = {**plain, **nudged(floats, numbers, size)}
            self.restore()
            self.filled = plain
            yield Variant(nudged_inputs(inputs, numbers, size), size, is_nudged=True)
        self.restore()

    def in_mode(self, mode: str) -> None:
        self.network.set_train(mode == "train")
        if mode == "train":
            cells = [cell for _, cell in self.network.cells_and_names()]
            without_dropout(cells, is_active=self.dropping.active)

    def watch(self, plan: TrainingPlan) -> MindsporeWatch:
        return MindsporeWatch(self, plan)

    def as_target(self, value: Any) -> Any:
        return value if self.is_float(value) else value.astype(self.ms.int32)

    def as_new(self) -> None:
        self.in_mode("train")
        self.network.set_train(False)

    def parameters_of(self, network: Any) -> dict[str, Any]:
        return dict(network.parameters_and_names())

    def pass_forward(self, inputs: Inputs, seed: int, mode: str) -> list[tuple[str, Any]]:
        self.in_mode(mode)
        return self.call(inputs, seed)

    def untrained(self) -> dict[str, Any]:
        trained = self.trained()
        return {name: x for name, x in self.tensors().items() if name not in trained}

    def is_float(self, value: Any) -> bool:
        return "Float" in str(value.dtype)

    def cut(self, value: Any) -> Any:
        return self.ms.ops.stop_gradient(value)

    def weighted(self, value: Any, weights: Array) -> Any:
        return (value * self.ms.Tensor(weights).astype(value.dtype)).mean()

    def gradients_of(
        self, loss: Callable[..., Any], tensors: list[Any]
    ) -> tuple[dict[str, Any], list[Any]]:
        trained = self.trained()
        places = tuple(range(len(tensors)))
        weights = self.ms.ParameterTuple(list(trained.values())) if trained else None
        _, found = self.ms.value_and_grad(loss, places, weights)(*tensors)
        by_tensors, by_weights = found if trained else (found, ())
        if not isinstance(by_tensors, tuple):
            by_tensors = (by_tensors,)
        return dict(zip(trained, by_weights, strict=True)), list(by_tensors)

    def descend(self, gradients: dict[str, Any]) -> None:
        trained = self.trained()
        if gradients:
            optimizer = importlib.import_module(f"{self.package}.experimental.optim").SGD
            optimizer(list(trained.values()), lr=RATE)(tuple(gradients.values()))

    def trained(self) -> dict[str, Any]:
        return {k: p for k, p in self.network.parameters_and_names() if p.requires_grad}

    def differentiated(self, inputs: Inputs, seed: int) -> tuple[Any, dict[str, Any]]:
        """Outputs, and the gradients by name, as on PyTorch's side."""
        seen: list[tuple[str, Any]] = []

        def forward() -> Any:
            seen[:] = self.call(inputs, seed)
            parts = self.parts_of_loss(seen, seed)
            return sum(parts[1:], parts[0]) if parts else self.ms.Tensor(0.0)

        trained = self.trained()
        if not trained:
            forward()
            return seen, {}
        weights = self.ms.ParameterTuple(list(trained.values()))
        _, gradients = self.ms.value_and_grad(forward, None, weights)()
        return seen, dict(zip(trained, gradients, strict=True))


def layer_of(function: Any) -> Any:
    """A layer's method that drops by the function."""

    def construct(layer: Any, x: Any) -> Any:
        p = getattr(layer, "p", None)  # MindSpore's for channels have keep_prob only
        p = 1 - layer.keep_prob if p is None else p
        return function(x, p, bool(layer.training))

    return construct


def dtype_of(tensor: Any) -> str:
    """`float32` of MindSpore's `Float32`, `bool` of `Bool`."""
    return str(tensor.dtype).lower().removesuffix("_")


def layers_of(path: str, cells: dict[str, Any]) -> Iterator[Layer]:
    parts = path.split(".") if path else []
    for depth in range(len(parts) + 1):
        kind = type(cells.get(".".join(parts[:depth])))
        names = tuple(f"{c.__module__}.{c.__qualname__}" for c in kind.__mro__[:-1])
        yield Layer(parts[depth - 1] if depth else "", names)


# the other target's name


def answer_other_names(package: str) -> None:
    """Lets code that imports the other one of MindSpore and the runtime have this one."""
    if package == RUNTIME:
        importlib.import_module(f"{RUNTIME}.alias").answer_mindspore()
    else:
        sys.meta_path.insert(0, RuntimeFinder())


class RuntimeFinder(MetaPathFinder, Loader):
    """Finds MindSpore's modules under the runtime's names."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname.startswith(RUNTIME) or fullname == RUNTIME.partition(".")[0]:
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        if not spec.name.startswith(RUNTIME):
            return ModuleType(spec.name)
        module = importlib.import_module("mindspore" + spec.name[len(RUNTIME) :])
        self.own_spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """It has been executed under its own name, to which its relative imports belong."""
        with contextlib.suppress(AttributeError):
            module.__spec__ = self.own_spec
