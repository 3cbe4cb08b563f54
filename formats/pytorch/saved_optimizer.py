"""The state dict of one of PyTorch's optimizers in a .pth, looked at before anything is made of it.

Source: torch/optim/optimizer.py of PyTorch 2.13.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import MsconvertError
from ..names.naming import Shape
from .pth import SavedFile
from .torch_globals import SavedTensor

STEP = "step"
MAX_DEPTH = 4
"""So deep in a file an optimizer is looked for: `optimizers.0`, `state.optimizer`."""


@dataclass(frozen=True)
class SavedOptimizer:
    """An optimizer's state. `key` leads to it in the file.

    `states`: of each numbered parameter, tensors by their names; `steps`: as many it has made of
    each. `groups`: the numbers in each; `names`: of those numbers that have one. `betas`: of each
    group that has two.
    """

    path: str
    key: str
    states: Mapping[int, Mapping[str, SavedTensor]]
    steps: Sequence[int]
    groups: Sequence[Sequence[int]]
    names: Mapping[int, str]
    betas: Sequence[tuple[float, float]]

    @property
    def where(self) -> str:
        return f"{self.path}: {self.key}"

    @property
    def numbers(self) -> list[int]:
        """Of all parameters, in their order."""
        return [number for group in self.groups for number in group]

    @property
    def kept(self) -> list[str]:
        """The names of the tensors that it keeps."""
        return list(dict.fromkeys(name for state in self.states.values() for name in state))

    def shapes(self, number: int) -> list[Shape]:
        """The shapes of what is kept of a parameter."""
        return [tensor.shape for tensor in self.states.get(number, {}).values()]


def refused(
    where: str, problem: str, *, got: str = "", expected: str = "", advice: str = ""
) -> MsconvertError:
    """The MS313 error about an optimizer's state."""
    return MsconvertError("MS313", where, problem, got=got, expected=expected, advice=advice)


def saved_optimizer(saved: SavedFile, key: str | None = None) -> SavedOptimizer:
    """The optimizer in a file, the one under `key` if it has several. Raises: MS313"""
    found = dict(optimizers_in(saved.content, "", set()))
    shown = ", ".join(list(found)[:8])
    if key is not None and key not in found:
        raise refused(saved.path, f"there is no optimizer under {key!r}", expected=shown)
    if not found:
        raise refused(saved.path, "the file holds no state of an optimizer")
    if key is None and len(found) > 1:
        advice = "--optimizer-key KEY names one of them"
        raise refused(saved.path, "it holds several optimizers", got=shown, advice=advice)
    chosen = next(iter(found)) if key is None else key
    return Check(saved.path, chosen).optimizer(found[chosen])


def optimizers_in(content: Any, path: str, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """The state dicts of optimizers, by the keys that lead to them; each container once."""
    if not isinstance(content, dict | list | tuple) or id(content) in seen:
        return
    if isinstance(content, dict) and is_optimizer(content):
        yield path or "the file", content
        return
    seen.add(id(content))
    if path.count(".") < MAX_DEPTH:
        for key, value in content.items() if isinstance(content, dict) else enumerate(content):
            yield from optimizers_in(value, f"{path}.{key}" if path else str(key), seen)


def is_optimizer(content: Mapping[Any, Any]) -> bool:
    return isinstance(content.get("state"), dict) and isinstance(content.get("param_groups"), list)


@dataclass(frozen=True)
class Check:
    """Takes a state dict apart. Its methods raise MS313 for what torch.optim does not make."""

    path: str
    key: str

    def refused(self, problem: str, got: str = "") -> MsconvertError:
        return refused(f"{self.path}: {self.key}", problem, got=got)

    def optimizer(self, content: Mapping[Any, Any]) -> SavedOptimizer:
        states = {self.number(n): self.tensors(state) for n, state in content["state"].items()}
        found = [state[STEP] for state in content["state"].values() if STEP in state]
        groups = [self.group(group) for group in content["param_groups"]]
        numbers = [n for group in groups for n in group["params"]]
        if len(set(numbers)) < len(numbers) or not states.keys() <= set(numbers):
            raise self.refused("its parameters are numbered twice, or not at all")
        return SavedOptimizer(
            self.path,
            self.key,
            states,
            [self.whole(step) for step in found],
            [group["params"] for group in groups],
            {n: name for group in groups for n, name in names_in(group)},
            [self.betas(group["betas"]) for group in groups if "betas" in group],
        )

    def number(self, found: Any) -> int:
        if type(found) is not int:
            raise self.refused("its state is not that of torch.optim", type(found).__name__)
        return found

    def tensors(self, state: Any) -> dict[str, SavedTensor]:
        """What is kept of one parameter, but for the number of steps."""
        if not isinstance(state, dict) or not all(isinstance(name, str) for name in state):
            raise self.refused("its state is not that of torch.optim", type(state).__name__)
        kept = {k: value for k, value in state.items() if k != STEP and value is not None}
        for name, value in kept.items():
            if not isinstance(value, SavedTensor):
                raise self.refused(f"its {name} is no tensor", type(value).__name__)
        return kept

    def group(self, found: Any) -> Mapping[Any, Any]:
        numbers = found.get("params") if isinstance(found, dict) else None
        if not isinstance(numbers, list) or not all(type(n) is int for n in numbers):
            raise self.refused("a group of parameters has no list of them")
        return found  # type: ignore[no-any-return]

    def betas(self, found: Any) -> tuple[float, float]:
        """Two numbers from 0 to 1."""
        pair = found if isinstance(found, tuple | list) else ()
        numbers = [float(beta) for beta in pair if isinstance(beta, float | int) and 0 <= beta <= 1]
        if len(pair) != 2 or len(numbers) != 2:
            raise self.refused("its betas are not two numbers from 0 to 1")
        return numbers[0], numbers[1]

    def whole(self, value: Any) -> int:
        """A number of steps, which is saved as a number or as a tensor."""
        if isinstance(value, SavedTensor) and value.shape in ((), (1,)):
            value = value.array().reshape(-1)[0].item()
        is_real = isinstance(value, int | float)
        if not is_real or not 0 <= value < 1 << 31 or value != int(value):
            raise self.refused("its number of steps is none", type(value).__name__)
        return int(value)


def names_in(group: Mapping[Any, Any]) -> Iterator[tuple[int, str]]:
    """The names of the parameters in a group, which newer files have."""
    given = group.get("param_names")
    if isinstance(given, list) and len(given) == len(group["params"]):
        for number, name in zip(group["params"], given, strict=True):
            if isinstance(name, str):
                yield number, name
