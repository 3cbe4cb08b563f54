"""Layers that compute otherwise in training: new ones do so in PyTorch, and not in MindSpore.

net = Net()             ->  net = Net().set_train()
y = nn.Dropout(0.5)(x)  ->  y = nn.Dropout(p=0.5).set_train()(x)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from ...analysis import Kind
from ...syntax.code import Code
from ...syntax.quotation import expression
from ...syntax.walk import FunctionNode, every, inner
from ..inventory import Inventory
from ..rewriter import Rewriter

SWITCHES = frozenset({"train", "eval", "set_train"})
"""Methods that choose the mode."""

STEMS = (
    "BatchNorm",
    "SyncBatchNorm",
    "LazyBatchNorm",
    "Transformer",
    "StochasticDepth",
    "DropBlock",
)
WORDS = frozenset(
    "Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout RReLU training".split()
)
"""What is read or named in a class whose modules have two modes."""


def in_training(node: ast.Call, code: Code | None, to: Rewriter) -> Code | None:
    """The code of a call that makes a module, which goes on in training mode."""
    if node not in to.notes.switched:
        return code
    made = to.with_parts(node) if code is None else code
    return expression("module.set_train()", module=made)


def switched_on(nodes: Inventory, kind_of: Callable[[ast.AST], Kind]) -> list[ast.Call]:
    """The calls that make a module which is called where nothing chooses its mode.

    In PyTorch it is in training mode; MindSpore's is not until `set_train()`.
    """
    found = []
    for block in blocks(nodes) if makes_some(nodes, kind_of) else ():
        own = list(own_nodes(block))
        calls = (*called_by_name(block, own), *called_at_once(own))
        modules = (call for call in calls if kind_of(call).tag == "module")
        found += [call for call in modules if not has_mode(call)]
    classes = (node for node in nodes.tree.body if isinstance(node, ast.ClassDef)) if found else ()
    words = {node.name: words_of(node) for node in classes}
    return [call for call in found if has_modes(call, words)]


def has_mode(call: ast.Call) -> bool:
    """Whether the mode is chosen where the module is made: `Net().eval().to(device)`."""
    while isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
        if call.func.attr in SWITCHES:
            return True
        call = call.func.value
    return False


def makes_some(nodes: Inventory, kind_of: Callable[[ast.AST], Kind]) -> bool:
    """Whether a module is made in the file that may be called where it is made."""
    called = {call.func.id for call in nodes.of(ast.Call) if isinstance(call.func, ast.Name)}
    named = (
        node.value
        for node in nodes.of(ast.Assign)
        if any(isinstance(target, ast.Name) and target.id in called for target in node.targets)
    )
    return any(
        kind_of(made).tag == "module" for made in (*named, *called_at_once(nodes.of(ast.Call)))
    )


def blocks(nodes: Inventory) -> Iterator[ast.Module | FunctionNode]:
    yield nodes.tree
    yield from nodes.of(ast.FunctionDef)
    yield from nodes.of(ast.AsyncFunctionDef)


def own_nodes(block: ast.Module | FunctionNode) -> Iterator[ast.AST]:
    """The nodes of a block, without those of the functions and classes in it."""
    stack: list[ast.AST] = list(block.body)
    while stack:
        node = stack.pop()
        if not isinstance(node, FunctionNode | ast.ClassDef):
            yield node
            stack += inner(node)


def called_by_name(block: ast.Module | FunctionNode, nodes: list[ast.AST]) -> Iterator[ast.Call]:
    """What names are set to that are called in the block, and whose mode nothing in it chooses."""
    callees = [node.func for node in nodes if isinstance(node, ast.Call)]
    called = {callee.id for callee in callees if isinstance(callee, ast.Name)}
    set_to = [
        (node.value, names)
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if called & (names := {t.id for t in node.targets if isinstance(t, ast.Name)})
    ]
    yield from (call for call, names in set_to if not names & chosen(block, nodes))


def chosen(block: ast.Module | FunctionNode, nodes: list[ast.AST]) -> set[str]:
    """The names whose mode is chosen: in the block before they are called, or in a function."""
    own = set(map(id, nodes))
    calls = [n.func for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    lines: dict[str, int] = {}
    for callee in calls:
        assert isinstance(callee, ast.Name)
        lines[callee.id] = min(callee.lineno, lines.get(callee.id, callee.lineno))
    return {
        node.value.id
        for node in every(block)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if node.attr in SWITCHES
        if id(node) not in own or node.lineno <= lines.get(node.value.id, node.lineno)
    }


def called_at_once(nodes: Iterable[ast.AST]) -> Iterator[ast.Call]:
    """The layers of `nn.Dropout(0.5)(x)`."""
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Call):
            yield node.func


def has_modes(call: ast.Call, words: dict[str, set[str]]) -> bool:
    """Whether what a call makes has two modes, by the names in it and in the file's classes."""
    seen: set[str] = set()
    waiting = words_of(call)
    while waiting:
        seen |= waiting
        waiting = set().union(*(words.get(word, set()) for word in waiting)) - seen
    return any(word in WORDS or word.startswith(STEMS) for word in seen)


def words_of(node: ast.AST) -> set[str]:
    """All names and attributes in a node."""
    nodes = list(ast.walk(node))
    names = {n.id for n in nodes if isinstance(n, ast.Name)}
    return names | {n.attr for n in nodes if isinstance(n, ast.Attribute)}
