"""The first operator of a block that differs, as it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

OperatorVerdict = Literal["differs", "missing", "extra", "value"]
"""Both have it, and it gives something else; B lacks it; A lacks it; a value is another one."""


@dataclass(frozen=True)
class Tensor:
    """What is told of a tensor that an operator takes or gives."""

    name: str
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Place:
    """A line of the user's code."""

    file: str
    line: int
    text: str


@dataclass(frozen=True)
class Operation:
    """An operator on one side: its name, its line, the part of the line that it is.

    `last`: the line on which it ends. `callers`: the lines of the block that led there, where it
    stands in a function that these call, the innermost first. `file` is "" where there is none, as
    in an ONNX file; there `node` is its name.
    """

    name: str
    file: str = ""
    line: int = 0
    last: int = 0
    text: str = ""
    expression: str = ""
    node: str = ""
    inputs: tuple[Tensor, ...] = ()
    outputs: tuple[Tensor, ...] = ()
    callers: tuple[Place, ...] = ()


@dataclass(frozen=True)
class OperatorDifference:
    """The first operator whose inputs agree and whose output does not.

    `a`, `b`: None where the side has no such operator; then `near` is the one on that side that
    goes on with what it gives, or should. `off_by`: how far B's output is from A's, of its largest
    element; None where they have other sizes.
    """

    verdict: OperatorVerdict
    a: Operation | None
    b: Operation | None
    near: Operation | None = None
    off_by: float | None = None
