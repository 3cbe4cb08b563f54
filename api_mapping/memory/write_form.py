"""What a write in place becomes, so that all names see it that see it in PyTorch."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Way(StrEnum):
    """The ways to write, over `x.add_(1)`:

    NAME    `x = x.add(1)`: nobody else has the tensor
    WHOLE   `x.copy_(x.add(1))`: others have the same tensor
    PART    `x[...] = x.add(1)`: it was cut by an index; MindSpore writes to what it was cut from
    CHAIN   `x = y[0] = x.add(1)`: the same, without a write to what gradients may need
    BACK    `x = x.add(1)`, then `y.copy_(x.reshape(y.shape))`
    LOST    none
    """

    NAME = "name"
    WHOLE = "whole"
    PART = "part"
    CHAIN = "chain"
    BACK = "back"
    LOST = "lost"


@dataclass(frozen=True)
class Form:
    """How one write is written; `source` is the place it was cut from, or what it is a view of.

    `sharer` is what else PyTorch writes to.
    """

    way: Way
    source: ast.expr | None = None
    sharer: str = ""


NAMED = Form(Way.NAME)
FormOf = Callable[[ast.AST], Form]


def usual(node: ast.AST) -> Form:
    """The form where nothing is known of other names."""
    return NAMED
