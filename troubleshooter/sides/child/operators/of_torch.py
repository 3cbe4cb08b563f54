"""PyTorch's functions, methods and operators as they are called, by its function mode."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .watching import Watcher

NOT_OPERATORS = ("__get__", "__set__")
"""Attributes, as a tensor's shape."""

GIVING_TENSORS = ("T", "mT", "H", "mH", "real", "imag", "data")


@contextmanager
def watching(torch: Any, watcher: Watcher) -> Iterator[None]:
    """Within, what is called goes by the watcher."""
    from torch.overrides import TorchFunctionMode, resolve_name

    class Watching(TorchFunctionMode):
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if not watcher.is_within:
                return func(*args, **(kwargs or {}))
            name = (resolve_name(func) or getattr(func, "__name__", "")).removeprefix("torch.")
            bind = functools.partial(bound, torch, func)
            return watcher.called(shown(name), func, args, kwargs or {}, bind)

    with Watching():
        yield


def shown(name: str) -> str:
    """`Tensor.T` of `Tensor.T.__get__`; others as they are."""
    for ending in NOT_OPERATORS:
        name = name.removesuffix(f".{ending}")
    return name


def bound(
    torch: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Mapping[str, Any]:
    """The arguments by their names, with the defaults that were not given."""
    try:
        found = inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):  # of C
        return by_schema(torch, function, args, kwargs)
    found.apply_defaults()
    kinds = {p.kind for p in found.signature.parameters.values()}
    if inspect.Parameter.VAR_POSITIONAL in kinds or inspect.Parameter.VAR_KEYWORD in kinds:
        return by_schema(torch, function, args, kwargs)
    return dict(found.arguments)


def by_schema(
    torch: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Mapping[str, Any]:
    """By the first of the operator's overloads that fits; else by their places."""
    name = getattr(function, "__name__", "")
    for place in (name, name.strip("_"), name.rstrip("_")):
        for schema in torch._C._jit_get_schemas_for_operator(f"aten::{place}"):
            found = by_arguments(torch, schema.arguments, args, kwargs)
            if found is not None:
                return found
    return {**{str(i): x for i, x in enumerate(args)}, **kwargs}


def by_arguments(
    torch: Any, formal: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any] | None:
    positional = [one for one in formal if not one.kwarg_only]
    if len(args) > len(positional) and positional and "int[" in text_of(positional[-1]):
        last = len(positional) - 1
        args = (*args[:last], tuple(args[last:]))  # view(2, 3)
    if len(args) > len(positional):
        return None
    given = dict(zip([one.name for one in positional], args, strict=False)) | kwargs
    names = {one.name: one for one in formal}
    if not set(given) <= set(names):
        return None
    for name, one in names.items():
        if name not in given and not one.has_default_value():
            return None
        if name in given and not fits(torch, text_of(one), given[name]):
            return None
        given.setdefault(name, one.default_value)
    return {name: given[name] for name in names}


def text_of(formal: Any) -> str:
    """`Tensor`, `int[]?` and so on; lists have their brackets."""
    text = str(formal.type)
    if text.startswith("Optional["):
        text = text.removeprefix("Optional[").removesuffix("]") + "?"
    if text.startswith("List["):
        inner = text.removeprefix("List[").partition("]")[0]
        text = f"{inner}[]" + text.partition("]")[2]
    return text.replace("number", "Scalar")


def fits(torch: Any, text: str, value: Any) -> bool:
    """Whether an argument may be of this type of a schema."""
    if value is None:
        return text.endswith("?")
    kind = text.rstrip("?")
    is_tensor = isinstance(value, torch.Tensor)
    if kind.endswith("[]"):
        several = isinstance(value, (tuple, list))
        one = kind.removesuffix("[]")
        if several:
            return all(fits(torch, one, part) for part in value)
        return one == "int" and isinstance(value, int) and not isinstance(value, bool)
    if kind == "Tensor":
        return is_tensor
    if kind == "bool":
        return isinstance(value, bool)
    if kind in ("int", "SymInt"):
        return isinstance(
            value, (int, torch.dtype, torch.device, torch.layout, torch.memory_format)
        )
    if kind in ("float", "Scalar"):
        return isinstance(value, (int, float, complex))
    if kind == "str":
        return isinstance(value, str)
    return not is_tensor and not isinstance(value, (int, float, tuple, list))
