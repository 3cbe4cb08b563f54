"""The rows of all layers, and whose fault it is where a container hands on something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....numerics.verdict import Difference
from ...sides.child.messages import Call, Failure
from ...sides.places import shown
from ..comparison import LayerRow
from ..matching.alignment import Pairing
from ..recorded import Run
from .evidence import code_of
from .isolation import Isolated, around, own_row, row_for

EARLY = 2
"""So many events of a run are looked into."""

AFTER = 0.5
"""What follows from a layer that is missing comes behind it."""


@dataclass(frozen=True)
class Event:
    """Something that a container has in another way than A's: what it hands to `child`, or gives.

    `at` is the moment in the forced run.
    """

    container: Pairing
    child: Pairing | None
    differences: tuple[Difference, ...]
    at: float


def rows_of(of: Isolated) -> tuple[LayerRow, ...]:
    """A row for each call of the walked network, then for B's that have no counterpart."""
    pairs = {walked(of, pair).number: pair for pair in of.alignment.pairs}
    rows = {number: own_row(of, pair) for number, pair in pairs.items()}
    for pair in of.alignment.relaid:
        rows[walked(of, pair).number] = relaid_row(of, pair)
    for call in of.alignment.missing:
        rows[call.number] = missing_row(of, call)
    extra: dict[int, LayerRow] = {}
    for count, event in enumerate(events(of, pairs, rows)):
        blame(of, event, rows, extra, is_early=count < EARLY)
    fails(of, pairs, rows)
    return (*[rows[number] for number in sorted(rows)], *extra.values())


def walked(of: Isolated, pair: Pairing) -> Call:
    call = of.own(pair)
    assert call is not None
    return call


def missing_row(of: Isolated, call: Call) -> LayerRow:
    """A layer of A's that B has not; whether that matters, what comes behind it says."""
    row = row_for(of, call, None)
    if is_idle(call):
        return replace(row, verdict="same", note="does nothing here, and B has none")
    return replace(row, note="B has no such layer")


def relaid_row(of: Isolated, pair: Pairing) -> LayerRow:
    """A layer whose counterpart takes the same numbers with other axes: no verdict on it alone."""
    return replace(
        row_for(of, walked(of, pair), pair),
        note="it takes and gives the original's numbers, with its axes in another order",
    )


def is_idle(call: Call) -> bool:
    taken = {value.digest for value in call.inputs}
    return bool(call.outputs) and all(value.digest in taken for value in call.outputs)


def events(of: Isolated, pairs: dict[int, Pairing], rows: dict[int, LayerRow]) -> list[Event]:
    """In the order of the forced run."""
    found = []
    run = of.walked
    for number, pair in pairs.items():
        call = walked(of, pair)
        container = outside(of, pairs, pair)
        wrong = of.differences(pair, "inputs")
        if container is not None and any(not item.passed for item in wrong):
            container, child = handing_on(of, pairs, container, pair)
            found.append(Event(container, child, wrong, began(of, call)))
        if number in run.children and rows[number].verdict == "differs":
            found.append(Event(pair, None, rows[number].differences, rows[number].order))
    return sorted(found, key=lambda event: event.at)


def handing_on(
    of: Isolated, pairs: dict[int, Pairing], container: Pairing, child: Pairing
) -> tuple[Pairing, Pairing]:
    """The container by whose code a child is handed something else, and whom that hands it to.

    Where A is a graph, what a container is handed has no counterpart in it if it is wrong.
    """
    if not of.alignment.walked:
        return container, child
    while (outer := outside(of, pairs, container)) is not None:
        call = of.forced(walked(of, container))
        if call is None or len(container.inputs) == len(call.inputs):
            break
        container, child = outer, container
    return container, child


def outside(of: Isolated, pairs: dict[int, Pairing], pair: Pairing) -> Pairing | None:
    """The pair that it is in."""
    calls = around(of.walked, walked(of, pair))
    return next((pairs[c.number] for c in calls if c.number in pairs), None)


def began(of: Isolated, call: Call) -> float:
    found = of.b.by_place.get((call.path, call.index)) if of.b.side != "onnx" else call
    return float((found or call).began)


def blame(
    of: Isolated,
    event: Event,
    rows: dict[int, LayerRow],
    extra: dict[int, LayerRow],
    *,
    is_early: bool,
) -> None:
    """Marks the layer that only one of both has, else the container itself.

    What the container's code does otherwise is looked for where `is_early`.
    """
    container = walked(of, event.container)
    row = rows[container.number]
    lacking, added = between(of, event) if of.alignment.walked == 0 else ([], [])
    name = "its result" if event.child is None else walked(of, event.child).path
    what = "what it gives" if event.child is None else f"what it hands to {name}"
    if lacking or added:
        for call in lacking:
            rows[call.number] = replace(
                rows[call.number], verdict="missing", part="layer", order=event.at
            )
        for call in added:
            extra[call.number] = extra_row(of, call, event.at)
        who = (lacking or added)[0].path
        note, at = f"{what} differs: {who} is {'missing' if lacking else 'added'}", event.at + AFTER
    else:
        note, at = f"{what} differs{in_other_order(of, event)}", event.at
    if event.child is None and is_repeated(of, container):
        extra_call = extra_row(of, container, event.at)
        rows[container.number] = replace(extra_call, note="A does not call it once more")
        return
    if row.verdict == "differs" and row.part == "inside" and row.order <= at:
        return
    rows[container.number] = replace(
        row,
        verdict="differs",
        part="inside",
        note=note,
        differences=event.differences,
        order=at,
        hypotheses=code_of(of, event.container, event.child) if is_early else (),
    )


def is_repeated(of: Isolated, call: Call) -> bool:
    """Whether B calls a block once more than A, a graph that has no blocks: none of the layers in
    it that have weights answers to a node, as those of the call before did."""
    if not of.alignment.walked or not call.index:
        return False
    before = of.b.by_place.get((call.path, call.index - 1))
    found = answers(of, call)
    return bool(found) and not any(found) and before is not None and all(answers(of, before))


def answers(of: Isolated, outer: Call) -> list[bool]:
    """For each layer with weights in a call of B's whether what it gives answers to A's."""
    return [
        bool(pair.outputs)
        for pair in of.alignment.pairs
        if pair.other is not None and of.b.sizes(pair.other.path)
        if outer.number in [x.number for x in around(of.b, pair.other)]
    ]


def extra_row(of: Isolated, call: Call, at: float) -> LayerRow:
    """A layer of B's that A has not."""
    return LayerRow(
        call.path,
        call.index,
        call.path,
        "",
        of.b.kind(call.path),
        len(list(around(of.b, call))),
        call.number not in of.b.children,
        "extra",
        "layer",
        "A has no such layer",
        order=at,
    )


def between(of: Isolated, event: Event) -> tuple[list[Call], list[Call]]:
    """The layers that do something between the child, or the end, and the pair before it:
    those that B lacks, those that it has added."""
    one, other = event.container.one, event.container.other
    if one is None or other is None or of.b.side == "onnx":
        return [], []
    pairs = (*of.alignment.pairs, *of.alignment.relaid)
    ours = {pair.one.number for pair in pairs if pair.one is not None}
    theirs = {(pair.other.path, pair.other.index) for pair in pairs if pair.other is not None}
    container = of.forced(other)
    child = None if event.child is None else event.child
    lacking = before(of.a, one, None if child is None else child.one, lambda c: c.number in ours)
    added = (
        before(
            of.b,
            container,
            None if child is None or child.other is None else of.forced(child.other),
            lambda c: (c.path, c.index) in theirs,
        )
        if container is not None
        else []
    )
    return (
        [c for c in lacking if not is_idle(c) and is_telling(of, of.a, c)],
        [c for c in added if not is_idle(c) and is_telling(of, of.b, c)],
    )


def is_telling(of: Isolated, run: Run, call: Call) -> bool:
    """Whether a layer without counterpart is one that the other network does not have.

    Where networks have other names they are divided otherwise, too: what counts then are layers
    with nothing in them whose weights are nowhere in the other one.
    """
    layers = of.weights.layers
    known = set(layers) if run is of.a else set(layers.values())
    return not layers or (call.number not in run.children and call.path not in known)


def before(run: Run, container: Call, child: Call | None, is_paired: object) -> list[Call]:
    """The unpaired calls in the container right before the child; None: before its end."""
    calls: Sequence[Call] = run.children.get(container.number, ())
    end = len(calls)
    if child is not None:
        end = next((i for i, c in enumerate(calls) if c.number == child.number), 0)
    found: list[Call] = []
    for call in reversed(calls[:end]):
        if is_paired(call):  # type: ignore[operator]
            break
        found.insert(0, call)
    return found


def in_other_order(of: Isolated, event: Event) -> str:
    """A remark where B calls the layers of the container in another order."""
    one = event.container.one
    if one is None or of.alignment.walked or of.is_partial:  # of a dump the order is a graph's
        return ""
    forced = [
        (pair.one.number, call.number)
        for pair in of.alignment.pairs
        if pair.one is not None and pair.other is not None and pair.one.parent == one.number
        for call in [of.forced(pair.other)]
        if call is not None
    ]
    numbers = [theirs for _, theirs in sorted(forced)]
    return "; B calls its layers in another order" if numbers != sorted(numbers) else ""


def fails(of: Isolated, pairs: dict[int, Pairing], rows: dict[int, LayerRow]) -> None:
    """Marks the layer in which B's code raised something."""
    failure = of.b.recording.failure
    if failure is None:
        return
    unfinished = [call for call in of.b.calls if call.ended < 0]
    places = {(c.path, c.index): c for c in unfinished}
    for number, pair in reversed(list(pairs.items())):
        other = pair.other
        if other is not None and (other.path, other.index) in places:
            rows[number] = replace(
                rows[number],
                verdict="fails",
                note=described(failure),
                order=float(max(max(call.began, call.ended) for call in of.b.calls)),
            )
            return


def described(failure: Failure) -> str:
    place = f" at {shown(failure.file)}:{failure.line}: {failure.code}" if failure.file else ""
    return f"{failure.kind}: {failure.message}{place}"
