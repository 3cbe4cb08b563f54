"""Steps, clips and clears that stand by themselves: the gradients are another function's."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ...syntax.edits import Edit
from ...syntax.nodes import end_of, start_of
from ...table.kinds import present
from ..blocks import Block, Scope, blocks_of, bound_names
from ..events import Change, Clear, Event, Events, Step
from ..keeping import Variables, names_in
from ..skeleton import Refused
from ..text import Converted
from ..writing import change_code, cleared

ELSEWHERE = "its gradients are computed elsewhere"
Key = tuple[ast.ClassDef | None, str]
"""An optimiser by what it is called in a class."""


@dataclass(frozen=True)
class Loose:
    """The events of a file that belong to no training step: `known` are the ids of others.

    `held`: the optimisers whose parameters hold the gradients that steps of the file compute.
    """

    events: Events
    known: Collection[int]
    held: Collection[Key]

    def found(self) -> Iterator[tuple[Block, Event]]:
        for block in blocks_of(self.events.analysis.tree):
            for statement in block.statements:
                event = self.events.of(statement)
                if event is not None and id(statement) not in self.known:
                    yield block, event

    def is_a(self, node: ast.expr, *tags: str) -> bool:
        """Whether an expression is known to be of a kind."""
        kind = present(self.events.analysis.kind_of(node))
        return kind.tag in tags

    def clears(self) -> list[Clear]:
        """What takes away the gradients that parameters hold."""
        clears = (event for _, event in self.found() if isinstance(event, Clear))
        return [c for c in clears if self.is_a(c.owner, "optimizer", "module")]

    def taking(self) -> list[tuple[Scope, Step]]:
        """The steps that apply gradients which parameters hold, with their functions."""
        steps = [(block, e) for block, e in self.found() if isinstance(e, Step)]
        return [(b.scope, e) for b, e in steps if e.closure is None and self.is_held(b, e)]

    def is_held(self, block: Block, step: Step) -> bool:
        return (block.cls, step.key) in self.held

    def changes(self, scope: Scope, step: Step) -> list[Change]:
        """What changes the gradients before such a step."""
        own = [e for block, e in self.found() if block.scope is scope and isinstance(e, Change)]
        return [e for e in own if start_of(e.node) < start_of(step.node)]

    def refused(self) -> Iterator[Refused]:
        """The steps and clips whose gradients are not to be seen."""
        taking = self.taking()
        taken = {id(step.node) for _, step in taking}
        taken |= {id(c.node) for scope, step in taking for c in self.changes(scope, step)}
        for block, event in self.found():
            is_about = isinstance(event, Change) or self.is_step(event)
            is_seen = id(event.node) in taken or "grads" in bound_names(block.scope)
            if is_about and not is_seen:
                yield Refused(event.node, ELSEWHERE)

    def is_step(self, event: Event) -> bool:
        """Whether it is a step of what is known to be an optimiser."""
        is_plain = isinstance(event, Step) and event.closure is None
        return is_plain and self.is_a(event.optimizer, "optimizer")  # type: ignore[union-attr]

    @property
    def rewritten(self) -> Iterator[ast.stmt]:
        """The statements that get other code here."""
        yield from (clear.node for clear in self.clears())
        for scope, step in self.taking():
            yield step.node
            yield from (change.node for change in self.changes(scope, step))

    def edits(self, converted: Converted) -> Iterator[Edit]:
        for clear in self.clears():
            code = cleared(clear, converted)
            yield Edit(start_of(clear.node), end_of(clear.node), code)
        for scope, step in self.taking():
            yield from self.applied(scope, step, converted)

    def applied(self, scope: Scope, step: Step, converted: Converted) -> Iterator[Edit]:
        """The edits of a step that applies what parameters hold, and of what changes it before."""
        optimizer, compat = converted.code(step.optimizer), converted.names["compat"]
        grads = Variables.beside(names_in(scope)).grads
        codes = [f"{grads} = {compat}.held_grads({optimizer}.parameters)"]
        for change in self.changes(scope, step):
            codes.append(change_code(change, converted, grads))
            yield replaced(change.node, codes, converted)
            codes = []
        if step.scaler is not None:
            codes.append(f"{converted.code(step.scaler)}.step({optimizer}, {grads})")
        else:
            codes.append(f"{optimizer}({grads})")
        yield replaced(step.node, codes, converted)


def replaced(node: ast.stmt, codes: list[str], converted: Converted) -> Edit:
    """The edit that puts statements in the place of one."""
    indent = converted.indent(start_of(node)[0])
    return Edit(start_of(node), end_of(node), f"\n{indent}".join(codes))
