"""Moving averages of weights, wherever a training script keeps them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..messages import Array

WRAPPED = "module."
DEPTH = 2
WORDS = ("ema", "shadow", "average", "swa", "teacher")


def averages_in(step: Any, side: Any, parameters: Mapping[str, Any]) -> Any:
    """A network or a mapping of tensors, one for each parameter, that a step has at hand."""
    for value in at_hand(step, DEPTH):
        if is_average(value, side, parameters):
            return value
    return None


def at_hand(value: Any, depth: int) -> Iterator[Any]:
    """What a function closes over or is bound to, and what those hold."""
    names = getattr(getattr(value, "__code__", None), "co_freevars", ())
    cells = getattr(value, "__closure__", None) or ()
    held = [c.cell_contents for c, _ in zip(cells, names, strict=False) if not is_empty(c)]
    bound = getattr(value, "__self__", None)
    inner = getattr(value, "__wrapped__", None)
    held += [x for x in (bound, inner) if x is not None]
    own = getattr(value, "__dict__", None)
    held += list(own.values()) if isinstance(own, dict) and depth < DEPTH else []
    for one in held:
        yield one
        if depth:
            yield from at_hand(one, depth - 1)


def is_empty(cell: Any) -> bool:
    try:
        return cell.cell_contents is None
    except ValueError:
        return True


def is_average(value: Any, side: Any, parameters: Mapping[str, Any]) -> bool:
    if isinstance(value, side.network_class):
        found = side.parameters_of(value)
    elif isinstance(value, Mapping):
        found = value
    else:
        return False
    found = {plain(k): x for k, x in found.items() if isinstance(k, str) and side.is_tensor(x)}
    trained = [name for name, p in parameters.items() if bool(p.requires_grad)]
    own = {id(p) for p in parameters.values()}
    return bool(trained) and all(
        name in found
        and id(found[name]) not in own
        and tuple(found[name].shape) == tuple(parameters[name].shape)
        for name in trained
    )


def plain(name: str) -> str:
    return name.removeprefix(WRAPPED)


def named_in(said: Any, side: Any, parameters: Mapping[str, Any]) -> dict[str, Array]:
    """The averages by the parameters' names: of a network, a mapping, a list, or what gives one."""
    if callable(said) and not isinstance(said, (side.network_class, Mapping)):
        said = said()
    if isinstance(said, side.network_class):
        said = side.parameters_of(said)
    if not isinstance(said, Mapping):
        trained = [name for name, p in parameters.items() if bool(p.requires_grad)]
        said = dict(zip(trained, said, strict=False))
    by_own_names = {getattr(p, "name", None) or name: name for name, p in parameters.items()}
    found = {}
    for key, value in said.items():
        name = plain(str(key))
        name = name if name in parameters else by_own_names.get(name, name)
        if name in parameters and side.is_tensor(value):
            found[name] = np.asarray(side.tensor(value).array)
    return found
