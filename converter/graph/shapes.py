"""Shape arithmetic: integer vectors of which each element is a number, a named size, or unknown.

PyTorch writes `x.view(x.size(0), -1, 512)` as Reshape(x, Concat(Gather(Shape(x), 0), ...)). Under
fixed shapes that is a constant; under a named batch size it is ("batch", -1, 512), which fixes
the rank and most sizes of the result.
"""

from __future__ import annotations

import hashlib
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..guard import MALFORMED
from .graph import Dim, Graph, Node, ValueType
from .sizes import floor, is_size, product, quotient, same, total

MOST = 256
"""Elements of a vector that may be a shape; bigger constants are data."""

LARGEST = 2**63 - 1
"""What is beyond wraps around in ONNX: it is no size."""

LONGEST = 200
"""Characters of a product of names; a longer one is not told from others."""

Array = np.ndarray[Any, Any]
Args = Sequence[Array]
"""Object arrays: int, bool, str (a named size) or None (unknown)."""

Rule = Callable[[Node, Args, ValueType], Array | None]


def value_of(node: Node, graph: Graph, values: Mapping[str, Array]) -> Array | None:
    """What is known of the small integers that a node makes, from the `values` known before."""
    rule = None if node.domain else RULES.get(node.op)
    if rule is None or not node.inputs or len([name for name in node.outputs if name]) != 1:
        return None
    by_type = node.op in ("Shape", "Size")
    args = [] if by_type else [_value(graph, values, name) for name in node.inputs if name]
    known = [arg for arg in args if arg is not None]
    if len(known) < len(args):
        return None
    result = _applied(rule, node, known, graph.type_of(node.inputs[0]))
    if result is None or result.size > MOST:
        return None
    return _vector([_bounded(item) for item in result.ravel()]).reshape(result.shape)


def _bounded(item: Dim | bool) -> Dim | bool:
    """The element; unknown where its number or name grows without end."""
    if isinstance(item, int):
        return item if abs(item) <= LARGEST else None
    return None if item is not None and len(item) > LONGEST else item


def numbers(value: Array, dtype: np.dtype[Any] | None = None) -> Array | None:
    """The value as an array of integers; None if an element is unknown or too big."""
    if not all(isinstance(item, int) for item in value.flat):
        return None
    try:
        return np.array(value.tolist(), np.int64 if dtype is None else dtype)
    except OverflowError:
        return None


def settle(graph: Graph, values: Mapping[str, Array]) -> list[Node]:
    """Turns values that are fully known into constants; returns the nodes that made them."""
    gone = []
    for node in graph.nodes:
        name = node.outputs[0] if node.outputs else ""
        value = values.get(name)
        array = None if value is None else numbers(value, graph.type_of(name).dtype)
        if array is not None:
            graph.constants[name] = array
            gone.append(node)
    left = set(map(id, gone))
    graph.nodes[:] = [node for node in graph.nodes if id(node) not in left]
    return gone


def settle_reshapes(graph: Graph, values: Mapping[str, Array]) -> bool:
    """Gives Reshapes a constant target, with -1 and 0 for the sizes that vary; True if any did."""
    changed = False
    for node in graph.nodes:
        if node.op != "Reshape" or node.domain or len(node.inputs) != 2:
            continue
        target = values.get(node.inputs[1])
        if target is None or target.ndim != 1:
            continue
        before = graph.type_of(node.inputs[0]).shape
        fixed = _fixed_target(target.tolist(), before, bool(node.attrs.get("allowzero", 0)))
        array = None if fixed is None else numbers(_vector(fixed))
        if array is not None:
            name = _fresh(f"{node.outputs[0]}_shape", graph)
            graph.constants[name] = array
            node.inputs[1] = name
            changed = True
    return changed


RESHAPING = ("Reshape", "Expand", "ConstantOfShape")
SIZED = (*RESHAPING, "Slice", "Range", "Concat", "Split", "Tile")
"""Operators of which `shape_of_result` knows more than ONNX's inference."""

INVENTED = "?"
"""How names of sizes begin that no file gave."""


def named(name: str, shape: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """The shape with a name of its own for each unknown size of the value `name`."""
    mark = hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:16]
    sizes = enumerate(shape)
    return tuple(f"{INVENTED}{mark}.{axis}" if size is None else size for axis, size in sizes)


def shape_of_result(
    node: Node, graph: Graph, values: Mapping[str, Array], index: int = 0
) -> tuple[Dim, ...] | None:
    """The shape of output `index`, of an operator that gets sizes from vectors or adds them up.

    None if unknown or impossible.
    """
    if node.domain or node.op not in SIZED:
        return None
    try:
        shape = _sized(node, graph, values, index)
    except MALFORMED:
        return None
    impossible = shape is None or any(isinstance(size, int) and size < 0 for size in shape)
    return None if impossible else shape


def _sized(
    node: Node, graph: Graph, values: Mapping[str, Array], index: int
) -> tuple[Dim, ...] | None:
    shapes = [graph.type_of(name).shape if name else None for name in node.inputs]
    if node.op == "Concat":
        return _joined(shapes, node.attrs["axis"])
    inputs = [_value(graph, values, name) if name else None for name in node.inputs]
    if node.op == "Range":
        return _ranged(inputs)
    if node.op == "Split":
        return _part(node, shapes[0], inputs[1] if len(inputs) > 1 else None, index)
    if node.op == "Slice":
        return None if node.version < 10 else _sliced(shapes[0], inputs[1:])
    target = inputs[-1]
    if target is None or target.ndim != 1 or not all(node.inputs):
        return None
    if node.op == "Tile":
        if node.version < 6 or shapes[0] is None or len(shapes[0]) != target.size:
            return None
        return tuple(product([a, b]) for a, b in zip(shapes[0], target.tolist(), strict=True))
    return _resized(node, shapes[0], target.tolist())


def _joined(shapes: Sequence[tuple[Dim, ...] | None], axis: int) -> tuple[Dim, ...] | None:
    """The shape of what is concatenated; None where a rank is unknown."""
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes) or len({len(shape) for shape in known}) != 1:
        return None
    axis %= len(known[0])
    columns = list(zip(*known, strict=True))
    whole: Dim = 0
    for size in columns[axis]:
        whole = total(whole, size)
    sizes = [next((d for d in column if isinstance(d, int)), column[0]) for column in columns]
    return (*sizes[:axis], whole, *sizes[axis + 1 :])


def _ranged(inputs: Sequence[Array | None]) -> tuple[Dim, ...] | None:
    """How many numbers there are, in steps of one."""
    if any(x is None or x.size != 1 for x in inputs):
        return None
    start, limit, step = (x.item() for x in inputs if x is not None)
    if step != 1:
        return None
    size = total(limit, start, -1)
    return (size if is_size(size) else None,)


def _part(
    node: Node, shape: tuple[Dim, ...] | None, sizes: Array | None, index: int
) -> tuple[Dim, ...] | None:
    if shape is None or sizes is None or sizes.ndim != 1:
        return None
    axis = int(node.attrs.get("axis", 0)) % len(shape)
    return (*shape[:axis], sizes[index], *shape[axis + 1 :])


def _sliced(
    shape: tuple[Dim, ...] | None, inputs: Sequence[Array | None]
) -> tuple[Dim, ...] | None:
    """The shape of a slice with known axes, in steps of one."""
    if shape is None or inputs[0] is None or inputs[1] is None:
        return None
    count = inputs[0].size
    axes, steps = (x.tolist() if x is not None else None for x in (*inputs[2:], None, None)[:2])
    out = list(shape)
    steps = [1] * count if steps is None else steps
    bounds = zip(inputs[0].tolist(), inputs[1].tolist(), steps, strict=True)
    for axis, (start, end, step) in zip(
        range(count) if axes is None else axes, bounds, strict=True
    ):
        out[axis] = _length(shape[axis], start, end, step)
    return tuple(out)


def _length(size: Dim, start: Dim, end: Dim, step: Dim) -> Dim:
    """How many elements there are from start to end; None if that is not shown."""
    if step != 1:
        return None
    if isinstance(size, int) and isinstance(start, int) and isinstance(end, int):
        return len(range(*slice(start, end).indices(size)))
    first = total(size, start) if isinstance(start, int) and start < 0 else start
    last: Dim = end
    if isinstance(end, int):
        last = size if end >= 2**31 - 1 else (total(size, end) if end < 0 else None)
    if not is_size(first) or not is_size(last) or not is_size(total(size, last, -1)):
        return None
    length = total(last, first, -1)
    return length if is_size(length) else None


def _resized(
    node: Node, before: tuple[Dim, ...] | None, target: list[Dim]
) -> tuple[Dim, ...] | None:
    if node.op == "ConstantOfShape":
        return tuple(target)
    if len(node.inputs) != 2 or before is None:
        return None
    if node.op == "Reshape":
        return reshaped(before, target, bool(node.attrs.get("allowzero", 0)))
    return _expanded(before, target)


def reshaped(
    before: tuple[Dim, ...], target: Sequence[Dim], allowzero: bool = False
) -> tuple[Dim, ...]:
    """The shape after Reshape, 0 and -1 of the target worked out as far as can be."""
    out: list[Dim] = list(target)
    for index, size in enumerate(target):
        if size == 0 and not allowzero:
            out[index] = before[index] if index < len(before) else None
    if -1 in out:
        rest = [size for size in out if size != -1]
        out[out.index(-1)] = quotient(before, rest)
    return tuple(out)


def _expanded(before: tuple[Dim, ...], target: Sequence[Dim]) -> tuple[Dim, ...]:
    rank = max(len(before), len(target))
    left = (1,) * (rank - len(before)) + before
    right = (1,) * (rank - len(target)) + tuple(target)
    return tuple(_wider(a, b) for a, b in zip(left, right, strict=True))


def _wider(a: Dim, b: Dim) -> Dim:
    if a == 1 or a == b:
        return b
    if b == 1 or (isinstance(a, int) and not isinstance(b, int)):
        return a
    return b if isinstance(b, int) else None


def _fixed_target(
    target: list[Dim], before: tuple[Dim, ...] | None, allowzero: bool
) -> list[int] | None:
    """The target as numbers, -1 for one size that varies, 0 for those that x has in this place."""
    unknown = [index for index, size in enumerate(target) if not isinstance(size, int)]
    if allowzero and 0 in target:
        return None
    if len(unknown) + target.count(-1) > 1:
        shape = before or ()
        copied = [
            index
            for index in unknown
            if not allowzero and index < len(shape) and target[index] is not None
            if target[index] == shape[index]
        ]
        target = [0 if index in copied else size for index, size in enumerate(target)]
        unknown = [index for index in unknown if index not in copied]
    if len(unknown) + target.count(-1) > 1:
        return None
    return [size if isinstance(size, int) else -1 for size in target]


def _fresh(name: str, graph: Graph) -> str:
    taken = graph.constants.keys() | graph.types.keys()
    while name in taken:
        name += "_"
    return name


def _value(graph: Graph, values: Mapping[str, Array], name: str) -> Array | None:
    array = graph.constants.get(name)
    if array is None:
        return values.get(name)
    if array.dtype.kind not in "iub" or array.size > MOST:
        return None
    return _objects(array.tolist(), array.shape)


def _objects(items: Any, shape: tuple[int, ...]) -> Array:
    out = np.empty(shape, object)
    out[...] = items
    return out


def _applied(rule: Rule, node: Node, args: Args, x: ValueType) -> Array | None:
    """The rule's result; None where the arguments do not go together."""
    try:
        return rule(node, args, x)
    except MALFORMED:
        return None


def _vector(items: Sequence[Any]) -> Array:
    return _objects(list(items), (len(items),))


def _scalar(item: Any) -> Array:
    out = np.empty((), object)
    out[()] = item
    return out


def _shape(node: Node, args: Args, x: ValueType) -> Array | None:
    if x.shape is None or x.container:
        return None
    shape = named(node.inputs[0], x.shape)
    return _vector(shape[node.attrs.get("start", 0) : node.attrs.get("end")])


def _size(node: Node, args: Args, x: ValueType) -> Array | None:
    if x.shape is None or x.container:
        return None
    return _scalar(product(named(node.inputs[0], x.shape)))


def _same(node: Node, args: Args, x: ValueType) -> Array:
    return args[0]


def _cast(node: Node, args: Args, x: ValueType) -> Array | None:
    """Between integers of 32 bits and more a size stays what it is."""
    return args[0] if node.attrs.get("to") in (6, 7, 12, 13) and not _bools(args[0]) else None


def _bools(x: Array) -> bool:
    return any(isinstance(item, bool) for item in x.flat)


def _gather(node: Node, args: Args, x: ValueType) -> Array:
    data, index = args
    axis = node.attrs.get("axis", 0)
    picked = np.take(data, index.astype(np.int64), axis=axis)
    return picked if isinstance(picked, np.ndarray) else _scalar(picked)


def _slice(node: Node, args: Args, x: ValueType) -> Array | None:
    if node.version < 10:
        starts, ends = node.attrs["starts"], node.attrs["ends"]
        axes, steps = node.attrs.get("axes"), None
    else:
        starts, ends = args[1].tolist(), args[2].tolist()
        axes = args[3].tolist() if len(args) > 3 else None
        steps = args[4].tolist() if len(args) > 4 else None
    if args[0].ndim != 1 or len(starts) != 1 or axes not in (None, [0], [-1]):
        return None
    start, end, step = starts[0], ends[0], (1 if steps is None else steps[0])
    if not all(isinstance(item, int) for item in (start, end, step)):
        return None
    if step < 0 and end < -len(args[0]):
        end = None
    picked: Array = args[0][start:end:step]
    return picked


def _concat(node: Node, args: Args, x: ValueType) -> Array:
    return np.concatenate(args, axis=node.attrs["axis"])


def _unsqueeze(node: Node, args: Args, x: ValueType) -> Array:
    axes = node.attrs["axes"] if node.version < 13 else args[1].tolist()
    return np.expand_dims(args[0], tuple(axes))


def _squeeze(node: Node, args: Args, x: ValueType) -> Array:
    axes = node.attrs.get("axes") if node.version < 13 else None
    if node.version >= 13 and len(args) > 1:
        axes = args[1].tolist()
    squeezed = np.squeeze(args[0], None if axes is None else tuple(axes))
    return _objects(squeezed.tolist(), squeezed.shape)


def _reshape(node: Node, args: Args, x: ValueType) -> Array:
    return args[0].reshape(reshaped(args[0].shape, args[1].tolist()))


def _expand(node: Node, args: Args, x: ValueType) -> Array:
    shape = np.broadcast_shapes(args[0].shape, tuple(args[1].tolist()))
    if math.prod(shape) > MOST:
        raise ValueError(shape)
    return np.broadcast_to(args[0], shape)


def _constant_of_shape(node: Node, args: Args, x: ValueType) -> Array | None:
    value = node.attrs.get("value")
    if value is None or value.dtype.kind not in "iub":
        return None
    return _expand(node, [_scalar(value.reshape(()).item()), args[0]], x)


def _where(node: Node, args: Args, x: ValueType) -> Array:
    return _elementwise(lambda c, a, b: None if c is None else (a if c else b), args)


def _product(node: Node, args: Args, x: ValueType) -> Array | None:
    if args[0].ndim > 1:
        return None
    result = product(args[0].ravel().tolist())
    kept = node.attrs.get("keepdims", 1) and args[0].ndim == 1
    return _vector([result]) if kept else _scalar(result)


def _elementwise(function: Callable[..., Any], args: Args) -> Array:
    out = np.frompyfunc(function, len(args), 1)(*args)
    return out if isinstance(out, np.ndarray) else _scalar(out)


def _binary(element: Callable[[Dim, Dim], Any]) -> Rule:
    return lambda node, args, x: _elementwise(element, args) if len(args) == 2 else None


def _of_numbers(function: Callable[[int, int], Any]) -> Rule:
    """For operators that say nothing of names."""
    return _binary(
        lambda a, b: function(a, b) if isinstance(a, int) and isinstance(b, int) else None
    )


def _ratio(a: Dim, b: Dim) -> Dim:
    """ONNX divides integers as C does: towards zero."""
    if isinstance(a, int) and isinstance(b, int):
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return floor(a, b)


def _equal(a: Dim, b: Dim) -> bool | None:
    """A size is never negative, so a named one is not -1."""
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    if isinstance(b, int) and b < 0 and is_size(a):
        return False
    if isinstance(a, int) and a < 0 and is_size(b):
        return False
    return True if same(a, b) else None


def _not(node: Node, args: Args, x: ValueType) -> Array:
    return _elementwise(lambda a: None if a is None else not a, args)


RULES: dict[str, Rule] = {
    "Shape": _shape,
    "Size": _size,
    "Identity": _same,
    "Cast": _cast,
    "Gather": _gather,
    "Slice": _slice,
    "Concat": _concat,
    "Unsqueeze": _unsqueeze,
    "Squeeze": _squeeze,
    "Reshape": _reshape,
    "Expand": _expand,
    "ConstantOfShape": _constant_of_shape,
    "Where": _where,
    "ReduceProd": _product,
    "Add": _binary(total),
    "Mul": _binary(lambda a, b: product([a, b])),
    "Sub": _binary(lambda a, b: total(a, b, -1)),
    "Div": _binary(_ratio),
    "Max": _of_numbers(max),
    "Min": _of_numbers(min),
    "Equal": _binary(_equal),
    "Less": _of_numbers(operator.lt),
    "Greater": _of_numbers(operator.gt),
    "Not": _not,
}
"""Operator -> what it does to vectors of sizes."""
