"""Gives every statement its module and every layer its name, from what the ONNX file tells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import takewhile

from ..code.expr import Attribute, Call, Cell, CellCall, Code, Constant, Expr, Literal, refs
from ..code.layers import nn
from ..code.statement import Statement, names_of
from ..graph.graph import Graph
from .calls import MARK, calls_apart
from .scopes import ModulePath, cell_path, merged_calls, node_path, weight_path
from .skipped_modules import restored

NAMED_SHARE = 0.3
"""A file tells its modules if it says of this share of its nodes where they belong."""


FARTHEST = 6
"""So many steps away may be the node that tells where another belongs."""


def place(statements: list[Statement], graph: Graph) -> bool:
    """Sets `scope` and `cell_path` of every statement; False if the file tells no modules."""
    told = _told(statements)
    known = sum(path is not None for path in told) if any(told) else 0
    sources = {name for s in statements for name in _sources(s)}
    owners = [found[0] for found in map(weight_path, sources) if found is not None]
    if known < NAMED_SHARE * len(statements) and len(owners) < NAMED_SHARE * len(sources):
        return False
    raw = restored(_completed(statements, told), [_holder(s) for s in statements])
    own = {path[: i + 1] for path in owners for i in range(len(path))}
    merged = merged_calls(raw, own)
    shared = Counter(name for node in graph.nodes for name in node.inputs)
    calls = _calls(statements, raw, [merged[path] for path in raw])
    leaves = _leaves(calls)
    for statement, path, call in zip(statements, raw, calls, strict=True):
        _place_one(statement, call, merged[path], shared, leaf=call in leaves)
    return True


def _told(statements: list[Statement]) -> list[ModulePath | None]:
    """What the file says of each node; where it does of some, weights say where a layer stands."""
    paths = [node_path(s.node) for s in statements]
    if not any(paths):
        return paths
    for i, statement in enumerate(statements):
        holder = _holder(statement) if paths[i] is None and any(_sources(statement)) else None
        paths[i] = paths[i] if holder is None else holder[:-1]
    return paths


def _calls(
    statements: list[Statement], raw: list[ModulePath], paths: list[ModulePath]
) -> list[ModulePath]:
    """The path of each statement with a mark on what is called again: "encoder#1"."""
    kinds = [(s.node.op, type(s.expr)) for s in statements]
    apart = calls_apart(paths, kinds, [bool(list(_sources(s))) for s in statements])
    return [
        tuple(p if p == r else f"{p}{MARK}{r}" for p, r in zip(path, own, strict=True))
        if call is None
        else call
        for call, path, own in zip(apart, paths, raw, strict=True)
    ]


def _holder(statement: Statement) -> ModulePath | None:
    """The module that holds a weight which the statement reads, if its name tells."""
    for part in statement.expr.tensors:
        if isinstance(part, CellCall):
            sources = [n for _, w in part.cell.weights for n in w.sources]
        else:
            sources = list(part.weight.sources) if isinstance(part, Constant) else []
        named = [found for found in map(weight_path, sources) if found is not None]
        if named:
            return named[0][0]
    return None


def _has_weight(statement: Statement) -> bool:
    """Whether a statement reads numbers that no layer holds: a function of the module has none."""
    constants = (p.weight.array for p in statement.expr.tensors if isinstance(p, Constant))
    return any(array.dtype.kind == "f" and array.size > 1 for array in constants)


def _completed(statements: list[Statement], paths: list[ModulePath | None]) -> list[ModulePath]:
    """The paths, nodes of which the file does not tell placed where their neighbours are."""
    if not any(path is not None for path in paths):
        return [()] * len(paths)
    made = {n: i for i, s in enumerate(statements) for n in names_of(s.targets)}
    near: dict[int, list[int]] = {}
    for i, statement in enumerate(statements):
        for name in refs(statement.expr):
            if name in made:
                near.setdefault(i, []).append(made[name])
                near.setdefault(made[name], []).append(i)
    full = list(paths)
    for _ in range(FARTHEST):
        found: dict[int, ModulePath] = {}
        for i in (i for i, path in enumerate(full) if path is None):
            around = [known for j in near.get(i, []) if (known := full[j]) is not None]
            if around:
                found[i] = _common(around)
        for i, path in found.items():
            full[i] = path
        if not found:
            break
    return [() if path is None else path for path in full]


def _common(paths: list[ModulePath]) -> ModulePath:
    """The longest path that all begin with."""
    first, last = min(paths, default=()), max(paths, default=())
    return tuple(
        a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    )


def _place_one(
    statement: Statement, calls: ModulePath, path: ModulePath, shared: Counter[str], *, leaf: bool
) -> None:
    """Sets scope and path of a layer; `calls` is `path` with marks on what is called again."""
    if leaf:
        statement.expr = as_layer(statement.expr)
    cell = cell_in(statement.expr)
    if cell is None:
        statement.scope = calls[:-1] if leaf and not _has_weight(statement) else calls
        return
    if cell.control is not None:
        statement.scope = calls
        return
    telling = cell.weights[:1] if leaf else cell.weights  # equal biases share one name
    sources = (n for _, w in telling for n in w.sources)
    named = cell_path(sources, path, shared, beside=cell.kind.startswith("Conv"))
    if named is not None:
        statement.cell_path = named
        statement.scope = (
            calls[: len(named) - 1] if path[: len(named) - 1] == named[:-1] else named[:-1]
        )
    elif leaf:
        statement.cell_path, statement.scope = path, calls[:-1]
    else:
        statement.scope = calls


def _leaves(paths: list[ModulePath]) -> set[ModulePath]:
    """Module paths that made exactly one statement and have no modules inside."""
    counts = Counter(paths)
    inner = {path[:i] for path in counts for i in range(len(path))}
    return {path for path, n in counts.items() if n == 1 and path and path not in inner}


def _sources(statement: Statement) -> Iterable[str]:
    cell = cell_in(statement.expr)
    if cell is None or cell.control is not None:
        return ()
    return (n for _, w in cell.weights for n in w.sources)


def cell_in(e: Expr) -> Cell | None:
    """The layer that an expression calls; handlers call at most one."""
    for part in e.tensors:
        if type(part) is CellCall:
            return part.cell
    return None


_LAYER_OF = {
    "ops.relu": nn.ReLU,
    "ops.relu6": nn.ReLU6,
    "ops.sigmoid": nn.Sigmoid,
    "ops.tanh": nn.Tanh,
    "ops.silu": nn.SiLU,
    "ops.mish": nn.Mish,
    "ops.hardswish": nn.HSwish,
    "ops.hardsigmoid": nn.HSigmoid,
    "ops.elu": nn.ELU,
    "ops.celu": nn.CELU,
    "ops.leaky_relu": nn.LeakyReLU,
    "ops.gelu": nn.GELU,
    "ops.softmax": nn.Softmax,
    "ops.log_softmax": nn.LogSoftmax,
    "ops.softsign": nn.Softsign,
    "ops.pixel_shuffle": nn.PixelShuffle,
}
"""Functions that are also layers: written as a layer where the source had a module for it."""


def as_layer(e: Expr) -> Expr:
    """`nn.ReLU()(x)` for `ops.relu(x)`, and the like; `e` itself if there is no such layer.

    What calls a layer already stays as it is: a statement is one layer at most.
    """
    if cell_in(e) is not None:
        return e
    if isinstance(e, Call) and isinstance(e.func, Attribute) and e.func.name == "flatten":
        return nn.Flatten()(e.func.obj) if dict(e.kwargs) == {"start_dim": Literal(1)} else e
    if not isinstance(e, Call) or not isinstance(e.func, Code) or e.func.text not in _LAYER_OF:
        return e
    layer = _LAYER_OF[e.func.text]
    if e.func.text == "ops.gelu":
        return layer(approximate=dict(e.kwargs)["approximate"] == Literal("tanh"))(*e.args)
    return layer(*e.args[1:], **dict(e.kwargs))(e.args[0])
