"""What a module gives when it is called, and what its class is called."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING

from ...table.facts.results import NOT_TENSOR_LAYERS, PACKED_SEQUENCE, RECURRENT, WRAPPERS
from ...table.facts.spelling import PACKED
from ...table.kinds import (
    MODULE,
    STR,
    TENSOR,
    UNKNOWN,
    Kind,
    dict_of,
    join_all,
    layers_of,
    members_of,
    present,
)
from ...table.registry import find
from .. import classes
from ..frame import Frame
from .parameters import observe

if TYPE_CHECKING:
    from .calls import Arguments

COUNT = "num_batches_tracked"
DICTIONARIES = {
    "_modules": dict_of(STR, MODULE),
    **{
        f"_{kind}_hooks": dict_of(UNKNOWN, UNKNOWN)
        for kind in ("forward", "forward_pre", "backward")
    },
}
"""What modules keep under names of their own, that code reads all the same."""
NO_CLASSIFIERS = ("inception", "googlenet", "detection", "segmentation", "rcnn", "retina", "ssd")


def result_of_module(frame: Frame, node: ast.Call, called: Kind, arguments: Arguments) -> Kind:
    """The value of `module(...)`: by its class's forward, or what PyTorch's layer gives."""
    if called.target is not None:
        function = classes.method(called.target, "forward")
        if function is not None:
            observe(frame, function, node, arguments, bound=True)
            return frame.engine.result_of(frame, function)
    argument = arguments.get(0)
    result = result_of_layer(frame, called, argument)
    if result.is_tensor and argument is not None and argument.is_unknown:
        frame.shows_tensor(arguments.written(0, ""))
    return result


def result_of_layer(frame: Frame, called: Kind, argument: Kind | None) -> Kind:
    name = called.name
    if name in WRAPPERS:
        return result_through(frame, called.parts, argument)
    if name == "torch.nn.Sequential":
        return _sequential(frame, called, argument)
    if name == MODULE.name:
        found = join_all(result_of_layer(frame, layer, argument) for layer in called.parts)
        return found if called.parts else UNKNOWN
    if name == "torch.nn.Identity":
        return argument or UNKNOWN
    if name in RECURRENT:
        if name in PACKED and argument is not None and argument == PACKED_SEQUENCE:
            return _first(PACKED_SEQUENCE, name)
        unsure = argument is None or argument.is_unknown or argument.tag in ("object", "union")
        if unsure and may_pack(frame.module.source.text):
            return _first(UNKNOWN, name) if name in PACKED else UNKNOWN
        _takes_tensor(frame, argument)
        return RECURRENT[name]
    if name.startswith("torchvision.models."):
        return UNKNOWN if any(part in name for part in NO_CLASSIFIERS) else TENSOR
    module, _, last = name.rpartition(".")
    if module == "einops.layers.torch":
        return TENSOR
    if module == "torch.nn" and name not in NOT_TENSOR_LAYERS and last[:1].isupper():
        _takes_tensor(frame, argument)
        return TENSOR
    return UNKNOWN


def may_pack(text: str) -> bool:
    return "pack_" in text or "PackedSequence" in text


def _first(output: Kind, name: str) -> Kind:
    """A recurrent layer's result with this output: the states are sure, packed or not."""
    return Kind("tuple", "", (output, RECURRENT[name].parts[1]))


def _takes_tensor(frame: Frame, argument: Kind | None) -> None:
    if argument is not None:
        frame.takes_as_tensor(argument)


def _sequential(frame: Frame, called: Kind, argument: Kind | None) -> Kind:
    if called.target is not None or not called.parts:
        return UNKNOWN
    kind = argument or UNKNOWN
    for part in called.parts:
        # A layer that a function made, as `init(nn.Linear(3, 4))`: what it hands on to the next is
        # one value, and a method of a tensor's is only called on that if it is one.
        kind = TENSOR if part.is_unknown else result_through(frame, (part,), kind)
        if part.name == MODULE.name and not kind.is_tensor:
            return UNKNOWN  # which of its layers comes first is not known
    return kind


def result_through(frame: Frame, parts: tuple[Kind, ...], argument: Kind | None) -> Kind:
    """What the one module in `parts` gives for the argument."""
    if not parts:
        return UNKNOWN
    inner = present(parts[0])
    if inner.tag == "union":
        results = {result_through(frame, (part,), argument) for part in inner.parts}
        return results.pop() if len(results) == 1 else UNKNOWN
    if inner.tag != "module":
        return UNKNOWN
    if inner.target is not None:
        function = classes.method(inner.target, "forward")
        if function is not None:
            return frame.engine.result_of(frame, function)
    return result_of_layer(frame, inner, argument)


def layer_attribute(receiver: Kind, name: str) -> str:
    """The API that an attribute of a layer is, where MindSpore's has another one; else "".

    Of a module that may be several layers, for which MindSpore has not the same name, it is
    torch.nn.Module's.
    """
    if receiver.name == MODULE.name and receiver.target is not None:
        return ""
    if name == COUNT and receiver.target is not None and classes.writes(receiver.target, name):
        return ""  # batches that a class counts itself
    return attribute_of_layers(tuple(layer.name for layer in layers_of(receiver)), name)


@lru_cache(20_000)
def attribute_of_layers(layers: tuple[str, ...], name: str) -> str:
    """The API that the attribute is of all these; torch.nn.Module's where MindSpore's differ.

    Where one of them has none, and where they differ in a name that torch.nn.Module has no row of,
    it is that of a layer with a row: it is refused, as no code is right for all.
    """
    apis = [f"{layer}.{name}" for layer in layers]
    written = {api: rows[0].target if (rows := find(api)) else f"self.{name}" for api in apis}
    if len(set(written.values())) == 1:
        return apis[0] if find(apis[0]) else ""
    lacking = next((api for api, target in written.items() if not target), "")
    return lacking or f"{MODULE.name}.{name}"


def class_of(kind: Kind) -> Kind:
    """The class of a module that may be one of PyTorch's own: MindSpore has another name."""
    members = members_of(kind)
    are_modules = all(part.tag == "module" for part in members)
    is_known = are_modules and any(part.target is None for part in members)
    return Kind("class_of", "", (kind,)) if is_known else UNKNOWN


def name_of_class(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    """The name of a layer's class, `module.__class__.__name__`."""
    if node.attr != "__name__":
        return UNKNOWN
    frame.mention(node, f"{MODULE.name}.__name__", "attribute", node.value)
    return STR
