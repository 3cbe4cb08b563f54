"""Which backward statements, optimisers and steps belong together."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from .blocks import LOOPS, Block
from .events import Backward, Change, Clear, Event, Events, Step
from .methods import owner_of
from .owners import Owners
from .region import NoRegion


@dataclass(frozen=True)
class Group:
    """Backward statements of one block, and the steps that apply what they compute.

    `sums`: gradients are added up over several rounds, so that they live outside of the block.
    """

    block: Block
    places: tuple[int, ...]
    steps: tuple[Step, ...]
    sums: bool
    barrier: int
    taker: ast.expr | None = None
    """The optimiser that another method applies the gradients by, if no step is to be seen."""
    holds: bool = False
    """Tensors hold the gradients: what is behind the backward is nothing of the group's."""

    @property
    def optimizers(self) -> list[str]:
        """The optimisers that apply the gradients, as they are written."""
        found = [self.taker] if self.taker is not None else [s.optimizer for s in self.steps]
        return list(dict.fromkeys(map(ast.unparse, found)))


@dataclass(frozen=True)
class Grouping:
    """Groups the events of a block."""

    events: Events

    @cached_property
    def owners(self) -> Owners:
        return Owners(self.events.analysis)

    def groups(self, block: Block) -> Iterator[Group | NoRegion]:
        """The groups of a block in order; the reason where backward statements have no step."""
        places: list[int] = []
        steps: list[Step] = []
        barrier = last = -1
        for place, statement in enumerate(block.statements):
            events = list(self.events.all_in(statement))
            is_back = isinstance(self.events.of(statement), Backward)
            if is_back and steps and places:
                yield self.group(block, places, steps, barrier)
                places, steps = [], []
            if is_back:
                barrier = barrier if places else last
                places.append(place)
            elif places and not any(isinstance(event, Backward) for event in events):
                steps += [e for e in events if isinstance(e, Step) and e.closure is None]
            is_using = any(not isinstance(event, Clear) for event in events)
            last = place if is_using else last
        if places:
            steps = steps or self.steps_around(block)
            taker = None if steps else self.taker(block)
            if taker is not None:
                yield Group(block, tuple(places), (), True, barrier, taker)
            elif steps:
                yield self.group(block, places, steps, barrier)
            else:
                yield NoRegion("which optimiser takes the gradients is not to be seen here")

    def taker(self, block: Block) -> ast.expr | None:
        """The one optimiser of the class, if another of its methods applies it."""
        scope = block.scope
        if block.cls is None or scope not in block.cls.body:
            return None
        others = [m for m in block.cls.body if isinstance(m, ast.FunctionDef) and m is not scope]
        steps = [e for m in others for e in of_scope(self.events, m, Step)]
        found = {step.key: step.optimizer for step in steps if isinstance(step, Step)}
        own = f"{owner_of(scope)}." if isinstance(scope, ast.FunctionDef) else ""
        if len(found) != 1 or not own or not next(iter(found)).startswith(own):
            return None
        return next(iter(found.values()))

    def steps_around(self, block: Block) -> list[Step]:
        """The steps behind the loop that the block is in, if they are of one optimiser."""
        found: list[Step] = []
        for outer, place in block.around():
            for statement in outer.statements[place + 1 :]:
                found += [e for e in self.events.all_in(statement) if isinstance(e, Step)]
            if found:
                break
        return found if len({step.key for step in found}) == 1 else []

    def group(
        self, block: Block, places: list[int], steps: list[Step], barrier: int
    ) -> Group | NoRegion:
        """The group of backward statements and steps, with how its gradients live."""
        clears = [e for e in of_scope(self.events, block.scope, Clear) if isinstance(e, Clear)]
        if any(self.owners.clear_some(clears, step.key) for step in steps):
            return NoRegion("the gradients of some parameters alone are cleared")
        direct = {id(s) for s in block.statements}
        is_applied = all(id(step.node) in direct for step in steps)
        sums = not (is_applied and all(self.is_cleared(block, places, s.key) for s in steps))
        return Group(block, tuple(places), tuple(steps), sums, barrier)

    def is_cleared(self, block: Block, places: list[int], key: str) -> bool:
        """Whether an optimiser has no gradients as a round begins.

        They are cleared in the block, or in that around its `if`.
        """
        own = self.owners.clearing(self.events, block, key)
        if any(place < places[0] or place > places[-1] for place in own):
            return True
        if block.parent is None or isinstance(block.owner, LOOPS):
            return False
        return self.is_cleared(block.parent, [block.place], key)


def of_scope(events: Events, scope: ast.AST, kind: type) -> list[Event]:
    """Every event of a kind in a function or module, functions in it left out."""
    body = getattr(scope, "body", [])
    return [e for s in body for e in events.all_in(s) if isinstance(e, kind)]


def clears_of(group: Group, events: Events) -> list[Clear]:
    """What clears the gradients of a group, in the function or module that it is in."""
    found = [e for e in of_scope(events, group.block.scope, Clear) if isinstance(e, Clear)]
    owners = Owners(events.analysis)
    return [e for e in found if any(owners.clears(e, key) for key in group.optimizers)]


def of_round(group: Group) -> set[int]:
    """The statements of the round that a group stands in, up to the loop, by their ids."""
    block: Block | None = group.block
    found: set[int] = set()
    while block is not None:
        found.update(map(id, block.statements))
        block = None if isinstance(block.owner, LOOPS) else block.parent
    return found


def changes_of(group: Group, events: Events, *, every: bool = False) -> list[Change]:
    """What gives the gradients of a group new values before its steps; `every`: or changes them."""
    found: list[Change] = []
    for statement in behind(group) if not group.holds else ():
        events_in = list(events.all_in(statement))
        found += [e for e in events_in if isinstance(e, Change) and (every or e.is_new)]
        if any(isinstance(e, Backward) for e in events_in) and statement is not last_of(group):
            break
    return found


def behind(group: Group) -> Iterator[ast.stmt]:
    """The statements from the last backward on, with those around its block up to the steps."""
    block, steps = group.block, {id(step.node) for step in group.steps}
    rows = block.statements[group.places[-1] :]
    yield from rows
    for outer, place in block.around():
        if any(id(node) in steps for row in rows for node in ast.walk(row)):
            return
        rows = outer.statements[place + 1 :]
        yield from rows


def last_of(group: Group) -> ast.stmt:
    """The last backward of a group."""
    return group.block.statements[group.places[-1]]
