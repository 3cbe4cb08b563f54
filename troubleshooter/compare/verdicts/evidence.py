"""What the diagnosis is given of two layers that do not do the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ....numerics.verdict import Difference
from ...sides.child.messages import Call, Leaf, Value
from ..matching.alignment import Pairing, Role
from ..recorded import Run
from ..records import Array, Arrays, LayerPair, LayerRecord

if TYPE_CHECKING:
    from ...diagnosis import Hypothesis
    from .isolation import Isolated


def pair_of(of: Isolated, pair: Pairing, found: tuple[Difference, ...]) -> LayerPair | None:
    """Both layers' calls, with A's tensors as the inputs of both."""
    call = None if pair.other is None else of.forced(pair.other)
    if call is None:
        return None
    ours = (
        [link.ours.of(of.a) for link in pair.inputs],
        [link.ours.of(of.a) for link in pair.outputs],
    )
    theirs = [link.theirs.of(of.b) for link in pair.outputs]
    reference = record_of(of.a, pair.one, *ours, call)
    candidate = record_of(of.b, call, ours[0], theirs, call)
    names = {} if pair.one is None else renamed(of, pair.one, call, reference)
    return LayerPair(
        reference,
        replace(candidate, inputs=reference.inputs),
        names,
        tuple(item.allowed for item in found),
        tuple(item.absolute for item in found),
        lenders=lenders(of, pair.one, call),
    )


def lenders(of: Isolated, one: Call | None, other: Call) -> tuple[LayerRecord, ...]:
    """A's other layers that have weights which B's layer has."""
    own = {path: of.a.own(layer).values() for path, layer in of.a.layers.items()}
    mine = () if one is None else own[one.path]
    taken = [
        array
        for array in of.b.own(of.b.layers[other.path]).values()
        if array.size > 1 and not any(same(array, held) for held in mine)
    ]
    found: dict[str, LayerRecord] = {}
    for call in of.a.calls if taken else ():
        is_other = call.path not in found and (one is None or call.path != one.path)
        if is_other and any(same(x, held) for x in taken for held in own[call.path]):
            found[call.path] = of.a.record(call)
    return tuple(found.values())


def same(one: Array, other: Array) -> bool:
    """Equal elements; of matrices, transposed, too."""
    return np.array_equal(one, other) or (one.ndim == 2 and np.array_equal(one.T, other))


def record_of(
    run: Run,
    call: Call | None,
    inputs: Sequence[Value | None],
    outputs: Sequence[Value | None],
    place: Call,
) -> LayerRecord:
    """The call's record; of nodes of a graph that are a layer together, what goes in and out."""
    if call is not None and (run.side != "onnx" or is_alone(call, inputs)):
        return run.record(run.by_place[call.path, call.index])
    taken, given = (
        tuple(run.arrays(tuple(value for value in values if value is not None)))
        for values in (inputs, outputs)
    )
    kind, own = product_of(run, call)
    return LayerRecord(place.path, kind, run.side, {}, own, taken, given, place.training)


def product_of(run: Run, node: Call | None) -> tuple[str, dict[str, Array]]:
    """The kind and weights of a product and the bias that is added to it, two nodes of a graph, as
    the one that they are; of other nodes nothing."""
    if node is None or run.kind(node.path) != "onnx.Add":
        return "", {}
    bias = list(run.own(run.layers[node.path]).values())
    taken = {value.place for value in node.inputs}
    for other in run.calls:
        is_product = taken & {value.place for value in other.outputs}
        if not is_product or run.kind(other.path) != "onnx.MatMul":
            continue
        weight = run.own(run.layers[other.path]).get("B")
        if weight is not None and weight.ndim == 2 and len(bias) == 1:
            return "onnx.Gemm", {"B": weight, "C": bias[0]}
    return "", {}


def is_alone(node: Call, inputs: Sequence[Value | None]) -> bool:
    """Whether the node itself is given what the layer is."""
    given = {value.digest for value in inputs if value is not None}
    return given == {value.digest for value in node.inputs}


def renamed(of: Isolated, one: Call, other: Call, reference: LayerRecord) -> dict[str, str]:
    """A's parameters by the names that they have in B, both within the layer."""
    ours, theirs = (f"{call.path}." if call.path else "" for call in (one, other))
    return {
        name.removeprefix(ours): new.removeprefix(theirs)
        for name, new in of.weights.names.items()
        if name.startswith(ours) and name.removeprefix(ours) in reference.parameters
    }


def code_of(of: Isolated, container: Pairing, child: Pairing | None) -> tuple[Hypothesis, ...]:
    """What the container hands to the child, or gives, of what it was given and got before."""
    from ...diagnosis import diagnose_code  # which has its records from here

    role: Role = "outputs" if child is None else "inputs"
    pair = container if child is None else child
    call = of.own(pair)
    path = call.path if call is not None and call.path else "the network"
    name = f"what {path} {'gives' if child is None else 'gets'}"
    for link in pair.links(role):
        difference = of.difference(link)
        ours, theirs = link.ours.of(of.a), link.theirs.of(of.b)
        if difference is None or difference.passed or ours is None or theirs is None:
            continue
        one, other = of.a.leaf(ours), of.b.leaf(theirs)
        if one is not None and other is not None:
            sources = available(of, container, child)
            return diagnose_code(name, one.value.array, other.value.array, sources)
    return ()


def available(of: Isolated, container: Pairing, child: Pairing | None) -> dict[str, Array]:
    """The tensors that the container was given, gave to its layers before the child, and got."""
    whole = of.own(container)
    last = None if child is None else of.own(child)
    assert whole is not None  # it is the walked network's
    found = named(of, "input", container, "inputs")
    for pair in of.alignment.pairs:
        call = of.own(pair)
        if call is None or call.parent != whole.number or (last and call.number >= last.number):
            continue
        own = call.path.removeprefix(f"{whole.path}.") if whole.path else call.path
        own = f"{own} #{call.index + 1}" if call.index else own
        for name, value in (
            *named(of, f"{own}'s input", pair, "inputs").items(),
            *named(of, own, pair, "outputs").items(),
        ):
            if value.digest not in {held.digest for held in found.values()}:
                found[name] = value
    leaves = {name: of.a.leaf(value) for name, value in found.items()}
    return {name: leaf.value.array for name, leaf in leaves.items() if leaf is not None}


def named(of: Isolated, name: str, pair: Pairing, role: Role) -> dict[str, Value]:
    """A's tensors of a call, each once; numbered, if there are several."""
    values = [link.ours.of(of.a) for link in pair.links(role)]
    once = list({value.digest: value for value in values if value is not None}.values())
    return {f"{name}[{k}]" if len(once) > 1 else name: value for k, value in enumerate(once)}


def state_pair(of: Isolated, pair: Pairing) -> LayerPair | None:
    """The calls, and what they left of the layers' buffers."""
    found = pair_of(of, pair, ())
    if found is None or pair.one is None:
        return None
    sides = (
        (found.reference, of.a.recording.buffers),
        (found.candidate, of.b.recording.buffers),
    )
    ours, theirs = (replace(side, state_after=left(side, buffers)) for side, buffers in sides)
    return replace(found, reference=ours, candidate=theirs, parts_in="step")


def left(record: LayerRecord, buffers: Sequence[Leaf]) -> Arrays:
    """The buffers of a layer after the run, by their names in it."""
    prefix = f"{record.path}." if record.path else ""
    return {
        leaf.label.removeprefix(prefix): leaf.value.array
        for leaf in buffers
        if leaf.label.startswith(prefix)
    }
