"""What PyTorch's optimizer keeps for each parameter, under the names of MindSpore's optimizers.

A .pth numbers the parameters in the order in which the optimizer was given them. Their names follow
from `param_names`, which newer files have, or from shapes where only one order fits.
Source: torch/optim/optimizer.py of PyTorch 2.13; mindspore/nn/optim and
mindspore/experimental/optim of MindSpore 2.10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import MsconvertError
from .casting import is_floating
from .conversion import Part
from .element_types import type_name_of
from .naming import COUNTED, LEFT_OUT, MOVING, Shape
from .pth import SavedFile, TorchCheckpoint
from .renaming import Plan, Step
from .stored import StoredTensor
from .torch_globals import SavedTensor


@dataclass(frozen=True)
class Counter:
    """A parameter of the optimizer that counts its steps."""

    name: str
    shape: Shape


@dataclass(frozen=True)
class OptimizerNames:
    """How an optimizer of MindSpore's calls what PyTorch's keeps.

    `states`: PyTorch's name -> what stands before a parameter's name. `powers`: it keeps each beta
    to the power of the steps. `flags`: so it calls what is one before the first step, then zero.
    """

    states: Mapping[str, str]
    counter: Counter | None = Counter("global_step", (1,))
    powers: bool = False
    flags: str = ""


MOMENTUM = {"momentum_buffer": "accum"}
MOMENTS = {name: name for name in ("exp_avg", "exp_avg_sq")} | {"max_exp_avg_sq": "max_exp_avg_sq"}
STATE_STEP = Counter("state_step", ())

OPTIMIZERS = {
    "nn.Adam": OptimizerNames(
        {"exp_avg": "moment1", "exp_avg_sq": "moment2", "max_exp_avg_sq": "vhat"}, powers=True
    ),
    "nn.AdamWeightDecay": OptimizerNames({"exp_avg": "adam_m", "exp_avg_sq": "adam_v"}),
    "nn.Momentum": OptimizerNames({"momentum_buffer": "moments"}),
    "nn.SGD": OptimizerNames(MOMENTUM, flags="stat"),
    "experimental.Adam": OptimizerNames(MOMENTS, STATE_STEP),
    "experimental.AdamW": OptimizerNames(MOMENTS, STATE_STEP),
    "experimental.SGD": OptimizerNames(MOMENTUM, None, flags="stat"),
}
"""By the names under which MindSpore has them."""

NO_PARAMETERS = (*MOVING, *COUNTED)
"""Buffers, by the last part of their names."""
STEP, BETAS = "step", ("beta1_power", "beta2_power")


@dataclass(frozen=True)
class OptimizerState:
    """What is written of an optimizer; `step`: how many it has made, None if it does not say."""

    parts: tuple[Part, ...]
    step: int | None = None


@dataclass(frozen=True)
class SavedOptimizer:
    """The state dict of an optimizer in a file, its types looked at.

    `states`: by the numbers of parameters; `groups`: the numbers in each; `names`: of those
    numbers that have one.
    """

    where: str
    states: Mapping[int, Mapping[str, Any]]
    groups: Sequence[Sequence[int]]
    names: Mapping[int, str]
    settings: Mapping[str, Any]

    @property
    def numbers(self) -> list[int]:
        return [number for group in self.groups for number in group]

    @property
    def kept(self) -> dict[str, None]:
        """The names of what is kept, but for the number of steps."""
        found = (
            name for state in self.states.values() for name, v in state.items() if v is not None
        )
        return {name: None for name in found if name != STEP}


def refused(
    where: str, problem: str, *, got: str = "", expected: str = "", advice: str = ""
) -> MsconvertError:
    """The MS313 error about an optimizer's state."""
    return MsconvertError("MS313", where, problem, got=got, expected=expected, advice=advice)


def saved_optimizer(saved: SavedFile, key: str | None = None) -> SavedOptimizer:
    """The optimizer in a file, the one under `key` if it has several. Raises: MS313"""
    found = dict(optimizers_in(saved.content))
    if key is not None and key not in found:
        raise refused(saved.path, f"there is no optimizer under {key!r}", expected=shown(found))
    if not found:
        raise refused(saved.path, "the file holds no state of an optimizer")
    if key is None and len(found) > 1:
        advice = "--optimizer-key KEY names one of them"
        raise refused(saved.path, "it holds several optimizers", got=shown(found), advice=advice)
    chosen = next(iter(found)) if key is None else key
    return checked(f"{saved.path}: {chosen}", found[chosen])


def shown(names: Mapping[str, Any]) -> str:
    return ", ".join(list(names)[:8])


def optimizers_in(content: Any, path: str = "", depth: int = 3) -> Iterator[tuple[str, Any]]:
    """The state dicts of optimizers, by the keys that lead to them."""
    if isinstance(content, dict) and is_optimizer(content):
        yield path or "the file", content
    elif depth and isinstance(content, dict | list | tuple):
        items = content.items() if isinstance(content, dict) else enumerate(content)
        for key, value in items:
            yield from optimizers_in(value, f"{path}.{key}" if path else str(key), depth - 1)


def is_optimizer(content: Mapping[Any, Any]) -> bool:
    return isinstance(content.get("state"), dict) and isinstance(content.get("param_groups"), list)


def checked(where: str, content: Mapping[Any, Any]) -> SavedOptimizer:
    """The state dict, if it is made as torch.optim makes them. Raises: MS313"""
    states: dict[int, Mapping[str, Any]] = {}
    for number, state in content["state"].items():
        if type(number) is not int or not isinstance(state, dict):
            raise refused(where, "its state is not that of torch.optim", got=repr(number)[:80])
        states[number] = state
    groups: list[list[int]] = []
    names: dict[int, str] = {}
    for group in content["param_groups"]:
        numbers = group.get("params") if isinstance(group, dict) else None
        if not isinstance(numbers, list) or not all(type(n) is int for n in numbers):
            raise refused(where, "a group of parameters has no list of them")
        groups.append(numbers)
        given = group.get("param_names")
        if isinstance(given, list) and len(given) == len(numbers):
            names |= {
                n: name for n, name in zip(numbers, given, strict=True) if isinstance(name, str)
            }
    numbers = [number for group in groups for number in group]
    if len(set(numbers)) < len(numbers) or not states.keys() <= set(numbers):
        raise refused(where, "its parameters are numbered twice, or not at all")
    settings = content["param_groups"][0] if groups else {}
    return SavedOptimizer(where, states, groups, names, settings)


def optimizer_state(
    checkpoint: TorchCheckpoint, plan: Plan, kind: str, key: str | None = None
) -> OptimizerState:
    """What an optimizer of MindSpore's keeps, as PyTorch's in the file has it.

    Shapes: those of the parameters in the plan, which may have one more axis than PyTorch's
    Raises: MS313 if there is none, or another kind, or its parameters cannot be told
    """
    names, saved = OPTIMIZERS[kind], saved_optimizer(checkpoint.file, key)
    unknown = [name for name in saved.kept if name not in names.states]
    if unknown or not saved.kept:
        fitting = [
            other for other, its in OPTIMIZERS.items() if saved.kept.keys() <= its.states.keys()
        ]
        raise refused(
            saved.where,
            f"{kind} keeps no {unknown[0]}" if unknown else "it keeps nothing for its parameters",
            got=", ".join(saved.kept),
            expected=", ".join(names.states),
            advice=f"--optimizer {fitting[0]}" if fitting and saved.kept else "",
        )
    steps = {step.old: step for step in plan.steps}
    parts = []
    for number, name in parameters_of(saved, checkpoint, plan).items():
        step = steps[name]
        if step.new != LEFT_OUT:
            parts += list(parts_of(saved, number, step, names))
    count = steps_made(saved)
    return OptimizerState((*parts, *counters(saved, names, count)), count)


def parts_of(
    saved: SavedOptimizer, number: int, step: Step, names: OptimizerNames
) -> Iterator[Part]:
    """What is kept of one parameter, in its new shape."""
    before = f"{saved.where.rpartition(': ')[2]}.state.{number}"
    for name, value in saved.states.get(number, {}).items():
        if name != STEP and isinstance(value, SavedTensor):
            tensor = value.stored(f"{before}.{name}")
            yield Part(f"{names.states[name]}.{step.new}", tensor, step.shape, step.turned)
            if names.flags:
                flags = made(f"{names.flags}.{step.new}", np.zeros(step.shape, tensor.dtype))
                yield Part(flags.name, flags, step.shape)


def counters(saved: SavedOptimizer, names: OptimizerNames, count: int | None) -> Iterator[Part]:
    """The number of steps, and what follows from it."""
    if count is None:
        return
    if names.counter is not None:
        array = np.full(names.counter.shape, count, np.int32)
        yield Part(names.counter.name, made(names.counter.name, array), array.shape)
    if names.powers:
        for name, beta in zip(BETAS, betas(saved), strict=True):
            yield Part(name, made(name, np.array(beta**count, np.float32)), ())


def betas(saved: SavedOptimizer) -> tuple[float, float]:
    """Raises: MS313 if the file does not say them"""
    found = saved.settings.get("betas")
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise refused(saved.where, "it does not say its betas", got=repr(found)[:80])
    if not all(isinstance(beta, float | int) for beta in found):
        raise refused(saved.where, "its betas are no numbers", got=repr(found)[:80])
    return float(found[0]), float(found[1])


def made(name: str, array: np.ndarray[Any, Any]) -> StoredTensor:
    """A tensor that is in no file."""
    kind = type_name_of(array.dtype)
    return StoredTensor(name, kind, array.shape, array.dtype, lambda: array)


def steps_made(saved: SavedOptimizer) -> int | None:
    """How many steps it has made. Raises: MS313 if not as many of every parameter"""
    found = {whole(saved, state[STEP]) for state in saved.states.values() if STEP in state}
    if len(found) > 1:
        got = f"{min(found)} to {max(found)}"
        problem = "it has made other numbers of steps of some parameters, MindSpore counts one"
        raise refused(saved.where, problem, got=got)
    return next(iter(found), None)


def whole(saved: SavedOptimizer, value: Any) -> int:
    """A number of steps, which is saved as a number or as a tensor. Raises: MS313"""
    if isinstance(value, SavedTensor) and value.shape in ((), (1,)):
        value = value.array().reshape(-1)[0].item()
    if not isinstance(value, int | float) or not 0 <= value < 1 << 31 or value != int(value):
        raise refused(saved.where, "its number of steps is none", got=repr(value)[:80])
    return int(value)


# which parameter is which


def parameters_of(saved: SavedOptimizer, checkpoint: TorchCheckpoint, plan: Plan) -> dict[int, str]:
    """The names of the numbered parameters. Raises: MS313 if they cannot be told"""
    shapes = {
        step.old: tensor.shape
        for step in plan.steps
        if (tensor := checkpoint.tensors()[step.old]) is not None
        and step.old not in checkpoint.tied
        and is_floating(tensor.dtype)
        and step.old.rpartition(".")[2] not in NO_PARAMETERS
    }
    if saved.names.keys() >= set(saved.numbers):
        found = {n: name.removeprefix(checkpoint.prefix) for n, name in saved.names.items()}
        absent = [name for name in found.values() if name not in shapes]
        if absent:
            problem = f"its parameter '{absent[0]}' is not in the file"
            raise refused(saved.where, problem, got=f"{len(absent)} of {len(found)}")
    else:
        found = by_shapes(saved, shapes)
    for number, name in found.items():
        for shape in shapes_kept(saved.states.get(number, {})):
            if shape != shapes[name]:
                got = f"{list(shape)}, the parameter {list(shapes[name])}"
                raise refused(saved.where, f"what it keeps of '{name}' has another shape", got=got)
    return found


def shapes_kept(state: Mapping[str, Any]) -> list[Shape]:
    """The shapes of what is kept of a parameter."""
    return [v.shape for name, v in state.items() if name != STEP and isinstance(v, SavedTensor)]


def by_shapes(saved: SavedOptimizer, shapes: Mapping[str, Shape]) -> dict[int, str]:
    """The only way in which numbers and names go together in their order. Raises: MS313"""
    wanted = [[shape_of(saved, number) for number in group] for group in saved.groups]
    count = len(saved.numbers)
    places: list[list[int]] | None = None
    if count == len(shapes):
        places = dealt(list(shapes.values()), wanted)
    elif len(wanted) == 1:
        places = chosen(list(shapes.values()), wanted[0])
    if places is None:
        raise refused(
            saved.where,
            "which of its parameters is which, the file does not say",
            got=f"{count} parameters in {len(saved.groups)} groups",
            expected=f"the order of the {len(shapes)} in the network, or their names",
            advice="in PyTorch, make the optimizer of network.named_parameters(): it saves names",
        )
    names = list(shapes)
    return {
        number: names[place]
        for group, at in zip(saved.groups, places, strict=True)
        for number, place in zip(group, at, strict=True)
    }


def shape_of(saved: SavedOptimizer, number: int) -> Shape | None:
    """The shape of a parameter by what is kept of it; None if nothing is."""
    return next(iter(shapes_kept(saved.states.get(number, {}))), None)


def fits(wanted: Shape | None, shape: Shape) -> bool:
    return wanted is None or wanted == shape


def dealt(
    shapes: Sequence[Shape], groups: Sequence[Sequence[Shape | None]]
) -> list[list[int]] | None:
    """The places of each group's parameters, if each can only be the next one of one group."""
    places: list[list[int]] = [[] for _group in groups]
    for place, shape in enumerate(shapes):
        able = [
            number
            for number, group in enumerate(groups)
            if len(places[number]) < len(group) and fits(group[len(places[number])], shape)
        ]
        if len(able) != 1:
            return None
        places[able[0]].append(place)
    return places


def chosen(shapes: Sequence[Shape], wanted: Sequence[Shape | None]) -> list[list[int]] | None:
    """The places of parameters of which some are left out, if there is only one way."""
    first = earliest(shapes, wanted)
    last = earliest(shapes[::-1], wanted[::-1])
    if first is None or last is None:
        return None
    from_the_end = [len(shapes) - 1 - place for place in reversed(last)]
    return [first] if first == from_the_end else None


def earliest(shapes: Sequence[Shape], wanted: Sequence[Shape | None]) -> list[int] | None:
    """For each one wanted, in order, the first place that fits."""
    places: list[int] = []
    for place, shape in enumerate(shapes):
        if len(places) < len(wanted) and fits(wanted[len(places)], shape):
            places.append(place)
    return places if len(places) == len(wanted) else None
