"""Each layer's own verdict: B's, given A's inputs and around A's results, against A's.

In the forced run an error can come from one place only. What a layer gives differs: it is the
layer's. What a container hands to a layer in it, or makes of their results, differs: it is in the
container's own `construct`, or in a layer that only one of the two networks has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ..sides.child.messages import Call, CallNoise, Leaf, Value
from ..verify.judgement import Difference, Tolerance, difference
from .alignment import Alignment
from .comparison import LayerRow
from .plan import paired
from .recorded import Run
from .records import LayerPair


@dataclass(frozen=True)
class Isolated:
    """A's run and B's, forced to A's values; how they are aligned; A's noise by number of call."""

    a: Run
    b: Run
    alignment: Alignment
    noise: Mapping[int, CallNoise]
    tolerance: Tolerance

    def differences(self, one: Call, other: Call, role: str) -> tuple[Difference, ...]:
        """Of the tensors that B's call was about to take, or gave, against A's."""
        ours, theirs = getattr(one, role), getattr(other, role)
        noted = self.noise.get(one.number)
        noise = {leaf.label: leaf for leaf in getattr(noted, role, ())}
        found = [
            self.difference(x, y, noise.get(x.place))
            for x, y in zip(paired(ours, theirs), theirs, strict=True)
            if x is not None
        ]
        if role == "outputs" and len(ours) != len(theirs):
            problem = f"{len(theirs)} tensors, the original gives {len(ours)}"
            found.append(Difference("the result", 0.0, 0.0, 0.0, problem))
        return tuple(found)

    def difference(self, x: Value, y: Value, noise: Leaf | None) -> Difference:
        if x.digest == y.digest and x.dtype == y.dtype:
            return Difference(x.place, 0.0, self.a.sketch(x).norm, 0.0)
        one, other = self.a.leaf(x, noise), self.b.leaf(y)
        if one is None or other is None:
            return Difference(x.place, 0.0, 0.0, 0.0)
        return difference(one, other, self.tolerance, 0.0)


def rows_of(of: Isolated) -> tuple[LayerRow, ...]:
    """A row for each call of A's, then those of B's that have no counterpart."""
    rows = {
        one.number: own_row(of, one, other) for one, other in of.alignment.pairs if ran(of, other)
    }
    for one, other in of.alignment.pairs:
        if ran(of, other) and one.parent in rows:
            blame_what_hands_over(of, rows, one, forced(of, other))
    for call in of.alignment.missing:
        rows.setdefault(call.number, without_counterpart(of, call))
    return tuple(rows[number] for number in sorted(rows))


def ran(of: Isolated, other: Call) -> bool:
    return (other.path, other.index) in of.b.by_place


def forced(of: Isolated, other: Call) -> Call:
    return of.b.by_place[other.path, other.index]


def own_row(of: Isolated, one: Call, other: Call) -> LayerRow:
    """The verdict by what the layer gives."""
    call = forced(of, other)
    found = of.differences(one, call, "outputs")
    row = row_for(of, one, other)
    differs = any(not item.passed for item in found)
    return replace(
        row,
        verdict="differs" if differs else "same",
        differences=found,
        order=call.ended,
        pair=pair_of(of, one, call, found) if differs else None,
    )


def row_for(of: Isolated, one: Call, other: Call | None) -> LayerRow:
    return LayerRow(
        one.path,
        one.index,
        "" if other is None else other.path,
        of.a.kind(one.path),
        "" if other is None else of.b.kind(other.path),
        len(list(around(of.a, one))),
        one.number not in of.a.children,
        "not compared",
    )


def around(run: Run, call: Call) -> Iterator[Call]:
    """The calls that it is in, the innermost first."""
    while call.parent >= 0:
        call = run.calls[call.parent]
        yield call


def pair_of(of: Isolated, one: Call, call: Call, found: tuple[Difference, ...]) -> LayerPair:
    reference, candidate = of.a.record(one), of.b.record(call)
    return LayerPair(
        reference,
        replace(candidate, inputs=reference.inputs),
        {},
        tuple(item.allowed for item in found),
        tuple(item.absolute for item in found),
    )


def blame_what_hands_over(of: Isolated, rows: dict[int, LayerRow], one: Call, call: Call) -> None:
    """Where a layer would have been given something else than A's, that is its container's."""
    found = of.differences(one, call, "inputs")
    row = rows[one.parent]
    if all(item.passed for item in found) or (row.verdict == "differs" and row.order < call.began):
        return
    rows[one.parent] = replace(
        row,
        verdict="differs",
        part="inside",
        note=f"what it hands to {one.path}",
        differences=found,
        order=call.began,
    )


def without_counterpart(of: Isolated, call: Call) -> LayerRow:
    return row_for(of, call, None)
