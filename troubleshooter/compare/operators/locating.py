"""Runs a block that differs once more on both sides, and names the operator in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ...sides.child.messages import CALLED, RESULT, Block, Failure, Keeping, Value
from ...sides.places import shown
from ..comparison import LayerRow
from ..matching.alignment import Link, Pairing
from ..recorded import PUBLIC
from ..records import Array
from ..session import Session
from ..verdicts.isolation import Isolated, plan_of
from .cutting import first_cut
from .difference import Operation, OperatorDifference, Place, Tensor
from .equality import Equality
from .expansion import expanded
from .finding import Search
from .folding import record_of, unfolded
from .graph import Graph, Node, of_block
from .handing import Handed, at_caller, handed
from .kinds import are_related, kind_of
from .onnx_file import of_run
from .placing import ALIKE, Found, callers_of, stated
from .regions import Region, closeness, likeness
from .targets import container_of, counterpart, is_right_elsewhere, pairing_of, target_of

if TYPE_CHECKING:
    from ...diagnosis import Hypothesis

MOST = 3
"""So many blocks of a network are run once more."""

TOLD = (int, float, str, tuple)
"""Attributes of these types are compared."""

FOLLOWING = 20
"""So many further differences are looked at."""

FEW = 64
"""Tensors with fewer elements are small."""

LIMIT = 1 << 28
"""So many bytes of a block's tensors are kept on each side."""


@dataclass(frozen=True)
class Locator:
    """What is asked of both sides; `run`: inputs, seed and mode; `file`: where tensors are kept."""

    session: Session
    run: tuple[Any, ...]
    file: str

    def located(self, of: Isolated, rows: Sequence[LayerRow]) -> tuple[LayerRow, ...]:
        """The rows, the first ones that differ in their own code with the operator."""
        wrong = sorted((row for row in rows if is_own_code(row)), key=lambda row: row.order)
        chosen = [(row.path, row.call) for row in wrong[:MOST]]
        found = [
            self.with_operator(of, row, chosen.index((row.path, row.call)))
            if is_own_code(row) and (row.path, row.call) in chosen
            else row
            for row in rows
        ]
        found = list(with_moved(rows, found))
        wrong = [row for row in found if row.is_wrong]
        called = [
            row for row in wrong if is_of_calls(of, row) or is_right_elsewhere(of, row, wrong)
        ]
        first = min(called, key=lambda row: row.order, default=None)
        found = [self.with_calls(of, row) if row is first else row for row in found]
        return tuple(row for row in found if not is_handed_so(of, row, found))

    def with_calls(self, of: Isolated, row: LayerRow) -> LayerRow:
        """A layer that one side calls, with its call, and where the other side would have it, or
        calls another one."""
        side = 1 if row.verdict == "extra" or of.alignment.walked else 0
        call = (of.a, of.b)[side].by_place.get((row.path, row.call))
        pair = None if call is None else container_of(of, side, call.parent)
        graphs = None if pair is None else self.graphs(of, pair, 2 * MOST)
        if graphs is None:
            return row
        found = first_call(graphs, side, (row.path, row.call))
        if found is None:
            return row
        if row.verdict == "differs":
            there = counterpart(graphs, side, found, row.other_path)
            one = there if side else found.one
            other = found.other if side else there or found.near
            found = replace(found, verdict="differs", one=one, other=other, near=None)
            row = replace(row, hypotheses=(*causes_of(graphs, found), *row.hypotheses))
        return replace(row, operator=told(graphs, found))

    def with_operator(self, of: Isolated, row: LayerRow, number: int) -> LayerRow:
        pair = pairing_of(of, row)
        target = None if pair is None else target_of(of, pair)
        graphs = None if pair is None else self.graphs(of, pair, number)
        if pair is None or target is None or graphs is None:
            return row
        whole, graphs = graphs, expanded(graphs)
        row = replace(row, settings=(*row.settings, *attributes(of, pair)))
        found = found_in(of, whole, target) if graphs[0] is not whole[0] else None
        if found is None or not is_other_function(found):
            found = found_in(of, graphs, target)
        if found is None:
            return row
        outside = handed(graphs, found) if of.alignment.walked and row.path else None
        if outside is not None:
            return self.with_caller(of, row, outside, number)
        found, causes = explained(graphs, whole, found)
        hypotheses = in_order(row, causes, is_small=is_small(target, of))
        return replace(row, operator=told(graphs, found), hypotheses=hypotheses)

    def with_caller(self, of: Isolated, row: LayerRow, handed: Handed, number: int) -> LayerRow:
        """That of the code which hands a block what it should not be given."""
        call = of.b.by_place.get((row.path, row.call))
        pair = None if call is None else container_of(of, 1, call.parent)
        graphs = None if pair is None else self.graphs(of, pair, number)
        if pair is None or pair.other is None or graphs is None:
            return row
        found = at_caller(graphs, handed, (row.path, row.call), float("inf"))
        if found is None:
            return row
        one, other = pair.one, pair.other
        return replace(
            row,
            path=other.path,
            call=other.index,
            other_path="" if one is None else one.path,
            kind=of.b.kind(other.path),
            other_kind="" if one is None else of.a.kind(one.path),
            depth=row.depth - 1,
            part="inside",
            note=f"what it hands to {row.path} differs",
            differences=(),
            settings=(),
            operator=told(graphs, found),
            hypotheses=causes_of(graphs, found),
        )

    def cut(self, of: Isolated, rows: Sequence[LayerRow]) -> tuple[LayerRow, ...]:
        """The rows of gradients, the first ones with where a side alone cuts them off."""
        return tuple(
            self.with_cut(of, row, number) if number < MOST else row
            for number, row in enumerate(rows)
        )

    def with_cut(self, of: Isolated, row: LayerRow, number: int) -> LayerRow:
        pair = pairing_of(of, row)
        is_framework = row.kind.startswith(PUBLIC) and row.other_kind.startswith(PUBLIC)
        graphs = None if pair is None or is_framework else self.graphs(of, pair, MOST + number)
        found = None if graphs is None else first_cut(graphs)
        if graphs is None or found is None:
            return row
        causes = causes_of(graphs, found)
        hypotheses = (*row.hypotheses, *causes)
        return replace(row, operator=told(graphs, found), hypotheses=hypotheses)

    def graphs(self, of: Isolated, pair: Pairing, number: int) -> tuple[Graph, Graph] | None:
        """The operators of the block on both sides; None where one cannot be run so."""
        plans = plan_of(of.a, of.alignment), plan_of(of.a, of.alignment, of.b)
        found = []
        for index, (run, call) in enumerate(zip((of.a, of.b), (pair.one, pair.other), strict=True)):
            if run.side == "onnx":
                found.append(of_run(run))
                continue
            if call is None:
                return None
            keeping = Keeping(f"{self.file}_{number}_{index}", LIMIT)
            asked = (*self.run, keeping, plans[index], (call.path, call.index))
            block = self.session.halves[index].ask("block", *asked)
            if isinstance(block, Failure):
                return None
            assert isinstance(block, Block)
            found.append(of_block(run.side, block))
        return found[0], found[1]


def with_moved(rows: Sequence[LayerRow], found: Sequence[LayerRow]) -> Iterator[LayerRow]:
    """The rows; of a block that is only given something wrong its own is no verdict, and that of
    the code around it takes the place of what was said of that."""
    moved: dict[tuple[str, int], LayerRow] = {}
    for row, new in zip(rows, found, strict=True):
        if row.path != new.path:
            moved.setdefault((new.path, new.call), new)
    for row, new in zip(rows, found, strict=True):
        around = moved.get((row.path, row.call))
        if row.path != new.path:
            yield replace(row, verdict="not compared", note="it is given something else")
        elif around is not None and (not new.is_wrong or around.order < new.order):
            yield around
        else:
            yield new


def attributes(of: Isolated, pair: Pairing) -> Iterator[str]:
    """What both blocks have under one name with other values, as their own epsilon."""
    held = [
        run.layers[call.path].options if call is not None and call.path in run.layers else {}
        for run, call in zip((of.a, of.b), (pair.one, pair.other), strict=True)
    ]
    for name, own in held[0].items():
        other = held[1].get(name, own)
        are_told = isinstance(own, TOLD) and isinstance(other, TOLD)
        if are_told and name != "training" and own != other:
            yield f"its attribute {name}: {own!r} on the reference, {other!r} here"


def in_order(
    row: LayerRow, causes: tuple[Hypothesis, ...], *, is_small: bool
) -> tuple[Hypothesis, ...]:
    """What both sides compute as expressions first, where it is sure; then the operator's causes.

    Of a few numbers many expressions are true by accident.
    """
    sure = [one for one in row.hypotheses if one.agrees and one.cause != "unmodelled"]
    if causes and (is_small or not sure):
        return causes
    return (*row.hypotheses, *causes)


def is_small(link: Link, of: Isolated) -> bool:
    """Whether it is a result, which may follow from anything, of few numbers."""
    value = link.ours.of(of.a)
    is_result = link.theirs.role == "outputs"
    return is_result and (value is None or prod(value.shape) < FEW)


def is_handed_so(of: Isolated, row: LayerRow, rows: Sequence[LayerRow]) -> bool:
    """Whether what a block lacks is done by a node of an ONNX file that is outside of it, as the
    nodes' names say, and a block around it lacks that, too: so it is handed what is wrong."""
    if of.a.side != "onnx" or not row.path or row.operator is None or row.operator.a is None:
        return False
    own = f"/{row.path.replace('.', '/')}/"
    node = row.operator.a.node
    are_scoped = node.startswith("/") and any(call.path.startswith(own) for call in of.a.calls)
    if not are_scoped or own in node:
        return False
    around = [one for one in rows if one.is_wrong and one.operator is not None and one is not row]
    return any(not one.path or row.path.startswith(f"{one.path}.") for one in around)


def is_own_code(row: LayerRow) -> bool:
    """Whether what differs is in code of the user's, not in a layer of the framework's."""
    if row.verdict != "differs" or row.phase != "forward":
        return False
    if row.part == "inside":
        return True
    kinds = [kind for kind in (row.kind, row.other_kind) if kind and not kind.startswith("onnx.")]
    is_framework = all(kind.startswith(PUBLIC) for kind in kinds)
    return row.part == "output" and row.is_leaf and not is_framework


def is_of_calls(of: Isolated, row: LayerRow) -> bool:
    """Whether a layer is called on one side alone, or B calls another in its place."""
    if row.verdict in ("missing", "extra"):
        return True
    names = [name for name in of.weights.names if name.rpartition(".")[0] == row.path]
    owners = {of.weights.names[name].rpartition(".")[0] for name in names}
    is_whole = row.part == "output" and row.is_leaf and not of.alignment.walked
    return is_whole and bool(owners) and row.other_path not in owners


def first_call(graphs: tuple[Graph, Graph], side: int, asked: tuple[str, int]) -> Found | None:
    """The call of a layer, and who takes or gives on the other side what it is given."""
    own = [x for x in graphs[side].nodes if x.name == CALLED and (x.place, x.index) == asked]
    if not own or not own[0].inputs:
        return None
    node = own[0]
    equality = Equality(*graphs, 0.0)
    partners = (equality.partners, equality.partners_of_theirs)[side]
    equal = set(partners.get(node.inputs[0].digest, ()))
    there = [x for x in graphs[1 - side].nodes if x.line.number]
    takers = [x for x in there if equal & {v.digest for v in x.inputs}]
    giver = graphs[side].giver(node.inputs[0], node)
    is_inline = giver is None or giver.line.number == node.line.number
    givers = [x for x in there if equal & {v.digest for v in x.outputs}]
    places = [*(givers if is_inline or not takers else ()), *takers[:1]]
    places += [x for x in callers_of(takers) if likeness(node.line, x.line) >= ALIKE]
    near = max(places, key=lambda x: closeness(node.line, x.line), default=None)
    near = None if near is None else stated(graphs[1 - side], node, near)
    if side == 0:
        return Found("missing", node, None, near)
    return Found("extra", None, node, near)


def found_in(of: Isolated, graphs: tuple[Graph, Graph], link: Link) -> Found | None:
    one, other = link.ours.of(of.a), link.theirs.of(of.b)
    if one is None or other is None or one.stored is None or other.stored is None:
        return None
    mine, their = graphs[0].as_here(one.digest), graphs[1].as_here(other.digest)
    their = their or handed_to(graphs, link.theirs.path)
    if mine is None or their is None:
        return None
    digests = mine, their
    apart = away(of.a.views.array(one.stored), of.b.views.array(other.stored))
    equality = Equality(*graphs, apart)
    region = Region(equality, digests)
    spots = link.ours, link.theirs
    ends = [
        ender(graph, digest, spot.path if spot.role == "inputs" else "", spot.index)
        for graph, digest, spot in zip(graphs, digests, spots, strict=True)
    ]
    return likeliest(Search(region, (ends[0], ends[1])).found())


def is_other_function(found: Found) -> bool:
    """Whether each side calls another function as a whole, of one family: neither is written out
    then."""
    from ...diagnosis.functions.composites import RANK_OF  # which has its records from here

    one, other = found.one, found.other
    if one is None or other is None or found.verdict != "differs":
        return False
    kinds = kind_of(one.name), kind_of(other.name)
    are_whole = kinds[0] in RANK_OF and kinds[1] in RANK_OF
    return are_whole and kinds[0] != kinds[1] and are_related(*kinds)


def likeliest(several: Iterator[Found]) -> Found | None:
    """The first; of operators that take other numbers by themselves, which follow from a size, what
    gives another size before them."""
    first = next(several, None)
    if first is None or not is_of_numbers(first):
        return first
    numbers = [node.number for node in (first.one, first.other) if node is not None]
    for found in islice(several, FOLLOWING):
        node = found.one or found.other
        if node is not None and node.number < min(numbers) and resizes(node):
            return found
    return first


def is_of_numbers(found: Found) -> bool:
    """Whether two operators of one kind differ in numbers that are no tensors."""
    one, other = found.one, found.other
    if one is None or other is None or kind_of(one.name) != kind_of(other.name):
        return False
    numbers = [
        [v for v in node.arguments.values() if type(v) in (int, float)] for node in (one, other)
    ]
    return found.verdict == "differs" and numbers[0] != numbers[1]


def resizes(node: Node) -> bool:
    """Whether what it gives has another number of elements than the first that it takes."""
    taken, given = node.inputs[:1], node.outputs[:1]
    return bool(taken and given) and prod(taken[0].shape) != prod(given[0].shape)


def handed_to(graphs: tuple[Graph, Graph], path: str) -> str | None:
    """What B hands to a layer around this one that A, a graph without such layers, has not."""
    known = Equality(*graphs, 0.0).partners_of_theirs
    around = [
        node
        for node in graphs[1].nodes
        if node.name == CALLED and path.startswith(f"{node.place}.")
    ]
    handed = (value.digest for node in around for value in node.inputs)
    return next((digest for digest in handed if digest not in known), None)


def explained(
    graphs: tuple[Graph, Graph], whole: tuple[Graph, Graph], found: Found
) -> tuple[Found, tuple[Hypothesis, ...]]:
    """The difference with its causes; where one side has only a number, at that of the functions
    which compute it on the other side that must be another one.

    `whole`: the graphs before any function was written out.
    """
    changed = unfolded(whole, found)
    if changed is not None:
        return changed
    return found, causes_of(graphs, found)


def causes_of(graphs: tuple[Graph, Graph], found: Found) -> tuple[Hypothesis, ...]:
    """Why the operator gives something else."""
    from ...diagnosis import Hypothesis  # which has its records from here
    from ...diagnosis.functions import FunctionPair, diagnose_function

    wanted = called_there(graphs, found)
    if wanted and found.other is not None:
        text = f"agrees if the layer {wanted} is called (here: {found.other.place})"
        return (Hypothesis(text, "function-value", True, 1.0, 0.0),)
    alone = found.one if found.other is None else found.other if found.one is None else None
    if alone is not None and alone.name == CALLED:
        is_lacking = found.other is None
        here = "is called (here: it is not)" if is_lacking else "is not called (here: it is)"
        cause = "operator-missing" if is_lacking else "operator-extra"
        text = f"agrees if the layer {alone.place}, `{alone.line.expression}`, {here}"
        return (Hypothesis(text, cause, True, 1.0, 0.0),)
    one = None if found.one is None else record_of(graphs[0], found.one)
    other = None if found.other is None else record_of(graphs[1], found.other)
    labels, is_weight = ("", ""), False
    values: tuple[Array | None, Array | None] = (None, None)
    if found.taken is not None:
        labels = label(graphs[0], found.taken[0]), label(graphs[1], found.taken[1])
        values = graphs[0].array(found.taken[0]), graphs[1].array(found.taken[1])
        is_weight = labels[0] == labels[1] and found.taken[0].digest in graphs[0].names
    is_whole = (found.one is None) == (one is None) and (found.other is None) == (other is None)
    pair = FunctionPair(found.verdict, one, other, labels, values, found.several, is_weight)
    return diagnose_function(pair) if is_whole else ()


def called_there(graphs: tuple[Graph, Graph], found: Found) -> str:
    """The layer that A calls where B calls another one; of a file its node. "" if there is none."""
    one, other = found.one, found.other
    if one is None or other is None or other.name != CALLED or one.place == other.place:
        return ""
    if one.name == CALLED:
        return one.place
    return f"of {one.place}" if graphs[0].side == "onnx" else ""


def ender(graph: Graph, digest: str, path: str, index: int) -> Node:
    """Who takes a value: a layer, or the end of the block; where several statements return, its
    line is that of its giver."""
    takers = [
        node
        for node in graph.nodes
        if node.name in (CALLED, RESULT) and digest in {v.digest for v in node.inputs}
    ]
    exact = [node for node in takers if path and (node.place, node.index) == (path, index)]
    node = (exact or takers or graph.nodes[-1:])[0]
    giver = graph.givers.get(digest)
    if node.name == CALLED or node.line.number or giver is None:
        return node
    return replace(node, line=giver.line)


def away(a: Any, b: Any) -> float:
    """How far off a value is, of its largest element; infinite for what has another size."""
    if a.size != b.size or not a.size:
        return float("inf")
    x, y = a.astype(np.float64).reshape(-1), b.astype(np.float64).reshape(-1)
    finite = np.isfinite(x) & np.isfinite(y)
    size = float(np.abs(x[finite]).max(initial=0.0))
    found = float(np.abs(x - y)[finite].max(initial=0.0)) / (size or 1.0)
    return found if finite.all() or found else float("inf")


def told(graphs: tuple[Graph, Graph], found: Found) -> OperatorDifference:
    one = None if found.one is None else operation(graphs[0], found.one)
    other = None if found.other is None else operation(graphs[1], found.other)
    near = None
    if found.near is not None:
        near = operation(graphs[1] if found.verdict == "missing" else graphs[0], found.near)
    return OperatorDifference(found.verdict, one, other, near, off_by(graphs, found))


def off_by(graphs: tuple[Graph, Graph], found: Found) -> float | None:
    if found.one is None or found.other is None:
        return None
    for x, y in zip(found.one.outputs, found.other.outputs, strict=False):
        a, b = graphs[0].array(x), graphs[1].array(y)
        if prod(x.shape) == prod(y.shape) and a is not None and b is not None:
            return away(a, b)
    return None


def operation(graph: Graph, node: Node) -> Operation:
    line = node.line
    return Operation(
        f"{node.place}(...)" if node.name == CALLED else "" if node.name == RESULT else node.name,
        shown(line.file) if line.file else "",
        line.number,
        line.last,
        line.text,
        line.expression,
        node.place if graph.side == "onnx" else "",
        tuple(tensor(graph, value) for value in node.inputs),
        tuple(tensor(graph, value) for value in node.outputs),
        tuple(Place(shown(one.file), one.number, one.text) for one in line.callers),
    )


def tensor(graph: Graph, value: Value) -> Tensor:
    return Tensor(label(graph, value), value.shape, value.dtype)


def label(graph: Graph, value: Value) -> str:
    """What a value is: a parameter, an input, what a layer or an operator gives."""
    found = graph.labels.get(value.digest)
    giver = graph.givers.get(value.digest)
    if found is not None or giver is None:
        return found or ""
    several = [x.digest for x in giver.outputs]
    part = f"[{several.index(value.digest)}]" if len(several) > 1 else ""
    line = f", line {giver.line.number}" if giver.line.number else ""
    return f"{kind_of(giver.name)}{part}{line}"
