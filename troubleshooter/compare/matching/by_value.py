"""Layers aligned with the nodes of an ONNX graph, by what they compute.

A layer may be one node or many, so tensors are paired, not calls. What a layer gives is a value of
the graph: of as many elements, close to it in numbers, computed from the same weights, in the scope
of the same name, and in the same order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from ....numerics.limits import OF_SKETCHES
from ...sides.child.messages import Call, Value
from ...sides.child.store import digest_of
from ..recorded import Run
from ..records import Array
from .alignment import Alignment, Link, Pairing, Role, Spot, spots
from .closeness import FAR, distance, distances
from .kinds import family, is_layer
from .sequence import best_pairs

SAME_SCOPE, LAST_OF_SCOPE, SAME_WEIGHTS, SAME_KIND = 2.0, 1.0, 3.0, 1.0
CLOSEST = 6.0
"""What hints count for, and tensors that are equal but for rounding."""

LEAST = 1.5
FOLDED = 4.0
"""So many times closer to a node's result is the layer that was folded into it."""

MOST_ALTERNATIVES = 6

WITH_BIAS = ("dense", "conv")
"""Layers that a graph may have as two nodes: the product, then the bias."""


@dataclass(frozen=True)
class Matched:
    """A network of layers and a graph; `graph_is_a` says which of the two is A.

    `before`: what was found before the run in question, in which containers' results were
    exchanged for those.
    """

    tree: Run
    graph: Run
    graph_is_a: bool
    before: Alignment | None = None

    @cached_property
    def nodes(self) -> list[Call]:
        return [call for call in self.graph.calls if call.path and call.outputs]

    @cached_property
    def values(self) -> list[tuple[Spot, Value]]:
        """What the graph is given, then what its nodes give."""
        root = self.graph.calls[0]
        found = list(zip(spots(root, "inputs"), root.inputs, strict=True))
        for node in self.nodes:
            found += zip(spots(node, "outputs"), node.outputs, strict=True)
        return found

    @cached_property
    def spot_of_name(self) -> dict[str, Spot]:
        """The values by their names in the graph."""
        return {value.place: spot for spot, value in self.values}

    @cached_property
    def by_digest(self) -> dict[str, Spot]:
        found: dict[str, Spot] = {}
        for spot, value in self.values:
            found.setdefault(value.digest, spot)
        return found

    def alignment(self) -> Alignment:
        pairs = []
        for call in self.tree.calls:
            inputs = self.links(call, "inputs")
            outputs = self.links(call, "outputs")
            node = self.node_of(call) or self.giver(outputs)
            one, other = (node, call) if self.graph_is_a else (call, node)
            pairs.append(Pairing(one, other, inputs, outputs))
        return Alignment(tuple(pairs), walked=int(self.graph_is_a))

    def giver(self, outputs: tuple[Link, ...]) -> Call | None:
        """The node that gives what a container does."""
        if not outputs:
            return None
        spot = outputs[0].ours if self.graph_is_a else outputs[0].theirs
        return self.graph.by_place[spot.path, spot.index]

    def node_of(self, call: Call) -> Call | None:
        return self.matches.get(call.number)

    def links(self, call: Call, role: Role) -> tuple[Link, ...]:
        values: tuple[Value, ...] = getattr(call, role)
        found = []
        for own, value in zip(spots(call, role), values, strict=True):
            spot = self.counterpart(call, role, own.position, value)
            if spot is not None:
                found.append(Link(spot, own) if self.graph_is_a else Link(own, spot))
        return tuple(found)

    def counterpart(self, call: Call, role: Role, position: int, value: Value) -> Spot | None:
        """What a tensor should be equal to: by structure if that says it, else what it is."""
        spot = self.ends(call, role, position)
        if spot is None and role == "inputs":
            spot = self.taken_by_node(call, position)
        if spot is None and role == "outputs":
            spot = self.given_by_node(call, position)
        is_container = call.number in self.tree.children
        if spot is None and is_container and role == "outputs":
            spot = self.exchanged.get(Spot(call.path, call.index, role, position))
            spot = spot or self.last_of_scope(call, value)
        if spot is None and (role == "inputs" or is_container):
            spot = self.wanted.get(value.digest)
        if spot is None:
            spot = self.known.get(value.digest) or self.nearest(value)
            if role == "outputs" and self.computes(call) and spot in self.taken:
                return None
        if spot is None and is_container and role == "outputs":
            spot = self.leaving_scope(call, value) or self.end_of_scope(call, value)
        return spot

    def leaving_scope(self, call: Call, value: Value) -> Spot | None:
        """What is taken outside of a container's scope, if one value of it has that shape."""
        if not call.path or sum(x.shape == value.shape for x in call.outputs) > 1:
            return None
        scopes = self.graph.layers
        inside = {x.path for x in self.nodes if is_within(scopes[x.path].scope, call.path)}
        found = {
            taken.place
            for node in self.nodes
            for taken in (node.inputs if inside and node.path not in inside else ())
            if taken.shape == value.shape
            and taken.place in self.givers
            and self.givers[taken.place].path in inside
        }
        return self.spot_of_name.get(found.pop()) if len(found) == 1 else None

    def last_of_scope(self, call: Call, value: Value) -> Spot | None:
        """What the last node of a container's scope gives, if that is what the container gives."""
        spot = self.end_of_scope(call, value)
        theirs = None if spot is None else spot.of(self.graph)
        if theirs is None or distance(self.tree, value, self.graph, theirs) > OF_SKETCHES:
            return None
        return spot

    @cached_property
    def taken(self) -> set[Spot]:
        """What leaves give."""
        return {spot for node in self.matches.values() for spot in spots(node, "outputs")}

    @cached_property
    def exchanged(self) -> dict[Spot, Spot]:
        """The graph's values by the network's that they were put in the place of."""
        links = [link for pair in (self.before or Alignment(())).pairs for link in pair.outputs]
        if self.graph_is_a:
            return {link.theirs: link.ours for link in links}
        return {link.ours: link.theirs for link in links}

    def end_of_scope(self, call: Call, value: Value) -> Spot | None:
        """What the last node of a container's scope gives, if it has as many elements."""
        scopes = self.graph.layers
        inside = [n for n in self.nodes if is_within(scopes[n.path].scope, call.path)]
        if not call.path or not inside or not as_many(inside[-1].outputs[0], value):
            return None
        return spots(inside[-1], "outputs")[0]

    def given_by_node(self, call: Call, position: int) -> Spot | None:
        node = self.node_of(call)
        if node is None or position >= len(node.outputs):
            return None
        return Spot(node.path, node.index, "outputs", position)

    def taken_by_node(self, call: Call, position: int) -> Spot | None:
        """What the node takes that does the same as a layer, or the nodes of its scope."""
        node = self.node_of(call)
        if node is None:
            return None
        taken: Sequence[Value] = node.inputs
        if family(self.tree.kind(call.path)) != family(self.graph.kind(node.path)):
            taken = self.taken_from_outside(node, self.nodes_of(call, node))
        fits = [as_many(x, y) for x, y in zip(taken, call.inputs, strict=False)]
        if len(taken) != len(call.inputs) or not all(fits):
            return None
        return self.spot_of_name.get(taken[position].place)

    def nodes_of(self, call: Call, node: Call) -> set[str]:
        """The nodes that a layer became: of its scope; in a container's, those with its weights."""
        scope = self.graph.layers[node.path].scope
        if scope and scope == call.path:
            return {path for path, layer in self.graph.layers.items() if layer.scope == scope}
        if family(self.tree.kind(call.path)) not in WITH_BIAS:
            return set()
        own = self.weights["tree", call.path]
        return {x.path for x in self.nodes if own & self.weights["graph", x.path]}

    def taken_from_outside(self, node: Call, inside: set[str]) -> list[Value]:
        """What a node and those before it among the nodes `inside` take from others."""
        found: dict[str, Value] = {}
        waiting, seen = [node], {node.path}
        while waiting and node.path in inside:
            for value in waiting.pop().inputs:
                giver = self.givers.get(value.place)
                if giver is None or giver.path not in inside:
                    found.setdefault(value.place, value)
                elif giver.path not in seen:
                    seen.add(giver.path)
                    waiting.append(giver)
        return list(found.values())

    @cached_property
    def givers(self) -> dict[str, Call]:
        """The nodes by the values that they give."""
        return {value.place: node for node in self.nodes for value in node.outputs}

    def alternatives(self, call: Call) -> list[tuple[Spot, ...]]:
        """What a layer may have to be given, where nothing says it: values before its node's.

        The nearest first, for a layer of one input.
        """
        node = self.node_of(call)
        if node is None or len(call.inputs) != 1 or self.taken_by_node(call, 0) is not None:
            return []
        found: list[tuple[Spot, ...]] = []
        for value in self.ancestors(node):
            if as_many(value, call.inputs[0]) and len(found) < MOST_ALTERNATIVES:
                found.append((self.spot_of_name[value.place],))
        return found

    def ancestors(self, node: Call) -> list[Value]:
        """All that a node's result follows from, the last first."""
        found: dict[str, Value] = {}
        waiting = [node]
        while waiting:
            for value in waiting.pop().inputs:
                if value.place not in found:
                    found[value.place] = value
                    waiting += [self.givers[value.place]] if value.place in self.givers else []
        order = {value.place: i for i, (_, value) in enumerate(self.values)}
        return sorted(found.values(), key=lambda value: -order.get(value.place, -1))

    @cached_property
    def wanted(self) -> dict[str, Spot]:
        """What tensors should be equal to, by what the layers that take them should be given."""
        found: dict[str, Spot] = {}
        for call in self.tree.calls:
            for position, value in enumerate(call.inputs):
                spot = self.taken_by_node(call, position)
                if spot is not None:
                    found.setdefault(value.digest, spot)
        return found

    def ends(self, call: Call, role: Role, position: int) -> Spot | None:
        """What the whole network takes and gives is known by its place."""
        root = self.graph.calls[0]
        names = [value.place for value in getattr(root, role)]
        if call.parent >= 0 or len(names) != len(getattr(call, role)):
            return None
        return self.spot_of_name.get(names[position])

    def nearest(self, value: Value) -> Spot | None:
        away = distances(self.tree, [value], self.graph, [v for _, v in self.values])[0]
        best = int(away.argmin())
        return self.values[best][0] if away[best] < OF_SKETCHES else None

    @cached_property
    def matches(self) -> dict[int, Call]:
        """The node that gives what a leaf of the network gives, by the number of its call."""
        leaves = [call for call in self.tree.calls if self.computes(call)]
        pairs = best_pairs(self.together(leaves, self.scores(leaves)))
        found = {leaves[i].number: self.nodes[j] for i, j in pairs}
        for number, node in list(found.items()):
            done = self.done_by(self.tree.calls[number], node, leaves)
            if done is not None and done.number not in found:
                found[done.number] = found.pop(number)
        taken = {node.number for node in found.values()}
        for number, node in found.items():
            bias = self.bias_behind(self.tree.calls[number], node)
            if bias is not None and bias.number not in taken:
                found[number] = bias
        return found

    def together(self, leaves: list[Call], scores: Array) -> Array:
        """The scores, a product's at the sum behind it where a layer is both: or two calls of the
        layer would be taken for the product and for the sum."""
        found = scores.copy()
        places = {node.number: k for k, node in enumerate(self.nodes)}
        for i, call in enumerate(leaves):
            for k in np.flatnonzero(scores[i] > 0):
                bias = self.bias_behind(call, self.nodes[k])
                if bias is not None:
                    behind = places[bias.number]
                    found[i, behind] = max(found[i, behind], scores[i, k])
                    found[i, k] = 0.0
        return found

    def bias_behind(self, call: Call, node: Call) -> Call | None:
        """The sum behind a product, where the layer has a bias, equal to the sum's or not; or where
        both nodes are called after the layer, which then lacks it."""
        is_product = self.graph.kind(node.path) == "onnx.MatMul"
        if not is_product or family(self.tree.kind(call.path)) not in WITH_BIAS:
            return None
        given = {value.place for value in node.outputs}
        takers = [x for x in self.nodes if given & {value.place for value in x.inputs}]
        if len(takers) != 1 or self.graph.kind(takers[0].path) != "onnx.Add":
            return None
        own = sorted(array.ndim for array in self.tree.own(self.tree.layers[call.path]).values())
        scopes = {self.graph.layers[x.path].scope for x in (node, takers[0])}
        has_bias = own == [1, 2] or (own == [2] and scopes == {call.path})
        return takers[0] if has_bias and self.graph.sizes(takers[0].path) else None

    def done_by(self, call: Call, node: Call, leaves: list[Call]) -> Call | None:
        """The layer right behind whose result the node gives, as one into which it was folded."""
        digest = call.outputs[0].digest
        behind = [x for x in leaves if digest in {value.digest for value in x.inputs}]
        if len(behind) != 1:
            return None
        values = [call.outputs[0], behind[0].outputs[0]]
        away = distances(self.tree, values, self.graph, [node.outputs[0]])[:, 0]
        is_closer = away[1] < OF_SKETCHES and away[0] > FOLDED * max(away[1], 1e-7)
        return behind[0] if is_closer else None

    @cached_property
    def known(self) -> dict[str, Spot]:
        """The graph's value for each distinct tensor of the network's that a leaf gives."""
        found = dict(self.by_digest)
        for number, node in self.matches.items():
            call = self.tree.calls[number]
            for value, spot in zip(call.outputs, spots(node, "outputs"), strict=False):
                found[value.digest] = spot
        return found

    def computes(self, call: Call) -> bool:
        """Whether it is a leaf that gives something else than what it takes."""
        if call.number in self.tree.children or not call.outputs:
            return False
        return call.outputs[0].digest not in {value.digest for value in call.inputs}

    def scores(self, leaves: list[Call]) -> Array:
        """Shapes: (leaves, nodes)"""
        if not leaves or not self.nodes:
            return np.zeros((len(leaves), len(self.nodes)))
        away = distances(
            *(self.tree, [call.outputs[0] for call in leaves]),
            *(self.graph, [node.outputs[0] for node in self.nodes]),
        )
        closeness = np.clip(-np.log10(np.maximum(away, 1e-9)), 0.0, CLOSEST)
        hints = np.array([[self.hint(call, node) for node in self.nodes] for call in leaves])
        found: Array = closeness + hints
        is_other_shape = away == FAR
        is_known = np.array([is_layer(self.tree.kind(call.path)) for call in leaves])[:, None]
        by_weights = np.where(is_known & (hints >= SAME_WEIGHTS), hints - 1, 0)
        found[is_other_shape] = by_weights[is_other_shape]  # own code goes on behind its weights
        found[found < LEAST] = 0.0
        return found

    def hint(self, call: Call, node: Call) -> float:
        """What names, weights and kinds say."""
        layer = self.graph.layers[node.path]
        found = 0.0
        if layer.scope and layer.scope == call.path:
            found += SAME_SCOPE + (LAST_OF_SCOPE if node.path in self.last_of_scopes else 0.0)
        if self.weights["tree", call.path] & self.weights["graph", node.path]:
            found += SAME_WEIGHTS
        if family(self.tree.kind(call.path)) == family(self.graph.kind(node.path)):
            found += SAME_KIND
        return found

    @cached_property
    def last_of_scopes(self) -> set[str]:
        last = {self.graph.layers[node.path].scope: node.path for node in self.nodes}
        return set(last.values())

    @cached_property
    def weights(self) -> defaultdict[tuple[str, str], set[str]]:
        """Digests of the weights of layers and nodes; of matrices, of their transposes, too."""
        found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for which, run in (("tree", self.tree), ("graph", self.graph)):
            own = ((path, run.own(layer).values()) for path, layer in run.layers.items())
            for path, array in ((path, array) for path, arrays in own for array in arrays):
                if array.size > 1:
                    found[which, path].add(digest_of(array))
                if array.ndim == 2 and which == "graph":
                    found[which, path].add(digest_of(np.ascontiguousarray(array.T)))
        return found


def as_many(one: Value, other: Value) -> bool:
    """Whether two tensors have the same number of elements: one may be a view of the other."""
    return prod(one.shape) == prod(other.shape)


def is_within(scope: str, path: str) -> bool:
    return scope == path or scope.startswith(f"{path}.")
