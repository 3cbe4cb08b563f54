"""Weights that a network has once, whatever it calls them: tied ones are one Parameter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..reporting.report import Finding
from .code.expr import Weight
from .weights import Parameter

LONGEST = 78
"""Characters of a line: whatever the width, a formatter leaves it alone."""


@dataclass(frozen=True)
class Tie:
    """A weight's name, and the name under which the network holds it already."""

    name: str
    held: str

    @property
    def lines(self) -> list[str]:
        """What makes it so, at the end of the network's `__init__`; no line is a long one."""
        owner, leaf = _steps(self.name)[:-1], _steps(self.name)[-1]
        line = f"{_joined(owner)}{leaf} = {_joined(_steps(self.held))}"
        if len(line) <= LONGEST:
            return [line]
        return [*_by("held", _steps(self.held)), *_by("owner", owner), f"owner{leaf} = held"]


def tied(found: Sequence[Parameter]) -> tuple[list[Parameter], list[Tie]]:
    """The parameters of which each is held once, and the other names of the tied ones.

    Two weights of equal numbers are one: numbers that were drawn or trained are never equal by
    chance. What is all zeros or ones may be, and is tied only beside a weight of its layer. The
    weights of one layer are never each other.
    """
    first: dict[bytes, Parameter] = {}
    layers: dict[str, str] = {}
    ties: dict[str, Tie] = {}
    for parameter in found:
        if _is_telling(parameter.weight):
            held = first.setdefault(parameter.weight.content, parameter)
            if _layer(held.name) != _layer(parameter.name):
                ties[parameter.name] = Tie(parameter.name, held.name)
                layers[_layer(parameter.name)] = _layer(held.name)
    named = {parameter.name: parameter for parameter in found}
    for parameter in found:
        layer = layers.get(_layer(parameter.name))
        twin = None if layer is None else named.get(f"{layer}.{_leaf(parameter.name)}")
        if twin is not None and twin.name not in ties and parameter.name not in ties:
            same = twin.weight.content == parameter.weight.content
            ties.update({parameter.name: Tie(parameter.name, twin.name)} if same else {})
    return [p for p in found if p.name not in ties], list(ties.values())


def remarks_on(ties: Sequence[Tie]) -> list[Finding]:
    """What the reader must know of them."""
    if not ties:
        return []
    what = f"{len(ties)} weights are other names of weights, and one Parameter with them"
    if len(ties) == 1:
        what = "1 weight is another name of a weight, and one Parameter with it"
    example = f"{ties[0].name} is {ties[0].held}"
    return [Finding("MS109", "the weights", f"{what}: {example}", "", "note")]


def _is_telling(weight: Weight) -> bool:
    """Whether no other weight can have the same numbers by chance."""
    array = weight.array
    return array.dtype.kind in "fV" and array.size > 1 and bool(np.any(array != array.flat[0]))


def _layer(name: str) -> str:
    return name.rpartition(".")[0]


def _leaf(name: str) -> str:
    return name.rpartition(".")[2]


def _steps(name: str) -> list[str]:
    """The way to a parameter from the network: "layers.0.weight" is .layers, [0], .weight."""
    return [f"[{part}]" if part.isdigit() else f".{part}" for part in name.split(".")]


def _joined(steps: Sequence[str]) -> str:
    return f"self{''.join(steps)}"


def _by(word: str, steps: Sequence[str]) -> Iterator[str]:
    """The lines after which `word` is what the steps lead to."""
    text = "self"
    for step in steps:
        if len(text + step) > LONGEST // 2 and text not in ("self", word):
            yield f"{word} = {text}"
            text = word
        text += step
    yield f"{word} = {text}"
