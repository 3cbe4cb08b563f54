"""Graph -> statements: every node through its handler, in order."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import MsconvertError
from .code.control import Nesting
from .code.expr import (
    Binary,
    Call,
    CellCall,
    Code,
    Constant,
    Expr,
    Index,
    Literal,
    Ref,
    Weight,
    children,
    rebuild,
    transform,
    walk,
)
from .code.host import Hosts
from .code.numbering import Names
from .code.statement import Left, Statement, Targets, names_of
from .graph.exporter_metadata import is_made_up
from .graph.graph import Dim, Graph, Node, reads
from .guard import guard
from .modules.scopes import weight_path
from .onnx_ops.registry import Handlers, NodeView, load_handlers, shortest, tensor

INLINE_ELEMENTS = 8
"""Integer and bool constants up to this size are written into the code."""


@dataclass(frozen=True)
class Traced:
    """Statements in order, what could not be converted, and (node, remark) for the reader."""

    statements: list[Statement]
    left: list[Left]
    remarks: tuple[tuple[Node, str], ...] = ()


def trace(graph: Graph, place: str, nesting: Nesting | None = None) -> Traced:
    """The statements of the whole graph; what has no handler becomes a call of a placeholder."""
    handlers = load_handlers()
    hosts = Hosts(graph)
    statements: list[Statement] = []
    left: list[Left] = []
    remarks: list[tuple[Node, str]] = []
    used = {*graph.consumers(), *graph.outputs}
    names = Names(form="{}_{}", first=2)
    for node in graph.nodes:
        view = NodeView(node, graph, hosts, place, nesting)
        try:
            statements += _written(view, handlers, used)
        except MsconvertError as error:
            left.append(Left(node, error, placeholder_name(node, names)))
            placeholder = _placeholder(left[-1].placeholder, view)
            statements += _inlined(statements_of(node, placeholder, used), graph)
        remarks += [(node, remark) for remark in view.remarks]
    statements += _inlined(hosts.outputs() + _constant_outputs(graph), graph)
    return Traced(statements, left, tuple(remarks))


def _written(view: NodeView, handlers: Handlers, used: Container[str]) -> list[Statement]:
    """What a node becomes. Raises: MS101, MS104 for a node that is not what its operator says"""
    with guard(view.malformed, MemoryError):  # a list as long as a number in the node says
        sizes = view.hosts.absorb(view.node)
        if sizes is not None:
            return sizes
        return _inlined(statements_of(view.node, _handled(view, handlers), used), view.graph)


def _constant_outputs(graph: Graph) -> list[Statement]:
    """What gives the outputs that were computed during the conversion."""
    held = ((name, graph.constants.get(name)) for name in graph.outputs)
    return [
        Statement(
            name, Constant(f"{name}/value", Weight(array, (name,))), Node("Constant", [], [name])
        )
        for name, array in held
        if array is not None
    ]


def _handled(view: NodeView, handlers: Handlers) -> Expr | tuple[Expr, ...]:
    node = view.node
    found = handlers.get((node.domain, node.op))
    if found is None:
        raise view.refuse(
            f"no handler for {node.op}",
            advice="replace the operator before the export, or fill in the placeholder",
        )
    view.check_inputs()
    view.check_types()
    handler, versions = found
    if node.version not in versions:
        raise view.refuse(
            f"no handler for {node.op} at this version",
            got=f"schema version {node.version}",
            expected=f"schema version {', '.join(map(str, versions))}",
            advice="re-export with another opset",
        )
    return handler(view, *view.operands())


def placeholder_name(node: Node, names: Names) -> str:
    """A new function name that says what is missing; the operator's name is a known identifier."""
    safe = "".join(c if c.isalnum() and c.isascii() else "_" for c in node.op).lower()
    return names.take(f"not_converted_{safe[:40]}")


def _placeholder(name: str, view: NodeView) -> Expr:
    captured = dict.fromkeys(n for n in reads(view.node) if n not in view.node.inputs)
    operands = [*view.operands(), *(view.operand(n) for n in captured)]
    return Call(Code(name), tuple(e for e in operands if e is not None))


def statements_of(
    node: Node, result: Expr | tuple[Expr, ...], used: Container[str]
) -> list[Statement]:
    """One handler's result as statements; a call whose parts are used separately is unpacked."""
    outputs = [name if name in used else "" for name in node.outputs]
    if isinstance(result, Expr):
        targets: Targets = node.outputs[0] if len(outputs) == 1 else tuple(outputs)
        return [Statement(targets, result, node)]
    wanted = [(name, e) for name, e in zip(outputs, result, strict=False) if name]
    if len(wanted) == 1 and not isinstance(_part_of_call(wanted[0][1])[1], CellCall):
        return [Statement(wanted[0][0], wanted[0][1], node)]
    return _unpacked(node, wanted, [part for e in result for part in walk(e)])


def _unpacked(
    node: Node, wanted: list[tuple[str, Expr]], written: Sequence[Expr]
) -> list[Statement]:
    """Each call once, its parts bound or skipped, and what is made of them.

    `written`: everything in the results, from which it is known how many parts a call has.
    """
    shared: list[Expr] = []
    parts: list[dict[tuple[int, ...], str]] = []

    def replaced(e: Expr) -> Expr:
        keys, call = _part_of_call(e)
        if call is None or not keys:
            inner = tuple(replaced(p) for p in children(e))
            return rebuild(e, inner) if inner else e
        at = next((i for i, s in enumerate(shared) if s is call), len(shared))
        if at == len(shared):
            shared.append(call)
            parts.append({})
        count = sum(map(len, parts))
        return Ref(parts[at].setdefault(keys, f"{node.outputs[0]}/{count}"))

    exprs = [(name, replaced(e)) for name, e in wanted]
    direct = {e.name: name for name, e in exprs if isinstance(e, Ref)}
    unpack = []
    for call, own in zip(shared, parts, strict=True):
        named = {keys: direct.get(part, part) for keys, part in own.items()}
        several = [keys[0] + 1 for keys, e in map(_part_of_call, written) if keys and e is call]
        unpack.append(Statement(_pattern(named, max(several)), call, node))
    made = {part for own in parts for part in own.values()}
    rest = [(name, e) for name, e in exprs if not isinstance(e, Ref) or e.name not in made]
    return unpack + [Statement(name, e, node) for name, e in rest]


def _part_of_call(e: Expr) -> tuple[tuple[int, ...], Expr | None]:
    """`call[1][0]` as ((1, 0), call); (.., None) for anything else."""
    keys: list[int] = []
    while isinstance(e, Index) and len(e.items) == 1 and isinstance(e.items[0], Literal):
        keys.insert(0, int(e.items[0].value or 0))
        e = e.obj
    return tuple(keys), e if _is_call(e) else None


def _is_call(e: Expr) -> bool:
    return isinstance(e, Call | CellCall)


def _pattern(parts: dict[tuple[int, ...], str], several: int = 2) -> Targets:
    if () in parts:
        return parts[()]
    size = max((keys[0] + 1 for keys in parts), default=0)
    count = max(size, several, 2)
    heads = [{k[1:]: v for k, v in parts.items() if k[0] == i} for i in range(count)]
    return tuple(_pattern(head) if head else "" for head in heads)


def _inlined(statements: list[Statement], graph: Graph) -> list[Statement]:
    for statement in statements:
        if Constant in map(type, statement.expr.tensors):
            statement.expr = _with_constants(statement, graph)
    return statements


def _with_constants(statement: Statement, graph: Graph) -> Expr:
    """The expression with small constants written out: scalars, short integers."""
    made = next((graph.type_of(n).shape for n in names_of(statement.targets)), None)

    def leaf(part: Expr) -> Expr:
        if isinstance(part, Binary):
            return Binary(
                part.op,
                _scalar(part.left, part.right, graph, made) or part.left,
                _scalar(part.right, part.left, graph, made) or part.right,
            )
        return part

    def small(part: Expr) -> Expr:
        if not isinstance(part, Constant) or _is_trained(part):
            return part
        array = part.weight.array
        is_lone = array.ndim == 0 or (array.size == 1 and is_made_up(part.name))
        if is_lone and statement.node.op == "Where" and _is_scalar_of_where(array, made):
            return Literal(shortest(array.reshape(-1)[0]))
        plain = array.dtype.kind in "iub" or (array.dtype.kind == "f" and is_lone)
        return tensor(array) if array.size <= INLINE_ELEMENTS and plain else part

    return transform(transform(statement.expr, leaf), small)


def _is_scalar_of_where(array: np.ndarray[Any, Any], made: tuple[Dim, ...] | None) -> bool:
    """Whether `ops.where` takes a Python number for a branch: it makes a float32 of it."""
    is_raised = made is None or made in ((), (1,))
    return array.dtype == np.float32 and not is_raised


def _is_trained(e: Constant) -> bool:
    """Whether a module of the source holds the number under its name: it is no plain number."""
    (source, *others), array = e.weight.sources, e.weight.array
    as_it_is = e.weight.transformation == "none" and not others and array.dtype.kind == "f"
    is_named = weight_path(source) is not None and not is_made_up(source)
    return as_it_is and is_named and not source.endswith(("_scale", "_zero_point"))


def _scalar(e: Expr, other: Expr, graph: Graph, made: tuple[Dim, ...] | None) -> Literal | None:
    """A one-element number as a literal, beside a tensor whose rank it does not raise.

    The rank is known of a `Ref`; of another expression only if the statement makes no (1,).
    """
    if not isinstance(e, Constant) or e.weight.array.size != 1 or isinstance(other, Constant):
        return None
    if _is_trained(e):
        return None
    array = e.weight.array
    rank = graph.type_of(other.name).rank if isinstance(other, Ref) else None
    if rank is None and made is not None and len(made) > 0 and made != (1,):
        rank = 1
    if array.ndim > min(1, rank or 0) or array.dtype.kind not in "fi":
        return None
    return Literal(shortest(array.reshape(-1)[0]))
