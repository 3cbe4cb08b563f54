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
LISTS = frozenset({"CellList", "CellDict", ""})
"""Cells that hold others and are not called."""
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
    """Each scope as one call, by its path in the network; `given`: contents of its inputs.

    Of what has other scopes in it no more is known than that: MindSpore puts operators of one such
    cell into the scope of another one of its class.
    """
    wrapped = is_wrapped(operators)
    found = [(operator, path_in(operator.scope, wrapped)) for operator in operators]
    own = [(operator, scope) for operator, scope in found if scope is not None]
    kinds: dict[str, str] = {}
    for _, scope in own:
        for depth in range(1, len(scope) + 1):
            kinds.setdefault(path_of(scope[:depth]), scope[depth - 1][1])
    around = {path.rpartition(".")[0] for path in kinds}
    made = {content for operator in operators for content in operator.gave}
    layers = []
    for path, kind in kinds.items():
        if path in around:
            layers += [] if kind in LISTS else [Seen(path, kind, (), ())]
            continue
        inside = [operator for operator, scope in own if path_of(scope) == path]
        outside = {c for x, scope in found if scope is None or path_of(scope) != path
                   for c in x.taken}  # fmt: skip
        layers += [Seen(path, kind, taken(inside, made, given), gave(inside, outside))]
    whole = [operator for operator, _ in own]
    beside = {c for operator, scope in found if scope is None for c in operator.taken}
    results = gave(whole, beside) if layers else ()
    return (Seen("", "", taken(whole, set(), given), results), *layers) if layers else ()


def path_of(scope: Segments) -> str:
    return ".".join(name for name, _ in scope)


def taken(inside: Sequence[Operator], made: Set[str], given: Set[str]) -> tuple[Array, ...]:
    """What operators take that comes from others, or is an input of the network.

    All else are weights, or settings.
    """
    own: set[str] = set()
    found: dict[str, Array] = {}
    for operator in inside:
        for content, array in zip(operator.taken, operator.inputs, strict=True):
            if content in given or (content in made and content not in own):
                found.setdefault(content, array)
        own.update(operator.gave)
    return tuple(found.values())


def gave(inside: Sequence[Operator], outside: Set[str]) -> tuple[Array, ...]:
    """What operators give that others take; if they take nothing, what the last one gives."""
    found: dict[str, Array] = {}
    for operator in inside:
        for content, array in zip(operator.gave, operator.outputs, strict=True):
            if content in outside:
                found[content] = array
    if found:
        return tuple(found.values())
    return next((x.outputs[:1] for x in reversed(inside) if x.outputs), ())


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


def is_constant(array: Array) -> bool:
    return bool(array.size) and bool((array == array.flat[0]).all())


def used_by(operators: Sequence[Operator]) -> dict[str, list[Array]]:
    """What layers took that no operator made, by their paths made `flat`.

    Who reshapes makes nothing, and what is one number all over (a scale of ones) may be anybody's.
    """
    wrapped = is_wrapped(operators)
    made = {
        content
        for operator in operators
        for content, y in zip(operator.gave, operator.outputs, strict=True)
        if content not in operator.taken and not is_constant(y)
    }
    found: dict[str, dict[tuple[object, ...], Array]] = {}
    for operator in operators:
        scope = path_in(operator.scope, wrapped)
        for content, array in zip(operator.taken, operator.inputs, strict=True):
            if scope is not None and content not in made:
                found.setdefault(flat(path_of(scope)), {})[content, *array.shape] = array
    return {path: [*arrays.values()] for path, arrays in found.items()}
