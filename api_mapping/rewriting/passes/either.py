"""Methods of what nothing is known of: for a tensor or a module as MindSpore has them.

y = t.clone()        ->  y = t.copy() if isinstance(t, ms.Tensor) else t.clone()
opt.state_dict()     ->  compat.state_of(opt)
net = make().eval()  ->  net = compat.then(make(), lambda it: it.set_train(False) if ...)
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

import libcst as cst

from ...syntax.code import Code, text_of
from ...syntax.quotation import expression
from ...syntax.walk import every
from ...table.facts.gradients import STEPS
from ...table.named import Named
from ...table.refusal import Refusal
from ..places import may_write
from ..rewriter import Rewriter
from ..rows import judged

OWNERS = {
    "torch.Tensor": "isinstance(receiver, ms.Tensor)",
    "torch.optim.Optimizer": "isinstance(receiver, ms.experimental.optim.Optimizer)",
    "torch.optim.lr_scheduler.LRScheduler": "compat.is_scheduler(receiver)",
    "torch.nn.Module": "isinstance(receiver, nn.Cell)",
}
"""How MindSpore's classes are asked for whose methods may be meant, in this order: its optimizers
are Cells, too, and its schedules have no base in common."""
PLACES = {name: place for place, name in enumerate(OWNERS)}
LIBRARIES = ("ms", "nn", "compat")
STATES = {
    "state_dict": (0, "compat.state_of(receiver)"),
    "load_state_dict": (1, "compat.load_state_of(receiver, state)"),
}
"""Methods that networks, optimizers and schedules have, with the number of their arguments."""
IT = "it"
"""The name of a receiver that is looked at more than once."""
OWN_SCOPE = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
"""What means something else in a lambda."""


def by_class(node: ast.Call, to: Rewriter) -> Code | None:
    """The call for each class that has the method, by a test of the receiver.

    None where one of them has other code and cannot be asked for, has none, or is written to.
    """
    apis = to.notes.unsure.get(node)
    called = node.func
    if not apis or not isinstance(called, ast.Attribute):
        return None
    if (whole := of_state(node, called, apis, to)) is not None:
        return whole
    if is_place(called.value):
        stays = to.with_parts(node)
        assert isinstance(stays, Code)
        return tested(node, apis, stays, to)
    inner = [part for value in (*node.args, *node.keywords) for part in every(value)]
    if any(isinstance(p, OWN_SCOPE) or (isinstance(p, ast.Name) and p.id == IT) for p in inner):
        return None
    known = replace(to, codes={called.value: cst.Name(IT)}, chosen={}, texts={})
    stays = known.with_parts(node, {called: expression(f"{IT}.{called.attr}")})
    assert isinstance(stays, Code)
    code = tested(node, apis, stays, known)
    if code is None:
        return None
    parts = {"compat": to.name("compat"), "value": to.code(called.value), "code": code}
    return expression(f"compat.then(value, lambda {IT}: code)", **parts)


def of_state(
    node: ast.Call, called: ast.Attribute, apis: Sequence[str], to: Rewriter
) -> Code | None:
    """One call for the state of whatever it is; None if its arguments say what has it."""
    count, form = STATES.get(called.attr, (0, ""))
    if not form or len(apis) < len(OWNERS) - 1 or node.keywords or len(node.args) != count:
        return None
    parts = {"compat": to.name("compat"), "receiver": to.code(called.value)}
    return expression(form, **parts, **dict(zip(["state"], map(to.code, node.args), strict=False)))


def tested(node: ast.Call, apis: Sequence[str], stays: Code, to: Rewriter) -> Code | None:
    """The code by the classes that the receiver may be of; None where none has other code."""
    assert isinstance(node.func, ast.Attribute)
    receiver, found = node.func.value, stays
    for api in sorted(apis, key=place_of, reverse=True):
        code = supposed_code(Named(api, receiver), node, to)
        if code is None:
            return None
        if text_of(code) == text_of(stays):
            continue
        test = OWNERS.get(api.rpartition(".")[0])
        if test is None:
            return None
        parts = {"receiver": to.code(receiver), "found": found}
        parts |= {name: to.name(name) for name in LIBRARIES if f"{name}." in test}
        found = expression(f"code if {test} else found", code=code, **parts)
    return None if found is stays else found


def place_of(api: str) -> int:
    """When the class of a method is asked for; those that cannot be asked for at last."""
    return PLACES.get(api.rpartition(".")[0], len(PLACES))


def supposed_code(api: Named, node: ast.Call, to: Rewriter) -> Code | None:
    """The code if the call is of an API; None if there is none, or if more than it changes."""
    if api.api in STEPS or may_write(api.api):
        return None
    try:
        return judged(api, node, to).new
    except Refusal:
        return None


def is_place(node: ast.expr) -> bool:
    """Whether it is a name or part of one: it may be looked at twice."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Name | ast.Constant):
            return False
        node = node.value
    return isinstance(node, ast.Name)
