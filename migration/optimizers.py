"""The state of an optimizer in a file, as templates/compat/optimizer.txt reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import MsconvertError
from ..formats.names.optimizer_state import OPTIMIZERS, OptimizerNames
from ..formats.pytorch.pth import SavedFile
from ..formats.pytorch.saved_optimizer import SavedOptimizer, optimizers_in, saved_optimizer
from ..formats.pytorch.torch_globals import SavedTensor

SETTINGS = frozenset(
    "lr initial_lr betas eps weight_decay amsgrad maximize momentum dampening nesterov".split()
)
"""What both frameworks keep in a group under one name."""

KINDS = {"amsgrad": "experimental.Adam", "nesterov": "experimental.SGD"}
"""What only a group of such an optimizer has: RAdam and others keep tensors of the same names."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Optimizer:
    """An optimizer's state: the key that leads to it, its tensors by their slots, its groups."""

    key: str
    tensors: Mapping[str, Array]
    groups: list[dict[str, Any]]

    @property
    def prefix(self) -> str:
        return f"{self.key}.state." if self.key else "state."


def keys_of_optimizers(saved: SavedFile) -> list[str]:
    """The keys that lead to the optimizers in a file; "" if it is one."""
    return [key.removeprefix("the file") for key, _ in optimizers_in(saved.content, "", set())]


def optimizers_of(saved: SavedFile) -> Iterator[Optimizer]:
    """Those whose state can be said; of the others, nothing."""
    for key, content in optimizers_in(saved.content, "", set()):
        try:
            found = saved_optimizer(saved, key)
        except MsconvertError:  # none that torch.optim makes
            continue
        made = converted(key.removeprefix("the file"), found, content)
        if made is not None:
            yield made


def converted(key: str, found: SavedOptimizer, content: Mapping[str, Any]) -> Optimizer | None:
    """The state by MindSpore's names; None if it is of another optimizer, or not in order."""
    groups = content["param_groups"]
    kinds = {KINDS[name] for group in groups for name in KINDS if name in group}
    names = OPTIMIZERS[kinds.pop()] if len(kinds) == 1 else None
    is_known = names is not None and set(found.kept) <= names.states.keys()
    in_order = found.numbers == list(range(len(found.numbers))) and len(set(found.steps)) <= 1
    if names is None or not is_known or not in_order:
        return None
    tensors = dict(slots(found, names))
    return Optimizer(key, tensors, [settings(group) for group in groups])


def slots(found: SavedOptimizer, names: OptimizerNames) -> Iterator[tuple[str, Array]]:
    """What is kept, by the names and numbers that converted code has for it."""
    for number, state in found.states.items():
        for name, tensor in state.items():
            yield f"{names.states[name]}.{number}", tensor.array()
        if names.flags and state:
            yield f"{names.flags}.{number}", np.zeros(shape_of(state), np.float32)
    if names.counter is not None and found.steps:
        yield names.counter.name, np.full(names.counter.shape, found.steps[0], np.int32)


def shape_of(state: Mapping[str, SavedTensor]) -> tuple[int, ...]:
    return next(iter(state.values())).shape


def settings(group: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a group that are plain, and the numbers of its parameters."""
    plain = {name: plain_value(group[name]) for name in group if name in SETTINGS}
    known = {name: value for name, value in plain.items() if value is not None}
    return {**known, "params": list(group["params"])}


def plain_value(value: Any) -> Any:
    """A number or some, real as MindSpore's kernels need them; None for anything else."""
    if isinstance(value, SavedTensor):
        return value.array().item() if value.shape == () else None
    if isinstance(value, tuple | list):
        found = [plain_value(part) for part in value]
        return None if None in found else found
    if isinstance(value, bool):
        return value
    return float(value) if isinstance(value, int | float) else None
