"""A training with MindSpore or the runtime, looked on: cells are called, and parameters hooked."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from ..messages import ParameterGroup, Update
from ..options import simple
from ..rounding import RATE
from .parts import called, loss_of, names_for, value_of
from .watch import Watch

OPTIMIZERS = ("nn", "experimental.optim")
"""The modules that have a class for all optimisers."""

FUNCTIONS = ("value_and_grad",)
INNER = ("parameters", "learning_rate", "lrs", "params", "_parameters")
"""Attributes of an optimiser that are no state."""


class MindsporeWatch(Watch):
    """An optimiser is a cell: its call is the step."""

    def own_parameters(self) -> dict[str, Any]:
        return dict(self.network.parameters_and_names())

    def hook_output(self, y: Any, note: Callable[[Any], None]) -> None:
        def told(gradient: Any) -> None:
            note(gradient)

        y.register_hook(told)

    @contextmanager
    def steps_hooked(self) -> Iterator[None]:
        ms = self.side.ms
        ms.set_context(mode=ms.PYNATIVE_MODE)
        package = self.side.package
        places = [importlib.import_module(f"{package}.{name}") for name in OPTIMIZERS]
        with ExitStack() as undo:
            for kind in dict.fromkeys(place.Optimizer for place in places):
                undo.callback(restored, kind, "__call__", vars(kind).get("__call__"))
                kind.__call__ = self.stepping(kind.__call__)
            whole = ms.nn.TrainOneStepCell
            undo.callback(restored, whole, "__call__", vars(whole).get("__call__"))
            whole.__call__ = self.ending(whole.__call__)
            for place in (ms, ms.ops):
                for name in FUNCTIONS:
                    undo.callback(setattr, place, name, getattr(place, name))
                    setattr(place, name, self.telling(getattr(place, name)))
            yield

    def telling(self, function: Any) -> Any:
        """`value_and_grad`, of whose values the loss is noted."""

        def made(*args: Any, **kwargs: Any) -> Any:
            inner = function(*args, **kwargs)

            def run(*args: Any, **kwargs: Any) -> Any:
                found = inner(*args, **kwargs)
                self.loss = self.number(found[0])
                return found

            return run

        return made

    def ending(self, call: Any) -> Any:
        """The call of a cell that is a whole step, and gives the loss."""

        def called(cell: Any, *args: Any, **kwargs: Any) -> Any:
            found = call(cell, *args, **kwargs)
            self.loss = self.number(found)
            return found

        return called

    def stepping(self, call: Any) -> Any:
        """The call of an optimiser, which is noted."""
        inside: list[Any] = []

        def stepped(optimizer: Any, gradients: Any, *args: Any, **kwargs: Any) -> Any:
            if inside:  # one that wraps another, as LARS
                return call(optimizer, gradients, *args, **kwargs)
            inside.append(optimizer)
            try:
                return self.noted(call, optimizer, gradients, *args, **kwargs)
            finally:
                inside.pop()

        return stepped

    def noted(self, call: Any, optimizer: Any, gradients: Any, *args: Any, **kwargs: Any) -> Any:
        own = list(optimizer.parameters)
        used = self.of_parameters(zip(own, gradients, strict=False))
        before, groups = self.weights(), self.groups_of(optimizer)
        result = call(optimizer, gradients, *args, **kwargs)
        states = {
            name: self.of_parameters(zip(own, value, strict=True))
            for name, value in states_of(optimizer, len(own), self.side.is_tensor)
        }
        kinds = tuple(f"{c.__module__}.{c.__qualname__}" for c in type(optimizer).__mro__[:-1])
        self.updates.append(
            Update(len(self.batches), kinds, groups, used, before, self.weights(), states)
        )
        return result

    def groups_of(self, optimizer: Any) -> tuple[ParameterGroup, ...]:
        """Parameters of one rate and one decay together, each group with all it was told."""
        found: dict[tuple[Any, ...], tuple[list[str], dict[str, Any]]] = {}
        for p, options in self.told_of(optimizer):
            name = self.path_of.get(id(p))
            if name is not None:
                key = tuple(sorted((k, repr(v)) for k, v in options.items()))
                found.setdefault(key, ([], options))[0].append(name)
        return tuple(ParameterGroup(tuple(names), told) for names, told in found.values())

    def told_of(self, optimizer: Any) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Each parameter with its options at this step."""
        groups = getattr(optimizer, "param_groups", None)
        if groups is not None:
            for group in groups:
                options = plain_options({k: v for k, v in group.items() if k != "params"})
                for p in group["params"]:
                    yield p, options
            return
        own = list(optimizer.parameters)
        rates, decays = optimizer.get_lr(), optimizer.get_weight_decay()
        several = [x if isinstance(x, (tuple, list)) else [x] * len(own) for x in (rates, decays)]
        options = plain_options(vars(optimizer)) | plain_options(getattr(optimizer, "_params", {}))
        options |= {name: figure(getattr(optimizer, name, None)) for name in NUMBERS
                    if figure(getattr(optimizer, name, None)) is not None}  # fmt: skip
        flags = list(optimizer.decay_flags)
        scale = float(getattr(optimizer, "loss_scale", 1.0))
        for p, rate, decay, flag in zip(own, *several, flags, strict=False):
            decays_by = (figure(decay) or 0.0) / scale if flag else 0.0
            yield p, {**options, "learning_rate": figure(rate), "weight_decay": decays_by}

    def own_step(self) -> Callable[..., Any]:
        ms, plan = self.side.ms, self.plan
        names = names_for(self.side, self.side.package)
        params = names["params"] = self.network.trainable_params()
        early = plan.schedule is not None and "optimizer" not in plan.schedule.text
        schedule: Any = value_of(self.side, plan.schedule, names) if early else None
        names["schedule"] = schedule
        if plan.optimizer is None:
            rate = RATE if schedule is None or is_stepped(schedule) else schedule
            optimizer = ms.nn.SGD(params, rate)
        else:
            optimizer = called(value_of(self.side, plan.optimizer, names), params)
        names["optimizer"] = optimizer
        if plan.schedule is not None and not early:
            schedule = called(value_of(self.side, plan.schedule, names), optimizer)
        value = loss_of(self.side, plan, names)
        weights = ms.ParameterTuple(params)
        self.network.set_train()

        def step(*batch: Any) -> Any:
            loss, gradients = ms.value_and_grad(value, None, weights)(*batch)
            optimizer(gradients)
            if is_stepped(schedule):
                schedule.step()
            return loss

        return step


NUMBERS = ("beta1", "beta2", "eps", "epsilon", "momentum", "decay", "dampening")
"""Options that MindSpore keeps as tensors."""


def is_stepped(schedule: Any) -> bool:
    return callable(getattr(schedule, "step", None))


def plain_options(held: Any) -> dict[str, Any]:
    """What of these are numbers, texts, or tensors of one element."""
    found = {}
    for name, value in held.items():
        if name.startswith("_"):
            continue
        number = figure(value)
        for shown in simple(value) if number is None else (number,):
            found[name] = shown
    return found


def figure(value: Any) -> float | None:
    """A number, or a tensor of one, as a number."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    if not hasattr(value, "asnumpy"):
        return None
    array = np.asarray(value.asnumpy())
    return float(array.reshape(-1)[0]) if array.size == 1 and array.dtype.kind in "fiu" else None


def states_of(optimizer: Any, count: int, is_tensor: Any) -> Iterator[tuple[str, Any]]:
    """Attributes that hold a tensor for each parameter."""
    for name, value in {**vars(optimizer), **getattr(optimizer, "_params", {})}.items():
        if name in INNER or not isinstance(value, (tuple, list)):
            continue
        if len(value) == count and all(is_tensor(x) for x in value):
            yield name, value


def restored(kind: type, name: str, value: Any) -> None:
    """Gives a class its own method back, or none of its own."""
    if value is None:
        delattr(kind, name)
    else:
        setattr(kind, name, value)
