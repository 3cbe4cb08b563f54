"""Operations made of others: one after another, at random, in any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...engine.argument import check_range, check_type
from ...engine.failure import ElementTypeError, RefusedError, ShapeError
from .. import chance
from .operation import TensorOperation

Function = Callable[..., Any]


def checked_list(where: str, given: Any, name: str = "transforms") -> list[Function]:
    """A list of functions. Raises: TypeError or ValueError (MS304)."""
    check_type(where, name, given, list)
    if not given:
        raise ShapeError(where, f"{name} is empty", expected="at least one operation")
    return [checked_function(where, f"{name}[{n}]", one) for n, one in enumerate(given)]


def checked_function(where: str, name: str, given: Any) -> Function:
    if isinstance(given, type):
        got, advice = given.__name__, f"{given.__name__}(...), with parentheses"
        raise ShapeError(where, f"{name} is a class", got=got, advice=advice)
    if not callable(given):
        raise ElementTypeError(where, f"{name} cannot be called", got=repr(given))
    function: Function = given
    return function


def applied(functions: Sequence[Function], values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The results of functions, each called with those of the one before."""
    for function in functions:
        found = function(*values)
        values = found if isinstance(found, tuple) else (found,)
    return values


class Compound(TensorOperation):
    """An operation made of others."""

    def __init__(self, transforms: Any) -> None:
        self.transforms = checked_list(self.name, transforms)

    def __call__(self, *values: Any) -> Any:
        if not values:
            advice = "Compose([...])(x)"
            raise RefusedError(self.name, "it was called without a value", advice=advice)
        for place in self.chosen():
            with chance.part(place, type(self) is Compose):
                values = applied([self.transforms[place]], values)
        return values[0] if len(values) == 1 else values

    def chosen(self) -> Sequence[int]:
        """The places of the operations of one call."""
        raise NotImplementedError(self.name)


class Compose(Compound):
    """The operations one after another."""

    def chosen(self) -> Sequence[int]:
        return range(len(self.transforms))


class RandomApply(Compound):
    """The operations one after another, or none of them."""

    def __init__(self, transforms: Any, prob: float = 0.5) -> None:
        super().__init__(transforms)
        check_range(self.name, "prob", check_type(self.name, "prob", prob, float, int), 0, 1)
        self.prob = prob

    def chosen(self) -> Sequence[int]:
        return range(len(self.transforms)) if chance.happens(self.prob) else ()


class RandomChoice(Compound):
    """One of the operations."""

    def chosen(self) -> Sequence[int]:
        return [chance.whole(0, len(self.transforms) - 1)]


class RandomOrder(Compound):
    """The operations in random order."""

    def chosen(self) -> Sequence[int]:
        return chance.order(len(self.transforms))


def not_random(function: Function) -> Function:
    """The function, marked as one that gives the same for the same."""
    function.random = False  # type: ignore[attr-defined]
    return function
