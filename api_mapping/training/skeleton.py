"""What stands beside training code of no known shape: how its step would look."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from ..syntax.edits import Edit
from ..syntax.nodes import start_of
from .events import Backward, Events
from .text import Converted

LINES = (
    "def forward_fn(...):",
    "    ...  # the statements that compute the loss",
    "    return {loss}",
    "grad_fn = {ms}.value_and_grad(forward_fn, None, optimizer.parameters)",
    "loss, grads = grad_fn(...)",
    "optimizer(grads)",
)
APPLIED = (
    "loss, grads = grad_fn(...)",
    "grads = {ops}.clip_by_global_norm(grads, limit)",
    "optimizer(grads)",
)
"""How gradients are clipped and applied where they are computed."""
WIDTH = 98


@dataclass(frozen=True)
class Refused:
    """A backward statement, or a step that is given a closure, of no known shape, and why."""

    node: ast.stmt
    reason: str
    others: tuple[ast.stmt, ...] = ()
    """The statements beside it that clear, change or apply gradients: they stay, too."""
    closure: ast.FunctionDef | None = None
    """The function that a step is given."""


def skeleton(refused: Refused, events: Events, converted: Converted) -> Iterator[Edit]:
    """The comment over a statement that stays, unless it is there already."""
    line = start_of(refused.node)[0]
    event = events.of(refused.node)
    lines = LINES if isinstance(event, Backward) else APPLIED
    above = converted.lines[max(0, line - len(lines) - 1) : line - 1]
    if any(lines[0] in row for row in above):
        return
    indent = converted.indent(line)
    loss = converted.code(event.loss) if isinstance(event, Backward) else "loss"
    told = f"MS201 line: no training step of a known shape: {refused.reason}; write it so:"
    rows = textwrap.wrap(told, max(40, WIDTH - len(indent)))
    names = {"loss": loss, "ms": converted.names["ms"], "ops": converted.names["ops"]}
    rows += [row.format(**names) for row in lines]
    yield Edit((line, 0), (line, 0), "".join(f"{indent}# {row}\n" for row in rows))
