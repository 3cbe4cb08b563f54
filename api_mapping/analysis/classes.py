"""What the classes of the project are: families by their bases, methods, attributes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TypeGuard

from ..table.facts.foreign import library_of
from ..table.facts.results import INSTANCES, family
from ..table.facts.spelling import OWN_BASES
from ..table.kinds import HELD, PASSING, UNKNOWN, Kind
from . import lightning
from .definitions import Class, Function
from .thin import bound_if_named

FOREIGN_FAMILIES = {
    "pytorch_lightning.LightningModule": "module",
    "transformers.PreTrainedModel": "module",
    "transformers.modeling_utils.PreTrainedModel": "module",
}
"""Classes of other libraries that are known to derive from PyTorch's."""
PLAIN_BASES = frozenset(
    """
    builtins.object abc.ABC enum.Enum enum.IntEnum enum.StrEnum typing.Protocol typing.Generic
    typing.NamedTuple typing.TypedDict builtins.Exception builtins.dict builtins.list builtins.str
    builtins.int builtins.tuple builtins.ValueError builtins.RuntimeError
    """.split()
)
"""Bases that are none of PyTorch's."""
MAX_BASES = 60
"""Classes above a class that are looked at: cycles end."""


def ancestors(cls: Class) -> Iterable[Class | Kind]:
    """The class and all above it, nearest first; bases outside of the project as kinds."""
    return _climb(cls) if cls.line is None else cls.line


def own_line(cls: Class) -> Iterable[Class]:
    """The class and all above it that are the project's, nearest first."""
    if cls.own_line is None:
        found = [base for base in ancestors(cls) if isinstance(base, Class)]
        if cls.line is None:
            return found
        cls.own_line = tuple(found)
    return cls.own_line


def _climb(cls: Class) -> Iterator[Class | Kind]:
    seen: list[Class | Kind] = []
    waiting: list[Class | Kind] = [cls]
    while waiting and len(seen) < MAX_BASES:
        current = waiting.pop(0)
        if current in seen:
            continue
        seen.append(current)
        yield current
        if isinstance(current, Class):
            waiting[:0] = [b.target if b.tag == "class" else b for b in bases_of(current)]
    if cls.module.state != "running":
        cls.line = tuple(seen)


def bases_of(cls: Class) -> tuple[Kind, ...]:
    """The bases, looked up when they are first needed."""
    if cls.bases is None:
        cls.bases = (UNKNOWN,)  # while they are looked for: imports may go in circles
        cls.bases = read_bases(cls)
    return cls.bases


def read_bases(cls: Class) -> tuple[Kind, ...]:
    frame = cls.frame.outer
    return tuple(
        frame.engine.resolve(frame, node.value if isinstance(node, ast.Subscript) else node)
        for node in cls.node.bases
    )


def family_of(cls: Class) -> str:
    """The family of instances: "module"...; "object" if none of PyTorch's; "" if unknown."""
    if cls.family is not None:
        return cls.family
    found = _family_of(cls)
    if found == "object" and is_part_of_module(cls):
        found = "module"
    if found != "object" or cls.module.state != "running":
        cls.family = found
    return found


def is_part_of_module(cls: Class) -> bool:
    """Whether a class without bases gives its methods to modules of its file: a mixin."""
    for other in [] if cls.node.bases else cls.module.classes:
        names = {base.id for base in other.node.bases if isinstance(base, ast.Name)}
        if cls.name in names and other is not cls and _family_of(other) == "module":
            return True
    return False


def _family_of(cls: Class) -> str:
    unknown = False
    for base in ancestors(cls):
        if isinstance(base, Class):
            continue
        found = family_of_base(base)
        if found not in ("", "object"):
            return found
        unknown = unknown or not found
    return "" if unknown else "object"


def family_of_base(base: Kind) -> str:
    if base.tag == "api":
        if base.name in ("torch.Tensor", "torch.nn.Parameter"):
            return "tensor"
        known = INSTANCES.get(base.name) or family(base.name)
        return known or FOREIGN_FAMILIES.get(base.name, "" if library_of(base.name) else "object")
    return "object" if base.tag == "foreign" and base.name in PLAIN_BASES else ""


def torch_base(cls: Class) -> str:
    """The documented name of the nearest base of PyTorch's, "" if there is none."""
    for base in ancestors(cls):
        if isinstance(base, Kind) and base.tag == "api":
            return base.name
    return ""


def is_own_optimizer(cls: Class) -> bool:
    """Whether its base is PyTorch's Optimizer or LRScheduler, and no optimiser of PyTorch's."""
    return torch_base(cls) in OWN_BASES


def foreign_base(cls: Class) -> str:
    """The library made on PyTorch that a class has its base of, "" if there is none.

    None, too, if all that it uses of Lightning has rows.
    """
    bases = [base for base in ancestors(cls) if isinstance(base, Kind)]
    names = [base.name for base in bases if base.tag == "api"]
    if lightning.BASES & set(names):
        others = [base.name for base in bases if base.name not in PLAIN_BASES]
        below = [other for other in cls.module.classes if cls in own_line(other)]
        is_kept = lightning.is_canonical((*own_line(cls), *below), others)
        return "" if is_kept else "pytorch_lightning"
    return next(filter(None, map(library_of, names)), "")


def instance_of_class(cls: Class) -> Kind:
    if cls.instance is not None:
        return cls.instance
    found = Kind(family_of(cls) or "instance", torch_base(cls), (), cls)
    if cls.line is not None and cls.family is not None:
        cls.instance = found
    return found


def is_module(cls: Class) -> bool:
    """Whether the class derives from nn.Module, through however many files."""
    return family_of(cls) == "module"


def method(cls: Class, name: str) -> Function | None:
    """The method by this name of the class or of a base in the project."""
    for base in own_line(cls):
        function = base.methods.get(name)
        if function is not None:
            return signed(function)
    return None


def buffer(cls: Class, name: str) -> Kind | None:
    """What a buffer is that the class or one above registers by this name; None if none does."""
    for base in own_line(cls):
        made = registrations(base).get(name)
        if made is not None:
            return PASSING if is_passing(made) else HELD
    return None


def writes(cls: Class, name: str) -> bool:
    """Whether methods of the class or of one above write to the attribute."""
    bodies = (
        bound_if_named(function, name)
        for base in own_line(cls)
        for function in base.methods.values()
    )
    return any(
        any(attribute == name for _, attribute, _ in bound.attributes)
        or any(attribute == name for _, attribute in bound.written)
        for bound in bodies
        if bound
    )


def registrations(cls: Class) -> dict[str, ast.Call]:
    """The calls of register_buffer in a class by the names that they give, found once."""
    if cls.registered is None:
        cls.registered = {}
        bodies = (bound_if_named(f, "register_buffer") for f in cls.methods.values())
        for _, name, made in (each for bound in bodies if bound for each in bound.attributes):
            if is_registration(made):
                cls.registered.setdefault(name, made)
    return cls.registered


def is_registration(node: ast.expr | None) -> TypeGuard[ast.Call]:
    """Whether it is a call of register_buffer."""
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr == "register_buffer"


def is_passing(call: ast.Call) -> bool:
    """Whether a buffer is registered with `persistent=False`."""
    given = [*call.args[2:3], *(k.value for k in call.keywords if k.arg == "persistent")]
    return any(isinstance(value, ast.Constant) and value.value is False for value in given)


def signed(function: Function) -> Function:
    """The function with its decorators and annotations read."""
    if not function.is_signed and function.outer is not None:
        function.outer.engine.sign(function)
    return function


def above(cls: Class, name: str) -> Function | None:
    """The method that `super()` leads to."""
    for base in own_line(cls):
        if base is not cls and name in base.methods:
            return signed(base.methods[name])
    return None
