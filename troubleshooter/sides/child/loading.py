"""What a network takes of weight files, loaded by its own framework, and what it holds then."""

from __future__ import annotations

import hashlib
import importlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .messages import Array, Held

if TYPE_CHECKING:
    from .mindspore_side import MindsporeSide
    from .torch_side import TorchSide

Digests = dict[str, str]


def digest(array: Array) -> str:
    """A digest of the elements, little-endian in C order."""
    plain = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return hashlib.blake2b(plain.reshape(-1).view(np.uint8).data, digest_size=16).hexdigest()


def slots_of_cell(side: MindsporeSide) -> tuple[Held, ...]:
    """Parameters by the names under which they are loaded, and buffers that are saved.

    Tied weights have all their names in a state, and need one: `saved` is False of the others.
    """
    names = {path: x.name for path, x in side.network.parameters_and_names()}
    slots = [replace(h, name=names.get(h.name, h.name)) for h in side.held() if h.saved]
    state = side.network.state_dict()
    tied = {path for path, name in names.items() if path != name and {path, name} <= state.keys()}
    others = [replace(h, saved=False) for h in side.held() if h.saved and h.name in tied]
    return (*slots, *others)


def taken_by_cell(side: MindsporeSide, files: tuple[str, ...], names: tuple[str, ...]) -> Digests:
    """Loads these of the files' tensors as a user does; digests of what the network has then."""
    found: dict[str, Any] = {}
    for file in files:
        kind = {"format": "safetensors"} if file.endswith(".safetensors") else {}
        found |= side.ms.load_checkpoint(file, **kind)
    own = {x.name: x for _, x in side.network.parameters_and_names()}
    side.ms.load_param_into_net(side.network, {n: found[n] for n in names if n in own})
    buffers = {n: side.ms.Tensor(found[n].asnumpy()) for n in names if n not in own}
    if buffers:
        side.network.load_state_dict(buffers, strict=False)
    held = dict(side.network.parameters_and_names()) | own | dict(side.network.named_buffers())
    return {name: digest(side.tensor(held[name]).array) for name in names}


def slots_of_module(side: TorchSide) -> tuple[Held, ...]:
    """What the network's state dict has, tied weights under all their names."""
    saved = dict(side.saved())
    return tuple(held for held in side.held() if held.name in saved)


def taken_by_module(side: TorchSide, files: tuple[str, ...], names: tuple[str, ...]) -> Digests:
    """The same with `load_state_dict`."""
    found: dict[str, Any] = {}
    for file in files:
        if file.endswith(".safetensors"):
            found |= importlib.import_module("safetensors.torch").load_file(file)
        else:
            found |= side.torch.load(file, map_location="cpu", weights_only=True)
    side.network.load_state_dict({name: found[name] for name in names}, strict=False)
    held = dict(side.saved())
    return {name: digest(side.tensor(held[name]).array) for name in names}
