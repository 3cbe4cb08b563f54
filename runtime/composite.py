"""`mindspore.ops.composite`: functions of functions, and the ops that old scripts find there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .engine import dtype as dtypes
from .engine.dtype import DType
from .engine.failure import MissingNameError
from .engine.parameter import Parameter
from .engine.tensor import Tensor
from .ops.derivative import GradOperation
from .ops.registry import OPS

KINDS: dict[str, Callable[[Any], bool]] = {
    "Tensor": lambda x: isinstance(x, Tensor),
    "Parameter": lambda x: isinstance(x, Parameter),
    "Ref": lambda x: isinstance(x, Parameter),
    "Number": lambda x: isinstance(x, (bool, int, float)),
    "Bool": lambda x: isinstance(x, bool),
    "Int": lambda x: isinstance(x, int) and not isinstance(x, bool),
    "Float": lambda x: isinstance(x, float),
    "String": lambda x: isinstance(x, str),
    "Tuple": lambda x: isinstance(x, tuple),
    "List": lambda x: isinstance(x, list),
    "Dictionary": lambda x: isinstance(x, dict),
    "None": lambda x: x is None,
    "Function": lambda x: callable(x) and not isinstance(x, Tensor),
    "Type": lambda x: isinstance(x, DType),
    "TypeType": lambda x: isinstance(x, DType),
    "RowTensor": lambda x: type(x).__name__ == "RowTensor",
    "COOTensor": lambda x: type(x).__name__ == "COOTensor",
    "CSRTensor": lambda x: type(x).__name__ == "CSRTensor",
    "MapTensor": lambda x: False,
    "EnvType": lambda x: False,
    "Slice": lambda x: isinstance(x, slice),
    "Ellipsis": lambda x: x is Ellipsis,
}
"""What each type's name in `register` takes."""

NUMBERS = {"Int64": int, "Int32": int, "Float32": float, "Float64": float, "Bool": bool}
"""Names of Python's numbers by MindSpore's element types."""


def fits(kind: Any, value: Any) -> bool:
    """Whether a value is of the kind that `register` was given: a name or an element type."""
    if isinstance(kind, DType):
        return isinstance(value, (bool, int, float)) and number_type(value) is kind
    if kind in KINDS:
        return KINDS[kind](value)
    return kind in NUMBERS and type(value) is NUMBERS[kind]


def number_type(value: Any) -> DType:
    found = {bool: dtypes.bool_, int: dtypes.int64, float: dtypes.float32}
    return found.get(type(value), dtypes.float32)


class MultitypeFuncGraph:
    """A function with forms for different types, as `mindspore.ops.MultitypeFuncGraph`."""

    def __init__(
        self,
        name: str,
        read_value: bool = False,
        doc_url: str = "",
        need_raise: bool = False,
    ) -> None:
        self.name = name
        self.entries: list[tuple[tuple[Any, ...], Callable[..., Any]]] = []

    def register(self, *type_names: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Adds the decorated function for arguments of these types."""

        def added(fn: Callable[..., Any]) -> Callable[..., Any]:
            self.entries.append((type_names, fn))
            return fn

        return added

    def set_doc_url(self, doc_url: str) -> None:
        """Accepted."""

    def __call__(self, *args: Any) -> Any:
        """What the form for these types gives. Raises: ValueError if there is none."""
        for kinds, fn in self.entries:
            if len(kinds) == len(args) and all(map(fits, kinds, args)):
                return fn(*args)
        known = ", ".join(str(kinds) for kinds, _ in self.entries)
        given = ", ".join(type(x).__name__ for x in args)
        raise ValueError(
            f"For 'MultitypeFuncGraph', cannot find fn match given args. Got {given}; "
            f"{self.name} knows {known}"
        )


class HyperMap:
    """Calls a function for the elements of nested sequences, as `mindspore.ops.HyperMap`.

    It gives tuples, for lists too.
    """

    def __init__(self, ops: Any = None, reverse: bool = False) -> None:
        self.ops = ops

    def __call__(self, *args: Any) -> Any:
        if self.ops is None:
            fn, *sequences = args
        else:
            fn, sequences = self.ops, list(args)
        return self.applied(fn, sequences)

    def applied(self, fn: Callable[..., Any], sequences: list[Any]) -> Any:
        first = sequences[0]
        if not isinstance(first, (tuple, list)):
            return fn(*sequences)
        return tuple([self.applied(fn, list(each)) for each in zip(*sequences, strict=False)])


class Map(HyperMap):
    """Calls a function for the elements of sequences, as `mindspore.ops.Map`."""

    def applied(self, fn: Callable[..., Any], sequences: list[Any]) -> Any:
        return tuple([fn(*each) for each in zip(*sequences, strict=False)])


def core(fn: Any = None, **flags: Any) -> Any:
    """The decorated function with `flags`; they have no effect."""
    if fn is None:
        return functools.partial(core, **flags)
    return add_flags(fn, **flags)


def add_flags(fn: Any = None, **flags: Any) -> Any:
    """The decorated function with `flags`; they have no effect."""
    if fn is None:
        return functools.partial(add_flags, **flags)
    if not hasattr(fn, "_func_graph_flags"):
        fn._func_graph_flags = {}
    fn._func_graph_flags.update(flags)
    return fn


def tail(x: tuple[Any, ...]) -> tuple[Any, ...]:
    """All elements but the first."""
    return x[1:]


def zip_operation(*sequences: Any) -> tuple[Any, ...]:
    return tuple(zip(*sequences, strict=False))


def hyper_add(x: Any, y: Any) -> Any:
    """The sum of two structures, element by element."""
    return HyperMap(OPS["add"])(x, y)


def like(op: str) -> Callable[[Any], Any]:
    """An op of a Tensor for every Tensor of a structure."""
    return lambda x: HyperMap(OPS[op])(x)


ones_like, zeros_like = like("ones_like"), like("zeros_like")

__all__ = [
    "GradOperation",
    "HyperMap",
    "Map",
    "MultitypeFuncGraph",
    "add_flags",
    "core",
    "hyper_add",
    "ones_like",
    "tail",
    "zeros_like",
    "zip_operation",
]


def __getattr__(name: str) -> Any:
    """An op of that name. Raises: MS301 with the nearest name that there is."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name in OPS:
        return OPS[name]
    raise MissingNameError.of("ops.composite", name, [*__all__, *OPS])
