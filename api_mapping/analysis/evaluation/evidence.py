"""What a parameter of which nothing is known shows itself to be, by the names used on it."""

from __future__ import annotations

import ast
from typing import TypeGuard

from ...syntax.nodes import dotted
from ...syntax.walk import all_in
from ...table.facts.evidence import (
    AGAINST,
    ANYWHERE,
    DISTINCTIVE,
    HELD_BY_LAYERS,
    IN_FORWARD,
    IN_PAIRS,
    IN_PLACE,
    OF_MODULES,
    PAIR_FIELDS,
    REDUCTIONS,
    SETTINGS,
    SIZES_OF_LAYERS,
    STATISTICS,
    TAKING_WEIGHTS,
    WRAPPING,
)
from ...table.facts.names import MODULE_METHODS, TENSOR_METHODS, TENSOR_PROPERTIES
from ...table.kinds import HELD, MODULE, OPTIMIZER, PARAMETER, SCHEDULER, TENSOR, UNKNOWN, Kind
from .. import classes
from ..definitions import Function
from ..frame import Frame


def note_evidence(frame: Frame, node: ast.Attribute, receiver: Kind) -> None:
    """Notes what the use of an attribute says of the parameter that has it."""
    name = node.attr
    if not is_given(receiver):
        note_data(frame, node)
        return
    if name in OF_MODULES or (name in MODULE_METHODS and name not in TENSOR_METHODS):
        frame.takes_as_module(receiver, is_sure=name in OF_MODULES)
        return
    if name in said_by(receiver.target[0]):
        frame.takes_as_tensor(receiver)
    elif name in AGAINST or (name not in TENSOR_METHODS and name not in TENSOR_PROPERTIES):
        frame.takes_as_other(receiver)


def networks_in(body: list[ast.stmt]) -> frozenset[str]:
    """The names of a scope that must be networks, as of them something is asked for its weights.

    `optim.SGD(model.parameters(), 0.1)`, `model.named_parameters()`, `DataParallel(model)`
    """
    found: set[str] = set()
    for call in (n for part in body for n in all_in(part) if type(n) is ast.Call):
        last = dotted(call.func).rpartition(".")[2]
        if last in TAKING_WEIGHTS:
            inner = (n for argument in call.args for n in all_in(argument))
            asked = [n.func for n in inner if type(n) is ast.Call]
            found |= {owner_of(n) for n in asked if getattr(n, "attr", "") == "parameters"}
        elif last in WRAPPING and call.args:
            found |= {call.args[0].id} if isinstance(call.args[0], ast.Name) else set()
        elif last in OF_MODULES:
            found.add(owner_of(call.func))
    return frozenset(found - {"", "self"})


def owner_of(node: ast.expr) -> str:
    """The name that has an attribute; "" of others."""
    owner = node.value if isinstance(node, ast.Attribute) else None
    return owner.id if isinstance(owner, ast.Name) else ""


def note_data(frame: Frame, node: ast.Attribute) -> None:
    """Notes that what has `data` that is written to, or whose gradient is used as one, is a tensor.

    `p.data.mul_(2)`, `p.grad.data`, `p.grad.zero_()`
    """
    owner = node.value
    if not isinstance(owner, ast.Attribute):
        return
    is_written = owner.attr in ("data", "grad") and node.attr in IN_PLACE
    if is_written or (owner.attr, node.attr) == ("grad", "data"):
        note_named(frame, owner.value)


def note_updated(frame: Frame, target: ast.expr, value: ast.expr) -> None:
    """Notes that what its own gradient is added to, in place, is a tensor: `p -= lr * p.grad`."""
    name = target.value if isinstance(target, ast.Subscript) else target
    if isinstance(name, ast.Name):
        inner = (n for n in all_in(value) if type(n) is ast.Attribute and n.attr == "grad")
        if any(isinstance(n.value, ast.Name) and n.value.id == name.id for n in inner):
            note_named(frame, name)


def note_named(frame: Frame, node: ast.expr) -> None:
    """Notes that what a name or a parameter stands for is a tensor, if nothing is known of it."""
    if isinstance(node, ast.Name):
        kind = frame.lookup(node.id)
    else:
        kind = frame.recorder.kinds.get(node, UNKNOWN)
    if is_given(kind):
        frame.takes_as_tensor(kind)
    if isinstance(node, ast.Name) and (kind.is_unknown or kind.tag == "collated"):
        frame.env[node.id] = TENSOR


def shown_by_use(
    frame: Frame, node: ast.Attribute, receiver: Kind, candidates: tuple[str, ...]
) -> Kind:
    """What something of which nothing is known is by the one use of it; unknown if that is open."""
    call = frame.call_of(node)
    if shows_pair(frame, node):
        return frame.engine.resolve(frame, node.value)
    if is_layer_by_size(node) or (node.attr in STATISTICS and isinstance(node.ctx, ast.Load)):
        return MODULE
    if node.attr == "get_last_lr":
        return SCHEDULER
    if node.attr in ("param_groups", "add_param_group"):
        return OPTIMIZER
    if call is not None and is_asked_as_tensor(node.attr, call):
        if is_given(receiver):
            frame.takes_as_tensor(receiver)
            return UNKNOWN
        frame.shows_tensor(node.value)
        return TENSOR
    if not is_given(receiver) and call is not None and node.attr in ANYWHERE:
        frame.shows_tensor(node.value)
        return TENSOR
    is_tensors = node.attr == "data" or f"torch.Tensor.{node.attr}" in candidates
    if is_tensors and of_unknown_layer(node.value, frame) and is_of_part(frame, node.value):
        note_layer(frame, node.value)
        return PARAMETER
    return UNKNOWN


def shows_pair(frame: Frame, node: ast.Attribute) -> bool:
    """Whether a name that was unknown must hold a tensor, as its result has PyTorch's two fields.

    `x[:, 4:].max(1).values`
    """
    called = node.value.func if isinstance(node.value, ast.Call) else None
    if not isinstance(called, ast.Attribute) or node.attr not in PAIR_FIELDS:
        return False
    root = called.value
    while isinstance(root, ast.Subscript):
        root = root.value
    kinds = frame.recorder.kinds
    if called.attr not in IN_PAIRS or not kinds.get(root, UNKNOWN).is_unknown:
        return False
    before = frame.env.get(root.id) if isinstance(root, ast.Name) else None
    frame.shows_tensor(root)
    return before is not None and frame.env[root.id] is not before  # type: ignore[attr-defined]


def is_asked_as_tensor(name: str, call: ast.Call) -> bool:
    """Whether only a tensor takes the arguments: `x.size(0)`, `x.mean([-2, -1])`."""
    names = {keyword.arg for keyword in call.keywords}
    if name in TENSOR_METHODS and any(map(is_numbered_axis, call.keywords)):
        return True
    if name in ("sort", "argsort"):
        return "descending" in names
    if name in REDUCTIONS and call.args and isinstance(call.args[0], ast.List):
        return bool(call.args[0].elts)
    if name == "to":
        return "non_blocking" in names or {"device", "dtype"} <= names
    whole = all(isinstance(a, ast.Constant | ast.UnaryOp) for a in call.args)
    return name == "size" and whole and len(call.args) + len(names & {"dim"}) == 1


def is_numbered_axis(keyword: ast.keyword) -> bool:
    """Whether an argument is `dim` as a number: other libraries' axes have names or other words."""
    value = keyword.value.operand if isinstance(keyword.value, ast.UnaryOp) else keyword.value
    return keyword.arg == "dim" and isinstance(value, ast.Constant) and type(value.value) is int


def is_layer_by_size(node: ast.Attribute) -> bool:
    """Whether a part of something must be a layer, as it is asked for a layer's size."""
    owner: ast.expr = node.value
    if node.attr not in SIZES_OF_LAYERS or not isinstance(owner, ast.Attribute | ast.Subscript):
        return False
    names = {part.attr for part in ast.walk(owner) if isinstance(part, ast.Attribute)}
    names |= {part.id for part in ast.walk(owner) if isinstance(part, ast.Name)} - {"self"}
    return not names & SETTINGS


def note_tensor(frame: Frame, kind: Kind) -> None:
    """Notes that what a function is given, which computes with tensors, is used as one."""
    if is_given(kind) and said_by(kind.target[0]) is IN_FORWARD:
        frame.takes_as_tensor(kind)


def is_given(kind: Kind) -> bool:
    """Whether it is a parameter of which nothing is known, or a part of one."""
    return kind.tag == "unknown" and bool(kind.name)


def said_by(function: Function) -> frozenset[str]:
    """The names that show a parameter of the function to be a tensor."""
    owner = function.owner
    if function.is_hook:
        return IN_FORWARD
    if owner is None or not classes.is_module(owner):
        return ANYWHERE
    return DISTINCTIVE if function.name == "__init__" else IN_FORWARD


def note_layers(frame: Frame, node: ast.Call) -> None:
    """Notes that the weights a function of torch.nn is given are layers', whatever these are."""
    for given in (*node.args, *(keyword.value for keyword in node.keywords)):
        is_data = isinstance(given, ast.Attribute) and given.attr == "data"
        place = given.value if is_data else given  # type: ignore[attr-defined]
        if of_unknown_layer(place, frame):
            note_layer(frame, place)
            if is_data:
                frame.mention(given, "torch.Tensor.data", "attribute", place)
                frame.recorder.kinds[given] = HELD


def of_unknown_layer(node: ast.expr, frame: Frame) -> TypeGuard[ast.Attribute]:
    """Whether it is what layers have, by its name, and nothing is known of what has it."""
    if not isinstance(node, ast.Attribute) or node.attr not in HELD_BY_LAYERS:
        return False
    kinds = frame.recorder.kinds
    return kinds.get(node, UNKNOWN).is_unknown and kinds.get(node.value, UNKNOWN).is_unknown


def is_of_part(frame: Frame, node: ast.Attribute) -> bool:
    """Whether a module's method asks an attribute of the module for it: `self.norm.weight`."""
    owner = frame.function.owner if frame.function is not None else None
    root: ast.expr = node.value
    while isinstance(root, ast.Attribute | ast.Subscript):
        root = root.value
    is_self = root is not node.value and isinstance(root, ast.Name) and owner is not None
    return is_self and classes.is_module(owner) and is_first(frame, root.id)  # type: ignore


def is_first(frame: Frame, name: str) -> bool:
    assert frame.function is not None
    return [argument.arg for argument in frame.function.node.args.args[:1]] == [name]


def note_layer(frame: Frame, node: ast.Attribute) -> None:
    """Notes that an attribute is a parameter of a layer, of which class is not known."""
    frame.mention(node, f"{MODULE.name}.{node.attr}", "attribute", node.value)
    frame.recorder.kinds[node] = PARAMETER
