"""The gradients of layers, each alone; see `sides/child/pullback.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Names
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ....numerics.rounding import Allowance
from ....numerics.verdict import Difference
from ...sides.child.messages import Call, Leaf, Outcome, Probe
from ...verify.judgement import difference, largest
from ..comparison import LayerRow
from ..matching.alignment import Link, Spot, spots
from ..recorded import Run
from ..weights import Weights
from .isolation import Isolated, reshaped, row_for, stored_for

if TYPE_CHECKING:
    from ...diagnosis import Hypothesis

OF_CHOICE = "gradient of a mask or label"

NOT_JUDGED = (
    "the gradient of an input that is 0 and 1 alone, a mask or labels, differs in {}: no weight "
    "learns by it, and code that is right for both numbers may have any slope there"
)


@dataclass(frozen=True)
class Probes:
    """The tensors by which both networks are differentiated; `links` by their keys.

    `again`: by the key of a tensor that a call takes once more, and its counterpart does not, the
    key under which both take it, as keys and values of attention.
    """

    links: dict[int, Link]
    ours: tuple[Probe, ...]
    theirs: tuple[Probe, ...]
    again: dict[int, int]


def probes_of(of: Isolated) -> Probes:
    """A probe for each pair of tensors that is exchanged in the forced run, each tensor once."""
    links = dict(enumerate(exchanged_once(of)))
    again = list(taken_again(of, links))
    keys = {len(links) + i: key for i, (_, _, key) in enumerate(again)}
    sides: tuple[list[Probe], list[Probe]] = ([], [])
    for key, link in links.items():
        is_asked = of.part is None or link in of.part.own
        for side, spot in enumerate((link.ours, link.theirs)):
            sides[side].append(probe_of(of, side, spot, (key, link), is_asked=is_asked))
    for number, (side, spot, key) in enumerate(again, len(links)):
        sides[side].append(probe_of(of, side, spot, (number, links[key]), is_asked=False))
    return Probes(links, tuple(sides[0]), tuple(sides[1]), keys)


def exchanged_once(of: Isolated) -> Iterator[Link]:
    """The links of tensors that A has kept, each tensor of either side in one of them."""
    taken = set[tuple[int, Spot]]()
    for pair in of.alignment.pairs:
        for link in (*pair.inputs, *pair.outputs):
            value = link.ours.of(of.a)
            both = {(0, link.ours), (1, link.theirs)}
            if value is not None and value.stored is not None and not both & taken:
                taken |= both
                yield link


def taken_again(of: Isolated, links: Names[int, Link]) -> Iterator[tuple[int, Spot, int]]:
    """What a call of one side takes in another place, too, and its counterpart does not."""
    known = {(side, spot) for x in links.values() for side, spot in enumerate((x.ours, x.theirs))}
    for (key, link), (side, run) in product(links.items(), enumerate((of.a, of.b))):
        for place in places_of(run, (link.ours, link.theirs)[side]):
            if (side, place) not in known:
                known.add((side, place))
                yield side, place, key


def places_of(run: Run, spot: Spot) -> list[Spot]:
    """All places in which a call takes the tensor that it takes in this one."""
    value, call = spot.of(run), run.by_place.get((spot.path, spot.index))
    if spot.role == "outputs" or value is None or call is None:
        return []
    taken = zip(spots(call, "inputs"), call.inputs, strict=True)
    return [place for place, other in taken if other.digest == value.digest]


def probe_of(
    of: Isolated, side: int, spot: Spot, named: tuple[int, Link], *, is_asked: bool
) -> Probe:
    """A probe of one side under a key, which is given A's tensor of the link."""
    key, link = named
    stored = stored_for(link.ours.of(of.a), spot.of((of.a, of.b)[side]))
    assert stored is not None
    return Probe(key, spot.path, spot.index, spot.role, spot.position, stored, is_asked)


def are_no_numbers(one: Leaf, other: Leaf) -> bool:
    """Whether both are NaN all over, so that neither says anything of the other."""
    return all(x.value.array.size and np.isnan(x.value.array).all() for x in (one, other))


@dataclass(frozen=True)
class Backward:
    """What both pullbacks gave."""

    of: Isolated
    probes: Probes
    ours: Outcome
    theirs: Outcome
    allowance: Allowance

    def rows(self) -> tuple[LayerRow, ...]:
        """A row for each call whose gradients differ, the last in the network first."""
        found: dict[int, list[Difference]] = {}
        for call, item in self.differences():
            if not item.passed:
                found.setdefault(call.number, []).append(item)
        rows = [self.row(self.of.a.calls[number], items) for number, items in found.items()]
        return tuple(sorted(rows, key=lambda row: row.order))

    def row(self, call: Call, differences: list[Difference]) -> LayerRow:
        pairs = [pair for pair in self.of.alignment.pairs if pair.one == call]
        return replace(
            row_for(self.of, call, pairs[0] if pairs else None),
            verdict="differs",
            part="gradient",
            phase="backward",
            mode="train" if call.training else "eval",
            differences=tuple(differences),
            order=-float(call.ended),
            hypotheses=self.hypotheses(call),
        )

    def hypotheses(self, call: Call) -> tuple[Hypothesis, ...]:
        """What became of the gradients of the call."""
        from ...diagnosis import diagnose_gradients  # which has its records from here

        own = [(ours, theirs) for of, ours, theirs in self.pairs if of == call]
        names = [one.label.removeprefix("gradient of ") for one, _ in own]
        ours = dict(zip(names, [one.value.array for one, _ in own], strict=True))
        theirs = dict(zip(names, [other.value.array for _, other in own], strict=True))
        shape = call.inputs[0].shape if call.inputs else ()
        return diagnose_gradients(ours, theirs, shape[0] if shape else None)

    def differences(self) -> Iterator[tuple[Call, Difference]]:
        """Each gradient with the call that it is of."""
        scales: dict[int, float] = {}
        for call, ours, _ in self.pairs:
            scales[call.number] = max(scales.get(call.number, 0.0), largest(ours))
        for call, ours, theirs in self.pairs:
            yield call, difference(ours, theirs, self.allowance, scales[call.number])

    @cached_property
    def pairs(self) -> list[tuple[Call, Leaf, Leaf]]:
        """Every gradient of A's and of B's that is judged, with A's call."""
        judged = [item for item in self.probed if item[1].label != OF_CHOICE]
        found = [*self.of_parameters(self.of.weights), *judged]
        return [item for item in found if not are_no_numbers(item[1], item[2])]

    def of_parameters(self, weights: Weights) -> Iterator[tuple[Call, Leaf, Leaf]]:
        """Parameters that both train, with the last call of their layer.

        Of networks with other names only those of layers that are judged alone.
        """
        theirs = {leaf.label: leaf for leaf in self.theirs.gradients}
        alone = {pair.one.path for pair in self.of.alignment.pairs if pair.one is not None}
        last = {
            call.path: call for call in self.of.a.calls if not weights.layers or call.path in alone
        }
        for leaf in self.ours.gradients:
            other = theirs.get(weights.names.get(leaf.label, ""))
            call = last.get(leaf.label.rpartition(".")[0])
            if other is not None and call is not None:
                name = f"gradient of {leaf.label.rpartition('.')[2]}"
                yield call, replace(leaf, label=name), reshaped(other, leaf)

    def told(self) -> Iterator[str]:
        """What is said of gradients that are not judged, where they differ."""
        off = [
            call.path or "(the network)"
            for call, ours, theirs in self.probed
            if ours.label == OF_CHOICE and not difference(ours, theirs, self.allowance, 0).passed
        ]
        lost = [call.path or "(the network)" for call, x, y in self.probed if are_no_numbers(x, y)]
        if lost:
            names = ", ".join(dict.fromkeys(lost))
            yield f"gradients are NaN on both sides, and so are not compared: {names}"
        if off:
            yield NOT_JUDGED.format(", ".join(dict.fromkeys(off)))

    @cached_property
    def choices(self) -> set[str]:
        """The digests of the network's inputs that are 0 and 1 alone, and both: masks, labels.

        Code that gives the same for both numbers is right, whatever its slope there is: a blend by
        a mask is `where`, too, and a loss for labels need not be defined between them.
        """
        outermost = [v for call in self.of.a.children.get(-1, ()) for v in call.inputs]
        arrays = {v.digest: self.of.a.views.array(v.stored) for v in outermost if v.stored}
        return {name for name, array in arrays.items() if np.array_equal(np.unique(array), (0, 1))}

    @cached_property
    def probed(self) -> list[tuple[Call, Leaf, Leaf]]:
        """Inputs with their call, results with the call around them, which goes on with these.

        Of a tensor that a call takes several times, as keys and values of attention, the sum:
        which of them a layer uses makes no difference.
        """
        found: list[tuple[Call, Leaf, Leaf]] = []
        sides = self.by_key(self.ours), self.by_key(self.theirs)
        taken: dict[tuple[int, str], list[tuple[Leaf, Leaf]]] = {}
        for key, leaf in sides[0].items():
            spot = self.probes.links[key].ours
            call = self.of.a.by_place[spot.path, spot.index]
            if key not in sides[1]:
                continue
            both = leaf, reshaped(sides[1][key], leaf)
            value = spot.of(self.of.a)
            if spot.role == "inputs" and value is not None:
                taken.setdefault((call.number, value.digest), []).append(both)
                continue
            call = self.of.a.calls[call.parent] if call.parent >= 0 else call
            found.append(
                (call, replace(leaf, label=f"gradient of what {spot.path} gives"), both[1])
            )
        for (number, digest), pairs in taken.items():
            ours, others = (added(leaves) for leaves in zip(*pairs, strict=True))
            name = OF_CHOICE if digest in self.choices else "gradient of its input"
            found.append((self.of.a.calls[number], replace(ours, label=name), others))
        return found

    def by_key(self, outcome: Outcome) -> dict[int, Leaf]:
        """The gradients of one side by the keys that both have."""
        found: dict[int, list[Leaf]] = {}
        for leaf in outcome.state:
            key = int(leaf.label)
            found.setdefault(self.probes.again.get(key, key), []).append(leaf)
        return {key: added(leaves) for key, leaves in found.items()}


def added(leaves: Sequence[Leaf]) -> Leaf:
    """The sum of tensors, with the sum of what rounding makes of them."""
    first = leaves[0]
    if len(leaves) == 1:
        return first
    array = sum((leaf.value.array for leaf in leaves[1:]), first.value.array)
    return replace(
        first,
        value=replace(first.value, array=array),
        noise=sum(leaf.noise for leaf in leaves),
        approximated=sum(leaf.approximated for leaf in leaves),
    )
