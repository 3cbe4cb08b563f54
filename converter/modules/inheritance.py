"""Modules that are a layer and a little more: their class is derived from the layer's.

A module that turns an image around, normalises it with weights of its own and turns it back has no
layer inside. Written with one, its weights would stand a level deeper than the original's.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..code.expr import CellCall
from ..code.layers import layer_class
from .blocks import Block, Item, blocks_in
from .place import cell_in
from .scopes import ModulePath

RECURRENT = frozenset({"LSTM", "GRU", "RNN"})
"""Layers that are not derived from: what they are called with differs from call to call."""


def mark_derived(root: Block, homes: Mapping[str, ModulePath]) -> None:
    """Lets each module whose one member is a layer with weights, and without a name, be that layer.

    `homes` are the modules that hold constants: such a module has members of its own.
    """
    holders = set(homes.values())
    for block in blocks_in(root):
        if block is not root and not block.sequential and block.path not in holders:
            block.is_layer = _is_layer(block)


def _is_layer(block: Block) -> bool:
    members = [i for i in block.body if isinstance(i, Block) or cell_in(i.expr) is not None]
    return len(members) == 1 < len(block.body) and _is_nameless(members[0], block)


def _is_nameless(item: Item, block: Block) -> bool:
    """Whether a layer has weights, and the file tells no name but the module's."""
    if isinstance(item, Block) or item.cell_path not in (None, block.path):
        return False
    called = [part.cell for part in item.expr.tensors if isinstance(part, CellCall)]
    if len(called) != 1 or called[0].kind in RECURRENT or not called[0].weights:
        return False
    return layer_class(called[0].kind).startswith("nn.")  # not one that the script brings
