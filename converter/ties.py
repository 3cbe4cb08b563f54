"""Weights that a network has once, whatever it calls them: tied ones are one Parameter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..reporting.report import Finding
from .code.expr import Content, Weight
from .weights import Parameter

FEW = 64
"""So many numbers of a weight are looked at before all are: hardly one begins with equal ones."""

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


FEWEST = 2
"""Elements of a list that share a weight with its first one in a loop; of one it is a line."""


def tie_lines(ties: Sequence[Tie]) -> tuple[str, ...]:
    """What ties them all: loops over elements of a list that have one weight with its first."""
    rows: dict[tuple[str, str] | Tie, list[Tie]] = {}
    for tie in ties:
        rows.setdefault(_row(tie) or tie, []).append(tie)
    return tuple(line for row in rows.values() for line in _lines_of(row))


def _lines_of(row: Sequence[Tie]) -> list[str]:
    """A loop over the elements of a list, if the ties are those of its elements 1, 2 and so on."""
    list_of, rest = _row(row[0]) or ("", "")
    elements = [f"{list_of}.{i}.{rest}" for i in range(1, len(row) + 1)]
    is_whole = len(row) >= FEWEST and [tie.name for tie in row] == elements
    loop = _loop(list_of, rest, len(row)) if is_whole else []
    return loop or [line for tie in row for line in tie.lines]


def _row(tie: Tie) -> tuple[str, str] | None:
    """What stands around the number of a list, if that is all that the names differ in."""
    a, b = tie.name.split("."), tie.held.split(".")
    other = [i for i, (p, q) in enumerate(zip(a, b, strict=False)) if p != q]
    if len(a) != len(b) or len(other) != 1:
        return None
    (i,) = other
    is_first = b[i] == "0" and a[i].isdigit() and 0 < i < len(a) - 1
    return (".".join(a[:i]), ".".join(a[i + 1 :])) if is_first else None


def _loop(list_of: str, rest: str, count: int) -> list[str]:
    """The loop; empty if one of its lines is too long."""
    loop = f"for i in range(1, {count + 1}):"  # a part of a list renames what is in it
    line = f"    {_joined(_steps(list_of))}[i]{''.join(_steps(rest))} = held"
    lines = [*_by("held", _steps(f"{list_of}.0.{rest}")), loop, line]
    return lines if max(map(len, lines)) <= LONGEST else []


def tied(found: Sequence[Parameter]) -> tuple[list[Parameter], list[Tie]]:
    """The parameters of which each is held once, and the other names of the tied ones.

    Two weights of equal numbers are one: numbers that were drawn or trained are never equal by
    chance. What is all zeros or ones may be, and is tied only beside a weight of its layer. The
    weights of one layer are never each other.
    """
    first: dict[Content, Parameter] = {}
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
    if array.dtype.kind not in "fV" or array.size < 2:
        return False
    first = array.flat[0]
    return any(bool(np.any(some != first)) for some in (array.flat[:FEW], array))


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
