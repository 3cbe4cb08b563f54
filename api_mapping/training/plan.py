"""The training code of a file: what takes the place of its loops, as edits of its text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

from ..analysis import FileAnalysis
from ..syntax.nodes import dotted
from .blocks import Block, Liveness, blocks_of
from .closures import Closure, closures_of
from .events import Backward, Event, Events
from .gradients.holding import Holding
from .group import Group, Grouping, changes_of
from .methods import Deferred, calls_of, deferred_methods
from .region import Finder, NoRegion, Region
from .skeleton import Refused
from .stale import Stale
from .weights import Weights, is_module


@dataclass(frozen=True)
class TrainingStep:
    """A group with the forward passes that its gradients are of."""

    group: Group
    regions: tuple[Region, ...]


@dataclass
class Plan:
    """What becomes of the training code of a file."""

    steps: list[TrainingStep] = field(default_factory=list)
    closures: list[Closure] = field(default_factory=list)
    methods: list[Deferred] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    holding: Holding | None = None
    """Where tensors hold their gradients, as in PyTorch; the steps are backwards alone then."""


@dataclass(frozen=True)
class Planner:
    """Finds the training steps of one file."""

    analysis: FileAnalysis
    events: Events
    finder: Finder
    grouping: Grouping
    methods: list[Deferred]

    @cached_property
    def stale(self) -> Stale:
        return Stale(self.events, self.grouping.owners)

    @classmethod
    def of(cls, analysis: FileAnalysis) -> Planner:
        events = Events(analysis)
        methods = list(deferred_methods(analysis.tree, events))
        events = Events(analysis, calls_of(analysis.tree, methods))
        finder = Finder(Weights(analysis), events, Liveness(analysis.tree))
        return cls(analysis, events, finder, Grouping(events), methods)

    def plan(self) -> Plan:
        """The plan of steps of known shapes, or that in which tensors hold their gradients.

        The second one is for code that has no such steps, or that reads gradients.
        """
        plan = self.of_steps()
        holding = replace(self.holding, closures=tuple(plan.closures))
        if not plan.refused and not holding.reads:
            return plan
        try:
            steps = [TrainingStep(group, (region,)) for group, region in holding.regions()]
            for step in steps:
                self.check_lines(step.group.block, step.regions)
        except NoRegion:
            return plan
        if not steps:
            return plan
        return Plan(steps, plan.closures, methods=self.methods, holding=holding)

    @cached_property
    def holding(self) -> Holding:
        events = replace(self.events, holds=True, known={})
        inner = frozenset(id(method.function) for method in self.methods)
        return Holding(self.analysis, events, replace(self.finder, events=events), inner)

    def of_steps(self) -> Plan:
        plan = Plan(methods=self.methods)
        blocks = list(blocks_of(self.analysis.tree))
        for found in (found for block in blocks for found in closures_of(block, self.events)):
            if isinstance(found, Refused):
                plan.refused.append(found)
            else:
                plan.closures.append(found)
        functions = {id(closure.function) for closure in plan.closures}
        functions |= {id(refused.closure) for refused in plan.refused}
        functions |= {id(method.function) for method in self.methods}
        for block in blocks:
            if id(block.scope) in functions:
                continue
            backs = [e for e in map(self.events.of, block.statements) if isinstance(e, Backward)]
            if not backs:
                continue
            try:
                plan.steps += list(self.steps_of(block))
            except NoRegion as reason:
                others = tuple(e.node for s in block.statements for e in self.beside(s))
                told = next((back.odd for back in backs if back.odd), str(reason))
                plan.refused += [Refused(back.node, told, others) for back in backs]
        return plan

    def beside(self, statement: ast.stmt) -> Iterator[Event]:
        """The events in a statement, but for those in blocks with backward statements."""
        found = list(self.events.all_in(statement))
        is_one = self.events.of(statement) is not None
        if is_one or not any(isinstance(event, Backward) for event in found):
            yield from found

    def steps_of(self, block: Block) -> Iterator[TrainingStep]:
        """The training steps of a block.

        Raises: NoRegion
        """
        found = list(self.found_in(block))
        self.stale.check(found)
        yield from found

    def found_in(self, block: Block) -> Iterator[TrainingStep]:
        for group in self.grouping.groups(block):
            if isinstance(group, NoRegion):
                raise group
            self.check_changes(group)
            is_branch = isinstance(block.owner, ast.If)
            try:
                regions = self.regions_of(group)
            except NoRegion:
                if not is_branch:
                    raise
                regions = self.lifted(group)
            self.check_lines(block, regions)
            yield TrainingStep(group, tuple(regions))

    def check_lines(self, block: Block, regions: Sequence[Region]) -> None:
        """Raises: NoRegion if statements that go elsewhere share a line with others"""
        moved = {place for region in regions for place in region.body}
        for place, (before, after) in enumerate(pairwise(block.statements)):
            is_part = {place, place + 1} & moved or self.events.of(before) or self.events.of(after)
            if is_part and after.lineno <= (before.end_lineno or 0):
                raise NoRegion("statements of the step share a line: give each one of its own")

    def check_changes(self, group: Group) -> None:
        """Raises: NoRegion if only some of the gradients are clipped"""
        kind_of = self.analysis.kind_of
        for change in (c for c in changes_of(group, self.events, every=True) if not c.is_unscaling):
            given = change.call.args[0] if change.call.args else None
            called = given.func if isinstance(given, ast.Call) else None
            owner = called.value if isinstance(called, ast.Attribute) else None
            is_part = isinstance(owner, ast.Attribute) and is_module(kind_of(owner.value))
            network = "" if owner is None else dotted(owner)
            is_other = self.grouping.owners.differ(network, group.optimizers)
            if len(group.optimizers) > 1 or is_part or is_other:
                raise NoRegion("the gradients of some parameters alone are clipped")

    def lifted(self, group: Group) -> list[Region]:
        """The forward pass before the `if` that the group stands in; of two branches, the first's.

        Raises: NoRegion
        """
        block, owner = group.block, group.block.owner
        losses = self.losses_in(block.statements)
        if not isinstance(owner, ast.If) or len(group.places) != 1 or len(losses) != 1:
            raise NoRegion("the forward pass is not among the statements before it")
        branches = [self.losses_in(branch) for branch in (owner.body, owner.orelse)]
        if all(branches) and block.statements is owner.orelse:
            return []
        if all(branches):
            losses = [*branches[0], *branches[1]]
        region = self.finder.lifted(block, tuple(losses), is_once=not group.sums)
        return [self.finder.with_outputs(region)]

    def losses_in(self, statements: Sequence[ast.stmt]) -> list[ast.expr]:
        """What the backward statements of a branch differentiate."""
        found = (self.events.of(statement) for statement in statements)
        return [event.loss for event in found if isinstance(event, Backward) and not event.odd]

    def regions_of(self, group: Group) -> list[Region]:
        """The forward passes of a group; those that share statements are one."""
        found: list[Region] = []
        barrier = group.barrier
        for place in group.places:
            region = self.finder.region(group.block, place, barrier)
            if found and set(region.body) & set(found[-1].body):
                last = found.pop()
                places, losses = (*last.places, place), (*last.losses, *region.losses)
                joined = Region(group.block, places, losses, ())
                region = self.finder.completed(joined, group.barrier)
            found.append(region)
            barrier = place
        return [self.finder.with_outputs(region) for region in found]
