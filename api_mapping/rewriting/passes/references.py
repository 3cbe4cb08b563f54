"""Names and attributes of PyTorch's that are not called: values, classes, functions, methods.

torch.float32            ->  ms.float32
act = F.softmax          ->  act = compat.functional_softmax
map(x.add, others)       ->  map(x.add, others)
"""

from __future__ import annotations

import ast
from functools import cache

import libcst as cst

from ...syntax.code import Code
from ...syntax.quotation import expression
from ...table import registry
from ...table.adapter import adapter_of
from ...table.argument import Call
from ...table.named import Named
from ...table.refusal import Refusal
from ...table.rows.legacy_tensors import TYPES
from ...table.rule import Rule, Verdict, is_same_call
from ...table.template import instantiate, plain_callee
from ..places import check_assignable
from ..rewriter import Rewriter
from ..rows import called
from .class_test import class_of

SAME = (Verdict.EXACT, Verdict.RENAMED)
"""Verdicts of what takes the same arguments."""

CLASSES = {"torch.Tensor": "ms.Tensor", "torch.nn.Module": "nn.Cell"}
"""The classes whose methods are handed on without an object: `map(torch.Tensor.sum, tensors)`."""

TENSORS_OF = {f"torch.{m}{name}": dtype for m in ("", "cuda.") for name, dtype in TYPES.items()}
"""PyTorch's old classes of tensors that are values, and their element types."""


def reference(node: ast.Name | ast.Attribute, to: Rewriter) -> Code | None:
    """The code of a name that is not called here."""
    named = to.places.resolve(node)
    if named is None or named.receiver is node:
        return None  # a name that holds a method: what it holds is written where it is made
    if node in to.notes.twofold:
        raise Refusal(f"{named.api} is called and tests types by the same name: write two names")
    code = (class_of(named, to) if node in to.notes.tested else None) or referred(named, to)
    if code is not None and not isinstance(node.ctx, ast.Load):
        check_assignable(code, named)
    return code


def referred(named: Named, to: Rewriter) -> Code | None:
    """A value, or a class or function that is handed on without a call.

    Raises: Refusal
    """
    rules = to.rules(named.api)
    if not rules:
        return None
    value = next((rule for rule in rules if not rule.is_callable), None)
    if (legacy := TENSORS_OF.get(named.api)) is not None:
        holes = {"compat": to.name("compat"), "ms": to.name("ms")}
        return expression(f"compat.TensorsOf(ms.{legacy})", **holes)
    if value is not None:
        return instantiate(value, Call.of(named.receiver, (), (), to.code), names=to.names)
    if named.receiver is not None or is_method(rules[0]):
        return method_alone(named, to)
    return function_alone(to.calls(named.api)[0], to)


def function_alone(rule: Rule, to: Rewriter) -> Code:
    """The name of what takes the same arguments as a function.

    Raises: Refusal
    """
    if is_same_call(rule):
        return expression(plain_callee(rule))
    if (adapter := adapter_of(rule.name)) is not None:
        return expression(f"compat.{adapter.name}", compat=to.name("compat"))
    if rule.verdict in SAME:
        return expression(plain_callee(rule))
    raise Refusal(not_handed_on(rule.name))


def spread_call(node: ast.Call, to: Rewriter) -> Code | None:
    """A call with the sizes of a shape one by one: of what takes PyTorch's arguments.

    torch.eye(*x.shape)  ->  ops.eye(*x.shape)
    """
    spread = [arg.value for arg in node.args if isinstance(arg, ast.Starred)]
    named = to.places.resolve(node.func)
    if not spread or node.keywords or named is None or named.receiver is not None:
        return None
    rules = [rule for rule in to.calls(named.api) if rule.is_callable]
    is_layer = named.api.rpartition(".")[2][:1].isupper()  # whose rows take `*` by themselves
    if is_layer or not rules or any(rule.variadic or rule.writes for rule in rules):
        return None
    if any(to.places.kind_of(value) != "shape" for value in spread):
        return None
    code: Code = to.with_parts(node, {node.func: function_alone(rules[0], to)})
    return code


def method_alone(named: Named, to: Rewriter) -> Code:
    """The code of a method without a call: of the object that it is bound to, or of its class.

    Raises: Refusal
    """
    name = method_of(named.api)
    if named.receiver is not None:
        return expression(f"owner.{name}", owner=to.code(named.receiver))
    owner = CLASSES.get(named.api.rpartition(".")[0])
    if owner is None:
        raise Refusal(f"{named.api} is handed on without a call: call it on its object")
    module, _, cls = owner.partition(".")
    return expression(f"module.{cls}.{name}", module=to.name(module))


def held_call(node: ast.Call, to: Rewriter) -> Code | None:
    """A call of what holds a method with its object: `p = x.sum; p()`.

    Raises: Refusal if MindSpore's method takes these arguments in no way
    """
    named = to.places.resolve(node.func)
    if named is None or named.receiver is not node.func or not registry.is_callable(named.api):
        return None
    callee, code = to.code(node.func), called(named, node, to)
    is_method = isinstance(code, cst.Call) and isinstance(code.func, cst.Attribute)
    if not is_method or code.func.value is not callee:  # type: ignore[attr-defined]
        raise Refusal(not_handed_on(named.api))
    if code.func.attr.value != method_of(named.api):  # type: ignore[attr-defined]
        raise Refusal(not_handed_on(named.api))
    return code.with_changes(func=callee)


@cache
def method_of(api: str) -> str:
    """The name of MindSpore's method that is handed on in place of one of PyTorch's.

    Raises: Refusal if there is none that takes the same arguments
    """
    rule = registry.find(api)[0]
    if not (is_method(rule) and (is_same_call(rule) or rule.verdict in SAME)):
        raise Refusal(not_handed_on(api))
    return plain_callee(rule).removeprefix("self.")


def is_method(rule: Rule) -> bool:
    """Whether the target is a method of the same object."""
    return bool(rule.target) and plain_callee(rule).startswith("self.")


def not_handed_on(api: str) -> str:
    return f"{api} is handed on without a call: {registry.find(api)[0].note or 'wrap it'}"
