"""How MindSpore's primitive classes are made of functions; see this folder's docstring."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from functools import cache
from types import UnionType
from typing import Any, ClassVar, Literal, NamedTuple

from ..engine.argument import check_choice, check_type
from ..ops.registry import OPS

CLASSES: dict[str, type[Primitive]] = {}
"""Every primitive class by name."""


class Primitive:
    """An operator with its attributes set, as `mindspore.ops.Primitive`."""

    function: ClassVar[Callable[..., Any] | None] = None
    check: ClassVar[Callable[..., None] | None] = None

    given: dict[str, Any]
    """What the function is called with; `attrs` has what users add, too."""

    attrs: dict[str, Any]
    init_attrs: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if self.function is None:
            return self.begin(*args, **kwargs)
        self.name = type(self).__name__
        constructor = constructor_of(type(self).function)
        bound = constructor.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        self.given = dict(bound.arguments)
        self.attrs = dict(self.given)
        for name, kind in constructor.kinds.items():
            check_kind(self.name, name, self.given[name], kind)
        if self.check is not None:
            self.check(**self.given)
        kept = ("name", "attrs", "given")
        self.__dict__.update({k: v for k, v in self.given.items() if k not in kept})
        return None

    def begin(self, name: str) -> None:
        """Of a user's primitive: only its name is known."""
        self.name = check_type("Primitive", "name", name, str)
        self.given, self.attrs, self.init_attrs = {}, {}, {"name": name}

    def __call__(self, *inputs: Any) -> Any:
        if self.function is None:
            raise NotImplementedError(f"the primitive {self.name} has no implementation here")
        return type(self).function(*inputs, **self.given)  # type: ignore[misc]  # not None

    def __repr__(self) -> str:
        attrs = ", ".join(f"{k}={v}" for k, v in self.given.items())
        return f"Prim[{self.name}]<{attrs}>" if attrs else f"Prim[{self.name}]"

    def add_prim_attr(self, name: str, value: Any) -> Primitive:
        """Keeps a note for compilers that this runtime does not have."""
        self.__dict__[name] = self.attrs[name] = value
        return self

    def del_prim_attr(self, name: str) -> Primitive:
        self.attrs.pop(name, None)
        self.__dict__.pop(name, None)
        return self

    def get_attr_dict(self) -> dict[str, Any]:
        return self.attrs

    def set_device(self, device_target: str) -> Primitive:
        return self.add_prim_attr("primitive_target", device_target)

    def set_stage(self, stage: int) -> Primitive:
        return self.add_prim_attr("stage", stage)

    def set_prim_instance_name(self, name: str) -> Primitive:
        self.instance_name = name
        return self

    update_parameter = False

    def init_prim_io_names(self, inputs: Any, outputs: Any) -> None:
        """Accepted: the names come from the signature here."""

    def ignored(self, *args: Any, **kwargs: Any) -> Primitive:
        """Accepted without an effect on one machine."""
        return self

    shard = recompute = place = ignored


class PrimitiveWithInfer(Primitive):
    """As `mindspore.ops.PrimitiveWithInfer`: for subclasses of users."""


class PrimitiveWithCheck(Primitive):
    """As `mindspore.ops.PrimitiveWithCheck`: for subclasses of users."""


def operation(
    name: str, check: Callable[..., None] | None = None
) -> Callable[[Callable[..., Any]], type[Primitive]]:
    """Makes a function the primitive class `name`.

    The constructor refuses arguments that are not of their annotation (Any: takes all; Literal:
    the choices), and what `check`, called with all of them as keywords, refuses.
    """

    def register(function: Callable[..., Any]) -> type[Primitive]:
        if name in CLASSES:
            raise KeyError(f"there is a primitive class {name} already")
        CLASSES[name] = made = class_of(name, function, check)
        return made

    return register


def class_of(
    name: str, function: Callable[..., Any], check: Callable[..., None] | None = None
) -> type[Primitive]:
    members = {
        "function": staticmethod(function),
        "check": None if check is None else staticmethod(check),
        "__doc__": function.__doc__ or f"As `mindspore.ops.{name}`.",
        "__module__": __name__,
    }
    return type(name, (Primitive,), members)


class Constructor(NamedTuple):
    """What a primitive class is made with: its signature, and annotations that say something."""

    signature: inspect.Signature
    kinds: dict[str, Any]


@cache  # made when the first object is: 555 classes cost a sixth of the import of the runtime
def constructor_of(function: Callable[..., Any]) -> Constructor:
    """The constructor of the class of a function: it takes the function's keywords."""
    parameters = inspect.signature(function).parameters.values()
    given = [
        p.replace(kind=p.POSITIONAL_OR_KEYWORD) for p in parameters if p.kind is p.KEYWORD_ONLY
    ]
    hints = typing.get_type_hints(function)
    kinds = {p.name: hints[p.name] for p in given if hints[p.name] is not Any}
    return Constructor(inspect.Signature(given), kinds)


def check_kind(where: str, name: str, value: Any, kind: Any) -> None:
    """Raises: TypeError or ValueError (MS304) if `value` is not what the annotation `kind` says."""
    if typing.get_origin(kind) is Literal:
        choices = typing.get_args(kind)
        check_type(where, name, value, *{type(choice) for choice in choices})
        return check_choice(where, name, value, choices)
    parts = typing.get_args(kind) if isinstance(kind, UnionType) else (kind,)
    check_type(where, name, value, *[typing.get_origin(part) or part for part in parts])
    return None


def same(name: str, op: str) -> type[Primitive]:
    """The primitive class `name`, whose call is the op `op` and whose constructor takes nothing."""
    function = OPS[op]
    return operation(name)(lambda *inputs: function(*inputs))


for _user in (Primitive, PrimitiveWithInfer, PrimitiveWithCheck):
    CLASSES[_user.__name__] = _user
