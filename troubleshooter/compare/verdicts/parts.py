"""Networks whose tensors are more than what is kept at once, judged part after part.

Both run once for each part. B is made to go through all of its layers as ever; but only what it
is given within the part, and what the code around its layers may still need there, is recorded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, prod

import numpy as np

from ...sides.child.messages import Call, Value
from ..comparison import LayerRow
from ..matching.alignment import Alignment, Link, Role, Spot
from ..recorded import Run
from ..records import Array, LayerPair, LayerRecord

Place = tuple[str, int, Role]
"""What a call takes or gives."""

ROLES: tuple[Role, Role] = ("inputs", "outputs")


@dataclass(frozen=True)
class Part:
    """The tensors of B that are judged in one go, and all that it is given for that.

    `theirs`: of B, in the order of its run. `own`: their links. `around`: links that came before,
    and that the code around B's layers may still need. `layers`: A's all calls of which are given
    something in it.
    """

    theirs: tuple[Place, ...]
    own: frozenset[Link]
    around: frozenset[Link]
    layers: frozenset[str]

    @cached_property
    def ours(self) -> tuple[Place, ...]:
        """What A gives for it."""
        return tuple(sorted({place_of(link.ours) for link in self.own | self.around}))


def place_of(spot: Spot) -> Place:
    return spot.path, spot.index, spot.role


def is_whole(run: Run) -> bool:
    """Whether every tensor was kept."""
    values = [value for call in run.calls for role in ROLES for value in getattr(call, role)]
    return all(value.stored is not None for value in values)


def size_of(value: Value) -> int:
    """Units: bytes"""
    dtype = "float32" if value.dtype == "bfloat16" else value.dtype
    return prod(value.shape) * np.dtype(dtype).itemsize


@dataclass(frozen=True)
class Division:
    """Both runs, as they are aligned; `limit`: so many bytes of A's are kept at once.

    What the code around B's layers needs is kept whatever its size is.
    """

    a: Run
    b: Run
    alignment: Alignment
    limit: int

    @cached_property
    def links(self) -> dict[Place, list[Link]]:
        found: dict[Place, list[Link]] = {}
        for pair in self.alignment.pairs:
            for link in (*pair.inputs, *pair.outputs):
                found.setdefault(place_of(link.theirs), []).append(link)
        return found

    @cached_property
    def places(self) -> list[Place]:
        """What B's calls take and give, in the order of its run."""
        timed: list[tuple[float, Place]] = []
        for call in self.b.calls:
            timed.append((call.began, (call.path, call.index, "inputs")))
            timed.append((ended(call), (call.path, call.index, "outputs")))
        return [place for _, place in sorted(timed, key=lambda item: item[0])]

    def parts(self) -> Iterator[Part]:
        start = 0
        while start < len(self.places):
            around = self.around(start)
            room = max(self.limit - self.bytes(around), self.limit // 2)
            end = self.end(start, room)
            own = [link for place in self.places[start:end] for link in self.links.get(place, ())]
            if own:
                theirs = tuple(self.places[start:end])
                yield Part(theirs, frozenset(own), frozenset(around), self.layers(own))
            start = end

    def layers(self, own: Sequence[Link]) -> frozenset[str]:
        found = Counter(called(own))
        return frozenset(path for path, count in found.items() if count == self.counts[path])

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(called([link for links in self.links.values() for link in links]))

    def end(self, start: int, room: int) -> int:
        """Behind the last place that there is room for; there is always for one."""
        held = set[str]()
        for i in range(start, len(self.places)):
            for link in self.links.get(self.places[i], ()):
                value = link.ours.of(self.a)
                if value is not None and value.digest not in held:
                    held.add(value.digest)
                    room -= size_of(value)
            if room < 0 and i > start:
                return i
        return len(self.places)

    def bytes(self, links: Sequence[Link]) -> int:
        values = [link.ours.of(self.a) for link in links]
        return sum({v.digest: size_of(v) for v in values if v is not None}.values())

    def around(self, start: int) -> list[Link]:
        """What B's open containers were given, and what the layers in them took and gave."""
        if self.b.side == "onnx":
            return self.behind(start)
        done = set(self.places[:start])
        is_open = {
            call.number: call
            for call in self.b.calls
            if (call.path, call.index, "inputs") in done
            and (call.path, call.index, "outputs") not in done
        }
        found: list[Link] = []
        for call in self.b.calls:
            for role in ROLES:
                place = call.path, call.index, role
                if place in done and (call.number in is_open or call.parent in is_open):
                    found += self.links.get(place, ())
        return found

    def behind(self, start: int) -> list[Link]:
        """Of a graph, the values from before that later nodes follow from."""
        done = set(self.places[:start])
        givers = {v.place: call for call in self.b.calls[1:] for v in call.outputs}
        later = [c for c in self.b.calls[1:] if (c.path, c.index, "outputs") not in done]
        waiting = [value.place for call in later for value in call.inputs]
        found: dict[Place, list[Link]] = {}
        seen = set[str]()
        while waiting:
            name = waiting.pop()
            giver = givers.get(name)
            if giver is None or name in seen:
                continue
            seen.add(name)
            place: Place = (giver.path, giver.index, "outputs")
            if place in done and place in self.links:
                found[place] = self.links[place]
            elif place in done:
                waiting += [value.place for value in giver.inputs]
        return [link for links in found.values() for link in links]


def called(links: Sequence[Link]) -> Iterator[str]:
    """The layers of A's that are given something, each as often."""
    for link in links:
        if link.ours.role == "inputs":
            yield link.ours.path


def ended(call: Call) -> float:
    return inf if call.ended < 0 else float(call.ended)


def with_stored(run: Run, part: Run, places: Sequence[Place]) -> Run:
    """The run with what a run of a part has kept, and of nothing else."""
    wanted = set(places)

    def values(call: Call, role: Role) -> tuple[Value, ...]:
        own: tuple[Value, ...] = getattr(call, role)
        found = part.by_place.get((call.path, call.index))
        if found is None or (call.path, call.index, role) not in wanted:
            return tuple(replace(value, stored=None) for value in own)
        return tuple(
            replace(value, stored=other.stored, digest=other.digest)
            for value, other in zip(own, getattr(found, role), strict=False)
        )

    calls = tuple(
        replace(call, inputs=values(call, "inputs"), outputs=values(call, "outputs"))
        for call in run.calls
    )
    return Run(run.side, replace(run.recording, calls=calls), run.state, part.views)


def joined(run: Run, part: Run, places: Sequence[Place]) -> Run:
    """The run of a part, and of what that has not looked at what is known so far."""
    wanted = set(places)
    sketches = np.concatenate([run.recording.sketches, part.recording.sketches])
    first = len(run.recording.sketches)

    def values(call: Call, role: Role) -> tuple[Value, ...]:
        new: tuple[Value, ...] = getattr(call, role)
        if (call.path, call.index, role) in wanted:
            return tuple(replace(v, row=v.row + first, stored=None) for v in new)
        held = run.by_place.get((call.path, call.index))
        old: tuple[Value, ...] = () if held is None else getattr(held, role)
        return old if len(old) == len(new) else new

    calls = tuple(
        replace(call, inputs=values(call, "inputs"), outputs=values(call, "outputs"))
        for call in part.calls
    )
    return Run(run.side, replace(part.recording, calls=calls, sketches=sketches), run.state)


def merged(rows: Sequence[Sequence[LayerRow]]) -> tuple[LayerRow, ...]:
    """Of the rows of all parts one for each that a single run has: the first that differs."""
    found: dict[tuple[str, int, str, bool], LayerRow] = {}
    for row in (row for part in rows for row in part):
        phase = "" if row.phase == "forward" else row.phase
        key = row.path, row.call, phase, row.verdict == "extra"
        held = found.get(key)
        if held is None or rank(row) < rank(held):
            found[key] = row
    return tuple(found.values())


def rank(row: LayerRow) -> tuple[int, float]:
    if row.is_wrong:
        return 0, row.order
    return (1 if row.verdict == "same" else 2), 0.0


def in_memory(rows: Sequence[LayerRow], room: int) -> tuple[tuple[LayerRow, ...], int]:
    """The rows without the files that their tensors are in, and how many bytes are left.

    Of layers behind those for which there was room, nothing but figures is shown.
    """
    found = []
    for row in rows:
        if row.pair is not None:
            size = sum(x.nbytes for x in arrays_of(row.pair))
            row = replace(row, pair=copied(row.pair) if room > 0 else None)
            room -= size
        found.append(row)
    return tuple(found), room


def arrays_of(pair: LayerPair) -> Iterator[Array]:
    for record in (pair.reference, pair.candidate, *pair.lenders):
        yield from record.inputs
        yield from record.outputs


def copied(pair: LayerPair) -> LayerPair:
    held: dict[int, Array] = {}

    def record(of: LayerRecord) -> LayerRecord:
        inputs, outputs = (
            tuple(held.setdefault(id(x), np.array(x)) for x in arrays)
            for arrays in (of.inputs, of.outputs)
        )
        return replace(of, inputs=inputs, outputs=outputs)

    one, other = record(pair.reference), record(pair.candidate)
    return replace(
        pair, reference=one, candidate=other, lenders=tuple(record(x) for x in pair.lenders)
    )
