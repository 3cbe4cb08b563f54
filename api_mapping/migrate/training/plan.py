"""The training code of a file: what takes the place of its loops, as edits of its text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ...analysis import FileAnalysis
from .blocks import Block, Liveness, blocks_of
from .closures import Closure, closures_of
from .events import Backward, Events
from .group import Group, Grouping
from .methods import Deferred, calls_of, deferred_methods
from .region import Finder, NoRegion, Region
from .skeleton import Refused
from .weights import Weights


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


@dataclass(frozen=True)
class Planner:
    """Finds the training steps of one file."""

    analysis: FileAnalysis
    events: Events
    finder: Finder
    grouping: Grouping
    methods: list[Deferred]

    @classmethod
    def of(cls, analysis: FileAnalysis) -> Planner:
        events = Events(analysis)
        methods = list(deferred_methods(analysis.tree, events))
        events = Events(analysis, calls_of(analysis.tree, methods))
        finder = Finder(Weights(analysis), events, Liveness(analysis.tree))
        return cls(analysis, events, finder, Grouping(events), methods)

    def plan(self) -> Plan:
        plan = Plan(methods=self.methods)
        blocks = list(blocks_of(self.analysis.tree))
        for block in blocks:
            plan.closures += list(closures_of(block, self.events))
        functions = {id(closure.function) for closure in plan.closures}
        functions |= {id(method.function) for method in self.methods}
        for block in blocks:
            if id(block.scope) in functions:
                continue
            backs = [s for s in block.statements if isinstance(self.events.of(s), Backward)]
            if not backs:
                continue
            try:
                plan.steps += list(self.steps_of(block))
            except NoRegion as reason:
                plan.refused += [Refused(node, str(reason)) for node in backs]
        return plan

    def steps_of(self, block: Block) -> Iterator[TrainingStep]:
        """The training steps of a block.

        Raises: NoRegion
        """
        for group in self.grouping.groups(block):
            if isinstance(group, NoRegion):
                raise group
            yield TrainingStep(group, tuple(self.regions_of(group)))

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
