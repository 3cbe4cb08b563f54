"""What an expression is: kinds, and what is left of them where two paths meet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

MAX_MEMBERS = 5
"""A value that may be more things than these is as good as unknown."""
MAX_LAYERS = 12
"""A module that may be more layers than these is just a module."""
MAX_DEPTH = 6
"""Containers nested deeper than this hold something unknown: `x = [x]` in a loop must end."""


class Kind(NamedTuple):
    """What is known of a value.

    `tag` says what sort of value; `name` the documented API that made it or that it is; `parts`
    the elements of containers; `target` the class, function or module of the project.
    """

    tag: str
    name: str = ""
    parts: tuple[Kind, ...] = ()
    target: Any = None

    @property
    def is_tensor(self) -> bool:
        return self.tag == "tensor"

    @property
    def is_mixed(self) -> bool:
        """Whether it is a tensor or a number: `total = 0`, `total += loss`."""
        tags = {part.tag for part in self.parts} if self.tag == "union" else set()
        return "tensor" in tags and tags <= NUMBERS | {"tensor"}

    @property
    def is_unknown(self) -> bool:
        return self.tag == "unknown"


UNKNOWN = Kind("unknown")
PART = Kind("unknown", "part")
"""A part of a parameter of which nothing is known, with the function and the name as target."""
NEVER = Kind("never")
"""The element of an empty list."""
NONE = Kind("none")
INT = Kind("int")
FLOAT = Kind("float")
BOOL = Kind("bool")
NUMBER = Kind("number")
STR = Kind("str")
BYTES = Kind("bytes")
SHAPE = Kind("shape")
TENSOR = Kind("tensor")
TRUTHS = Kind("tensor", "torch.BoolTensor")
"""A tensor of bools."""
INTS = Kind("tensor", "torch.LongTensor")
"""A tensor of integers, of whatever width."""
COMPLEX = Kind("tensor", "torch.ComplexTensor")
"""A tensor of complex numbers."""
ELEMENTS_KNOWN = frozenset({TRUTHS, INTS, COMPLEX})
"""Tensors of whose elements the sort is known: their parts are of the same."""
PARAMETER = Kind("tensor", "torch.nn.Parameter")
HELD = Kind("tensor", "torch.nn.Buffer")
"""A tensor that a module holds, by whatever name: what is written to it, the module sees."""
PASSING = Kind("tensor", "torch.nn.Buffer(persistent=False)")
"""One that is no part of the state that is saved."""
DTYPE = Kind("dtype")
DEVICE = Kind("device")
NUMPY = Kind("numpy")
OTHER = Kind("other")
"""Known to be nothing of PyTorch's."""
CALLABLE = Kind("other", "callable")
"""What is called, and gives what nobody knows; or what its one part says."""
MODULE = Kind("module", "torch.nn.Module")
OPTIMIZER = Kind("optimizer", "torch.optim.Optimizer")
SCHEDULER = Kind("scheduler", "torch.optim.lr_scheduler.LRScheduler")
ALIKE = {"optimizer": OPTIMIZER, "scheduler": SCHEDULER}
"""What two classes of PyTorch's have in common: all their methods."""
SCALER = Kind("scaler", "torch.amp.GradScaler")
LOADER = Kind("loader", "torch.utils.data.DataLoader")
GENERATOR = Kind("generator", "torch.Generator")
COLLATED = Kind("collated")
"""What DataLoader's own collation makes: a tensor, or a list or dictionary of such, or text."""
PARAM_GROUP = Kind("param_group")
TENSORS = Kind("list", "tuple", (TENSOR,))

NUMBERS = frozenset({"int", "float", "bool", "number"})
PLAIN = NUMBERS | {"none", "str", "bytes", "shape", "dtype", "device", "numpy", "other"}
"""Kinds that are neither a tensor nor a container that may hold one."""


def list_of(element: Kind) -> Kind:
    return Kind("list", "", (element,))


def tuple_of(parts: Iterable[Kind]) -> Kind:
    return Kind("tuple", "", tuple(parts))


def dict_of(key: Kind, value: Kind) -> Kind:
    return Kind("dict", "", (key, value))


def coroutine_of(kind: Kind) -> Kind:
    """What a call of a coroutine function gives, if awaiting it gives a value of a kind."""
    return Kind("coroutine", "", (kind,))


def join(a: Kind, b: Kind) -> Kind:
    """What is known of a value that is `a` on one path and `b` on another."""
    if a is b or a == b:
        return a
    if a.tag == "never":
        return b
    if b.tag == "never":
        return a
    if a.tag == "unknown" or b.tag == "unknown":
        return UNKNOWN
    if a.tag in NUMBERS and b.tag in NUMBERS:
        return NUMBER
    if a.tag == b.tag and a.tag != "union":
        alike = _alike(a, b)
        if alike is not None:
            return alike
    members = list(a.parts if a.tag == "union" else (a,))
    for new in b.parts if b.tag == "union" else (b,):
        _add_member(members, new)
    if len(members) == 1:
        return members[0]
    return UNKNOWN if len(members) > MAX_MEMBERS else Kind("union", "", tuple(members))


def _add_member(members: list[Kind], new: Kind) -> None:
    for i, old in enumerate(members):
        joined = old if old == new else _alike(old, new) if old.tag == new.tag else None
        if joined is not None:
            members[i] = joined
            return
    members.append(new)


def _alike(a: Kind, b: Kind) -> Kind | None:
    """The one kind for two of the same tag, or None if they must be kept apart."""
    if a.tag in ("tensor", "dtype"):
        return Kind(a.tag) if a.target is b.target else None
    if a.tag == "module" and (a.name != b.name or a.name == MODULE.name):
        return either_layer(a, b) if a.target is None and b.target is None else None
    same = a.name == b.name and a.target is b.target
    if same and len(a.parts) == len(b.parts):
        parts = tuple(join(p, q) for p, q in zip(a.parts, b.parts, strict=True))
        return shallow(Kind(a.tag, a.name, parts, a.target))
    if a.tag in ("list", "tuple"):
        return list_of(join(element_of_parts(a), element_of_parts(b)))
    if a.tag in ALIKE and a.target is None and b.target is None:
        return ALIKE[a.tag]
    return None


def either_layer(a: Kind, b: Kind) -> Kind | None:
    """A module that is one of some layers of PyTorch's: its parts; they say what it has."""
    if not (a.name.startswith("torch.") and b.name.startswith("torch.")):
        return None
    layers = dict.fromkeys((*layers_of(a), *layers_of(b)))  # in order: names may be the same
    if MODULE in layers or len(layers) > MAX_LAYERS:
        return MODULE
    return Kind("module", MODULE.name, tuple(sorted(layers, key=lambda layer: layer.name)))


def layers_of(kind: Kind) -> tuple[Kind, ...]:
    """The layers of PyTorch's that a module may be; itself if that is one."""
    return kind.parts if kind.name == MODULE.name and kind.parts else (kind,)


def element_of_parts(kind: Kind) -> Kind:
    """What any element of a list or tuple is."""
    return join_all(kind.parts) if kind.parts else NEVER


def join_all(kinds: Iterable[Kind]) -> Kind:
    result = NEVER
    for kind in kinds:
        result = join(result, kind)
    return result


def depth(kind: Kind) -> int:
    return 1 + max(map(depth, kind.parts), default=0)


def shallow(kind: Kind) -> Kind:
    """The kind, or with unknown parts if it is nested too deeply."""
    if kind.parts and depth(kind) > MAX_DEPTH:
        return Kind(kind.tag, kind.name, (UNKNOWN,) * len(kind.parts), kind.target)
    return kind


def widened(kind: Kind, before: Kind | None) -> Kind:
    """The kind of a layer without its parts, if it holds what it was at the look before.

    `net.head = nn.Sequential(nn.ReLU(), net.head)` would be deeper at each look, without end.
    """
    holds_itself = kind.tag == "module" and before is not None and is_within(before, kind.parts)
    return kind._replace(parts=()) if holds_itself else kind


def is_within(kind: Kind, parts: Iterable[Kind]) -> bool:
    return any(part == kind or is_within(kind, part.parts) for part in parts)


def handed_over(kind: Kind) -> Kind:
    """The kind of what came through a parameter or an attribute: no spelling of an API."""
    tag = kind.tag
    if tag == "union":
        return Kind("union", "", tuple(map(handed_over, kind.parts)))
    if tag == "api":
        return Kind("api", kind.name, (), "handed over")
    return DTYPE if tag == "dtype" else kind


def present(kind: Kind) -> Kind:
    """The kind of a value that is known not to be None."""
    if kind.tag != "union":
        return kind
    parts = tuple(part for part in kind.parts if part.tag != "none")
    if len(parts) == len(kind.parts):
        return kind
    return parts[0] if len(parts) == 1 else Kind("union", "", parts)


def part_of(kind: Kind) -> Kind:
    """What is in a value of which nothing is known: a part of a parameter if it is one."""
    return PART._replace(target=kind.target) if kind.name else UNKNOWN


def members_of(kind: Kind) -> tuple[Kind, ...]:
    """What a value may be, one by one."""
    return kind.parts if kind.tag == "union" else (kind,)


def is_alike(a: Kind, b: Kind) -> bool:
    """Whether two kinds say the same but for the elements of tensors: of integers, of bools..."""
    return a == b or of_any_elements(a) == of_any_elements(b)


def of_any_elements(kind: Kind) -> Kind:
    """The kind with nothing said of the elements of tensors."""
    if kind in ELEMENTS_KNOWN:
        return TENSOR
    return kind._replace(parts=tuple(map(of_any_elements, kind.parts))) if kind.parts else kind


def may_be(kind: Kind, tag: str) -> bool:
    """Whether a value of this kind could be one with `tag`."""
    if kind.tag == "union":
        return any(may_be(part, tag) for part in kind.parts)
    return kind.tag in (tag, "unknown") or (kind.tag == "collated" and tag == "tensor")


def verdict(kind: Kind, tag: str) -> str:
    """ "is", "is not" or "unknown": whether a value of this kind is one with `tag`."""
    if kind.tag == tag:
        return "is"
    return "unknown" if may_be(kind, tag) else "is not"
