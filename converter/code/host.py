"""Shape arithmetic as Python integers: `x.shape[0]` instead of Shape, Gather, Concat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..graph.graph import Graph, Node
from .expr import Binary, Call, Code, Expr, Literal, Ref, Size, helper, ms, walk
from .statement import Statement

ARITHMETIC = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "//"}

INLINE = 16
"""Parts of an expression that is written at each use; of a bigger one each part has a name."""

MOST = 64
"""Elements of a vector of sizes; a longer one is a tensor, as are constants."""

SIZE_BITS, MOST_BITS = 31.0, 512.0
"""How large a size may be, and a number made of sizes: Python's integers grow, ONNX's wrap."""


@dataclass(frozen=True)
class Named:
    """What is known of a size that is a statement: its bits, and that it is not negative."""

    bits: float
    is_size: bool


class Hosts:
    """Which values of the graph are Python integers in the script, and how each is written.

    A value is one integer (an ONNX scalar) or a tuple of them (an int64 vector).
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._values: dict[str, tuple[Expr, ...] | Expr] = {}
        self._named: dict[str, Named] = {}

    def absorb(self, node: Node) -> list[Statement] | None:
        """Takes the node if it is shape arithmetic; statements for what is too long to repeat."""
        value = self._value_of(node)
        if value is None or (isinstance(value, tuple) and len(value) > MOST):
            return None
        made: list[Statement] = []
        if isinstance(value, tuple):
            self._values[node.outputs[0]] = tuple(self._short(e, node, made) for e in value)
        else:
            self._values[node.outputs[0]] = self._short(value, node, made)
        return made

    def _short(self, e: Expr, node: Node, made: list[Statement]) -> Expr:
        """The expression, or the name of a statement that is added to those `made`."""
        if sum(1 for _ in walk(e)) <= INLINE:
            return e
        name = f"{node.outputs[0]}/size{len(made)}"
        self._named[name] = Named(self._bits(e), self._is_size(e))
        made.append(Statement(name, Size(e), node))
        return Ref(name)

    def sizes(self, name: str) -> list[Expr] | None:
        """The value as a list of integer expressions; None if it is an ordinary tensor."""
        value = self._known(name)
        if value is None:
            return None
        return list(value) if isinstance(value, tuple) else [value]

    def outputs(self) -> list[Statement]:
        """Statements for graph outputs that are shape arithmetic."""
        producers = self._graph.producers()
        return [
            Statement(name, self.tensor_of(name), producers[name])
            for name in self._graph.outputs
            if name in self._values
        ]

    def is_host(self, name: str) -> bool:
        return name in self._values

    def tensor_of(self, name: str) -> Expr:
        """The integers as a tensor, for an operator that computes with them."""
        value = self._values[name]
        content = list(value) if isinstance(value, tuple) else value
        dtype = self._graph.type_of(name).dtype or np.dtype(np.int64)
        return ms.Tensor(content, Code(f"ms.{dtype.name}"))

    def _known(self, name: str) -> tuple[Expr, ...] | Expr | None:
        array = self._graph.constants.get(name)
        if array is None:
            return self._values.get(name)
        if array.dtype.kind not in "iu" or array.ndim > 1 or array.size > MOST:
            return None
        literals = tuple(Literal(int(v)) for v in array.reshape(-1))
        return literals if array.ndim else literals[0]

    def _value_of(self, node: Node) -> tuple[Expr, ...] | Expr | None:
        if node.domain:
            return None
        if node.op == "Shape":
            rank = self._graph.type_of(node.inputs[0]).rank
            return None if rank is None else self._shape(node, rank)
        if not any(name in self._values for name in node.inputs):
            return None
        rules: dict[str, Callable[[Node], tuple[Expr, ...] | Expr | None]] = {
            "Gather": self._gather,
            "Slice": self._slice,
            "Concat": self._concat,
            "Unsqueeze": self._unsqueeze,
            "Squeeze": self._squeeze,
            "Where": self._where,
            "Reshape": self._reshape,
            "ReduceProd": self._reduce_prod,
            "Max": self._extreme,
            "Min": self._extreme,
            "Cast": self._cast,
            "Identity": self._identity,
            **dict.fromkeys(ARITHMETIC, self._arithmetic),
        }
        return rules[node.op](node) if node.op in rules else None

    def _shape(self, node: Node, rank: int) -> tuple[Expr, ...]:
        known = self._graph.type_of(node.inputs[0]).shape or ()
        sizes = Ref(node.inputs[0]).attribute("shape")
        written = [Literal(d) if isinstance(d, int) else sizes[i] for i, d in enumerate(known)]
        return tuple(written[slice(node.attrs.get("start"), node.attrs.get("end"))])

    def _gather(self, node: Node) -> tuple[Expr, ...] | Expr | None:
        data = self._known(node.inputs[0])
        index = self._graph.constants.get(node.inputs[1])
        if not isinstance(data, tuple) or index is None or index.ndim > 1:
            return None
        if index.ndim == 0:
            return data[int(index)]
        return tuple(data[int(i)] for i in index)

    def _slice(self, node: Node) -> tuple[Expr, ...] | None:
        data = self._known(node.inputs[0])
        bounds = [self._graph.constants.get(name) for name in node.inputs[1:3]]
        if not isinstance(data, tuple) or len(node.inputs) < 3 or any(b is None for b in bounds):
            return None
        steps = self._graph.constants.get(node.inputs[4]) if len(node.inputs) > 4 else None
        if len(node.inputs) > 4 and (steps is None or int(steps.reshape(-1)[0]) != 1):
            return None
        start, end = (int(np.asarray(b).reshape(-1)[0]) for b in bounds)
        return data[start:end]

    def _concat(self, node: Node) -> tuple[Expr, ...] | None:
        parts = [self._known(name) for name in node.inputs]
        if not all(isinstance(p, tuple) for p in parts):
            return None
        return tuple(e for p in parts if isinstance(p, tuple) for e in p)

    def _unsqueeze(self, node: Node) -> tuple[Expr, ...] | None:
        value = self._known(node.inputs[0])
        one = self._graph.type_of(node.outputs[0]).rank == 1
        return (value,) if isinstance(value, Expr) and one else None

    def _squeeze(self, node: Node) -> Expr | None:
        value = self._known(node.inputs[0])
        return value[0] if isinstance(value, tuple) and len(value) == 1 else None

    def _reshape(self, node: Node) -> tuple[Expr, ...] | Expr | None:
        """One number as a vector, a vector of one as a number, or a vector as it is."""
        value = self._known(node.inputs[0])
        rank = self._graph.type_of(node.outputs[0]).rank
        if isinstance(value, Expr):
            return (value,) if rank == 1 else (value if rank == 0 else None)
        if value is None or rank == 1:
            return value
        return value[0] if rank == 0 and len(value) == 1 else None

    def _reduce_prod(self, node: Node) -> tuple[Expr, ...] | Expr | None:
        value = self._known(node.inputs[0])
        if not isinstance(value, tuple) or not value:
            return None
        whole = value[0]
        for factor in value[1:]:
            whole = _computed("*", whole, factor)
        if self._bits(whole) > MOST_BITS:
            return None
        return (whole,) if node.attrs.get("keepdims", 1) else whole

    def _extreme(self, node: Node) -> tuple[Expr, ...] | Expr | None:
        """The larger or smaller of two integers, or of vectors element by element."""
        if len(node.inputs) != 2:
            return None
        left, right = (self._known(name) for name in node.inputs)
        if left is None or right is None:
            return None
        pairs = _paired(left, right)
        if pairs is None:
            return None
        function = Code(node.op.lower())
        results = tuple(Call(function, pair) for pair in pairs)
        return results[0] if isinstance(left, Expr) and isinstance(right, Expr) else results

    def _where(self, node: Node) -> tuple[Expr, ...] | None:
        condition = self._graph.constants.get(node.inputs[0])
        chosen, other = (self._known(name) for name in node.inputs[1:])
        if condition is None or not isinstance(chosen, tuple) or not isinstance(other, tuple):
            return None
        flags = np.broadcast_to(condition, (max(len(chosen), len(other)),))
        return tuple(
            a if flag else b
            for flag, (a, b) in zip(flags, _paired(chosen, other) or (), strict=True)
        )

    def _cast(self, node: Node) -> tuple[Expr, ...] | Expr | None:
        target = self._graph.type_of(node.outputs[0]).dtype
        wide = target is not None and target.kind == "i" and target.itemsize >= 4
        return self._known(node.inputs[0]) if wide else None

    def _identity(self, node: Node) -> tuple[Expr, ...] | Expr | None:
        return self._known(node.inputs[0])

    def _arithmetic(self, node: Node) -> tuple[Expr, ...] | Expr | None:
        left, right = (self._known(name) for name in node.inputs)
        if left is None or right is None:
            return None
        one = isinstance(left, Expr) and isinstance(right, Expr)
        pairs = _paired(left, right)
        if pairs is None:
            return None
        results = tuple(self._result(node.op, a, b) for a, b in pairs)
        if any(self._bits(e) > MOST_BITS for e in results):
            return None
        return results[0] if one else results

    def _result(self, op: str, a: Expr, b: Expr) -> Expr:
        """`//` rounds down, ONNX's Div toward zero: the same only of what is not negative."""
        if op != "Div" or (self._is_size(a) and self._is_size(b)):
            return _computed(ARITHMETIC[op], a, b)
        return helper.onnx_quotient(a, b)

    def _is_size(self, e: Expr) -> bool:
        """Whether the number cannot be negative: nothing is subtracted in it."""
        return not any(self._is_signed(part) for part in walk(e))

    def _is_signed(self, part: Expr) -> bool:
        if isinstance(part, Ref) and part.name in self._named:
            return not self._named[part.name].is_size
        return part.op == "-" if isinstance(part, Binary) else _is_negative(part)

    def _bits(self, e: Expr) -> float:
        """How many bits the number has at most, if no size has more than `SIZE_BITS`."""
        if isinstance(e, Ref) and e.name in self._named:
            return self._named[e.name].bits
        if isinstance(e, Literal):
            return float(int(e.value or 0).bit_length())
        if isinstance(e, Call):
            return max(self._bits(part) for part in e.args)
        if not isinstance(e, Binary):
            return SIZE_BITS
        left, right = self._bits(e.left), self._bits(e.right)
        if e.op == "*":
            return left + right
        return left if e.op == "//" else float(np.logaddexp2(left, right))


def _paired(
    left: tuple[Expr, ...] | Expr, right: tuple[Expr, ...] | Expr
) -> list[tuple[Expr, Expr]] | None:
    a = left if isinstance(left, tuple) else (left,)
    b = right if isinstance(right, tuple) else (right,)
    if len(a) == len(b):
        return list(zip(a, b, strict=True))
    if len(a) == 1:
        return [(a[0], e) for e in b]
    return [(e, b[0]) for e in a] if len(b) == 1 else None


def _is_negative(e: Expr) -> bool:
    return isinstance(e, Literal) and isinstance(e.value, int) and e.value < 0


def _computed(op: str, a: Expr, b: Expr) -> Expr:
    if isinstance(a, Literal) and isinstance(b, Literal):
        x, y = int(a.value or 0), int(b.value or 0)
        return Literal(_wrapped({"+": x + y, "-": x - y, "*": x * y, "//": x // y if y else 0}[op]))
    return Binary(op, a, b)


def _wrapped(number: int) -> int:
    """The number as an int64 of ONNX holds it."""
    return (number + 2**63) % 2**64 - 2**63
