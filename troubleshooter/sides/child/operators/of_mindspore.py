"""MindSpore's public functions, its Tensor's methods and operators, and its primitives.

Each is exchanged, while a block is recorded, for one that goes by the watcher; also where the
user's modules have imported it under a name of their own.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any

from ..caught import INSTALLED
from .lines import Lines
from .watching import Watcher

PLACES = (
    "ops",
    "mint",
    "mint.nn.functional",
    "mint.linalg",
    "mint.special",
    "numpy",
    "ops.function",
)
"""Where public functions are; what is in several is called by the first."""

NOT_OPERATORS = {
    *("asnumpy", "numpy", "tolist", "item", "size", "dim", "ndimension", "value", "set_data"),
    *(
        "set_dtype",
        "is_contiguous",
        "data_ptr",
        "stride",
        "storage_offset",
        "numel",
        "element_size",
    ),
    *("is_floating_point", "is_complex", "is_signed", "register_hook", "backward", "nelement"),
    *("has_init", "init_data", "set_const_arg", "flush_from_cache", "getitem", "setitem"),
}
OPERATORS = {
    f"__{name}__"
    for name in (
        *("add", "radd", "iadd", "sub", "rsub", "isub", "mul", "rmul", "imul", "truediv"),
        *("rtruediv", "itruediv", "floordiv", "rfloordiv", "ifloordiv", "mod", "rmod", "imod"),
        *("pow", "rpow", "ipow", "matmul", "rmatmul", "imatmul", "neg", "pos", "abs", "invert"),
        *("and", "or", "xor", "rand", "ror", "rxor", "lt", "le", "gt", "ge", "eq", "ne"),
        *("getitem", "setitem"),
    )
}


@contextmanager
def watching(ms: Any, watcher: Watcher, lines: Lines) -> Iterator[None]:
    """Within, what is called goes by the watcher."""
    exchanged = list(instead(ms, watcher, lines))  # all are found before the first is exchanged
    with ExitStack() as undone:
        for owner, name, new in exchanged:
            exchange(undone, owner, name, new)
        yield


def instead(ms: Any, watcher: Watcher, lines: Lines) -> Iterator[tuple[Any, str, Any]]:
    """What is set in the place of what: the owner, the attribute, the new value."""
    known: dict[int, Any] = {}
    for place, module in public(ms):
        for name, function in functions_in(module):
            if id(function) not in known:
                known[id(function)] = watched(watcher, f"{place}.{name}", function)
            yield module, name, known[id(function)]
    for module, name, value in imported(lines):
        if id(value) in known:
            yield module, name, known[id(value)]
    for name, function in methods_of(ms.Tensor):
        yield ms.Tensor, name, watched(watcher, f"Tensor.{name}", function)
    kind = ms.ops.Primitive
    yield kind, "__call__", primitive(watcher, kind.__call__)


def exchange(undone: ExitStack, owner: Any, name: str, new: Any) -> None:
    """Sets an attribute, until the end."""
    own = vars(owner)
    if name in own:
        undone.callback(setattr, owner, name, own[name])
    else:
        undone.callback(delattr, owner, name)
    setattr(owner, name, new)


def public(ms: Any) -> Iterator[tuple[str, ModuleType]]:
    seen = set[int]()  # of the runtime two of them are one
    for place in PLACES:
        found: Any = ms
        for part in place.split("."):
            found = getattr(found, part, None)
        if isinstance(found, ModuleType) and id(found) not in seen:
            seen.add(id(found))
            yield place, found


def functions_in(module: ModuleType) -> Iterator[tuple[str, Any]]:
    for name in dir(module):
        value = getattr(module, name, None)
        is_function = callable(value) and not isinstance(value, type)
        if is_function and not name.startswith("_") and hasattr(value, "__name__"):
            yield name, value


def imported(lines: Lines) -> Iterator[tuple[ModuleType, str, Any]]:
    """What modules that belong to no framework and no library have, under which names."""
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and not INSTALLED.search(file) and lines.is_users(file):
            for name, value in list(vars(module).items()):
                yield module, name, value


def methods_of(tensor: type) -> Iterator[tuple[str, Any]]:
    for name in dir(tensor):
        is_public = not name.startswith("_") and name not in NOT_OPERATORS
        value = inspect.getattr_static(tensor, name, None)
        if (is_public or name in OPERATORS) and callable(value) and not isinstance(value, type):
            yield name, getattr(tensor, name)


def watched(watcher: Watcher, name: str, function: Any) -> Any:
    """The function, by the watcher; a plain function, so that it is a method of a class."""

    @functools.wraps(function)
    def calling(*args: Any, **kwargs: Any) -> Any:
        if not watcher.is_within:
            return function(*args, **kwargs)
        return watcher.called(name, function, args, kwargs, functools.partial(bound, function))

    return calling


def primitive(watcher: Watcher, call: Callable[..., Any]) -> Any:
    """The call of a primitive, which knows its attributes itself."""

    def calling(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not watcher.is_within:
            return call(self, *args, **kwargs)

        def bind(args: Any, kwargs: Any) -> Mapping[str, Any]:
            return {**{str(i): x for i, x in enumerate(args[1:])}, **kwargs, **attributes(self)}

        return watcher.called(f"ops.{type(self).__name__}", call, (self, *args), kwargs, bind)

    return calling


def attributes(primitive: Any) -> dict[str, Any]:
    found = getattr(primitive, "init_attrs", None) or getattr(primitive, "attrs", {})
    return {str(name): value for name, value in dict(found).items()}


def bound(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Mapping[str, Any]:
    """The arguments by their names, with defaults, where the function tells them."""
    try:
        found = inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):  # of C
        return {**{str(i): x for i, x in enumerate(args)}, **kwargs}
    found.apply_defaults()
    told: dict[str, Any] = {}
    for name, value in found.arguments.items():
        kind = found.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL and not told:
            told |= {str(i): x for i, x in enumerate(value)}
        elif kind is inspect.Parameter.VAR_KEYWORD:
            told |= value
        else:
            told[name] = value
    return told
