"""What a network may be called with: once made, its first weight and the layer of that tell.

Sizes that come from a configuration, a list or a loop stand nowhere in the source.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import MsconvertError
from ..troubleshooter.sides.child.messages import Held
from ..troubleshooter.weights.network import NetworkSide
from ..troubleshooter.weights.settings import NetworkCall
from .networks import FITTING, Inputs, fitting

OUTER = frozenset(("Embedding", "ConvTranspose2d", "BatchNorm1d", "BatchNorm2d", "LayerNorm"))
"""Layers whose first argument is the first size of their weight; of others, it is the second."""


def inputs_of_made(network: NetworkCall) -> Iterator[Inputs]:
    """Inputs that fit the first weight; none of what cannot be made. The file's code is run."""
    try:
        with NetworkSide(network, in_pytorch=True) as side:
            slots = side.slots()
    except MsconvertError:
        return
    for held in slots:
        layer = known_layer(held)
        if layer is not None:
            size = held.shape[layer not in OUTER]
            yield from ((shape,) for shape in fitting(layer, size))
            return


def known_layer(held: Held) -> str | None:
    """The class whose weight it is, or which that one extends; None if no input is known for it."""
    if held.leaf not in ("weight", "weight_ih_l0") or not held.layers:
        return None
    names = (name.rpartition(".")[2] for name in held.layers[-1].classes)
    return next((name for name in names if name in FITTING), None)
