"""Where the function that is differentiated stands, and what it takes from around it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from ..analysis import FileAnalysis, Kind
from ..syntax.nodes import dotted
from .blocks import LOOPS, Block, bound_names
from .group import Group
from .names import access, is_name, root
from .region import Region
from .weights import is_module

DATA = frozenset({"tensor", "dict", "list", "tuple", "collated", "union", "unknown", "number"})
"""Kinds of what is handed to the function, where no loop says what changes from call to call."""

JOINING = "add_param_group"
"""The method that gives an optimiser more weights."""


@dataclass(frozen=True)
class Place:
    """Before a loop, in a class, or (both None) where the function is called.

    `loop` is the statement that the function is put before; `method` the one that calls it, and
    `setup` the statement behind which the class makes its gradient function.
    """

    loop: ast.stmt | None = None
    method: ast.FunctionDef | None = None
    setup: ast.stmt | None = None

    @property
    def key(self) -> int:
        return id(self.loop or self.method)


def place_of(group: Group, regions: Iterable[Region], analysis: FileAnalysis) -> Place:
    """The place of the functions of a group."""
    if any(isinstance(n, ast.Attribute) and n.attr == JOINING for n in ast.walk(analysis.tree)):
        return Place()  # made where it is called, the function has the weights of all groups
    owner = method_of(group.block)
    if owner is not None and all(key.startswith(f"{owner}.") for key in group.optimizers):
        setup = assignment_of(group.block.cls, group.optimizers)
        if setup is not None and isinstance(group.block.scope, ast.FunctionDef):
            return Place(method=group.block.scope, setup=setup)
    fixed = {n.id for k in group.optimizers for n in ast.walk(ast.parse(k)) if is_name(n)}
    for region in regions:
        nodes = [n for s in (*region.statements, *region.losses) for n in ast.walk(s)]
        calls = [n.func for n in nodes if isinstance(n, ast.Call)]
        fixed |= {root(dotted(f)) for f in calls if analysis.kind_of(f).tag == "module"}
    return Place(loop=outermost_loop(group.block, fixed))


def outermost_loop(block: Block, fixed: set[str]) -> ast.stmt | None:
    """The widest loop around a block in which these names are given no values."""
    found = None
    owners = [block.owner, *(outer.owner for outer, _ in block.around())]
    for owner in owners:
        if isinstance(owner, LOOPS):
            if fixed & access(owner).writes:
                break
            found = owner
    return found


def is_set(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def method_of(block: Block) -> str | None:
    """The name of the instance in the method that a block is in."""
    scope = block.scope
    if block.cls is None or not isinstance(scope, ast.FunctionDef) or not scope.args.args:
        return None
    return scope.args.args[0].arg if scope in block.cls.body else None


def assignment_of(cls: ast.ClassDef | None, keys: Iterable[str]) -> ast.stmt | None:
    """The last statement of the one method in which the class makes these optimisers."""
    wanted = set(keys)
    found = []
    for method in cls.body if cls is not None else ():
        if isinstance(method, ast.FunctionDef):
            found += [s for s in method.body if access(s).writes & wanted]
    methods = {id(method_around(cls, s)) for s in found}
    made = {name for s in found for name in access(s).writes & wanted}
    return found[-1] if len(methods) == 1 and made == wanted else None


def method_around(cls: ast.ClassDef | None, statement: ast.stmt) -> ast.stmt | None:
    methods = cls.body if cls is not None else []
    return next((m for m in methods if statement in getattr(m, "body", ())), None)


def inputs_of(region: Region, place: Place, analysis: FileAnalysis) -> list[str]:
    """The names that the function takes as arguments, in the order in which it reads them."""
    block = region.block
    bound = bound_names(block.scope)
    names = [name for name in region.reads if "." not in name and name in bound]
    if place.loop is not None:
        stored = {n.id for n in ast.walk(place.loop) if isinstance(n, ast.Name) and is_set(n)}
        return [name for name in names if name in stored]
    if place.method is not None:
        return [name for name in names if name != method_of(block)]
    nodes = [n for s in (*region.statements, *region.losses) for n in ast.walk(s)]
    called = {n.func.id for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    fixed = {n.id for n in nodes if is_name(n) and not is_data(analysis.kind_of(n))}
    return [name for name in names if name not in called and name not in fixed]


def is_data(kind: Kind) -> bool:
    """Whether it may be what changes from call to call, and no networks."""
    return kind.tag in DATA and not any(map(is_module, kind.parts))
