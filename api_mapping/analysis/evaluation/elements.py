"""What is in a container: iteration, indexing, unpacking."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...table.facts.results import PACKED_PARTS, PACKED_SEQUENCE
from ...table.kinds import (
    BYTES,
    COLLATED,
    ELEMENTS_KNOWN,
    FLOAT,
    INT,
    INTS,
    MODULE,
    NUMBER,
    NUMBERS,
    NUMPY,
    OTHER,
    PARAM_GROUP,
    PARAMETER,
    SHAPE,
    STR,
    TENSOR,
    TRUTHS,
    UNKNOWN,
    Kind,
    join_all,
    list_of,
    part_of,
    present,
    tuple_of,
)
from .optimizer_state import STATE, kept_in

if TYPE_CHECKING:
    from ..frame import Frame

SEQUENCE_TAGS = frozenset({"list", "tuple", "set", "iterator"})
ELEMENTS = {
    "tensor": TENSOR,
    "str": STR,
    "bytes": INT,
    "shape": INT,
    "collated": COLLATED,
    "numpy": NUMPY,
    "other": OTHER,
}
BATCHED = NUMBERS | {"tensor", "numpy"}
"""What DataLoader makes a tensor of."""


def opened(kind: Kind) -> Kind:
    """The kind of a value that is not None; of packed sequences the tuple that they are."""
    kind = present(kind)
    return PACKED_PARTS if kind == PACKED_SEQUENCE else kind


def element_of(kind: Kind) -> Kind:
    """What iterating over a value of this kind gives each time."""
    kind = opened(kind)
    tag = kind.tag
    if tag in SEQUENCE_TAGS:
        return join_all(kind.parts)
    if tag in ELEMENTS:
        return kind if kind in ELEMENTS_KNOWN else ELEMENTS[tag]
    if tag == "dict":
        return kind.parts[0]
    if tag == "module":
        return _element_of_module(kind)
    if tag == "loader" and kind.parts:
        return kind.parts[0] if kind.name == "collate_fn" else batch_of(kind.parts[0])
    if tag == "dataset":
        return kind.parts[0] if kind.parts and kind.target is None else UNKNOWN
    if tag == "union":
        return join_all(map(element_of, kind.parts))
    return part_of(kind) if tag == "unknown" else UNKNOWN


def _element_of_module(kind: Kind) -> Kind:
    if kind.target is not None:
        return UNKNOWN
    if kind.name == "torch.nn.ParameterList":
        return PARAMETER
    if kind.name in ("torch.nn.ModuleList", "torch.nn.Sequential"):
        found = join_all(kind.parts)
        return MODULE if found.tag in ("unknown", "never") else found
    return STR if kind.name in ("torch.nn.ModuleDict", "torch.nn.ParameterDict") else UNKNOWN


def batch_of(sample: Kind) -> Kind:
    """What DataLoader's own collation makes of samples of this kind."""
    tag = sample.tag
    if tag in BATCHED:
        return INTS if sample in (INT, INTS) else TENSOR
    if tag == "tuple":
        return tuple_of(map(batch_of, sample.parts))
    if tag in ("list", "dict"):
        return Kind(tag, sample.name, tuple(map(batch_of, sample.parts)))
    if tag in ("str", "bytes"):
        return list_of(sample)
    if tag == "union":
        batches = list(map(batch_of, sample.parts))
        return COLLATED if COLLATED in batches else join_all(batches)
    return sample if tag == "collated" else COLLATED if tag == "unknown" else UNKNOWN


def item_of(frame: Frame, container: Kind, node: ast.expr, index: Kind) -> Kind:
    """What `container[node]` is."""
    container = opened(container)
    tag = container.tag
    if tag == "tensor":
        return container if container in ELEMENTS_KNOWN else TENSOR
    if tag == "shape":
        return SHAPE if isinstance(node, ast.Slice) else INT
    if tag in ("str", "bytes", "numpy", "collated"):
        return {"str": STR, "bytes": BYTES, "numpy": NUMPY, "collated": COLLATED}[tag]
    if tag in ("list", "tuple"):
        return _item_of_list(container, node)
    if tag == "dict":
        if container.name == STATE:
            return kept_in(frame, container, node)
        return container.parts[1] if len(container.parts) == 2 else UNKNOWN
    if tag == "unknown":
        if index == TRUTHS:
            frame.takes_as_tensor(container)
        return container if is_part(node) else part_of(container)
    if tag == "param_group":
        return _of_param_group(node)
    if tag == "module":
        return _item_of_module(container, node)
    if tag == "union":
        return join_all(item_of(frame, part, node, index) for part in container.parts)
    if tag == "dataset":
        return element_of(container)
    return OTHER if tag == "other" else UNKNOWN


def _of_param_group(node: ast.expr) -> Kind:
    if isinstance(node, ast.Constant):
        known: dict[object, Kind] = {"params": list_of(PARAMETER), "betas": list_of(FLOAT)}
        return known.get(node.value, NUMBER)
    return UNKNOWN


def _item_of_list(container: Kind, node: ast.expr) -> Kind:
    if container.tag == "tuple":
        position = constant_index(node)
        if position is not None:
            inside = -len(container.parts) <= position < len(container.parts)
            return container.parts[position] if inside else UNKNOWN
    if isinstance(node, ast.Slice):
        return _sliced(container, node)
    return join_all(container.parts)


def _sliced(container: Kind, node: ast.Slice) -> Kind:
    if container.tag == "list":
        return container
    bounds = [None if b is None else constant_index(b) for b in (node.lower, node.upper, node.step)]
    given = [b is not None for b in (node.lower, node.upper, node.step)]
    if any(g and b is None for g, b in zip(given, bounds, strict=True)):
        return Kind("list", "tuple", (join_all(container.parts),))
    return tuple_of(container.parts[slice(*bounds)])


def constant_index(node: ast.expr) -> int | None:
    """The literal integer, None if it is something else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = constant_index(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def is_part(index: ast.expr) -> bool:
    """Whether an index gives what is of the same sort as the whole: `x[1:]`, `x[..., :-1]`."""
    places = index.elts if isinstance(index, ast.Tuple) else (index,)
    return any(isinstance(place, ast.Slice) for place in places)


def _item_of_module(container: Kind, node: ast.expr) -> Kind:
    if container.target is not None:
        return UNKNOWN
    if container.name in ("torch.nn.ParameterList", "torch.nn.ParameterDict"):
        return container if isinstance(node, ast.Slice) else PARAMETER
    if container.name not in ("torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"):
        return UNKNOWN
    if container.name == "torch.nn.ModuleDict":
        key = node.value if isinstance(node, ast.Constant) else None
        return _or_module(entry_of(container, key) or join_all(container.parts[:1]))
    if isinstance(node, ast.Slice):
        return Kind(container.tag, container.name, (join_all(container.parts),))
    position = constant_index(node)
    fixed = container.target is None and container.name == "torch.nn.Sequential"
    if fixed and position is not None and -len(container.parts) <= position < len(container.parts):
        return _or_module(container.parts[position])
    return _or_module(join_all(container.parts))


def entry_of(container: Kind, key: object) -> Kind | None:
    """What a ModuleDict has under a key; None if that is not known."""
    entries = (part for part in container.parts if part.tag == "entry" and part.name == key)
    return next((entry.parts[0] for entry in entries), None)


def _or_module(kind: Kind) -> Kind:
    return MODULE if kind.tag in ("unknown", "never") else kind


Bind = Callable[["Frame", str, Kind], None]


def unpack(frame: Frame, target: ast.expr, kind: Kind, bind: Bind) -> None:
    """Binds the target of an assignment, a loop or a with statement."""
    cls = type(target)
    if cls is ast.Name:
        bind(frame, target.id, kind)  # type: ignore[attr-defined]
        frame.recorder.kinds[target] = kind
    elif cls is ast.Tuple or cls is ast.List:
        frame.takes_as_holder(kind)
        _unpack_sequence(frame, target.elts, opened(kind), bind)  # type: ignore[attr-defined]
    elif isinstance(target, ast.Starred):
        unpack(frame, target.value, kind, bind)
    else:
        frame.engine.store(frame, target, kind)


def _unpack_sequence(frame: Frame, targets: list[ast.expr], kind: Kind, bind: Bind) -> None:
    stars = [i for i, target in enumerate(targets) if isinstance(target, ast.Starred)]
    if kind.tag == "tuple" and not stars and len(kind.parts) == len(targets):
        for target, part in zip(targets, kind.parts, strict=True):
            unpack(frame, target, part, bind)
        return
    if kind.tag == "tuple" and stars and len(kind.parts) >= len(targets) - 1:
        head, tail = stars[0], len(targets) - stars[0] - 1
        middle = kind.parts[head : len(kind.parts) - tail]
        parts = [*kind.parts[:head], list_of(join_all(middle))]
        parts += kind.parts[len(kind.parts) - tail :] if tail else ()
        for target, part in zip(targets, parts, strict=True):
            unpack(frame, target, part, bind)
        return
    if kind.tag == "union":
        _unpack_union(frame, targets, kind, bind)
        return
    element = element_of(kind)
    for target in targets:
        unpack(frame, target, list_of(element) if _is_starred(target) else element, bind)


def _unpack_union(frame: Frame, targets: list[ast.expr], kind: Kind, bind: Bind) -> None:
    for i, target in enumerate(targets):
        if _is_starred(target):
            unpack(frame, target, list_of(UNKNOWN), bind)
            continue
        parts = [
            part.parts[i]
            if part.tag == "tuple" and len(part.parts) == len(targets)
            else element_of(part)
            for part in kind.parts
        ]
        unpack(frame, target, join_all(parts), bind)


def _is_starred(target: ast.expr) -> bool:
    return isinstance(target, ast.Starred)


def param_groups() -> Kind:
    """What an optimizer's `param_groups` is."""
    return list_of(PARAM_GROUP)
