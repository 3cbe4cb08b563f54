"""Which APIs a name could be on a receiver of which nothing is known."""

from __future__ import annotations

import ast
from functools import cache

from ...table.facts.evidence import (
    BUILTIN_NAMES,
    NETWORKS,
    OFTEN_OTHER,
    OPTIMIZER_NAMES,
    PROPERTY_CANDIDATES,
    SCHEDULER_NAMES,
    SETTINGS,
    SHARED,
)
from ...table.facts.names import MODULE_METHODS, TENSOR_METHODS


def has_form_of_tensors(call: ast.Call, name: str) -> bool:
    """Whether no other common type takes the arguments: `x.split(2)`, `x.split(n, dim=1)`."""
    if any(keyword.arg == "dim" for keyword in call.keywords):
        return True
    if name == "log":
        return not call.args and not call.keywords
    first = call.args[0] if call.args and name in ("split", "select") else None
    is_number = isinstance(first, ast.Constant) and isinstance(first.value, int)
    if name == "select":
        return is_number and len(call.args) == 2
    return is_number or isinstance(first, ast.Tuple | ast.List)


@cache
def _methods(name: str) -> tuple[str, ...]:
    if name in BUILTIN_NAMES or name in OFTEN_OTHER or name.startswith("__"):
        return ()
    found = []
    if name in TENSOR_METHODS:
        found.append(f"torch.Tensor.{name}")
    if name in MODULE_METHODS and name not in ("forward", "extra_repr", "float"):
        found.append(f"torch.nn.Module.{name}")
    if name in OPTIMIZER_NAMES:
        found.append(f"torch.optim.Optimizer.{name}")
    if name in SCHEDULER_NAMES:
        found.append(f"torch.optim.lr_scheduler.LRScheduler.{name}")
    return tuple(found)


def candidates_of(name: str, call: ast.Call | None, receiver: ast.expr) -> tuple[str, ...]:
    """The documented names that `receiver.name` could be; none if something else is likelier.

    `call` is the call of it, if it is called.
    """
    if call is not None:
        is_tensors = name in SHARED and has_form_of_tensors(call, name)
        if name == "float" and may_be_network(receiver):
            return (*_methods(name), f"torch.nn.Module.{name}")
        return (f"torch.Tensor.{name}",) if is_tensors else _methods(name)
    if name not in PROPERTY_CANDIDATES or last_name(receiver) in SETTINGS:
        return ()
    return (f"torch.Tensor.{name}",)


def may_be_network(node: ast.expr) -> bool:
    """Whether its name says so, or what is called is taken of a table: `MODELS[name]()`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript | ast.Call):
        return True
    return any(word in last_name(node).lower() for word in NETWORKS)


def last_name(node: ast.expr) -> str:
    """The name that a value is asked by: of `self.make_net(x)`, make_net; "" if there is none."""
    node = node.func if isinstance(node, ast.Call) else node
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
