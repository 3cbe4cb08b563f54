"""Operators in scopes as layers: what goes into each scope, and what comes out of it."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from ..records import Array
from .seen import Seen, content_of, flat

WRAPPERS = frozenset(
    {
        *("WithLossCell", "TrainOneStepCell", "WithEvalCell", "ForwardValueAndGrad"),
        *("TrainOneStepWithLossScaleCell", "DynamicLossScaleUpdateCell", "_VirtualDatasetCell"),
    }
)
"""Cells that train or judge a network."""
NETWORK = frozenset({"_backbone", "backbone", "network", "_network"})
"""How these call the network."""
OPTIMIZER, OTHERS = "optimizer", "root"

Segments = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Operator:
    kind: str
    scope: Segments
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]

    @cached_property
    def taken(self) -> tuple[str, ...]:
        return tuple(map(content_of, self.inputs))

    @cached_property
    def gave(self) -> tuple[str, ...]:
        return tuple(map(content_of, self.outputs))


def layers_of(operators: Sequence[Operator], given: Set[str]) -> tuple[Seen, ...]:
    """Each scope as one call, by its path in the network; `given`: contents of its inputs."""
    own = [(operator, path) for operator in operators
           if (path := path_in(operator.scope, is_wrapped(operators))) is not None]  # fmt: skip
    kinds: dict[str, str] = {"": ""}
    for _, scope in own:
        for depth in range(1, len(scope) + 1):
            path = ".".join(name for name, _ in scope[:depth])
            kinds.setdefault(path, scope[depth - 1][1])
    made = {content for operator, _ in own for content in operator.gave}
    paths = [(operator, ".".join(name for name, _ in scope)) for operator, scope in own]
    layers = [layer_at(path, kind, paths, made | given) for path, kind in kinds.items()]
    return tuple(layer for layer in layers if layer is not None)


def is_wrapped(operators: Sequence[Operator]) -> bool:
    """Whether the network is in a cell that trains it."""
    first = [operator.scope[0] for operator in operators if operator.scope]
    return any(kind in WRAPPERS or name == OPTIMIZER for name, kind in first)


def path_in(scope: Segments, wrapped: bool) -> Segments | None:
    """The cells within the network; None for what is beside it, as its loss and optimizer."""
    if scope and (scope[0][0] == OPTIMIZER or scope[0][0].rstrip("0123456789") == OTHERS):
        return None
    if not wrapped:
        return scope
    rest = list(scope)
    while rest and rest[0][1] in WRAPPERS:
        rest.pop(0)
    if not rest or rest[0][0] not in NETWORK:
        return None
    return tuple(rest[1:])


def layer_at(
    path: str, kind: str, operators: Sequence[tuple[Operator, str]], known: Set[str]
) -> Seen | None:
    """The scope at `path` as one call; None if nothing is known of what it gives.

    It is given what it does not make itself and is `known`: the others are weights, or settings.
    """
    inside = [x for x, at in operators if not path or at == path or at.startswith(f"{path}.")]
    outside = {c for x, at in operators if path and at != path and not at.startswith(f"{path}.")
               for c in x.taken}  # fmt: skip
    own = {content for operator in inside for content in operator.gave}
    inputs: dict[str, Array] = {}
    for operator in inside:
        for content, array in zip(operator.taken, operator.inputs, strict=True):
            if content in known and content not in own:
                inputs.setdefault(content, array)
    outputs: dict[str, Array] = {}
    for operator in inside:
        for content, array in zip(operator.gave, operator.outputs, strict=True):
            if content in outside:
                outputs.setdefault(content, array)
    last = next((x for x in reversed(inside) if x.outputs), None)
    if not outputs and last is not None:
        outputs[last.gave[0]] = last.outputs[0]
    if not inputs and inside and inside[0].inputs:
        inputs[inside[0].taken[0]] = inside[0].inputs[0]
    return Seen(path, kind, tuple(inputs.values()), tuple(outputs.values())) if outputs else None


def used_by(operators: Sequence[Operator]) -> dict[tuple[str, tuple[int, ...]], Array]:
    """What layers took that no operator made, by path and shape, where that is one tensor."""
    wrapped = is_wrapped(operators)
    made = {content for operator in operators for content in operator.gave}
    found: dict[tuple[str, tuple[int, ...]], dict[str, Array]] = {}
    for operator in operators:
        scope = path_in(operator.scope, wrapped)
        for content, array in zip(operator.taken, operator.inputs, strict=True):
            if scope is not None and content not in made:
                key = flat(".".join(name for name, _ in scope)), array.shape
                found.setdefault(key, {})[content] = array
    return {key: next(iter(x.values())) for key, x in found.items() if len(x) == 1}
