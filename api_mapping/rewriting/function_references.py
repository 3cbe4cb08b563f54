"""Functions and methods that are handed on without a call: `map(x.add, others)`."""

from __future__ import annotations

from functools import cache

from ..table import registry
from ..table.adapter import adapter_of
from ..table.argument import Refusal, Text
from ..table.brackets import beside
from ..table.named import Named
from ..table.renaming import Renaming, in_names
from ..table.rule import Rule, Verdict, is_same_call
from ..table.template import plain_callee

SAME = (Verdict.EXACT, Verdict.RENAMED)
"""Verdicts of what takes the same arguments."""

CLASSES = {"torch.Tensor": "ms.Tensor", "torch.nn.Module": "nn.Cell"}
"""The classes whose methods are handed on without an object: `map(torch.Tensor.sum, tensors)`."""


def function_alone(rule: Rule) -> str:
    """The name of what takes the same arguments as a function.

    Raises: Refusal
    """
    if is_same_call(rule):
        return plain_callee(rule)
    if (adapter := adapter_of(rule.name)) is not None:
        return f"compat.{adapter.name}"
    if rule.verdict in SAME:
        return plain_callee(rule)
    raise Refusal(not_handed_on(rule.name))


def method_alone(named: Named, text: Text, names: Renaming) -> str:
    """The code of a method without a call: of the object that it is bound to, or of its class.

    Raises: Refusal
    """
    name = method_of(named.api)
    if named.receiver is not None:
        return f"{beside(text(named.receiver))}.{name}"
    owner = CLASSES.get(named.api.rpartition(".")[0])
    if owner is None:
        raise Refusal(f"{named.api} is handed on without a call: call it on its object")
    return f"{in_names(owner, names)}.{name}"


def held_call(api: str, callee: str, code: str) -> str:
    """The code of a call of what holds a method; `code` is that of the method of such an object.

    Raises: Refusal if MindSpore's method takes these arguments in no way
    """
    called = f"{callee}.{method_of(api)}("
    if not code.startswith(called):
        raise Refusal(not_handed_on(api))
    return f"{callee}({code.removeprefix(called)}"


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
