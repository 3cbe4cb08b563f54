"""What each form of expression is, and the uses of PyTorch that stand in it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ...table.facts.results import SAMPLING
from ...table.kinds import (
    BOOL,
    BYTES,
    COMPLEX,
    FLOAT,
    INT,
    INTS,
    NEVER,
    NONE,
    NUMBER,
    NUMBERS,
    NUMPY,
    OTHER,
    STR,
    TENSOR,
    TRUTHS,
    UNKNOWN,
    Kind,
    dict_of,
    join,
    join_all,
    list_of,
    members_of,
    of_any_elements,
    present,
    tuple_of,
)
from .. import classes
from ..definitions import Class
from ..frame import Frame, copy_names
from . import attributes, calls, elements
from .guards import narrow

MAX_TUPLE = 32
"""Displays with more elements are lists of one kind: generated tables are long."""
BITWISE = ast.BitAnd | ast.BitOr | ast.BitXor


def value(frame: Frame, node: ast.expr) -> Kind:
    """What the expression is; every use of PyTorch in it is recorded."""
    handler = _HANDLERS.get(type(node))
    kind = UNKNOWN if handler is None else handler(frame, node)
    frame.recorder.kinds[node] = kind
    return kind


def resolve(frame: Frame, node: ast.expr) -> Kind:
    """The same, but a name or attribute itself is recorded by whoever asks."""
    cls = type(node)
    if cls is ast.Name:
        frame.recorder.read.add(node.id)  # type: ignore[attr-defined]
        kind = frame.lookup(node.id)  # type: ignore[attr-defined]
    elif cls is ast.Attribute:
        kind = attributes.resolve_attribute(frame, node)  # type: ignore[arg-type]
    else:
        return value(frame, node)
    frame.recorder.kinds[node] = kind
    return kind


def _name(frame: Frame, node: ast.Name) -> Kind:
    frame.recorder.read.add(node.id)
    kind = frame.lookup(node.id)
    tag = kind.tag
    if tag in _SPECIAL:
        return attributes.refer(frame, node, kind)
    frame.forget(node)  # what an earlier run took it for
    return kind


_SPECIAL = frozenset({"api", "dtype", "function", "bound", "class", "method", "union"})


def _constant(frame: Frame, node: ast.Constant) -> Kind:
    return _CONSTANTS.get(type(node.value), OTHER)


_CONSTANTS: dict[type, Kind] = {
    str: STR,
    int: INT,
    float: FLOAT,
    bool: BOOL,
    bytes: BYTES,
    type(None): NONE,
    complex: NUMBER,
}


def _attribute(frame: Frame, node: ast.Attribute) -> Kind:
    kind = attributes.resolve_attribute(frame, node)
    if kind.tag in _SPECIAL:
        return attributes.refer(frame, node, kind)
    return kind


def _bin_op(frame: Frame, node: ast.BinOp) -> Kind:
    chain = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp):
        chain.append(left)
        left = left.left
    kind = value(frame, left)
    for link in reversed(chain):
        is_power = kind == INT and isinstance(link.op, ast.Pow) and _is_unsigned(link.right)
        right = value(frame, link.right)
        kind = INT if is_power else arithmetic(frame, kind, right, link.op)
        frame.recorder.kinds[link] = kind
    return kind


def _is_unsigned(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def arithmetic(
    frame: Frame, left: Kind, right: Kind, op: ast.operator, in_place: bool = False
) -> Kind:
    """What an operator gives; unknown where nothing says that both sides are its usual ones."""
    left, right = present(left), present(right)
    a, b = left.tag, right.tag
    if left.target is not None or right.target is not None:
        own = _of_own_operator(frame, left, right, op, in_place)
        if own is not None:
            return own
    if a == "str" and isinstance(op, ast.Mod | ast.Mult | ast.Add):
        return STR
    if (left.is_mixed and b in NUMBERS) or (right.is_mixed and a in NUMBERS):
        mixed, number = (left, right) if left.is_mixed else (right, left)
        is_kept = COMPLEX in mixed.parts or is_whole(mixed, number, op)
        return mixed if is_kept else of_any_elements(mixed)
    if left.is_mixed and right.is_mixed:
        return join(left, right)
    if a == "tensor" or b == "tensor":
        other = right if a == "tensor" else left
        if other.target is not None and other.tag != "unknown":
            return UNKNOWN  # an operator of the project's own class
        frame.takes_as_tensor(other) if isinstance(op, ast.MatMult) else None
        are_truths = {left, right} <= {TRUTHS, BOOL} and isinstance(op, BITWISE)
        if COMPLEX in (left, right):
            return COMPLEX
        return TRUTHS if are_truths else INTS if is_whole(left, right, op) else TENSOR
    if a in NUMBERS and b in NUMBERS:
        return _number(a, b, op)
    if a == "unknown" and (left == right or b in NUMBERS):
        return left  # of the same sort: what the result shows itself to be, a parameter is
    if b == "unknown" and a in NUMBERS:
        return right
    return _of_containers(left, right, op)


def is_whole(left: Kind, right: Kind, op: ast.operator) -> bool:
    """Whether an operator gives a tensor of integers, perhaps beside a number."""
    parts = {*members_of(left), *members_of(right)}
    return INTS in parts and parts <= WHOLE and not isinstance(op, ast.Div)


WHOLE = frozenset({INTS, TRUTHS, INT, BOOL})
"""Of these, every operator but the division gives integers again."""


OPERATORS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.MatMult: "matmul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
}


def _of_own_operator(
    frame: Frame, left: Kind, right: Kind, op: ast.operator, in_place: bool
) -> Kind | None:
    """What a method of the project's own class for the operator gives; None if there is none."""
    sides = [(left, "i")] if in_place else []
    for side, letter in (*sides, (left, ""), (right, "r")):
        if side.tag != "class" and isinstance(side.target, Class):
            function = classes.method(side.target, f"__{letter}{OPERATORS[type(op)]}__")
            if function is not None:
                return frame.engine.result_of(frame, function)
    return None


def _number(a: str, b: str, op: ast.operator) -> Kind:
    if isinstance(op, ast.Div):
        return FLOAT
    if a in ("int", "bool") and b in ("int", "bool"):
        return NUMBER if isinstance(op, ast.Pow) else INT
    return FLOAT if "float" in (a, b) else NUMBER


def _of_containers(left: Kind, right: Kind, op: ast.operator) -> Kind:
    a, b = left.tag, right.tag
    if a == "numpy" or b == "numpy":
        return NUMPY if a in NUMBERS or b in NUMBERS or a == b else UNKNOWN
    if isinstance(op, ast.Add):
        if a == b == "shape":
            return left
        if a == b == "tuple":
            return tuple_of((*left.parts, *right.parts))
        if a in ("list", "tuple") and b in ("list", "tuple"):
            return Kind("list", left.name, (join(_joined(left), _joined(right)),))
        if a in ("shape", "tuple") and b in ("shape", "tuple"):
            return list_of(join(elements.element_of(left), elements.element_of(right)))
    if isinstance(op, ast.Mult) and {a, b} <= {"list", "tuple"} | NUMBERS:
        return list_of(_joined(left if a in ("list", "tuple") else right))
    if a == b and a in ("dict", "set", "str", "bytes", "other", "distribution"):
        return join(left, right)
    return OTHER if a in NUMBERS | {"other"} and b in NUMBERS | {"other"} else UNKNOWN


def _joined(kind: Kind) -> Kind:
    return join_all(kind.parts)


def _unary(frame: Frame, node: ast.UnaryOp) -> Kind:
    kind = present(value(frame, node.operand))
    if isinstance(node.op, ast.Not):
        return BOOL
    if kind.tag == "tensor":
        is_kept = kind == INTS or (kind == TRUTHS and isinstance(node.op, ast.Invert))
        return kind if is_kept else TENSOR
    if kind.tag == "bool":
        return INT
    return kind if kind.tag in NUMBERS or kind.tag == "numpy" else UNKNOWN


def _bool_op(frame: Frame, node: ast.BoolOp) -> Kind:
    """`a and b`: what is tested on the left holds on the right; the values are joined."""
    entry = frame.env
    kind = NEVER
    for i, operand in enumerate(node.values):
        found = value(frame, operand)
        last = i == len(node.values) - 1
        if isinstance(node.op, ast.Or) and not last:
            found = present(found) if found.tag != "none" else NEVER
        kind = join(kind, found)
        if not last and i == 0:
            frame.env = copy_names(entry)
        if not last:
            narrow(frame, operand, isinstance(node.op, ast.And))
    for name in frame.env.keys() - entry.keys():
        entry[name] = frame.env[name]  # bound by a walrus
    frame.env = entry
    return kind


def _compare(frame: Frame, node: ast.Compare) -> Kind:
    kinds = [value(frame, node.left), *(value(frame, other) for other in node.comparators)]
    if not _BOOLEAN.isdisjoint(map(type, node.ops)):
        return BOOL
    if len(kinds) > 2:
        return UNKNOWN if any(kind.tag in ("tensor", "unknown") for kind in kinds) else BOOL
    left, right = present(kinds[0]), present(kinds[1])
    if "tensor" in (left.tag, right.tag):
        other = right if left.tag == "tensor" else left
        return UNKNOWN if other.target is not None and other.tag != "unknown" else TRUTHS
    if left.tag in _COMPARABLE and right.tag in _COMPARABLE:
        return BOOL
    return NUMPY if left.tag == "numpy" and right.tag in NUMBERS else UNKNOWN


_BOOLEAN = frozenset({ast.Is, ast.IsNot, ast.In, ast.NotIn})
"""Operators that give a bool, whatever they compare."""
_COMPARABLE = NUMBERS | {"str", "bytes", "none", "shape", "dtype", "device", "other", "tuple"}


def _conditional(frame: Frame, node: ast.IfExp) -> Kind:
    value(frame, node.test)
    entry = frame.env
    frame.env = copy_names(entry)
    narrow(frame, node.test, True)
    first = value(frame, node.body)
    frame.env = copy_names(entry)
    narrow(frame, node.test, False)
    second = value(frame, node.orelse)
    frame.env = entry
    return join(first, second)


def _display(frame: Frame, node: ast.List | ast.Tuple | ast.Set) -> Kind:
    kinds = []
    starred = False
    for element in node.elts:
        if type(element) is ast.Starred:
            starred = True
            kinds.append(elements.element_of(value(frame, element.value)))
        else:
            kinds.append(value(frame, element))
    if isinstance(node, ast.Tuple) and not starred and len(kinds) <= MAX_TUPLE:
        return tuple_of(kinds)
    tag = "set" if isinstance(node, ast.Set) else "list"
    name = "tuple" if isinstance(node, ast.Tuple) else ""
    return Kind(tag, name, (join_all(kinds),))


def _dict(frame: Frame, node: ast.Dict) -> Kind:
    keys, values = NEVER, NEVER
    for key, item in zip(node.keys, node.values, strict=True):
        kind = value(frame, item)
        if key is None:
            merged = present(kind)
            known = merged.tag == "dict" and len(merged.parts) == 2
            keys = join(keys, merged.parts[0] if known else UNKNOWN)
            values = join(values, merged.parts[1] if known else UNKNOWN)
        else:
            keys = join(keys, value(frame, key))
            values = join(values, kind)
    return dict_of(keys, values)


def _subscript(frame: Frame, node: ast.Subscript) -> Kind:
    container = value(frame, node.value)
    index = value(frame, node.slice)
    if present(container).tag == "dataset" and isinstance(node.ctx, ast.Load):
        return _sample(frame, node, present(container))
    return elements.item_of(frame, container, node.slice, index)


def _sample(frame: Frame, node: ast.Subscript, dataset: Kind) -> Kind:
    """A sample of a data set; another data set asks for it as it is."""
    sample = frame.engine.sample_of(frame, dataset)
    is_own = isinstance(dataset.target, Class) or dataset.name.endswith(("Subset", "random_split"))
    is_sample = holds_tensor(sample) or may_hold_image(frame, sample)
    if is_own and not frame.is_of_data_set and is_sample:
        frame.mention(node, SAMPLING, "reference", node.value)
    return sample


def holds_tensor(sample: Kind) -> bool:
    return sample.tag == "tensor" or any(map(holds_tensor, sample.parts))


def may_hold_image(frame: Frame, sample: Kind) -> bool:
    """Whether what is not known of a sample may come from a transform that the data set was given,
    and nothing of it is NumPy's: `image = self.transform(image)`.
    """
    parts = sample.parts or (sample,)
    tags = {part.tag for part in parts}
    return "torchvision" in frame.module.source.text and "unknown" in tags and "numpy" not in tags


def _slice(frame: Frame, node: ast.Slice) -> Kind:
    for bound in (node.lower, node.upper, node.step):
        if bound is not None:
            value(frame, bound)
    return OTHER


def _starred(frame: Frame, node: ast.Starred) -> Kind:
    return elements.element_of(value(frame, node.value))


def _joined_str(frame: Frame, node: ast.JoinedStr) -> Kind:
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            value(frame, part.value)
            frame.recorder.kinds[part] = STR
            if part.format_spec is not None:
                value(frame, part.format_spec)
    return STR


def _walrus(frame: Frame, node: ast.NamedExpr) -> Kind:
    kind = value(frame, node.value)
    frame.bind(node.target.id, kind)
    return kind


def _await(frame: Frame, node: ast.Await) -> Kind:
    awaited = value(frame, node.value)
    return awaited.parts[0] if awaited.tag == "coroutine" else UNKNOWN


def _yield(frame: Frame, node: ast.Yield) -> Kind:
    frame.yields.append(NONE if node.value is None else value(frame, node.value))
    return UNKNOWN


def _yield_from(frame: Frame, node: ast.YieldFrom) -> Kind:
    frame.yields.append(elements.element_of(value(frame, node.value)))
    return UNKNOWN


def _lambda(frame: Frame, node: ast.Lambda) -> Kind:
    """A function whose parameters are unknown: what it gives is what its body is with them."""
    arguments = node.args
    for default in (*arguments.defaults, *arguments.kw_defaults):
        if default is not None:
            value(frame, default)
    entry = frame.env
    frame.env = copy_names(entry)
    for argument in all_arguments(arguments):
        frame.env[argument.arg] = UNKNOWN
    result = value(frame, node.body)
    frame.env = entry
    return Kind("lambda", "", (result,))


def all_arguments(arguments: ast.arguments) -> list[ast.arg]:
    """Every parameter, the variadic ones last."""
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return found + [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]


def _comprehension(frame: Frame, node: Any) -> Kind:
    entry, was_bound = frame.env, frame.bound
    frame.env = copy_names(entry)
    for generator in node.generators:
        kind = elements.element_of(value(frame, generator.iter))
        elements.unpack(frame, generator.target, kind, bind_inside)
        for test in generator.ifs:
            value(frame, test)
            narrow(frame, test, True)
    if isinstance(node, ast.DictComp):
        result = dict_of(value(frame, node.key), value(frame, node.value))
    else:
        tag = _COMPREHENSIONS[type(node)]
        result = Kind(tag, "", (value(frame, node.elt),))
    frame.env, frame.bound = entry, was_bound
    return result


_COMPREHENSIONS = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "iterator"}


def bind_inside(frame: Frame, name: str, kind: Kind) -> None:
    """Binds a comprehension's own variable."""
    frame.env[name] = kind


_HANDLERS: dict[type, Callable[[Frame, Any], Kind]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.Attribute: _attribute,
    ast.Call: calls.call,
    ast.BinOp: _bin_op,
    ast.UnaryOp: _unary,
    ast.BoolOp: _bool_op,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.List: _display,
    ast.Tuple: _display,
    ast.Set: _display,
    ast.Dict: _dict,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Starred: _starred,
    ast.JoinedStr: _joined_str,
    ast.NamedExpr: _walrus,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
}
