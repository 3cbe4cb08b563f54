"""What a condition says of the names in it: isinstance, is None, torch.is_tensor."""

from __future__ import annotations

import ast

from ...syntax.nodes import is_none, is_type_of
from ...table.kinds import NONE, TENSOR, UNKNOWN, Kind, join_all, present
from ..frame import Frame
from .annotations import instance_of


def narrow(frame: Frame, test: ast.expr, holds: bool) -> None:
    """Binds the names of the test to what they are where it holds, or does not."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        narrow(frame, test.operand, not holds)
    elif isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) == holds:
            for part in test.values:
                narrow(frame, part, holds)
    elif isinstance(test, ast.Compare):
        _narrow_compare(frame, test, holds)
    elif isinstance(test, ast.Call):
        _narrow_call(frame, test, holds)
    elif isinstance(test, ast.Name) and holds:
        _set(frame, test, present(frame.lookup(test.id)))


def narrow_match(frame: Frame, subject: ast.expr, pattern: ast.pattern) -> None:
    """Binds the subject and the name of the case to what a class pattern says: `case Tensor():`."""
    named = pattern if isinstance(pattern, ast.MatchAs) else None
    inner = named.pattern if named is not None else pattern
    if not isinstance(inner, ast.MatchClass):
        return
    kind = instance_of(frame.recorder.kinds.get(inner.cls, UNKNOWN))
    if isinstance(subject, ast.Name):
        frame.takes_as_other(frame.lookup(subject.id))
        _set(frame, subject, kind)
    if named is not None and named.name:
        frame.bind(named.name, kind)


def _set(frame: Frame, node: ast.expr, kind: Kind) -> None:
    if isinstance(node, ast.Name) and node.id in frame.env:
        frame.env[node.id] = kind


SAME, OTHER = (ast.Eq, ast.Is, ast.In), (ast.NotEq, ast.IsNot, ast.NotIn)


def _narrow_compare(frame: Frame, test: ast.Compare, holds: bool) -> None:
    if len(test.ops) != 1:
        return
    if isinstance(test.left, ast.Call) and isinstance(test.ops[0], SAME if holds else OTHER):
        _narrow_type(frame, test.left, test.comparators[0])
    if not isinstance(test.left, ast.Name):
        return
    other = test.comparators[0]
    if not is_none(other) or not isinstance(test.ops[0], ast.Is | ast.IsNot):
        return
    if isinstance(test.ops[0], ast.Is) == holds:
        _set(frame, test.left, NONE)
    else:
        _set(frame, test.left, present(frame.lookup(test.left.id)))


def _narrow_type(frame: Frame, call: ast.Call, classes: ast.expr) -> None:
    """`type(x) == C`, `type(x) in (C, D)`: where it does not hold, x may be of a class below."""
    if is_type_of(call) and len(call.args) == 1 and isinstance(call.args[0], ast.Name):
        _narrow_instance(frame, call.args[0], classes, True)


def _narrow_call(frame: Frame, test: ast.Call, holds: bool) -> None:
    function = test.func
    if not test.args or not isinstance(test.args[0], ast.Name):
        return
    name = test.args[0]
    if isinstance(function, ast.Name) and function.id == "isinstance" and len(test.args) == 2:
        _narrow_instance(frame, name, test.args[1], holds)
    elif isinstance(function, ast.Attribute | ast.Name):
        called = frame.recorder.kinds.get(function)
        if called is not None and called.name == "torch.is_tensor":
            _either(frame, name, TENSOR, holds)


def _narrow_instance(frame: Frame, name: ast.Name, classes: ast.expr, holds: bool) -> None:
    nodes = classes.elts if isinstance(classes, ast.Tuple | ast.List | ast.Set) else [classes]
    if isinstance(classes, ast.BinOp):
        nodes = [classes.left, classes.right]
    kinds = [instance_of(frame.recorder.kinds.get(node, UNKNOWN)) for node in nodes]
    _either(frame, name, join_all(kinds), holds)


def _either(frame: Frame, name: ast.Name, tested: Kind, holds: bool) -> None:
    """The tested kind where the test holds; what else it could have been where it does not."""
    known = frame.lookup(name.id)
    frame.takes_as_other(known)
    if holds:
        more_precise = known.tag == tested.tag and known.tag not in ("module",)
        is_still_one = known.tag == "module" and tested.is_unknown  # of a class of which no more
        _set(frame, name, known if more_precise or is_still_one else tested)
    elif known.tag == "union" and tested.tag != "unknown":
        tags = {part.tag for part in (tested.parts if tested.tag == "union" else (tested,))}
        left = [part for part in known.parts if part.tag not in tags]
        if left:
            _set(frame, name, join_all(left))
    elif known.tag == "unknown":
        _set(frame, name, UNKNOWN)
