"""What PyTorch's optimizer keeps for each parameter, under the names of MindSpore's optimizers.

A .pth numbers the parameters in the order in which the optimizer was given them. Their names follow
from `param_names`, which newer files have, or from shapes where only one order fits.
Source: mindspore/nn/optim and mindspore/experimental/optim of MindSpore 2.10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..element_types import type_name_of
from ..pytorch.pth import TorchCheckpoint
from ..pytorch.saved_optimizer import SavedOptimizer, refused, saved_optimizer
from ..stored import StoredTensor
from ..transfer.casting import is_floating
from ..transfer.conversion import Part
from .naming import COUNTED, LEFT_OUT, MOVING, Shape
from .renaming import Plan, Step


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
BETAS = ("beta1_power", "beta2_power")


@dataclass(frozen=True)
class OptimizerState:
    """What is written of an optimizer; `step`: how many it has made, None if it does not say."""

    parts: tuple[Part, ...]
    step: int | None = None


def optimizer_state(
    checkpoint: TorchCheckpoint, plan: Plan, kind: str, key: str | None = None
) -> OptimizerState:
    """What an optimizer of MindSpore's keeps, as PyTorch's in the file has it.

    Shapes: those of the parameters in the plan, which may have one more axis than PyTorch's
    Raises: MS313 if there is none, or another kind, or its parameters cannot be told
    """
    names, saved = OPTIMIZERS[kind], saved_optimizer(checkpoint.file, key)
    refuse_other_kinds(saved, kind)
    steps = {step.old: step for step in plan.steps}
    parts = []
    for number, name in parameters_of(saved, checkpoint, plan).items():
        if steps[name].new != LEFT_OUT:
            parts += list(parts_of(saved, number, steps[name], names))
    count = steps_made(saved)
    return OptimizerState((*parts, *counters(saved, names, count)), count)


def refuse_other_kinds(saved: SavedOptimizer, kind: str) -> None:
    """Raises: MS313 if PyTorch's optimizer keeps what this one has no place for, or nothing"""
    places = OPTIMIZERS[kind].states
    unknown = [name for name in saved.kept if name not in places]
    if not saved.kept:
        raise refused(saved.where, "it keeps nothing for its parameters")
    if unknown:
        known = {name: its.states.keys() for name, its in OPTIMIZERS.items()}
        fitting = [name for name, its in known.items() if set(saved.kept) <= its]
        raise refused(
            saved.where,
            f"{kind} keeps no {unknown[0]}",
            got=", ".join(saved.kept[:8]),
            expected=", ".join(places),
            advice=f"--optimizer {fitting[0]}" if fitting else "",
        )


def parts_of(
    saved: SavedOptimizer, number: int, step: Step, names: OptimizerNames
) -> Iterator[Part]:
    """What is kept of one parameter, in its new shape."""
    for name, value in saved.states.get(number, {}).items():
        tensor = value.stored(f"{saved.key}.state.{number}.{name}")
        yield Part(f"{names.states[name]}.{step.new}", tensor, step.shape, step.turned)
        if names.flags:
            zeros = np.broadcast_to(np.zeros((), tensor.dtype), step.shape)
            yield made(f"{names.flags}.{step.new}", zeros)


def counters(saved: SavedOptimizer, names: OptimizerNames, count: int | None) -> Iterator[Part]:
    """The number of steps, and what follows from it. Raises: MS313 if its betas are not known"""
    if count is None:
        return
    if names.counter is not None:
        yield made(names.counter.name, np.full(names.counter.shape, count, np.int32))
    if names.powers:
        if len(set(saved.betas)) != 1:
            got = f"{len(set(saved.betas))} pairs of them"
            raise refused(saved.where, "its betas are not known, or not the same", got=got)
        for name, beta in zip(BETAS, saved.betas[0], strict=True):
            yield made(name, np.array(beta**count, np.float32))


def made(name: str, array: np.ndarray[Any, Any]) -> Part:
    """A tensor that is in no file."""
    kind = type_name_of(array.dtype)
    tensor = StoredTensor(name, kind, array.shape, array.dtype, lambda: array)
    return Part(name, tensor, array.shape)


def steps_made(saved: SavedOptimizer) -> int | None:
    """How many steps it has made. Raises: MS313 if not as many of every parameter"""
    if len(set(saved.steps)) > 1:
        got = f"{min(saved.steps)} to {max(saved.steps)}"
        problem = "it has made other numbers of steps of some parameters, MindSpore counts one"
        raise refused(saved.where, problem, got=got)
    return next(iter(saved.steps), None)


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
        for shape in saved.shapes(number):
            if shape != shapes[name]:
                got = f"{list(shape)}, the parameter {list(shapes[name])}"
                raise refused(saved.where, f"what it keeps of '{name}' has another shape", got=got)
    return found


def by_shapes(saved: SavedOptimizer, shapes: Mapping[str, Shape]) -> dict[int, str]:
    """The only way in which numbers and names go together in their order. Raises: MS313"""
    wanted = [[next(iter(saved.shapes(n)), None) for n in group] for group in saved.groups]
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
