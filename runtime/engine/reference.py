"""What is computed outside of ONNX Runtime: functions of arrays, complex numbers, some float64.

ONNX Runtime has no complex kernels, and no float64 ones for some operators; ONNX's own reference
evaluator computes with NumPy.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from onnx import GraphProto, NodeProto, TypeProto, ValueInfoProto

from . import dtype as dtypes
from .dtype import Array, DType
from .failure import ElementTypeError
from .session import model_of, names, node_of

Function = Callable[..., tuple[Array, ...]]
"""Arrays (None where an input is absent) to a tuple of arrays."""

COMPLEX = frozenset({dtypes.complex64, dtypes.complex128})
TO_COMPLEX = frozenset(kind.onnx for kind in COMPLEX)


@dataclass(frozen=True, eq=False)
class HostNode:
    """A call of a function, as a node of the traced graph."""

    function: Function
    input: list[str]
    output: list[str]


Node = TypeVar("Node", bound=NodeProto | HostNode)
WITH_GRAPHS = frozenset({"If", "Loop", "Scan"})
"""Operators that have graphs as attributes."""


def needed_of(nodes: Sequence[Node], outputs: Iterable[str]) -> list[Node]:
    """The nodes on which `outputs` depend: ONNX Runtime would run the others too."""
    wanted, kept = set(outputs), []
    for node in reversed(nodes):
        if not wanted.isdisjoint(node.output):
            wanted.update(read_by(node))
            kept.append(node)
    return kept[::-1]


def read_by(node: NodeProto | HostNode) -> Iterable[str]:
    """The values that a node reads, those of the graphs inside of it too."""
    if isinstance(node, HostNode) or not node.attribute or node.op_type not in WITH_GRAPHS:
        return node.input
    return [*node.input, *[name for a in node.attribute if a.HasField("g") for name in free(a.g)]]


def free(graph: GraphProto) -> set[str]:
    """The names that a graph reads from those around it."""
    made = {name for node in graph.node for name in node.output}
    made.update(info.name for info in graph.input)
    read = {name for node in graph.node for name in read_by(node)}
    return read - made


def is_complex(types: Sequence[DType | None], attrs: dict[str, Any]) -> bool:
    """Whether a call computes with complex numbers, or converts to them."""
    return not COMPLEX.isdisjoint(types) or attrs.get("to") in TO_COMPLEX


SINGLE_ONLY = frozenset(
    """
    Acos Acosh Asin Asinh Atan Atanh Celu Cosh Elu Erf Gelu HardSigmoid HardSwish LeakyRelu Mish
    PRelu Selu Sinh Softplus Softsign Tan ThresholdedRelu
    """.split()
)
"""Operators of which ONNX Runtime has kernels for float32 and none for float64."""


def is_outside(op: str, types: Sequence[DType | None], attrs: dict[str, Any]) -> bool:
    """Whether NumPy computes a call, since ONNX Runtime has no kernel for it."""
    return is_complex(types, attrs) or (op in SINGLE_ONLY and dtypes.float64 in types)


def cast(x: Array, to: int) -> tuple[Array, ...]:
    """To another element type; complex numbers lose their imaginary part."""
    target = dtypes.OF_ONNX[to]
    lost = x.dtype.kind == "c" and target not in COMPLEX and target is not dtypes.bool_
    return (np.asarray((x.real if lost else x).astype(target.numpy)),)


ORDERED = frozenset(
    """
    ArgMax ArgMin Ceil Clip CumMax Erf Floor Greater GreaterOrEqual IsInf IsNaN Less LessOrEqual
    Max Min Mod ReduceL1 ReduceL2 ReduceLogSumExp ReduceMax ReduceMin Relu Round Softplus TopK
    """.split()
)
"""Operators that NumPy computes in a meaning of its own, or not at all."""


def direction(x: Array) -> Array:
    """x / |x|, 0 where x is 0."""
    size = np.abs(x)
    found: Array = x / np.where(size == 0, 1, size).astype(size.dtype)
    return found


DIRECT: dict[str, Callable[..., Any]] = {
    "Abs": lambda x: np.abs(x).astype(x.dtype),
    "Acos": np.arccos,
    "Acosh": np.arccosh,
    "Add": np.add,
    "Asin": np.arcsin,
    "Asinh": np.arcsinh,
    "Atan": np.arctan,
    "Atanh": np.arctanh,
    "Cos": np.cos,
    "Cosh": np.cosh,
    "Div": np.divide,
    "Equal": np.equal,
    "Exp": np.exp,
    "Identity": lambda x: x,
    "Log": np.log,
    "MatMul": np.matmul,
    "Mul": np.multiply,
    "Neg": np.negative,
    "Pow": np.power,
    "Reciprocal": lambda x: 1 / x,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Sign": direction,
    "Sin": np.sin,
    "Sinh": np.sinh,
    "Sqrt": np.sqrt,
    "Sub": np.subtract,
    "Tan": np.tan,
    "Tanh": np.tanh,
    "Where": np.where,
}
"""What computes complex numbers without attributes: |x| stays complex, as in MindSpore."""


def directly(function: Callable[..., Any], *arrays: Array) -> tuple[Array, ...]:
    with np.errstate(all="ignore"):
        return (np.asarray(function(*arrays)),)


@functools.lru_cache(1024)
def reference(
    op: str, present: tuple[bool, ...], count: int, attrs: tuple[Any, ...], is_real: bool
) -> Function:
    """`op` as a function of arrays, by ONNX's reference; `count` outputs."""
    if op == "Cast":
        return functools.partial(cast, to=dict(attrs)["to"])
    if op in DIRECT and not attrs:
        return functools.partial(directly, DIRECT[op])
    if op in ORDERED and not is_real:
        raise ElementTypeError(op, "complex numbers have no order", expected="real numbers")
    from onnx.reference import ReferenceEvaluator  # slow to import, and seldom needed

    sources, targets = names("i", present), [f"o{k}" for k in range(count)]
    graph = GraphProto(name=op, node=[node_of(op, sources, targets, dict(attrs))])
    of_any = TypeProto(tensor_type=TypeProto.Tensor(elem_type=dtypes.complex64.onnx))
    graph.input.extend(ValueInfoProto(name=name, type=of_any) for name in sources if name)
    graph.output.extend(ValueInfoProto(name=name, type=of_any) for name in targets)
    evaluator = ReferenceEvaluator(model_of(graph))

    def call(*arrays: Array | None) -> tuple[Array, ...]:
        feed = {n: a for n, a in zip(sources, arrays, strict=True) if a is not None}
        return tuple([np.asarray(y) for y in evaluator.run(None, feed)])

    return call
