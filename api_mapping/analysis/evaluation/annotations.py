"""What an annotation says of a value."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ...table.facts.results import TYPED_TENSORS, family
from ...table.facts.spelling import is_class_name, is_layer_base
from ...table.kinds import (
    BOOL,
    BYTES,
    CALLABLE,
    DEVICE,
    DTYPE,
    FLOAT,
    INT,
    MODULE,
    NONE,
    NUMPY,
    OTHER,
    SHAPE,
    STR,
    TENSOR,
    UNKNOWN,
    Kind,
    dict_of,
    join_all,
    list_of,
    tuple_of,
)
from ..classes import instance_of_class

if TYPE_CHECKING:
    from ..frame import Frame

PLAIN_TYPES = {
    "builtins.int": INT,
    "builtins.float": FLOAT,
    "builtins.bool": BOOL,
    "builtins.str": STR,
    "builtins.bytes": BYTES,
    "builtins.complex": OTHER,
    "builtins.object": UNKNOWN,
    "builtins.list": list_of(UNKNOWN),
    "builtins.tuple": Kind("list", "tuple", (UNKNOWN,)),
    "builtins.dict": dict_of(UNKNOWN, UNKNOWN),
    "builtins.set": Kind("set", "", (UNKNOWN,)),
    "numpy.ndarray": NUMPY,
    "numpy.typing.NDArray": NUMPY,
    "pathlib.Path": OTHER,
    "os.PathLike": OTHER,
    "torch.Size": SHAPE,
    "torch.dtype": DTYPE,
    "torch.device": DEVICE,
}
LISTS = frozenset({"list", "List", "set", "Set", "FrozenSet", "frozenset", "Deque", "deque"})
SEQUENCES = frozenset({"Sequence", "MutableSequence", "Iterable", "Iterator", "Collection"})
DICTIONARIES = frozenset(
    {"dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "DefaultDict", "defaultdict"}
)
SAME = frozenset({"Final", "Annotated", "ClassVar", "Required", "NotRequired", "InitVar"})
CLOSED_LIBRARIES = frozenset({"PIL", "cv2", "pandas", "matplotlib", "sklearn", "pathlib", "os"})


def annotated(frame: Frame, node: ast.expr | None) -> Kind:
    """The kind that an annotation promises, unknown if it says nothing that is understood."""
    if node is None:
        return UNKNOWN
    reader = _READERS.get(type(node))
    return UNKNOWN if reader is None else reader(frame, node)


def _named(frame: Frame, node: ast.expr) -> Kind:
    kind = frame.engine.resolve(frame, node)
    if kind.tag == "api":
        frame.mention(node, kind.name, "annotation")
    return instance_of(kind)


def instance_of(kind: Kind) -> Kind:
    """What an instance of the class is that `kind` refers to."""
    if kind.tag == "api":
        if kind.name in PLAIN_TYPES:
            return PLAIN_TYPES[kind.name]
        module, _, last = kind.name.rpartition(".")
        if module in ("torch", "torch.cuda") and last in TYPED_TENSORS:
            return TENSOR
        if kind.name in ("torch.nn.Parameter", "torch.autograd.Variable", "torch.nn.Buffer"):
            return TENSOR
        if is_layer_base(kind.name):
            return MODULE
        of_name = family(kind.name)
        if of_name:
            return Kind(of_name, kind.name)
        return Kind("object", kind.name) if is_class_name(kind.name) else UNKNOWN
    if kind.tag == "class":
        return instance_of_class(kind.target)
    if kind.tag == "foreign":
        return _foreign_instance(kind.name)
    return NONE if kind.tag == "none" else UNKNOWN


def _foreign_instance(name: str) -> Kind:
    if name in PLAIN_TYPES:
        return PLAIN_TYPES[name]
    last = name.rpartition(".")[2]
    if last in LISTS or last in SEQUENCES:
        return list_of(UNKNOWN)
    if last in DICTIONARIES:
        return dict_of(UNKNOWN, UNKNOWN)
    if last == "Callable":
        return CALLABLE
    if last == "Literal":
        return OTHER
    return OTHER if name.partition(".")[0] in CLOSED_LIBRARIES else UNKNOWN


def _subscript(frame: Frame, node: ast.expr) -> Kind:
    assert isinstance(node, ast.Subscript)
    outer = frame.engine.resolve(frame, node.value)
    last = outer.name.rpartition(".")[2]
    if last == "Literal":
        return _literals(node.slice)
    elements = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if not elements:  # Tuple[()]
        return tuple_of(())
    if last == "Callable":
        return _callable(frame, elements)
    if last in SAME:
        kinds = [annotated(frame, elements[0])]
    else:
        kinds = [annotated(frame, element) for element in elements]
    if outer.tag == "api":
        frame.mention(node.value, outer.name, "annotation")
        return instance_of(outer)
    if outer.tag == "class":
        return instance_of(outer)
    return _generic(last, elements, kinds)


def _callable(frame: Frame, elements: list[ast.expr]) -> Kind:
    """`Callable[[a, b], c]` gives c when it is called."""
    inner = [part for e in elements for part in (e.elts if isinstance(e, ast.List) else [e])]
    kinds = [annotated(frame, part) for part in inner]
    if len(elements) != 2 or kinds[-1].is_unknown:
        return CALLABLE
    return CALLABLE._replace(parts=(kinds[-1],))


def _literals(node: ast.expr) -> Kind:
    values = node.elts if isinstance(node, ast.Tuple) else [node]
    kinds = [_CONSTANTS.get(type(v.value), UNKNOWN) for v in values if isinstance(v, ast.Constant)]
    return join_all(kinds) if len(kinds) == len(values) else OTHER


_CONSTANTS = {str: STR, int: INT, bool: BOOL, type(None): NONE, bytes: BYTES}


def _generic(last: str, elements: list[ast.expr], kinds: list[Kind]) -> Kind:
    if last == "Optional":
        return join_all([kinds[0], NONE])
    if last == "Union":
        return join_all(kinds)
    if last in SAME:
        return kinds[0]
    if last in ("tuple", "Tuple"):
        endless = isinstance(elements[-1], ast.Constant) and elements[-1].value is ...
        return Kind("list", "tuple", (kinds[0],)) if endless else tuple_of(kinds)
    if last in LISTS:
        return list_of(kinds[0])
    if last in SEQUENCES:
        return Kind("iterator", "", (kinds[0],))
    if last in DICTIONARIES and len(kinds) == 2:
        return dict_of(kinds[0], kinds[1])
    if last in ("Generator", "AsyncIterator", "AsyncGenerator"):
        return Kind("iterator", "", (kinds[0],))
    return NUMPY if last == "NDArray" else UNKNOWN


def _either(frame: Frame, node: ast.expr) -> Kind:
    assert isinstance(node, ast.BinOp)
    parts = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp) and isinstance(left.op, ast.BitOr):
        parts.append(left.right)
        left = left.left
    return join_all(annotated(frame, part) for part in (left, *reversed(parts)))


def _constant(frame: Frame, node: ast.expr) -> Kind:
    assert isinstance(node, ast.Constant)
    if node.value is None:
        return NONE
    if not isinstance(node.value, str):
        return UNKNOWN
    parsed = frame.engine.quoted(node)
    return UNKNOWN if parsed is None else annotated(frame, parsed)


_READERS = {
    ast.Name: _named,
    ast.Attribute: _named,
    ast.Subscript: _subscript,
    ast.BinOp: _either,
    ast.Constant: _constant,
}
