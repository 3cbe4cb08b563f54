"""`optimizer.step(closure)`: the closure is the function that is differentiated."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..analysis.optimizer_methods import asks_first, method_of
from ..table.kinds import OPTIMIZER
from .blocks import Block
from .events import Backward, Change, Clear, Events, Step
from .names import access
from .region import NoRegion
from .skeleton import Refused

MANY = "LBFGS"
"""The optimiser whose steps call what they are given more than once."""


@dataclass(frozen=True)
class Closure:
    """A step that calls a function which computes gradients.

    `gone` are the statements of the function that it no longer needs; `many`: the optimiser calls
    it several times a step.
    """

    step: Step
    block: Block
    place: int
    function: ast.FunctionDef
    backward: Backward
    gone: tuple[ast.stmt, ...]
    changes: tuple[Change, ...]
    many: bool = False


def closures_of(block: Block, events: Events) -> Iterator[Closure | Refused]:
    """The closures that steps of a block are given."""
    for place, statement in enumerate(block.statements):
        event = events.of(statement)
        if not isinstance(event, Step) or not isinstance(event.closure, ast.Name):
            continue
        function = definition_of(event.closure.id, block)
        if function is None:
            continue
        try:
            yield closure(event, block, place, function, events)
        except NoRegion as reason:
            others = tuple(e.node for s in function.body for e in events.all_in(s))
            yield Refused(statement, str(reason), others, function)


def definition_of(name: str, block: Block) -> ast.FunctionDef | None:
    """The function of a name that is defined in a block or around it."""
    blocks = [block, *(outer for outer, _ in block.around())]
    found = (s for b in blocks for s in b.statements if isinstance(s, ast.FunctionDef))
    return next((s for s in found if s.name == name), None)


def closure(
    step: Step, block: Block, place: int, function: ast.FunctionDef, events: Events
) -> Closure:
    """Raises: NoRegion if the function does not return the loss of its one backward, once a step"""
    analysis = events.analysis
    kind = analysis.kind_of(step.optimizer)
    if (kind.tag != "optimizer" or kind == OPTIMIZER) and MANY in analysis.source.text:
        raise NoRegion(f"{MANY} calls the closure several times a step, and this may be one")
    own = method_of(kind, "step")
    if own is not None and not asks_first(own):
        raise NoRegion("its step calls the closure in the midst of its work")
    found = [events.of(s) for s in function.body]
    backs = [e for e in found if isinstance(e, Backward)]
    last = function.body[-1]
    if len(backs) != 1 or backs[0].odd or function.args.args:
        raise NoRegion("the closure has no single backward, or takes arguments")
    value = last.value if isinstance(last, ast.Return) else None
    if value is None or not is_loss(value, backs[0].loss, function.body):
        raise NoRegion("the closure does not return the loss")
    changes = tuple(e for e in found if isinstance(e, Change))
    many = kind.name == f"torch.optim.{MANY}"
    if many and changes:
        raise NoRegion("the closure changes its gradients, and it is called several times a step")
    gone = [e.node for e in found if isinstance(e, Backward | Clear | Change)]
    return Closure(step, block, place, function, backs[0], tuple(gone), changes, many)


def is_loss(value: ast.expr, loss: ast.expr, body: list[ast.stmt]) -> bool:
    """Whether what is returned is the loss, or is written as the loss is: `return a + b`."""
    if ast.dump(value) == ast.dump(loss):
        return True
    reads = set(access(value).reads)
    for place, statement in enumerate(body):
        is_set = isinstance(statement, ast.Assign) and ast.dump(statement.value) == ast.dump(value)
        if is_set and access(statement).writes == set(access(loss).reads):
            return not any(access(later).writes & reads for later in body[place + 1 :])
    return False
