"""What both frameworks have in common: a module of the user's, a network of it, its runs."""

from __future__ import annotations

import ast
import inspect
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from types import ModuleType
from typing import Any

import numpy as np

from .caught import Caught
from .dropping import Dropping, Place
from .importing import Imports
from .leaves import given, handed_over, leaf, leaves
from .messages import (
    Array,
    Block,
    Call,
    Draw,
    Forced,
    Held,
    Inputs,
    Keeping,
    LayerInfo,
    Leaf,
    Loaded,
    Noise,
    Outcome,
    Probe,
    Recording,
    Source,
    Tensor,
    Training,
    TrainingPlan,
)
from .operators.watching import Asked, Watcher, block
from .options import options_of
from .origins import Origins
from .pullback import Pullback
from .randomness import Chance, weights_of
from .recording import floor, noise, record
from .rounding import Rounding, Variant
from .training.run import training_of
from .training.watch import Watch

NOTHING_TO_TRAIN = "no output follows from a parameter that is trained"


class Side:
    """One framework, with one network at a time. Abstract: subclasses know the framework."""

    network_class: type
    calling = "forward"
    """The method that has the user's code."""
    nudges = 0
    """How often rounding is measured where nothing says it: not at all, on the converted side."""

    def __init__(self) -> None:
        self.chance = Chance()
        self.dropping = Dropping()
        self.origins = Origins()
        self.imports = Imports()
        self.module = ModuleType("none")
        self.network: Any = None
        self.bare: set[str] | None = None
        self.for_mindspore = False
        self.live_make: Any = None
        self.shift = 0

    def load(self, source: Source) -> Loaded:
        """Imports the file; what it offers."""
        self.network = None
        self.module = self.imports.load(source)
        own = vars(self.module)
        classes = [
            name
            for name, value in own.items()
            if isinstance(value, type)
            and issubclass(value, self.network_class)
            and value.__module__ == self.module.__name__
        ]
        has = [callable(own.get(name)) for name in ("build", "inputs", "load")]
        return Loaded(tuple(classes), has[0], has[1], has[2])

    def construct(self, call: str, seed: int, stir: bool = True) -> tuple[Held, ...]:
        """Evaluates `ResNet(layers=[1, 1])` in the module; the network's parameters and buffers.

        `stir`: what is all zeros or ones, which would hide mistakes, becomes other numbers.
        """
        self.network = None
        self.seed(seed)
        code = compile(ast.parse(call, mode="eval"), "<call>", "eval")
        with self.origins.watching(self.network_class, self.packages()):
            network = eval(code, vars(self.module))
        if not isinstance(network, self.network_class):
            wanted = self.network_class.__name__
            raise TypeError(f"{call} gives a {type(network).__name__}, which is no {wanted}")
        self.network = network
        self.prepare(seed, stir)
        return tuple(self.held())

    def own_folders(self) -> tuple[str, ...]:
        """Where the user's files are, to find the line that raised something."""
        return self.imports.folders()

    def seed(self, seed: int) -> None:
        self.seed_framework(seed + self.shift)  # MindSpore's seeds NumPy, too
        random.seed(seed)
        np.random.seed(seed)

    def seed_framework(self, seed: int) -> None:
        raise NotImplementedError

    def reseed(self, shift: int) -> None:
        """Lets the framework draw other numbers in the next runs, unless `shift` is 0.

        Python's and NumPy's stay: these are the same on both sides.
        """
        self.shift = shift

    def prepare(self, seed: int, stir: bool) -> None:
        """What is done with a network once, when it is made."""
        raise NotImplementedError

    def state(self) -> dict[str, Array]:
        """Parameters and buffers by their paths, as they are at the beginning of each run."""
        raise NotImplementedError

    def fill(self, values: dict[str, Array]) -> None:
        """Gives parameters and buffers, by their paths, these values."""
        raise NotImplementedError

    def compare_with(self, package: str) -> None:
        """Says what the other side is."""
        self.for_mindspore = package == "mindspore"

    def draw(self, instead: tuple[tuple[Place, Place], ...]) -> None:
        """From now on dropout is active; its masks are those of other places where that is said."""
        self.dropping.active = True
        self.dropping.instead = dict(instead)

    def drawn(self) -> tuple[Draw, ...]:
        """What dropout drew in the last run."""
        return tuple(self.dropping.draws)

    def own_inputs(self, seed: int) -> Inputs:
        """What the module's function `inputs` gives."""
        self.seed(seed)
        found = self.module.inputs()
        if isinstance(found, dict):
            return Inputs((), self.handed_over(found))
        several = tuple(found) if isinstance(found, (tuple, list)) else (found,)
        return Inputs(self.handed_over(several))

    def handed_over(self, value: Any) -> Any:
        return handed_over(value, self.tensor, self.is_tensor)

    def held(self) -> Iterator[Held]:
        raise NotImplementedError

    def ties(self) -> dict[str, str]:
        """The name under which a parameter is listed first, by its other names."""
        first: dict[int, str] = {}
        found = {}
        for path, layer in self.named_layers():
            for leaf_name, tensor in self.own_tensors(layer).items():
                name = f"{path}.{leaf_name}" if path else leaf_name
                if first.setdefault(id(tensor), name) != name:
                    found[name] = first[id(tensor)]
        return found

    def slots(self) -> tuple[Held, ...]:
        """What the network takes of a weight file, by the names in it."""
        raise NotImplementedError

    def take(self, files: tuple[str, ...], names: tuple[str, ...]) -> dict[str, str]:
        """Loads these tensors of weight files; digests of what the network holds then."""
        raise NotImplementedError

    def restore(self) -> None:
        """Gives parameters and buffers the values back that they had at the beginning."""
        raise NotImplementedError

    def is_tensor(self, value: Any) -> bool:
        raise NotImplementedError

    def tensor(self, value: Any) -> Tensor:
        raise NotImplementedError

    def made(self, tensor: Tensor) -> Any:
        raise NotImplementedError

    def call(self, inputs: Inputs, seed: int) -> list[tuple[str, Any]]:
        """Runs the network; its outputs by their places."""
        self.seed(seed)
        own = self.as_called(given(inputs, self.made))
        self.chance.start(seed)
        try:
            with self.dropping.running(seed, self.network_class, self.named_layers()):
                result = self.network(*own.args, **own.kwargs)
        finally:
            self.chance.stop()
        return list(leaves(result, self.is_tensor))

    def as_called(self, inputs: Inputs) -> Inputs:
        """Arguments by place if the network knows none of their names, as those of a graph's."""
        function = getattr(self.network, self.calling, None)
        if not inputs.kwargs or function is None:
            return inputs
        names = inspect.signature(function).parameters
        is_open = any(p.kind is p.VAR_KEYWORD for p in names.values())
        if is_open or names.keys() & inputs.kwargs.keys():
            return inputs
        return Inputs((*inputs.args, *inputs.kwargs.values()))

    def as_leaves(self, values: list[tuple[str, Any]]) -> tuple[Leaf, ...]:
        return tuple(leaf(place, value, self.tensor, self.is_tensor) for place, value in values)

    # layers

    def named_layers(self) -> list[tuple[str, Any]]:
        """Each layer once, by its path, the network itself as ""."""
        raise NotImplementedError

    def own_tensors(self, layer: Any) -> dict[str, Any]:
        """The parameters and buffers of a layer without those of the layers in it."""
        raise NotImplementedError

    def cast(self, tensor: Tensor, like: Any) -> Any:
        """The framework's tensor, of the element type of another one if both hold floats."""
        raise NotImplementedError

    def pass_forward(self, inputs: Inputs, seed: int, mode: str) -> list[tuple[str, Any]]:
        """The network's outputs without gradients in the mode "eval" or "train"."""
        raise NotImplementedError

    def variants(self, inputs: Inputs, nudges: int) -> Iterator[Variant]:
        """Runs that differ in rounding from the plain one, one at a time; restored after each."""
        raise NotImplementedError

    def layer_info(self, path: str, layer: Any) -> LayerInfo:
        if self.bare is None:
            self.bare = set(vars(self.network_class()))
        classes = tuple(f"{c.__module__}.{c.__qualname__}" for c in type(layer).__mro__[:-1])
        options = options_of(layer, self.bare)
        own = tuple(self.own_tensors(layer))
        return LayerInfo(path, classes, options, own, line=self.origins.line(layer))

    def record(
        self,
        inputs: Inputs,
        seed: int,
        mode: str,
        keeping: Keeping,
        plan: tuple[Forced, ...] = (),
    ) -> Recording:
        """Every call of a layer in one run; see `recording.record`."""
        return record(self, inputs, seed, mode, keeping, plan)

    def block(
        self,
        inputs: Inputs,
        seed: int,
        mode: str,
        keeping: Keeping,
        plan: tuple[Forced, ...],
        asked: Asked,
    ) -> Block:
        """One call of a layer, operator by operator; see `operators/watching.py`."""
        return block(self, inputs, seed, mode, keeping, plan, asked)

    def noise(
        self,
        inputs: Inputs,
        seed: int,
        mode: str,
        calls: tuple[Call, ...],
        plan: tuple[Forced, ...],
        nudges: int,
    ) -> Noise:
        """How exact each of these recorded calls is; see `recording.noise`."""
        return noise(self, inputs, seed, mode, calls, plan, nudges)

    def floor(
        self, inputs: Inputs, seed: int, mode: str, recording: Recording, nudges: int
    ) -> tuple[tuple[float, ...], ...]:
        """How far results are off by rounding alone; see `recording.floor`."""
        return floor(self, inputs, seed, mode, recording, nudges)

    def pullback(
        self, inputs: Inputs, seed: int, mode: str, probes: tuple[Probe, ...], nudges: int
    ) -> Outcome:
        """Gradients of each layer alone, by parameters and by probes; see `pullback.py`."""
        pullback = Pullback(self, probes)
        self.restore()
        rounding = Rounding(pullback.run(Variant(inputs), seed, mode))
        for variant in self.variants(inputs, nudges) if nudges else ():
            with Caught():
                rounding.add(pullback.run(variant, seed, mode), variant.size)
        return rounding.outcome()

    def run(
        self, inputs: Inputs, seed: int, nudges: int | None = None, mode: str = "eval"
    ) -> Outcome:
        """The network's outputs."""

        def once(given: Inputs) -> Outcome:
            return Outcome(self.as_leaves(self.pass_forward(given, seed, mode)))

        return self.measured(once, inputs, nudges)

    def gradients(self, inputs: Inputs, seed: int, nudges: int | None = None) -> Outcome:
        """In evaluation, of the outputs' weighted mean with respect to each parameter."""

        def once(given: Inputs) -> Outcome:
            self.in_mode("eval")
            return self.outcome(*self.differentiated(given, seed), {})

        return self.measured(once, inputs, nudges)

    def step(self, inputs: Inputs, seed: int, nudges: int | None = None) -> Outcome:
        """In training, and then one step of SGD; what parameters and buffers are afterwards."""

        def once(given: Inputs) -> Outcome:
            self.in_mode("train")
            outputs, found = self.differentiated(given, seed)
            self.descend(found)
            return self.outcome(outputs, found, self.tensors())

        return self.measured(once, inputs, nudges)

    def steps(self, inputs: Inputs, seed: int, count: int, nudges: int | None = None) -> Outcome:
        """The loss before each of so many steps of SGD on the same inputs."""

        def once(given: Inputs) -> Outcome:
            self.in_mode("train")
            losses = []
            for i in range(count):
                outputs, found = self.differentiated(given, seed)
                parts = [self.tensor(x).array for x in self.parts_of_loss(outputs, seed)]
                loss = np.asarray(sum(float(x) for x in parts))
                losses.append(Leaf(f"step {i + 1}", Tensor("float32", loss)))
                self.descend(found)
            return Outcome(tuple(losses))

        return self.measured(once, inputs, nudges)

    def train(self, plan: TrainingPlan) -> Training:
        """The user's own training, from the network's first weights on; see `training/`."""
        return training_of(self, plan, self.live_make)

    def parts_of_loss(self, outputs: list[tuple[str, Any]], seed: int) -> list[Any]:
        """The mean of each output that holds floats, its elements with random weights."""
        floats = [y for _, y in outputs if self.is_tensor(y) and self.is_float(y)]
        weights = weights_of([tuple(y.shape) for y in floats], seed)
        return [self.weighted(y, w) for y, w in zip(floats, weights, strict=True)]

    def outcome(self, outputs: Any, gradients: dict[str, Any], state: dict[str, Any]) -> Outcome:
        return Outcome(
            self.as_leaves(outputs),
            self.as_leaves(list(gradients.items())),
            self.as_leaves(list(state.items())),
            "" if gradients else NOTHING_TO_TRAIN,
        )

    def measured(
        self, once: Callable[[Inputs], Outcome], inputs: Inputs, nudges: int | None
    ) -> Outcome:
        """What `once` gives, with how far it is from what it gives where only rounding differs.

        That is computed in float64, and so many times from parameters and inputs that are off by
        some steps of their type. Where one of them cannot be run, the others must do.
        """
        self.restore()
        rounding = Rounding(once(inputs))
        times = self.nudges if nudges is None else nudges
        for variant in self.variants(inputs, times) if times else ():
            with Caught():
                rounding.add(once(variant.inputs), variant.size)
        self.restore()
        return rounding.outcome()

    # what a framework does

    def watch(self, plan: TrainingPlan) -> Watch:
        """What looks on while the network is trained."""
        raise NotImplementedError

    def as_target(self, value: Any) -> Any:
        """Whole numbers in the element type that the framework's losses take."""
        raise NotImplementedError

    def as_new(self) -> None:
        """Sets the mode that a new network of the framework is in."""
        raise NotImplementedError

    def parameters_of(self, network: Any) -> dict[str, Any]:
        """The parameters of a network by their paths."""
        raise NotImplementedError

    def packages(self) -> Sequence[str]:
        """The folders of its own files, whose lines are not the user's."""
        raise NotImplementedError

    def watched(self, watcher: Watcher) -> AbstractContextManager[None]:
        """Within, the watcher sees each function of the framework's that is called."""
        raise NotImplementedError

    def tensors(self) -> dict[str, Any]:
        """Parameters and buffers by their paths, each once."""
        raise NotImplementedError

    def untrained(self) -> dict[str, Any]:
        """Buffers, and parameters that are not trained."""
        raise NotImplementedError

    def in_mode(self, mode: str) -> None:
        """Sets the mode, "eval" or "train" without dropout."""
        raise NotImplementedError

    def is_float(self, value: Any) -> bool:
        raise NotImplementedError

    def cut(self, value: Any) -> Any:
        """The tensor, through which no gradient goes."""
        raise NotImplementedError

    def weighted(self, value: Any, weights: Array) -> Any:
        """The mean of a tensor's elements, each with its weight."""
        raise NotImplementedError

    def differentiated(self, inputs: Inputs, seed: int) -> tuple[Any, dict[str, Any]]:
        """Outputs, and the loss's gradients by parameter; none where nothing is trained."""
        raise NotImplementedError

    def gradients_of(
        self, loss: Callable[..., Any], tensors: list[Any]
    ) -> tuple[dict[str, Any], list[Any]]:
        """Of a function of the tensors the gradients by parameters, and by the tensors."""
        raise NotImplementedError

    def descend(self, gradients: dict[str, Any]) -> None:
        """One step of SGD."""
        raise NotImplementedError
