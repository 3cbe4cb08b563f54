"""What of a written weight file a network takes: loaded, missing, unexpected, of another shape."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...formats import INDEX
from ...formats.element_types import BFLOAT16
from ...formats.names.naming import COUNTED, Shape
from ...formats.stored import StoredTensor
from ...formats.transfer.casting import TYPES
from ...formats.transfer.conversion import open_weights
from ..sides.child.loading import digest
from ..sides.child.messages import Held
from .network import NetworkSide


@dataclass(frozen=True)
class OtherShape:
    """A tensor whose shape is not that of the network's."""

    name: str
    shape: Shape
    network: Shape


@dataclass(frozen=True)
class Fit:
    """The names of a file's tensors against a network's; the lists leave nothing out.

    `loaded`: the network has their values, seen by digests. `cast`: of these, what it holds in
    another type. `differing`: they were loaded, and the network has other values.
    """

    call: str
    framework: str
    loaded: tuple[str, ...]
    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    shapes: tuple[OtherShape, ...]
    differing: tuple[str, ...] = ()
    cast: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        return not (self.missing or self.unexpected or self.shapes or self.differing)


def fit_of(network: NetworkSide, files: tuple[str, ...], optimizers: Iterable[str]) -> Fit:
    """Lets the network load the files. `optimizers`: names in them that are an optimizer's."""
    slots = {held.name: held for held in network.slots()}
    tensors = tensors_in(files)
    own = set(optimizers)
    fitting = {n: t for n, t in tensors.items() if n in slots and t.shape == slots[n].shape}
    data = tuple(file for file in files if not file.endswith(f".{INDEX}"))
    found = network.take(data, tuple(fitting)) if fitting else {}
    differing = [n for n, t in fitting.items() if found[n] != digest_of(t, slots[n])]
    others = [n for n in tensors if n in slots and n not in fitting]
    return Fit(
        network.wanted.call,
        network.worker.kind,
        tuple(name for name in fitting if name not in differing),
        tuple(name for name, held in slots.items() if name not in tensors and is_needed(held)),
        tuple(name for name in tensors if name not in slots and name not in own),
        tuple(OtherShape(n, tensors[n].shape, slots[n].shape) for n in others),
        tuple(differing),
        tuple(n for n, t in fitting.items() if type_in(slots[n]) not in (None, t.dtype)),
    )


def tensors_in(files: Iterable[str]) -> dict[str, StoredTensor]:
    """The tensors of all files."""
    return {
        name: tensor
        for file in files
        if not file.endswith(f".{INDEX}")
        for name, tensor in open_weights(file).tensors().items()
    }


def is_needed(held: Held) -> bool:
    """Whether a file without it is incomplete: PyTorch counts batches anew if it must."""
    return held.saved and held.leaf not in COUNTED


def type_in(held: Held) -> np.dtype | None:
    """The network's element type, if it is one that others are cast to."""
    return TYPES.get(held.dtype)


def digest_of(tensor: StoredTensor, held: Held) -> str:
    """What the network's digest must be: in its type, and bfloat16 widened."""
    array = tensor.array()
    kind = type_in(held)
    array = array if kind is None else array.astype(kind)
    return digest(array.astype(np.float32) if array.dtype == BFLOAT16 else array)
