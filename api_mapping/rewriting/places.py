"""What is known of the expressions of a source: which are places that code writes to."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TypeGuard

import libcst as cst

from ..syntax import unpacking
from ..syntax.code import Code
from ..syntax.nodes import dotted, owner_called
from ..table import registry
from ..table.argument import Refusal
from ..table.named import Named
from ..table.side_arguments import place_of_inplace, written_by
from ..table.side_effects import acts
from .growing import ANY, is_empty

Kind = str
"""What an expression is known to be: "tensor", "int", "shape"...; "" if it is not known."""


HOLDERS = ast.Name | ast.Attribute | ast.Subscript
"""What may hold a tensor that is made elsewhere."""
HOLDING = frozenset({"list", "tuple", "dict"})


@cache
def may_write(api: str) -> bool:
    """Whether calls of it change a tensor, all or those that are told to."""
    rules = registry.find(api)
    return bool(rules) and (rules[0].writes or place_of_inplace(rules[0]) >= 0)


@dataclass(frozen=True)
class Places:
    """What is known of the expressions of a source, and of those that tensors are written to.

    `resolve` names the API that a name, attribute or callee is; `kind_of` types an argument.
    `holder_of`: "parameter" of a Parameter, "buffer" or "passing buffer" (which is not saved) of
    another tensor that a module holds. `unpacking`: what names behind `*` and `**` stand for, by
    the names' ids. `sort_of`: whether an expression is known to be a "list" and no tuple, a
    "list of numpy", a "range", a tensor of integers or bools ("whole"), or may be a value of
    "numpy"; else "". `begun_empty`: the names and
    attributes that hold a tensor without elements somewhere, as they are written. `name_of`: the
    full name of a function of Python's own or of another library. `numpy_named`: the names that
    values of NumPy's have somewhere in the file; `led_by_one`: those of tensors of several axes
    whose first has one element; `of_data`: those that are given `x.data`; `layer_of`: the full
    name of the class of a layer of PyTorch's own; `of_parameter`: whether a call is of a function
    that the function around it was given.
    """

    resolve: Callable[[ast.expr], Named | None]
    kind_of: Callable[[ast.expr], Kind]
    unpacking: unpacking.Displays = field(default_factory=dict)
    holder_of: Callable[[ast.expr], str] = lambda _: ""
    sort_of: Callable[[ast.expr], str] = lambda _: ""
    begun_empty: frozenset[str] = frozenset()
    name_of: Callable[[ast.expr], str] = lambda _: ""
    numpy_named: frozenset[str] = frozenset()
    led_by_one: frozenset[str] = frozenset()
    of_data: frozenset[str] = frozenset()
    layer_of: Callable[[ast.expr], str] = lambda _: ""
    of_parameter: Callable[[ast.expr], bool] = lambda _: False

    def acts(self, node: ast.expr) -> bool:
        """Whether an expression may do more than give a value, or give another one each time."""
        return acts(node, self.resolve, self.name_of)

    def is_growing(self, node: ast.expr) -> bool:
        """Whether one of the tensors that a display joins may have no elements on one axis."""
        parts = node.elts if isinstance(node, ast.List | ast.Tuple) else ()
        is_any = ANY in self.begun_empty
        return any(
            dotted(part) in self.begun_empty
            or is_empty(part, self.resolve)
            or (is_any and isinstance(part, HOLDERS))
            for part in parts
        )

    def written(self, node: ast.expr) -> ast.expr | None:
        """The tensor that a call changes in place, None if it does not."""
        named = self.resolve(node.func) if isinstance(node, ast.Call) else None
        if named is None or not isinstance(node, ast.Call) or not may_write(named.api):
            return None
        if named.receiver is node.func:
            return None  # whose method is held there is not to be seen
        return written_by(node, registry.find(named.api), named.receiver, self.unpacking)

    def origin(self, node: ast.expr) -> ast.expr:
        """The tensor that calls change one after another: x in `x.mul_(a).add_(b)`."""
        while (inner := self.written(node)) is not None:
            node = inner
        return node

    def bare(self, node: ast.expr) -> ast.expr:
        """The Parameter of `parameter.data`, or the part of a tensor in `x[0].data`."""
        if (owner := owner_called(node, "detach")) is not None:
            return owner if self.holder_of(owner) == "parameter" else node
        if not isinstance(node, ast.Attribute) or node.attr != "data":
            return node
        is_bare = self.holder_of(node.value) == "parameter" or self.is_view(node.value)
        return node.value if is_bare else node

    def is_view(self, node: ast.expr) -> TypeGuard[ast.Subscript]:
        """Whether it is known to be a part of a tensor that shares its memory: `x[0]`, `x[:, 1:]`.

        Such a part can be assigned to, and on the CPU MindSpore can write to it in no other way.
        """
        if not isinstance(node, ast.Subscript) or self.kind_of(node.value) != "tensor":
            return False
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return all(isinstance(p, ast.Slice) or self.is_place(p) for p in places)

    def is_item(self, node: ast.expr) -> bool:
        """Whether it is an element of a list, tuple or dictionary."""
        return isinstance(node, ast.Subscript) and self.kind_of(node.value) in HOLDING

    def is_place(self, node: ast.expr) -> bool:
        """Whether it is an index that takes no copy: a number, None or `...`."""
        is_mark = isinstance(node, ast.Constant) and node.value in (None, ...)
        return is_mark or self.kind_of(node) == "int"

    def is_buffer(self, place: ast.expr) -> TypeGuard[ast.Attribute]:
        """Whether it is an attribute that `register_buffer` has made: it cannot be assigned to."""
        is_stored = isinstance(place, ast.Attribute) and isinstance(place.ctx, ast.Store)
        return is_stored and self.holder_of(place) in ("buffer", "passing buffer")


CONSTANTS = ("True", "False", "None")


def is_assignable(code: Code) -> bool:
    """Whether code is a place that can be assigned to."""
    if isinstance(code, cst.Name):
        return code.value not in CONSTANTS
    return isinstance(code, cst.Attribute | cst.Subscript)


def check_assignable(code: Code, named: Named | None) -> None:
    """Raises: Refusal if an attribute that is set has no place in MindSpore, only a value"""
    if named is None:
        return
    rule = registry.find(named.api)[0]
    if not is_assignable(code) or rule.fixed:
        raise Refusal(f"{named.api} cannot be set: {rule.note or 'leave the line out'}")
