"""What is tried of a pair: which layer, on which inputs, and what it should give."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...numerics.distance import distance
from ...numerics.limits import REPRODUCED, ROUNDING_FACTOR
from ...numerics.rounding import STEP, step_of
from ..compare.records import LayerPair, LayerRecord
from .causes import Case
from .causes.case import Weights
from .closeness import rounding_of
from .layers.arrays import arrays
from .layers.layer import Array, Layer, Outputs
from .reading import Description, describe
from .reading.description import widened
from .reading.state import left_by

MISFITS = (ValueError, IndexError, TypeError, ZeroDivisionError, np.linalg.LinAlgError)
"""What NumPy says where a thing that is tried does not fit the shapes."""


@dataclass(frozen=True, eq=False)
class Recorded(Layer):
    """A layer of which nothing is known but what came out."""

    result: list[Array]

    def outputs(self, *inputs: Array) -> Outputs:
        return tuple(self.result)


@dataclass(frozen=True, eq=False)
class Attempt:
    """What is tried: a layer, what it should give, how far off is rounding.

    `recorded` is what came out of the layer itself. `turned`: the layer is the candidate's, and
    should give the reference's output, for want of knowing what the reference's is.
    """

    case: Case
    limit: float
    recorded: Outputs
    turned: bool = False

    @property
    def is_sure(self) -> bool:
        """Whether the reference's layer is known, so that there is nothing else to be tried."""
        return not self.turned and not isinstance(self.case.layer, Recorded)


def attempts(pair: LayerPair, others: Sequence[LayerRecord]) -> Iterator[Attempt]:
    """By the reference's layer, else by the candidate's, then by outputs alone."""
    if pair.parts_in == "step":
        yield from attempts_on_state(pair)
        return
    reference, candidate = pair.reference, pair.candidate
    ours, theirs = modelled(reference), modelled(candidate)
    recorded = tuple(widened(y) for y in reference.outputs)
    wanted = tuple(widened(y) for y in candidate.outputs)
    if ours.layer is not None:
        weights, known = candidates_weights(pair), weights_of_others(pair, others)
        inputs = tuple(widened(x) for x in inputs_of(pair))
        case = Case(ours.layer, reference, candidate, inputs, wanted, weights, known)
        yield Attempt(case, ours.limit, recorded)
        return
    inputs = tuple(widened(x) for x in candidate.inputs)
    if theirs.layer is not None:
        case = Case(theirs.layer, candidate, reference, inputs, recorded)
        yield Attempt(case, theirs.limit, wanted, turned=True)
    case = Case(Recorded(list(recorded)), reference, candidate, inputs, wanted)
    yield Attempt(case, ours.limit, recorded)


def attempts_on_state(pair: LayerPair) -> Iterator[Attempt]:
    """By the running statistics that either side begins with, and what becomes of them."""
    ours, theirs = left_by(pair.reference), left_by(pair.candidate)
    if ours is None or theirs is None:
        return
    inputs = tuple(widened(x) for x in pair.reference.inputs)
    for one, other, turned in ((ours, theirs, False), (theirs, ours, True)):
        known = checked(one.layer, inputs, one.after)
        if known.layer is not None:
            case = Case(known.layer, pair.reference, pair.candidate, inputs, other.after)
            yield Attempt(case, known.limit, one.after, turned)
            return


@dataclass(frozen=True, eq=False)
class Modelled:
    """A layer that gives what was recorded of it, or None, and how far off is rounding."""

    layer: Layer | None
    limit: float


def modelled(record: LayerRecord) -> Modelled:
    description = describe(record)
    layer = None if description is None else description.built()
    inputs = tuple(widened(x) for x in record.inputs)
    return checked(layer, inputs, record.outputs)


def checked(layer: Layer | None, inputs: Outputs, outputs: Outputs) -> Modelled:
    """The layer, if that is what it gives."""
    steps = [step_of(y.dtype) for y in outputs if y.dtype.kind == "f"]
    coarsest = max([STEP, *steps])
    if layer is not None:
        recorded = tuple(widened(y) for y in outputs)
        error = attempted(lambda: layer.outputs(*inputs), recorded)
        if error <= REPRODUCED * coarsest / STEP:
            rounding = max(error, rounding_of(layer, inputs, layer.outputs(*inputs)))
            return Modelled(layer, ROUNDING_FACTOR * max(rounding, coarsest / 2))
    return Modelled(None, ROUNDING_FACTOR * coarsest / 2)


def inputs_of(pair: LayerPair) -> tuple[Array, ...]:
    """The candidate's inputs if they are of the reference's shapes, else the reference's."""
    ours, theirs = pair.reference.inputs, pair.candidate.inputs
    alike = [x.shape for x in ours] == [x.shape for x in theirs]
    return theirs if alike else ours


def candidates_weights(pair: LayerPair) -> Weights | None:
    """The candidate's weights by their places in the reference's layer, if they are known."""
    ours, theirs = describe(pair.reference), describe(pair.candidate)
    if ours is None or not pair.candidate.parameters:
        return None
    if theirs is None or theirs.layer is not ours.layer:
        theirs = described_by_names(pair)
    if theirs is None:
        return None
    layer = Description(ours.layer, {**ours.values, **theirs.values}).built()
    return None if layer is None else arrays(layer)


def described_by_names(pair: LayerPair) -> Description | None:
    """As if the reference had the parameters that the candidate has under the new names."""
    own = pair.candidate.parameters
    if not pair.renamed or not all(name in own for name in pair.renamed.values()):
        return None
    named = {name: own[new] for name, new in pair.renamed.items()}
    return describe(replace(pair.reference, parameters=named))


def weights_of_others(pair: LayerPair, others: Sequence[LayerRecord]) -> dict[str, Weights]:
    """Those of the reference's other layers of the same type, by path."""
    own = describe(pair.reference)
    found: dict[str, Weights] = {}
    for record in others:
        other = describe(record) if record.path != pair.reference.path else None
        layer = other.built() if other is not None and own and other.layer is own.layer else None
        if layer is not None:
            found[record.path] = arrays(layer)
    return found


def attempted(compute: Callable[[], Outputs], wanted: Outputs) -> float:
    """The distance of a result from the candidate's; infinite for what does not fit."""
    try:
        return distance(compute(), wanted)
    except MISFITS:
        return math.inf
