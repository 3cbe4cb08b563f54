"""How MindSpore's primitive classes are made of functions; see this folder's docstring."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

from ..ops.registry import OPS

CLASSES: dict[str, type[Primitive]] = {}
"""Every primitive class by name."""


class Primitive:
    """An operator with its attributes set, as `mindspore.ops.Primitive`."""

    function: ClassVar[Callable[..., Any] | None] = None
    constructor: ClassVar[inspect.Signature] = inspect.Signature()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if self.function is None:
            self.name = args[0] if args else kwargs["name"]
            self.attrs: dict[str, Any] = {}
            return
        self.name = type(self).__name__
        bound = self.constructor.bind(*args, **kwargs)
        bound.apply_defaults()
        self.attrs = dict(bound.arguments)
        self.__dict__.update({k: v for k, v in self.attrs.items() if k not in ("name", "attrs")})

    def __call__(self, *inputs: Any) -> Any:
        if self.function is None:
            raise NotImplementedError(f"the primitive {self.name} has no implementation here")
        return type(self).function(*inputs, **self.attrs)  # type: ignore[misc]  # not None

    def __repr__(self) -> str:
        return f"Prim[{self.name}]<{', '.join(f'{k}={v}' for k, v in self.attrs.items())}>"

    def add_prim_attr(self, name: str, value: Any) -> Primitive:
        """Keeps a note for compilers that this runtime does not have."""
        self.__dict__[name] = value
        return self

    def init_prim_io_names(self, inputs: Any, outputs: Any) -> None:
        """Accepted: the names come from the signature here."""

    def ignored(self, *args: Any, **kwargs: Any) -> Primitive:
        """Accepted without an effect on one machine."""
        return self

    set_device = shard = recompute = set_stage = set_prim_instance_name = del_prim_attr = ignored


class PrimitiveWithInfer(Primitive):
    """As `mindspore.ops.PrimitiveWithInfer`: for subclasses of users."""


class PrimitiveWithCheck(Primitive):
    """As `mindspore.ops.PrimitiveWithCheck`: for subclasses of users."""


def operation(name: str) -> Callable[[Callable[..., Any]], type[Primitive]]:
    """Makes a function the primitive class `name`."""

    def register(function: Callable[..., Any]) -> type[Primitive]:
        if name in CLASSES:
            raise KeyError(f"there is a primitive class {name} already")
        CLASSES[name] = made = class_of(name, function)
        return made

    return register


def class_of(name: str, function: Callable[..., Any]) -> type[Primitive]:
    parameters = inspect.signature(function).parameters.values()
    given = [
        p.replace(kind=p.POSITIONAL_OR_KEYWORD) for p in parameters if p.kind is p.KEYWORD_ONLY
    ]
    members = {
        "function": staticmethod(function),
        "constructor": inspect.Signature(given),
        "__doc__": function.__doc__ or f"As `mindspore.ops.{name}`.",
        "__module__": __name__,
    }
    return type(name, (Primitive,), members)


def same(name: str, op: str) -> type[Primitive]:
    """The primitive class `name`, whose call is the op `op` and whose constructor takes nothing."""
    function = OPS[op]
    return operation(name)(lambda *inputs: function(*inputs))


for _user in (Primitive, PrimitiveWithInfer, PrimitiveWithCheck):
    CLASSES[_user.__name__] = _user
