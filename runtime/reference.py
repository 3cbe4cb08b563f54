"""What is computed outside of ONNX Runtime: functions of arrays, and complex numbers.

ONNX Runtime has no complex kernels; ONNX's own reference evaluator computes with NumPy.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import GraphProto, TypeProto, ValueInfoProto

from . import dtype as dtypes
from .dtype import Array, DType
from .session import model_of, names, node_of

Function = Callable[..., tuple[Array, ...]]
"""Arrays (None where an input is absent) to a tuple of arrays."""

COMPLEX = (dtypes.complex64, dtypes.complex128)


@dataclass(frozen=True, eq=False)
class HostNode:
    """A call of a function, as a node of the traced graph."""

    function: Function
    input: list[str]
    output: list[str]


def is_complex(types: Sequence[DType | None], attrs: dict[str, Any]) -> bool:
    """Whether a call computes with complex numbers, or converts to them."""
    to = attrs.get("to")
    return any(d in COMPLEX for d in types) or to in [d.onnx for d in COMPLEX]


def cast(x: Array, to: int) -> tuple[Array, ...]:
    """To another element type; complex numbers lose their imaginary part."""
    target = dtypes.OF_ONNX[to]
    lost = x.dtype.kind == "c" and target not in COMPLEX and target is not dtypes.bool_
    return (np.asarray((x.real if lost else x).astype(target.numpy)),)


@functools.lru_cache(1024)
def reference(op: str, present: tuple[bool, ...], count: int, attrs: tuple[Any, ...]) -> Function:
    """`op` as a function of arrays, by ONNX's reference; `count` outputs."""
    if op == "Cast":
        return functools.partial(cast, to=dict(attrs)["to"])
    if op == "Abs":
        return lambda x: (np.abs(x),)
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
