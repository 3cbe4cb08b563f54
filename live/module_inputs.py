"""The inputs of a live module: by place or by name, bound to what its forward takes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import UsageError
from .module import Module

Array = np.ndarray[Any, Any]
Tensor = Any
"""A torch.Tensor."""

PLAIN = (type(None), bool, int, float, str)


@dataclass(frozen=True)
class Arguments:
    """What forward is called with; `parameters` are the names of those that are given.

    `tensors` are the tensors among them, by the names that the file's inputs get.
    """

    args: tuple[Any, ...]
    named: dict[str, Any]
    parameters: tuple[str, ...]
    tensors: dict[str, Tensor]

    def arrays(self) -> list[Array]:
        """The tensors as arrays, in the order of the file's inputs."""
        return [tensor.detach().numpy() for tensor in self.tensors.values()]


def arguments_of(module: Module, inputs: Any) -> Arguments:
    """Raises: MS105 for inputs that forward does not take"""
    import torch

    where = type(module).__name__
    if isinstance(inputs, torch.Tensor | np.ndarray):
        inputs = (inputs,)
    if not isinstance(inputs, tuple | list | Mapping):
        got, expected = type(inputs).__name__, "a tensor, a tuple of them, or a dictionary by name"
        raise UsageError("MS105", where, "these are no inputs", got=got, expected=expected)
    args: tuple[Any, ...] = ()
    named: dict[str, Any] = {}
    if not isinstance(inputs, Mapping):
        args = tuple(_value(x, f"input {i}", where) for i, x in enumerate(inputs))
    else:
        named = {str(key): _value(x, f"input {key!r}", where) for key, x in inputs.items()}
    bound = _bound(module, args, named)
    tensors = dict(_tensors(bound))
    if not tensors:
        advice = "give example inputs: their shapes and element types are the file's"
        raise UsageError("MS105", where, "there is no tensor among the inputs", advice=advice)
    return Arguments(args, named, tuple(bound), tensors)


def _value(value: Any, what: str, where: str) -> Any:
    """An input with arrays as tensors. Raises: MS105 for what a file's input cannot be"""
    import torch

    if isinstance(value, np.ndarray):
        return torch.from_numpy(np.ascontiguousarray(value))
    if isinstance(value, tuple | list):
        return type(value)([_value(x, what, where) for x in value])
    if isinstance(value, torch.Tensor):
        if value.device.type != "cpu":
            problem, advice = f"{what} is on {value.device}", "give it on the CPU"
            raise UsageError("MS105", where, problem, advice=advice)
        return value
    if isinstance(value, PLAIN):
        return value
    advice = "wrap the module in one whose forward takes the tensors one by one"
    expected = "a tensor, a list of them, a number or None"
    problem = f"{what} is neither a tensor nor plain"
    got = type(value).__name__
    raise UsageError("MS105", where, problem, got=got, expected=expected, advice=advice)


def _bound(module: Module, args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """Each given argument by its parameter's name. Raises: MS105 for too many or too few"""
    forward = module.forward
    try:
        signature = inspect.signature(forward)
    except (TypeError, ValueError):  # of what was compiled
        return {**{f"input_{i}": x for i, x in enumerate(args)}, **named}
    try:
        return dict(signature.bind(*args, **named).arguments)
    except TypeError as error:
        expected = f"forward{signature}".replace("\n", " ")
        problem = "the inputs are not those of its forward"
        where = type(module).__name__
        raise UsageError("MS105", where, problem, got=str(error), expected=expected) from error


def _tensors(bound: Mapping[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """The tensors in the arguments; those of a list are numbered."""
    import torch

    for name, value in bound.items():
        if isinstance(value, torch.Tensor):
            yield name, value
        elif isinstance(value, tuple | list):
            yield from _tensors({f"{name}_{i}": x for i, x in enumerate(value)})
        elif isinstance(value, dict):  # what **kwargs took
            yield from _tensors(value)


def axes_of(
    given: Arguments, dynamic: Mapping[str, Mapping[int, str]] | None
) -> dict[str, dict[int, str]]:
    """The axes that stay free. Raises: MS105 for inputs and axes that there are not"""
    found = {}
    for name, axes in (dynamic or {}).items():
        if name not in given.tensors:
            expected = ", ".join(given.tensors)
            raise UsageError("MS105", "dynamic", "no such input", got=name, expected=expected)
        rank = given.tensors[name].ndim
        for axis, word in axes.items():
            if not isinstance(axis, int) or not -rank <= axis < rank or not isinstance(word, str):
                got, expected = f"{axis!r}: {word!r}", f"an axis of {rank}, and its name"
                raise UsageError("MS105", f"dynamic {name}", "no axis", got=got, expected=expected)
        found[name] = {axis % rank: str(word) for axis, word in axes.items()}
    return found
