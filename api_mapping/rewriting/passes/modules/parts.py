"""Parts of modules' containers: MindSpore's slices give the parameters in them other names.

for layer in self.layers[1:]:        ->  for layer in list(self.layers)[1:]:
self.features[:4](x)                 ->  compat.part(self.features, slice(None, 4))(x)
nn.Sequential(*self.layers[1:])(x)   ->  compat.chain(*list(self.layers)[1:])(x)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TypeGuard

from ....syntax.code import Code
from ....syntax.nodes import dotted
from ....syntax.quotation import expression
from ....syntax.walk import Layout, every
from ...places import Places
from ...rewriter import COMPREHENSIONS, Rewriter

READERS = frozenset(
    f"builtins.{name}"
    for name in "enumerate zip reversed list tuple len iter map sum any all sorted".split()
)
"""Functions that only go through what they are given."""
SEQUENTIAL = "torch.nn.Sequential"
GROWING = ("append", "extend", "insert")
MAKING = ("__init__", "__new__", "__post_init__", "__setstate__")
"""Methods in which a module gets its parts: their parameters are named there."""

KindOf = Callable[[ast.expr], str]


def taken(node: ast.Subscript, to: Rewriter) -> Code | None:
    """The part: a list where it is gone through, else a container that renames nothing."""
    is_list = to.notes.module_parts.get(node)
    if is_list is None:
        return None
    assert isinstance(node.slice, ast.Slice)
    owner = to.code(node.value)
    if is_list:
        holder = expression("list(owner)", owner=owner)
        code = to.with_parts(node, {node.value: holder})
        assert isinstance(code, Code)
        return code
    none = expression("None")
    bounds = [node.slice.lower, node.slice.upper, node.slice.step]
    lower, upper, step = (none if part is None else to.code(part) for part in bounds)
    form = "compat.part(owner, slice(lower, upper, step))"
    if node.slice.step is None:
        form = "compat.part(owner, slice(lower, upper))"
    compat = to.name("compat")
    return expression(form, compat=compat, owner=owner, lower=lower, upper=upper, step=step)


def chained(node: ast.Call, to: Rewriter) -> Code | None:
    """A Sequential that is made, for a while, of modules that another module holds."""
    if node not in to.notes.module_parts:
        return None
    code = to.with_parts(node, {node.func: expression("compat.chain", compat=to.name("compat"))})
    assert isinstance(code, Code)
    return code


def module_parts(layout: Layout, places: Places) -> Mapping[ast.AST, bool]:
    """The slices of containers of modules, and whether each is only gone through; and the calls
    that make containers of modules which another one holds.
    """
    slices = [node for node in layout.of_type(ast.Subscript) if is_slice(node)]
    calls = [node for node in layout.of_type(ast.Call) if is_sequential(node, places)]
    if not slices and not calls:
        return {}
    read = set(gone_through(layout, places))
    sure = set(of_layers(layout))
    names = containers(layout, places.kind_of)
    held = {n for n in slices if n in sure or is_of_modules(n, names, places.kind_of)}
    joined = held_again(calls, layout, places.kind_of)
    return {node: node in read for node in held} | dict.fromkeys(joined, False)


def is_slice(node: ast.AST) -> TypeGuard[ast.Subscript]:
    """Whether it is a part of something: of a list that is made there it needs no other form."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Slice):
        return False
    is_list = isinstance(node.value, ast.Call) and dotted(node.value.func) in ("list", "tuple")
    return isinstance(node.ctx, ast.Load) and not is_list


def is_of_modules(node: ast.Subscript, names: frozenset[str], kind_of: KindOf) -> bool:
    """Whether it is a part of a container: by its kind, or by the attribute that it has."""
    kind = kind_of(node.value)
    is_named = isinstance(node.value, ast.Attribute) and node.value.attr in names
    return kind == "module" or (not kind and is_named)


def containers(layout: Layout, kind_of: KindOf) -> frozenset[str]:
    """The attributes of `self` that are modules wherever the file sets them."""
    kinds: dict[str, set[str]] = {}
    for statement in layout.of_type(ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Attribute):
                kinds.setdefault(target.attr, set()).add(kind_of(statement.value))
    return frozenset(name for name, found in kinds.items() if found == {"module"})


def gone_through(layout: Layout, places: Places) -> Iterator[ast.expr]:
    """What loops go through, and what functions that do the same are given."""
    yield from (loop.iter for _, loop in loops(layout))
    for call in layout.of_type(ast.Call):
        if places.name_of(call.func) in READERS:
            yield from call.args
    displays = (n.elts for kind in (ast.List, ast.Tuple) for n in layout.of_type(kind))
    given = (call.args for call in layout.of_type(ast.Call))
    unpacked = (part for parts in (*displays, *given) for part in parts)
    yield from (part.value for part in unpacked if isinstance(part, ast.Starred))
    for statement in layout.of_type(ast.Assign):
        if any(isinstance(target, ast.Tuple | ast.List) for target in statement.targets):
            yield statement.value


def loops(layout: Layout) -> Iterator[tuple[ast.AST, ast.For | ast.comprehension]]:
    """Each loop behind what it stands in: itself, or the comprehension that it is a part of."""
    yield from ((loop, loop) for loop in layout.of_type(ast.For))
    for kind in COMPREHENSIONS:
        yield from ((node, part) for node in layout.of_type(kind) for part in node.generators)


def of_layers(layout: Layout) -> Iterator[ast.Subscript]:
    """The slices that are called, and those whose elements a loop calls: nobody calls tensors."""
    for call in layout.of_type(ast.Call):
        if is_slice(call.func):
            yield call.func
    for node, loop in loops(layout):
        pairs = [pair for pair in paired(loop.target, loop.iter) if is_slice(pair[1])]
        called = {dotted(n.func) for n in every(node) if isinstance(n, ast.Call)} if pairs else ()
        for target, value in pairs:
            if isinstance(target, ast.Name) and target.id in called and is_slice(value):
                yield value


def paired(target: ast.expr, value: ast.expr) -> Sequence[tuple[ast.expr, ast.expr]]:
    """What a loop's variables are elements of: through enumerate, zip and reversed."""
    if not isinstance(value, ast.Call):
        return [(target, value)]
    name = dotted(value.func)
    parts = target.elts if isinstance(target, ast.Tuple) else []
    if name == "enumerate" and len(parts) == 2 and value.args:
        return paired(parts[1], value.args[0])
    if name == "zip" and len(parts) == len(value.args):
        return [pair for p, v in zip(parts, value.args, strict=True) for pair in paired(p, v)]
    if name in ("reversed", "list", "tuple", "iter") and len(value.args) == 1:
        return paired(target, value.args[0])
    return []


def is_sequential(node: ast.Call, places: Places) -> bool:
    named = places.resolve(node.func)
    return named is not None and named.api == SEQUENTIAL and bool(node.args)


def held_again(calls: Sequence[ast.Call], layout: Layout, kind_of: KindOf) -> Iterator[ast.Call]:
    """The calls outside of constructors whose modules the module itself holds, and keeps."""
    targets = [(s.value, t) for s in layout.of_type(ast.Assign) for t in s.targets]
    stored = {value for value, target in targets if isinstance(target, ast.Attribute)}
    for call in calls:
        function = layout.scope_of(call).function
        if function is None or function.name in MAKING or call in stored:
            continue
        given = [node for part in call.args for node in every(part)]
        names = {node.id for node in given if isinstance(node, ast.Name)}
        given += [node for value in put_under(names, function) for node in every(value)]
        if any(is_own_module(node, kind_of) for node in given):
            yield call


def put_under(names: Collection[str], function: ast.AST) -> Iterator[ast.AST]:
    """What a function gives some of its names, or puts into the lists that they are."""
    for node in every(function):
        if isinstance(node, ast.Assign) and any(dotted(t) in names for t in node.targets):
            yield node.value
        called = node.func if isinstance(node, ast.Call) else None
        is_growing = isinstance(called, ast.Attribute) and called.attr in GROWING
        if isinstance(called, ast.Attribute) and is_growing and dotted(called.value) in names:
            yield node


def is_own_module(node: ast.AST, kind_of: KindOf) -> bool:
    """Whether it is an attribute of `self` that is a module."""
    is_read = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    if not is_read or not isinstance(node, ast.Attribute):
        return False
    return (dotted(node) or "").startswith("self.") and kind_of(node) == "module"
