"""The user's own training on one side, looked on: what each batch and each step came to."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from ..leaves import given, leaves
from ..messages import (
    Array,
    BatchRecord,
    Part,
    Snapshot,
    Training,
    TrainingPlan,
    Update,
)
from ..tracing import without_jit
from .averages import averages_in, named_in

SAMPLE = 2048
"""So many elements of a parameter are kept of each snapshot; norms are of all."""

LARGEST_OUTPUT = 1 << 16
"""Elements of the network's output that are kept, to tell which loss was taken of it."""

NONE = -1.0
"""The norm of a tensor that is not there."""

KEYS = ("step", "epoch", "average")
"""What a dict that `make` gives may say."""


class TrainingError(Exception):
    """The training script is not what is asked for. Its message says what to do."""


class Enough(BaseException):
    """All batches were given: ends the user's own loop, whatever it catches."""


class Sampler:
    """Which elements of each parameter are kept: the same on both sides."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self.names = tuple(sizes)
        self.sizes = dict(sizes)
        self.chosen = {name: chosen(size) for name, size in sizes.items()}

    def snapshot(self, arrays: Mapping[str, Array]) -> Snapshot:
        values, norms = [], []
        for name in self.names:
            array = arrays.get(name)
            is_there = array is not None and array.size == self.sizes[name]
            flat = np.asarray(array if is_there else np.zeros(self.sizes[name]), np.float64)
            flat = flat.reshape(-1)
            norms.append(float(np.linalg.norm(flat)) if is_there else NONE)
            values.append(flat[self.chosen[name]])
        return Snapshot(np.concatenate([np.zeros(0), *values]), np.array(norms))


def chosen(size: int) -> Array:
    """The places that are kept of so many elements."""
    if size <= SAMPLE:
        return np.arange(size)
    return np.sort(np.random.RandomState(0).choice(size, SAMPLE, replace=False))


class Watch:
    """What is noted while a network is trained. Abstract: subclasses know the framework."""

    def __init__(self, side: Any, plan: TrainingPlan) -> None:
        self.side = side
        self.plan = plan
        self.network = side.network
        self.parameters: dict[str, Any] = self.own_parameters()
        self.path_of = {id(p): name for name, p in self.parameters.items()}
        self.sampler = Sampler({k: int(np.prod(p.shape)) for k, p in self.parameters.items()})
        self.batches: list[BatchRecord] = []
        self.updates: list[Update] = []
        self.averages: Callable[[], dict[str, Array]] = dict
        self.trained: tuple[str, ...] = ()
        self.begun()

    def begun(self) -> None:
        """What is noted of one batch, empty."""
        self.passes: list[dict[str, Array]] = []
        self.is_fresh = True
        self.loss: float | None = None
        self.outputs: list[Array] = []
        self.pulls: list[Array] = []
        self.training = False

    # what a framework does

    def own_parameters(self) -> dict[str, Any]:
        raise NotImplementedError

    def steps_hooked(self) -> Any:
        """Within it, steps of optimisers are noted."""
        raise NotImplementedError

    def own_step(self) -> Callable[..., Any]:
        """A step of loss, optimiser and schedule, as far as the plan says them."""
        raise NotImplementedError

    # what is noted

    @contextmanager
    def gradients_hooked(self) -> Iterator[Callable[[], None]]:
        """Within it, `note_gradient` is told each gradient, `note_forward` each output.

        What is trained by then is hooked; the function that is given hooks what is trained now.
        """
        with ExitStack() as hooks:

            def hook() -> None:
                for name, p in self.parameters.items():
                    if p.requires_grad:
                        hooks.callback(p.register_hook(partial(self.note_gradient, name)).remove)

            if self.trained:
                hook()
            hooks.callback(self.network.register_forward_hook(self.seen).remove)
            yield hook

    def seen(self, layer: Any, args: Any, result: Any) -> None:
        self.note_forward(result, training=bool(layer.training))

    def note_gradient(self, name: str, gradient: Any) -> None:
        array = self.array(gradient)
        if self.is_fresh:
            self.passes.append({})
            self.is_fresh = False
        held = self.passes[-1].get(name)
        self.passes[-1][name] = array if held is None else held + array

    def note_forward(self, result: Any, *, training: bool) -> None:
        """What the network gave, and that a backward pass behind it is another one."""
        self.is_fresh = True
        self.training = training
        for _, y in leaves(result, self.side.is_tensor):
            if self.side.is_tensor(y) and self.side.is_float(y):
                if int(np.prod(y.shape)) <= LARGEST_OUTPUT and len(self.outputs) < 4:
                    self.note_output(y)
                return

    def note_output(self, y: Any) -> None:
        self.outputs.append(np.asarray(self.array(y), np.float64))
        place = len(self.pulls)
        self.pulls.append(np.zeros(0))

        def note(gradient: Any) -> None:
            if place < len(self.pulls):
                self.pulls[place] = np.asarray(self.array(gradient), np.float64)

        self.hook_output(y, note)

    def hook_output(self, y: Any, note: Callable[[Any], None]) -> None:
        raise NotImplementedError

    def array(self, value: Any) -> Array:
        return np.asarray(self.side.tensor(value).array)

    def weights(self) -> Snapshot:
        return self.sampler.snapshot({k: self.array(p) for k, p in self.parameters.items()})

    def of_parameters(self, pairs: Iterator[tuple[Any, Any]]) -> Snapshot:
        """A snapshot of what belongs to each parameter; what is of no parameter is left out."""
        found = {
            self.path_of[id(p)]: self.array(x)
            for p, x in pairs
            if id(p) in self.path_of and x is not None and tuple(x.shape) == tuple(p.shape)
        }
        return self.sampler.snapshot(found)

    # the batches

    def arguments(self, k: int) -> tuple[Any, ...]:
        return tuple(given(self.plan.batches[k], self.side.made))

    def begin(self, k: int, around: ExitStack) -> None:
        side, seed = self.side, self.plan.seed + k
        self.begun()
        side.seed(seed)
        side.chance.start(seed)
        around.callback(side.chance.stop)
        around.enter_context(side.dropping.running(seed, side.network_class, side.named_layers()))

    def end(self, loss: Any) -> None:
        average = self.averages()
        self.batches.append(
            BatchRecord(
                self.number(loss),
                self.training,
                tuple(self.outputs),
                tuple(self.pulls),
                tuple(self.sampler.snapshot(one) for one in self.passes),
                self.weights(),
                self.sampler.snapshot(average) if average else None,
            )
        )

    def number(self, loss: Any) -> float | None:
        """The loss that a step gave: the first number in it."""
        for _, value in leaves(loss, self.side.is_tensor):
            if self.side.is_tensor(value):
                array = self.array(value)
                return float(array.reshape(-1)[0]) if array.size == 1 else None
            if isinstance(value, (int, float, np.generic)) and not isinstance(value, bool):
                return float(value)
        return None

    # the user's script

    def trained_by(self, make: Callable[..., Any] | None) -> Training:
        """Runs the training; what was seen of it."""
        start = self.weights()
        with without_jit(), self.steps_hooked():
            if make is None:
                self.run_steps({"step": self.own_step()})
            elif takes_batches(make):
                self.run_loop(make)
            else:
                self.run_steps(made_by(make, self.network))
        shapes = tuple(tuple(p.shape) for p in self.parameters.values())
        names = self.sampler.names
        done = tuple(self.batches), tuple(self.updates)
        return Training(names, shapes, self.trained, start, *done)

    def run_steps(self, made: dict[str, Any]) -> None:
        step, at_end = made["step"], made.get("epoch")
        self.averages = self.averages_of(step, made.get("average"))
        self.begin_watching()
        with self.gradients_hooked():
            for k in range(len(self.plan.batches)):
                with ExitStack() as around:
                    self.begin(k, around)
                    loss = step(*self.arguments(k))
                self.end(loss)
                if at_end is not None and (k + 1) % self.plan.epoch == 0:
                    at_end()

    def run_loop(self, make: Callable[..., Any]) -> None:
        """The user's own loop, which asks for its batches."""
        with self.gradients_hooked() as hook:
            batches = Batches(self, hook)
            with suppress(Enough):
                make(self.network, batches)
            batches.close()

    def averages_of(self, step: Any, said: Any) -> Callable[[], dict[str, Array]]:
        """What gives the averages of the weights by the parameters' names."""
        if said is None:
            said = averages_in(step, self.side, self.parameters)
        if said is None:
            return dict
        return lambda: named_in(said, self.side, self.parameters)

    def begin_watching(self) -> None:
        """Behind what `make` has frozen."""
        self.trained = tuple(k for k, p in self.parameters.items() if bool(p.requires_grad))


class Batches:
    """The batches as a loop of the user's goes through them: so many are an epoch."""

    def __init__(self, watch: Watch, hook: Callable[[], None]) -> None:
        self.watch = watch
        self.hook = hook
        self.next = 0
        self.around: ExitStack | None = None

    def __len__(self) -> int:
        return self.watch.plan.epoch

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        watch = self.watch
        for _ in range(watch.plan.epoch):
            self.close()
            if self.next == len(watch.plan.batches):
                raise Enough
            if not self.next:
                watch.begin_watching()
                self.hook()
            self.around = ExitStack()
            watch.begin(self.next, self.around)
            self.next += 1
            yield watch.arguments(self.next - 1)
        self.close()

    def close(self) -> None:
        """Ends the batch that was given last."""
        if self.around is not None:
            self.around.close()
            self.around = None
            self.watch.end(self.watch.loss)


def takes_batches(make: Callable[..., Any]) -> bool:
    """Whether the function is the whole loop: `train(net, batches)`.

    Raises: TrainingError for one that takes something else
    """
    try:
        parameters = inspect.signature(make).parameters.values()
    except (TypeError, ValueError):
        return False
    placed = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [p for p in parameters if p.kind in placed and p.default is inspect.Parameter.empty]
    is_any = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters)
    if len(needed) in (1, 2) or (is_any and not needed):
        return len(needed) == 2
    raise TrainingError(
        f"{name_of(make)} takes {len(needed)} arguments: it must take the network, make(net), or "
        "the network and the batches, train(net, batches)"
    )


def made_by(make: Callable[..., Any], network: Any) -> dict[str, Any]:
    """What `make(net)` gives, as a dict. Raises: TrainingError if it is no step"""
    made = make(network)
    found = dict(made) if isinstance(made, Mapping) else {"step": made}
    unknown = [str(key) for key in found if key not in KEYS]
    if unknown:
        told = f"{', '.join(unknown)}: it may have {', '.join(KEYS)}"
        raise TrainingError(f"{name_of(make)} gives a dict with {told}")
    for key in ("step", "epoch"):
        if (key == "step" or found.get(key) is not None) and not callable(found.get(key)):
            kind = type(found.get(key)).__name__
            told = f"a {kind}" if key == "step" else f"a dict whose {key!r} is a {kind}"
            raise TrainingError(
                f"{name_of(make)} gives {told}: it must give a function that trains with one batch "
                "and gives the loss, step(*batch)"
            )
    return found


def name_of(function: Any) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def function_of(part: Part, module: ModuleType) -> Callable[..., Any]:
    """What a name or an expression gives in a module. Raises: TrainingError if it is no function"""
    name = part.text
    if name.isidentifier() and not hasattr(module, name):
        functions = [
            key
            for key, value in vars(module).items()
            if inspect.isfunction(value) and value.__module__ == module.__name__
        ]
        there = f"its functions are {', '.join(functions)}" if functions else "it has no functions"
        raise TrainingError(f"there is no {name} in {module.__file__}: {there}")
    found: Any = evaluated(part.text, vars(module))
    if not callable(found):
        raise TrainingError(f"{name} is a {type(found).__name__}, and no function")
    return found  # type: ignore[no-any-return]  # it is callable


def evaluated(text: str, names: dict[str, Any]) -> Any:
    return eval(compile(ast.parse(text, mode="eval"), "<expression>", "eval"), names)


@contextmanager
def kept_flags(parameters: Mapping[str, Any]) -> Iterator[None]:
    """Behind it, the same parameters are trained as before."""
    before = {name: bool(p.requires_grad) for name, p in parameters.items()}
    try:
        yield
    finally:
        for name, p in parameters.items():
            p.requires_grad = before[name]
