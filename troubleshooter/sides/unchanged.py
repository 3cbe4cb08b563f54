"""What a side changes of a framework and of a network, put back when it is done."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from .child.side import Side

EXCHANGED = {
    "torch": ("", ".nn.functional"),
    "mindspore": (".ops", ".mint", ".mint.nn.functional", ".ops.function.nn_func"),
    "msconvert.runtime": (".ops", ".mint", ".mint.nn.functional", ".ops.activation"),
}
"""The modules in which a side exchanges functions."""

LAYERS = (".nn", ".mint.nn")
"""Where there are layers that drop something: a side makes them drop nothing."""

Functions = dict[tuple[str, str], Any]

NUMBERS = (bool, int, float)


@contextmanager
def imports_kept() -> Iterator[None]:
    """MindSpore and the runtime answer for each other within, and not behind it."""
    finders = list(sys.meta_path)
    modules = {name: m for name, m in sys.modules.items() if name.split(".")[0] == "mindspore"}
    try:
        yield
    finally:
        sys.meta_path[:] = finders
        sys.modules.update(modules)


@contextmanager
def framework_kept(kind: str) -> Iterator[None]:
    """The framework's functions, its layers' methods and settings are behind it as before."""
    framework = import_module(kind)
    places: list[Any] = [import_module(kind + part) for part in EXCHANGED[kind]]
    classes = [
        value
        for part in LAYERS
        if kind != "torch" or part == ".nn"
        for name, value in vars(import_module(kind + part)).items()
        if "Drop" in name and isinstance(value, type)
    ]
    before = [(place, dict(vars(place))) for place in (*places, *classes)]
    with ExitStack() as settings:
        keep_settings(framework, kind, settings)
        try:
            yield
        finally:
            for place, held in before:
                put_back(place, held)


@contextmanager
def names_exchanged(network: Any, kind: str, before: Functions) -> Iterator[None]:
    """Where the network's own modules have imported a function that is exchanged, they have the
    new one within."""
    now = functions_of(kind)
    new = {id(old): now[name] for name, old in before.items() if now[name] is not old}
    held = []
    for module in own_modules(network, kind):
        for name, value in list(vars(module).items()):
            if id(value) in new:
                held.append((module, name, value))
                setattr(module, name, new[id(value)])
    try:
        yield
    finally:
        for module, name, value in held:
            setattr(module, name, value)


def functions_of(kind: str) -> Functions:
    """What is exchanged, or could be, by its full name."""
    places = [import_module(kind + part) for part in EXCHANGED[kind]]
    return {
        (place.__name__, name): value
        for place in places
        for name, value in vars(place).items()
        if callable(value)
    }


def own_modules(network: Any, kind: str) -> list[ModuleType]:
    """Where the classes of a network's layers are, but for the framework's."""
    named = network.named_modules() if kind == "torch" else network.cells_and_names()
    names = {base.__module__ for _, layer in named for base in type(layer).__mro__}
    names = {name for name in names if not f"{name}.".startswith(f"{kind}.")}
    return [sys.modules[name] for name in names if name in sys.modules and name != "builtins"]


def put_back(place: Any, held: dict[str, Any]) -> None:
    """Gives a module or a class the functions back that it held."""
    now = dict(vars(place))
    for name, value in held.items():
        if callable(value) and now.get(name) is not value:
            setattr(place, name, value)
    if not isinstance(place, ModuleType):
        for name in now.keys() - held.keys():
            delattr(place, name)


def keep_settings(framework: Any, kind: str, settings: ExitStack) -> None:
    if kind == "torch":
        fast = framework.backends.mha
        settings.callback(fast.set_fastpath_enabled, fast.get_fastpath_enabled())
        settings.callback(framework.set_default_dtype, framework.get_default_dtype())
        framework.set_default_dtype(framework.float32)
        settings.enter_context(framework.inference_mode(False))
        settings.enter_context(framework.enable_grad())  # gradients are compared, too
    else:
        settings.callback(framework.set_context, mode=framework.get_context("mode"))


@contextmanager
def numbers_kept(kind: str) -> Iterator[None]:
    """Random numbers go on behind it as if none had been drawn; MindSpore's begin anew."""
    own, numpys = random.getstate(), np.random.get_state()
    framework = import_module(kind)
    seed = None if kind == "torch" else framework.get_seed()
    state = framework.get_rng_state()
    try:
        yield
    finally:
        if seed is not None:
            framework.set_seed(seed)
        framework.set_rng_state(state)
        random.setstate(own)
        np.random.set_state(numpys)


@contextmanager
def network_kept(side: Side, network: Any) -> Iterator[None]:
    """Behind it, a network has the parameters, gradients, modes and settings that it had."""
    side.network = network
    layers = [(layer, bool(layer.training), numbers_of(layer)) for _, layer in side.named_layers()]
    keep = torch_tensors_kept if hasattr(network, "named_parameters") else cell_tensors_kept
    try:
        with keep(side, network):
            yield
    finally:
        for layer, training, numbers in layers:  # those around it come before a layer
            set_training(layer, training)
            for name in [name for name in numbers if vars(layer).get(name) != numbers[name]]:
                setattr(layer, name, numbers[name])


def set_training(layer: Any, training: bool) -> None:
    if hasattr(layer, "set_train"):
        layer.set_train(training)
    else:
        layer.training = training


def numbers_of(layer: Any) -> dict[str, Any]:
    return {
        name: value
        for name, value in vars(layer).items()
        if name != "training" and isinstance(value, NUMBERS)
    }


@contextmanager
def torch_tensors_kept(side: Side, network: Any) -> Iterator[None]:
    """Each parameter and buffer has its own memory again, with what was in it."""
    held = [(x, x.data, x.data.clone(), x.grad) for x in side.tensors().values()]
    try:
        yield
    finally:
        for tensor, data, content, gradient in held:
            data.copy_(content)
            tensor.data = data
            tensor.grad = gradient


@contextmanager
def cell_tensors_kept(side: Side, network: Any) -> Iterator[None]:
    before = {name: side.tensor(x).array for name, x in side.tensors().items()}
    try:
        yield
    finally:
        side.network = network
        side.fill(before)
