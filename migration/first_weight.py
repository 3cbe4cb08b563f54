"""What a network may be called with: once made, its first weight and the layer of that tell.

Sizes that come from a configuration, a list or a loop stand nowhere in the source.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product

from ..errors import MsconvertError
from ..troubleshooter.sides.child.messages import Held
from ..troubleshooter.weights.network import NetworkSide
from ..troubleshooter.weights.settings import NetworkCall
from .networks import FITTING, MOST_SHAPES, Inputs, fitting

OUTER = frozenset(
    "Embedding EmbeddingBag ConvTranspose2d BatchNorm1d BatchNorm2d LayerNorm".split()
)
"""Layers whose first argument is the first size of their weight; of others, it is the second."""


def inputs_of_made(network: NetworkCall, takers: Sequence[str] = ("",)) -> Iterator[Inputs]:
    """Inputs that fit the first weights; none of what cannot be made. The file's code is run.

    `takers`: for each input the part of the network that takes it, whose first weight it must fit;
    a single one fits the first of all.
    """
    try:
        with NetworkSide(network, in_pytorch=True) as side:
            slots = side.slots()
    except MsconvertError:
        return
    if len(takers) == 1:
        yield from ((shape,) for shape in fitting_first(slots))
    elif all(takers):
        each = (fitting_first(within(taker, slots)) for taker in takers)
        yield from islice(product(*each), MOST_SHAPES)


def within(part: str, slots: Sequence[Held]) -> list[Held]:
    """The weights of a part of the network."""
    return [held for held in slots if held.name.startswith(f"{part}.")]


def fitting_first(slots: Iterable[Held]) -> Iterator[str]:
    """The shapes that fit the first weight of which that is known."""
    for held in slots:
        layer = known_layer(held)
        if layer is not None:
            yield from fitting(layer, held.shape[layer not in OUTER])
            return


def known_layer(held: Held) -> str | None:
    """The class whose weight it is, or which that one extends; None if no input is known for it."""
    if held.leaf not in ("weight", "weight_ih_l0") or not held.layers:
        return None
    names = (name.rpartition(".")[2] for name in held.layers[-1].classes)
    return next((name for name in names if name in FITTING), None)
