"""What a cause is tried on, and what trying is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ....numerics.distance import same
from ...compare.records import LayerRecord
from ..layers.arrays import Place, arrays
from ..layers.layer import Array, Layer, Outputs

Weights = Mapping[Place, Array]


@dataclass(frozen=True)
class Fact:
    """What is tried, in words: `subject` with its verb, what it is in the layer, what is tried.

    As in ("epsilon is", 1e-05, 0.001).
    """

    subject: str
    own: object
    tried: object

    def text(self, *, turned: bool) -> str:
        """What the candidate must be changed to, and what it has now.

        `turned`: the layer is the candidate's, so that what was tried is the reference's.
        """
        wanted, here = (self.tried, self.own) if turned else (self.own, self.tried)
        return f"{self.subject} {wanted} (here: {here})"


@dataclass(frozen=True, eq=False)
class Trial:
    """One thing changed, the `fact`.

    `compute`: what the reference's layer gives with the candidate's way of it.
    `tolerance`: how far off that may be beside rounding, where less is not to be had.
    """

    fact: Fact
    compute: Callable[[], Outputs]
    tolerance: float = 0.0


@dataclass(frozen=True, eq=False)
class Case:
    """The reference's layer, and the candidate's call of its own.

    `inputs` are those that the candidate was called with, `wanted` what came out. `weights` are
    the candidate's, by their places in the layer, and None where these are not known; `others`
    the weights of the reference's other layers, by the layers' paths.
    """

    layer: Layer
    reference: LayerRecord
    candidate: LayerRecord
    inputs: Outputs
    wanted: Outputs
    weights: Weights | None = None
    others: Mapping[str, Weights] | None = None

    def varied(self, fact: Fact, layer: Layer) -> Trial:
        """Another layer on the same inputs."""
        return Trial(fact, lambda: layer.outputs(*self.inputs))

    def fed(self, fact: Fact, *inputs: Array) -> Trial:
        """The same layer on other inputs."""
        return Trial(fact, lambda: self.layer.outputs(*inputs))

    def followed(self, fact: Fact, change: Callable[[Array], Array]) -> Trial:
        """The same layer, with something done to its first output."""
        return Trial(fact, lambda: (change(self.plain[0]), *self.plain[1:]))

    @cached_property
    def other_weights(self) -> dict[Place, Array | None]:
        """The candidate's weights that are not the reference's, None for one that it has not."""
        if self.weights is None:
            return {}
        theirs = self.weights
        return {
            place: theirs.get(place)
            for place, own in arrays(self.layer).items()
            if place not in theirs or not same(theirs[place], own)
        }

    @cached_property
    def plain(self) -> Outputs:
        """What the reference's layer gives for the candidate's inputs."""
        return self.layer.outputs(*self.inputs)

    def of(self, layer: Layer) -> Case:
        """The same call, as if the reference had another layer."""
        return replace(self, layer=layer)


@dataclass(frozen=True)
class Cause:
    """Something that goes wrong when a model is moved.

    `meaning` completes "the candidate has ..."; `layers` are those that it can happen to;
    `trials` gives the ways to try it, the likeliest first, for a layer of one of these types;
    `fields` are those of the layer that it is about. `in_weights`: it is about how weights are
    used, and not tried where the candidate's own are others. `opposite`: the cause that it is
    where reference and candidate change places.
    """

    name: str
    meaning: str
    layers: tuple[type[Layer], ...]
    trials: Callable[[Any, Case], Iterator[Trial]]
    fields: tuple[str, ...] = ()
    in_weights: bool = False
    opposite: str = ""
