"""Each layer's own verdict: B's, given A's inputs and around A's results, against A's.

In the forced run an error can come from one place only. What a layer gives differs: it is the
layer's. What a container hands to a layer in it, or makes of their results, differs: it is in the
container's own code, or in a layer that only one of the two networks has (see `blame.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from ....numerics.rounding import Allowance
from ....numerics.verdict import Difference
from ...sides.child.messages import Call, Forced, Leaf, Noise, Stored, Value
from ...sides.naming import is_whole
from ...verify.judgement import difference
from ..comparison import LayerRow
from ..matching.alignment import Alignment, Link, Pairing, Role, Spot
from ..matching.closeness import plain_shape
from ..recorded import PUBLIC, Run
from ..records import LayerPair
from ..weights import Weights
from .evidence import pair_of
from .parts import Part

ROLES: tuple[Role, Role] = ("inputs", "outputs")


def plan_of(a: Run, alignment: Alignment, b: Run | None = None) -> tuple[Forced, ...]:
    """For each of B's calls what it gets in the place of its tensors: A's.

    Without `b`: the same for A itself, which gets its own in the same places. A value of a graph
    is what a layer gives, rather than what others take.
    """
    calls: dict[tuple[str, int], dict[Role, dict[int, Stored | None]]] = {}
    for link in links_of(alignment):
        spot = link.ours if b is None else link.theirs
        roles = calls.setdefault((spot.path, spot.index), {"inputs": {}, "outputs": {}})
        roles[spot.role].setdefault(spot.position, stored_for(link.ours.of(a), spot.of(b or a)))
    return tuple(
        Forced(path, index, *[tuple(in_order(roles[role])) for role in ROLES])
        for (path, index), roles in calls.items()
    )


def links_of(alignment: Alignment) -> list[Link]:
    pairs = alignment.pairs
    return [x for pair in pairs for x in pair.outputs] + [x for pair in pairs for x in pair.inputs]


def exchanged(alignment: Alignment) -> dict[Spot, Spot]:
    """What is put in the place of B's tensors."""
    found: dict[Spot, Spot] = {}
    for link in links_of(alignment):
        found.setdefault(link.theirs, link.ours)
    return found


def stored_for(value: Value | None, other: Value | None) -> Stored | None:
    """Where A's tensor is, in the shape of the tensor in whose place it is put."""
    if value is None or value.stored is None:
        return None
    if other is None or prod(other.shape) != prod(value.shape):
        return value.stored
    return replace(value.stored, shape=other.shape)


def in_order(values: Mapping[int, Stored | None]) -> Iterator[Stored | None]:
    """The tensors of a call by their positions, up to the last that there is."""
    for position in range(max(values, default=-1) + 1):
        yield values.get(position)


@dataclass(frozen=True)
class Isolated:
    """A's run and B's, forced to A's values; how they are aligned; A's noise; what each is of.

    `part`: what of them was recorded, if not all. `is_partial`: whether A is a recording, which
    need not have all that a layer gives.
    """

    a: Run
    b: Run
    alignment: Alignment
    noise: Noise
    allowance: Allowance
    weights: Weights
    part: Part | None = None
    is_partial: bool = False

    @property
    def walked(self) -> Run:
        """Whose layers the rows are."""
        return self.b if self.alignment.walked else self.a

    def own(self, pair: Pairing) -> Call | None:
        """The call of a pair that is of that side."""
        return pair.other if self.alignment.walked else pair.one

    @cached_property
    def noise_at(self) -> dict[Spot, Leaf]:
        found = {}
        for item in self.noise.calls:
            call = self.a.calls[item.number]
            for role, leaves in (("inputs", item.inputs), ("outputs", item.outputs)):
                for i, leaf in enumerate(leaves):
                    found[Spot(call.path, call.index, role, i)] = leaf  # type: ignore[arg-type]
        return found

    @cached_property
    def wrong_weights(self) -> dict[str, list[str]]:
        """The names of A's weights that B has others of, by layer."""
        found: dict[str, list[str]] = {}
        for name in self.weights.differences():
            found.setdefault(name.rpartition(".")[0], []).append(name)
        return found

    @cached_property
    def exchanged(self) -> set[Spot]:
        return {link.theirs for pair in self.alignment.pairs for link in pair.outputs}

    def forced(self, call: Call) -> Call | None:
        """The call of B's in the forced run."""
        return self.b.by_place.get((call.path, call.index))

    def differences(self, pair: Pairing, role: Role) -> tuple[Difference, ...]:
        """Of the tensors that B's call was about to take, or gave, against A's."""
        found = [self.difference(link) for link in pair.links(role)]
        call = None if pair.other is None else self.forced(pair.other)
        if role == "outputs" and call is not None and call.ended < 0:
            return ()
        if role == "outputs" and pair.one is not None and call is not None:
            ours, theirs = len(pair.one.outputs), len(call.outputs)
            is_whole = "onnx" not in (self.a.side, self.b.side) and not self.is_partial
            if ours != theirs and is_whole:
                problem = f"{theirs} tensors, the original gives {ours}"
                found.append(Difference("the result", 0.0, 0.0, 0.0, problem))
        return tuple(item for item in found if item is not None)

    def difference(self, link: Link) -> Difference | None:
        """None where there is nothing to compare: not kept, not reached, exchanged already."""
        if self.b.side == "onnx" and link.theirs.role == "outputs" and not self.is_own(link):
            return None
        x, y = link.ours.of(self.a), link.theirs.of(self.b)
        if x is None or y is None:
            return None
        size = max(abs(self.a.sketch(x).minimum), abs(self.a.sketch(x).maximum))
        if x.digest == y.digest and x.dtype == y.dtype:
            return Difference(x.place, 0.0, size, self.allowance.rtol * size)
        one, other = self.a.leaf(x, self.noise_at.get(link.ours)), self.b.leaf(y)
        if one is None or other is None:
            return None
        is_port = bool(self.weights.layers) and plain_shape(x) == plain_shape(y)
        if is_port or self.is_partial or "onnx" in (self.a.side, self.b.side):
            other = reshaped(other, one)
        if link.theirs.role == "inputs" and is_whole(x.dtype) and is_whole(y.dtype):
            other = replace(other, value=replace(other.value, dtype=x.dtype))
        if x.dtype == y.dtype and are_no_numbers(one, other):
            return Difference(x.place, 0.0, size, self.allowance.rtol * size)  # as of equal bits
        found = difference(one, other, self.allowance, 0.0)
        if not found.passed and link.theirs.path and plain_shape(x) != plain_shape(y):
            # within the network another shape of the same elements is another way to write it
            same = difference(one, reshaped(other, one), self.allowance, 0.0)
            return same if same.passed else found
        return found

    def is_own(self, link: Link) -> bool:
        """Whether a value of a graph is judged as what a layer gives: as an input it was put
        there."""
        return link.ours.role == "outputs" or link.theirs not in self.exchanged


def are_no_numbers(one: Leaf, other: Leaf) -> bool:
    """Whether every element of both is NaN, of which frameworks write the sign as they like.

    That there is nothing to compare is told of what the networks give, and which layer is to blame
    for it by where the first NaN arises.
    """
    a, b = one.value.array, other.value.array
    is_float = a.dtype.kind in "fc" and b.dtype.kind in "fc" and a.shape == b.shape
    return is_float and a.size > 0 and bool(np.isnan(a).all() and np.isnan(b).all())


def reshaped(leaf: Leaf, like: Leaf) -> Leaf:
    """The same elements in another shape, if it has as many."""
    if leaf.value.array.size != like.value.array.size:
        return leaf
    array = leaf.value.array.reshape(like.value.array.shape)
    return replace(leaf, value=replace(leaf.value, array=array))


def own_row(of: Isolated, pair: Pairing) -> LayerRow:
    """The verdict by what the layer gives."""
    call = of.own(pair)
    assert call is not None  # it is the walked one
    row = row_for(of, call, pair)
    found = of.differences(pair, "outputs")
    notes = (
        [f"its weights differ: {', '.join(of.wrong_weights[call.path])}"]
        if (call.path in of.wrong_weights)
        else []
    )
    if not found:
        return row
    differs = any(not item.passed for item in found)
    return replace(
        row,
        verdict="differs" if differs else "same",
        note="; ".join(notes) if differs else "",
        differences=found,
        order=ended(of, call),
        pair=pair_of(of, pair, found) if differs and is_one_layer(of, row) else None,
        settings=() if differs or not row.is_leaf else made_otherwise(of, pair, found),
    )


def is_one_layer(of: Isolated, row: LayerRow) -> bool:
    """Whether nothing is in it, or what is in it is the framework's own affair, as MindSpore's
    activation in a Dense."""
    own = of.walked.own(of.walked.layers[row.path])
    return row.is_leaf or (row.kind.startswith(PUBLIC) and bool(own))


def made_otherwise(of: Isolated, pair: Pairing, found: tuple[Difference, ...]) -> tuple[str, ...]:
    """The options of two layers that differ, though they give the same."""
    from ...diagnosis import compare_options  # which has its records from here

    if "onnx" in (of.a.side, of.b.side):
        return ()
    both = pair_of(of, pair, found)
    if both is None:
        return ()
    return (*(item.text for item in compare_options(both)), *drops_otherwise(both))


def drops_otherwise(pair: LayerPair) -> Iterator[str]:
    """The dropout within a recurrent layer, which no run shows, where both sides tell it."""
    if pair.reference.training or pair.reference.options.get("num_layers") in (None, 1):
        return  # in training it is switched off
    ours, theirs = (side.options.get("dropout") for side in (pair.reference, pair.candidate))
    if isinstance(ours, int | float) and isinstance(theirs, int | float) and ours != theirs:
        yield f"dropout: {ours:g} on the reference, {theirs:g} here, between its layers"


def row_for(of: Isolated, call: Call, pair: Pairing | None) -> LayerRow:
    """A row without a verdict."""
    mine, their = (of.b, of.a) if of.alignment.walked else (of.a, of.b)
    other = None if pair is None else pair.one if of.alignment.walked else pair.other
    return LayerRow(
        call.path,
        call.index,
        "" if other is None else other.path,
        mine.kind(call.path),
        "" if other is None else their.kind(other.path),
        len(list(around(mine, call))),
        call.number not in mine.children,
        "not compared",
    )


def ended(of: Isolated, call: Call) -> float:
    """When it was done in the forced run."""
    found = of.b.by_place.get((call.path, call.index)) if of.b.side != "onnx" else call
    return float((found or call).ended)


def around(run: Run, call: Call) -> Iterator[Call]:
    """The calls that it is in, the innermost first."""
    while call.parent >= 0:
        call = run.calls[call.parent]
        yield call
