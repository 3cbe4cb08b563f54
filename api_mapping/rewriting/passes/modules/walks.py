"""Loops over `modules()`: over `cells_and_names()` they need no list in between.

for m in net.modules():  ->  for _, m in net.cells_and_names():
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from ....analysis import Use
from ....syntax.code import Code
from ....syntax.quotation import expression
from ....table.named import Named
from ...inventory import Inventory
from ...rewriter import Rewriter

MODULES = "torch.nn.Module.modules"
COMPOSED = frozenset(f"torch.nn.{name}" for name in ("BatchNorm3d", "LSTM", "GRU", "RNN"))
"""Layers that MindSpore makes of others: those are no modules of PyTorch's."""


def target(node: ast.Name, to: Rewriter) -> Code | None:
    """The variable of such a loop."""
    return expression(f"_, {node.id}") if node in to.notes.walked else None


def iterated(node: ast.Call, to: Rewriter) -> Code | None:
    """What such a loop goes through."""
    named = to.places.resolve(node.func) if node in to.notes.walked else None
    if named is None or named.receiver is None:
        return None
    return expression("owner.cells_and_names()", owner=to.code(named.receiver))


def walked(
    nodes: Inventory, uses: Sequence[Use], resolve: Callable[[ast.expr], Named | None]
) -> Iterator[ast.expr]:
    """The targets of loops over all modules, and what they go through: a target, a call...

    None in a file that reads `_`, which would be bound to the modules' names, and in one with
    layers in which MindSpore's have more cells. `resolve` says what a name is for sure:
    `x.modules()` of an unknown x may be anything, and stays.
    """
    plain = [use.node for use in uses if use.api == MODULES and is_plain(use.node)]
    calls = {node for node in plain if isinstance(node, ast.Call) and resolve(node.func)}
    if not calls or any(map(is_read, nodes.of(ast.Name))):
        return
    if any(use.api in COMPOSED for use in uses):
        return
    loops: tuple[ast.For | ast.comprehension, ...]
    loops = (*nodes.of(ast.For), *nodes.of(ast.comprehension))
    for loop in loops:
        if loop.iter in calls and isinstance(loop.target, ast.Name):
            yield from (loop.target, loop.iter)


def is_plain(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and not node.args and not node.keywords


def is_read(node: ast.Name) -> bool:
    """Whether it is a use of the name `_`."""
    return node.id == "_" and isinstance(node.ctx, ast.Load)
