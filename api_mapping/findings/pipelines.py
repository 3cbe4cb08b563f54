"""Pipelines of image transforms: which of them are given a tensor, no image."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import chain

from ..syntax.walk import Layout
from ..table.facts.results import IMAGE_MAKING, TENSOR_MAKING, TRANSFORMS
from ..table.named import Named
from ..table.rule import last_name


def behind_tensors(
    layout: Layout, resolve: Callable[[ast.expr], Named | None]
) -> dict[ast.AST, str]:
    """The calls and functions in a list, or among arguments, behind one that makes a tensor of an
    image, with the name of that one."""
    calls = [call for call in layout.of_type(ast.Call) if last_name(call) in TENSOR_MAKING]
    if not any(transform_of(call, resolve) for call in calls):
        return {}
    lists = [node.elts for node in chain(layout.of_type(ast.List), layout.of_type(ast.Tuple))]
    arguments = [call.args for call in layout.of_type(ast.Call)]
    return dict(chain.from_iterable(in_order(parts, resolve) for parts in (*lists, *arguments)))


def in_order(
    parts: list[ast.expr], resolve: Callable[[ast.expr], Named | None]
) -> Iterator[tuple[ast.AST, str]]:
    turning = ""
    for part in parts:
        if turning and isinstance(part, ast.Call | ast.Lambda | ast.Name):
            yield part, turning
        name = transform_of(part, resolve)
        turning = name if name in TENSOR_MAKING else "" if name == IMAGE_MAKING else turning


def transform_of(node: ast.expr, resolve: Callable[[ast.expr], Named | None]) -> str:
    """The class of transforms that a call makes one of; "" if it makes none."""
    named = resolve(node.func) if isinstance(node, ast.Call) else None
    is_transform = named is not None and named.api.startswith(TRANSFORMS)
    return named.api.rpartition(".")[2] if named is not None and is_transform else ""
