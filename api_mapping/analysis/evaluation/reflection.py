"""getattr, hasattr and setattr: attributes whose names are values."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ...table.facts.evidence import HELD_BY_LAYERS
from ...table.facts.names import TENSOR_PROPERTIES
from ...table.facts.results import PROPERTIES
from ...table.facts.spelling import IN_PACKING, PACKED, canonical
from ...table.kinds import BOOL, MODULE, NONE, UNKNOWN, Kind, join, present
from ...table.registry import find
from ..classes import is_module, method
from ..definitions import Class
from ..frame import Frame
from .attributes import RENAMED, member_of, named_in_layer
from .layers import layer_attribute

if TYPE_CHECKING:
    from .calls import Arguments

REFLECTING = frozenset({"builtins.getattr", "builtins.hasattr", "builtins.setattr"})


def reflected(frame: Frame, node: ast.Call, function: str, arguments: Arguments) -> Kind:
    """What one of these gives; with a literal it is a use of that name, else a dynamic one."""
    receiver = present(arguments.get(0) or UNKNOWN)
    name = literal_in(node)
    if function == "builtins.setattr":
        _set(frame, node, receiver, name, arguments.get(2) or UNKNOWN)
        return NONE
    found = UNKNOWN
    if receiver.tag == "api":
        found = _of_api(frame, node, receiver, name)
    elif name:
        found = _of_value(frame, node, receiver, name, function == "builtins.hasattr")
    elif receiver.is_tensor and receiver.target is None:
        frame.mention(node, "torch.Tensor.*", "dynamic")
    return found if function == "builtins.getattr" else BOOL


RECURRENT_CLASS = f"{IN_PACKING}.getattr"
CLASSES = Kind("union", "", tuple(Kind("api", name) for name in sorted(PACKED)))
RECURRENT = re.compile(r"rnn|cell_?type|recurrent", re.IGNORECASE)


def is_recurrent(name: ast.expr) -> bool:
    """Whether a name that is a value is seen to be of a recurrent layer: `args.rnn_type`."""
    return RECURRENT.search(ast.unparse(name)) is not None


def literal_in(node: ast.Call) -> str:
    """The name that a call is given; "" if it is computed."""
    given = node.args[1] if len(node.args) > 1 else None
    is_text = isinstance(given, ast.Constant) and isinstance(given.value, str)
    return str(given.value) if is_text else ""  # type: ignore[union-attr]


def _of_api(frame: Frame, node: ast.Call, receiver: Kind, name: str) -> Kind:
    frame.forget(node.args[0])
    if not name and receiver.name == "torch.nn" and is_recurrent(node.args[1]):
        frame.mention(node, RECURRENT_CLASS, "call")
        return CLASSES
    if not name:
        frame.mention(node, f"{receiver.name}.*", "dynamic")
        return UNKNOWN
    api = canonical(f"{receiver.name}.{name}")
    frame.mention(node, api, "getattr")
    return Kind("api", api)


def _of_value(frame: Frame, node: ast.Call, receiver: Kind, name: str, is_asked: bool) -> Kind:
    """An attribute of a value, as if it were written with a dot."""
    is_try = is_asked or len(node.args) > 2
    owner = node.args[0]
    if is_try and may_be_layer(receiver, name) and frame.engine.knows_torch(frame.module):
        named_in_layer(frame, node.args[1], MODULE, name, owner)
        return BOOL if is_asked else UNKNOWN
    if receiver.tag == "module" and layer_attribute(receiver, name):
        found = named_in_layer(frame, node.args[1], receiver, name, owner)
        return UNKNOWN if is_try else found
    if is_asked and is_renamed(receiver, name):
        frame.mention(node.args[1], f"{MODULE.name}.{name}", "attribute", owner)
    if is_try:
        frame.takes_as_other(receiver)
        if receiver.tag in ("unknown", "union"):
            return UNKNOWN
    if name.startswith("_") and receiver.target is None:
        return UNKNOWN  # what code sets itself
    read = ast.copy_location(ast.Attribute(owner, name, ast.Load()), node)
    before, call = frame.calling, frame.call_of(node)
    if call is not None:
        frame.calling = ast.Call(read, call.args, call.keywords)
    found = member_of(frame, read, receiver)
    frame.calling = before
    mention = frame.recorder.mentions.pop(read, None)
    if mention is not None and is_try and (receiver.target is not None or not find(mention.api)):
        mention = None  # a class that is not PyTorch's own may have it or not
    if mention is not None:
        frame.mention(node, mention.api, "getattr", owner, mention.candidates)
    default = frame.recorder.kinds.get(node.args[2], UNKNOWN) if len(node.args) > 2 else None
    is_certain = default is None or (mention is not None and not mention.candidates)
    return found if is_certain or default is None else join(found, default)


def may_be_layer(receiver: Kind, name: str) -> bool:
    """Whether it is one of several modules, or not known and asked for what layers hold."""
    if receiver.tag == "union":
        tags = {part.tag for part in receiver.parts}
        return "module" in tags and name in HELD_BY_LAYERS
    return receiver.is_unknown and name in HELD_BY_LAYERS


def is_renamed(receiver: Kind, name: str) -> bool:
    """Whether it is a module, or a class of them, with a method that gets another name."""
    cls = receiver.target
    if name not in RENAMED or not isinstance(cls, Class) or not is_module(cls):
        return False
    return method(cls, name) is not None


def _set(frame: Frame, node: ast.Call, receiver: Kind, name: str, value: Kind) -> None:
    """An assignment to an attribute."""
    if not name:
        return
    if receiver.tag == "api":
        api = canonical(f"{receiver.name}.{name}")
        if find(api):
            frame.forget(node.args[0])
            frame.mention(node, api, "getattr")
    elif receiver.tag == "module" and layer_attribute(receiver, name):
        named_in_layer(frame, node.args[1], receiver, name, node.args[0])
    elif isinstance(receiver.target, Class):
        frame.engine.set_attribute(frame, receiver.target, name, value, node)
        if is_renamed(receiver, name):
            frame.mention(node.args[1], f"{MODULE.name}.{name}", "attribute", node.args[0])
    elif receiver.is_tensor and (name in PROPERTIES or name in TENSOR_PROPERTIES):
        frame.mention(node, f"torch.Tensor.{name}", "getattr", node.args[0])
