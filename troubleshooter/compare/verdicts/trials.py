"""What a layer should be given, found out by giving it one value after another.

A layer may answer to several nodes of a graph without a name in common. Where it seems to differ,
it may be that it is given what comes before or behind the right value, by a container's fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ....numerics.limits import OF_SKETCHES
from ...sides.child.messages import Call
from ..matching.alignment import Alignment, Link, Pairing, Role, Spot
from ..matching.by_value import Matched
from ..matching.closeness import distance
from ..recorded import Run

Place = tuple[str, int]


@dataclass
class Trials:
    """The layers that seem to differ, what is left to be tried of each, what was right."""

    of: Matched
    found: dict[Place, tuple[Spot, ...]] = field(default_factory=dict)
    current: dict[Place, tuple[Spot, ...]] = field(default_factory=dict)
    alignment: Alignment = field(default_factory=lambda: Alignment(()))

    def rounds(self, alignment: Alignment, forced: Run) -> Iterator[Alignment]:
        """Alignments to be tried; `learn` is told of each before the next one."""
        self.alignment = alignment
        left = {
            (call.path, call.index): self.of.alternatives(call)
            for pair in alignment.pairs
            for call in [self.walked(pair)]
            if not self.agrees(pair, forced)
        }
        while any(left.values()):
            self.current = {place: options.pop(0) for place, options in left.items() if options}
            yield self.changed(self.current)
            left = {place: options for place, options in left.items() if place not in self.found}

    def walked(self, pair: Pairing) -> Call:
        call = pair.other if self.of.graph_is_a else pair.one
        assert call is not None
        return call

    def agrees(self, pair: Pairing, forced: Run) -> bool:
        """Whether the results are the same, but for rounding; B's are those of a forced run."""
        a = self.of.graph if self.of.graph_is_a else self.of.tree
        for link in pair.outputs:
            one, other = link.ours.of(a), link.theirs.of(forced)
            if (
                one is not None
                and other is not None
                and distance(a, one, forced, other) > OF_SKETCHES
            ):
                return False
        return True

    def learn(self, forced: Run) -> None:
        for pair in self.alignment.pairs:
            call = self.walked(pair)
            place = (call.path, call.index)
            if place in self.current and self.agrees(pair, forced):
                self.found[place] = self.current[place]

    def improved(self) -> Alignment:
        """The alignment with what was found, for the containers that give such inputs, too."""
        run = self.of.tree
        given = {
            value.digest: spot
            for place, spots_found in self.found.items()
            for value, spot in zip(run.by_place[place].inputs, spots_found, strict=True)
        }
        pairs = []
        for pair in self.changed(self.found).pairs:
            call = self.walked(pair)
            spot = given.get(call.outputs[0].digest) if len(call.outputs) == 1 else None
            if spot is not None and call.number in run.children and call.parent >= 0:
                pair = replace(pair, outputs=self.links(call, (spot,), "outputs"))
            pairs.append(pair)
        return replace(self.alignment, pairs=tuple(pairs))

    def changed(self, inputs: dict[Place, tuple[Spot, ...]]) -> Alignment:
        """The alignment with other values as the inputs of some layers."""
        pairs = []
        for pair in self.alignment.pairs:
            call = self.walked(pair)
            given = inputs.get((call.path, call.index))
            if given is not None:
                pair = replace(pair, inputs=self.links(call, given, "inputs"))
            pairs.append(pair)
        return replace(self.alignment, pairs=tuple(pairs))

    def links(self, call: Call, given: tuple[Spot, ...], role: Role) -> tuple[Link, ...]:
        own = [Spot(call.path, call.index, role, i) for i in range(len(given))]
        if self.of.graph_is_a:
            return tuple(Link(x, y) for x, y in zip(given, own, strict=True))
        return tuple(Link(y, x) for x, y in zip(given, own, strict=True))
