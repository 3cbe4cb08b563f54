"""The steps of a function that one side calls as a whole, and the other one has written out."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .model import MODELS, Array, model


@dataclass(frozen=True, eq=False)
class Step:
    """One operator: its kind, what it takes, with which options, what it gives."""

    kind: str
    operands: tuple[Any, ...]
    options: dict[str, Any]
    result: Array


@dataclass
class Steps:
    """Computes operator after operator by the models, and keeps them.

    `others`: the kinds that the other side has, for functions that are written out in several ways.
    """

    others: frozenset[str] = frozenset()
    done: list[Step] = field(default_factory=list)

    def __call__(self, kind: str, *operands: Any, **options: Any) -> Array:
        """What the operator gives."""
        result = np.asarray(MODELS[kind](*operands, **options))
        self.done.append(Step(kind, operands, options, result))
        return result

    def square(self, x: Array) -> Array:
        return self("square", x) if "square" in self.others else self("mul", x, x)

    def turned(self, x: Array) -> Array:
        """With the last two axes exchanged."""
        order = list(range(x.ndim))
        return self("transpose", x, perm=(*order[:-2], order[-1], order[-2]))

    def spread(self, x: Array, axis: Any, correction: int = 0) -> tuple[Array, Array]:
        """What is left without the mean, and the mean of its squares."""
        rest = self("sub", x, self("mean", x, axis=axis, keepdims=True))
        square = self.square(rest)
        if not correction:
            return rest, self("mean", square, axis=axis, keepdims=True)
        count = x.size // self.sizes(x, axis)
        total = self("sum", square, axis=axis, keepdims=True)
        return rest, self("div", total, count - correction)

    @staticmethod
    def sizes(x: Array, axis: Any) -> int:
        """How many elements a reduction along these axes gives."""
        return int(np.sum(np.ones(x.shape), axis=axis, keepdims=True).size)

    def root_of(self, x: Array, y: Array) -> Array:
        """x / sqrt(y)"""
        if "rsqrt" in self.others:
            return self("mul", x, self("rsqrt", y))
        return self("div", x, self("sqrt", y))

    def scaled(self, x: Array, weight: Any, bias: Any) -> Array:
        x = x if weight is None else self("mul", x, weight)
        return x if bias is None else self("add", x, bias)


Expansion = Callable[..., Any]
EXPANSIONS: dict[str, Expansion] = {}


RANK_OF: dict[str, int] = {}
"""Functions that are steps of others have higher ranks."""


def expansion(kind: str, rank: int = 0) -> Callable[[Expansion], Expansion]:
    """Makes a function what a kind is written out as: it takes `Steps`, then as a model."""

    def added(function: Expansion) -> Expansion:
        EXPANSIONS[kind] = function
        RANK_OF[kind] = rank
        return function

    return added


def composite(kind: str, rank: int = 0) -> Callable[[Expansion], Expansion]:
    """An expansion that is the model of its kind, too: what its last step gives."""

    def added(function: Expansion) -> Expansion:
        def whole(*operands: Any, **options: Any) -> Array:
            steps = Steps()
            function(steps, *operands, **options)
            return steps.done[-1].result

        own = inspect.signature(function)
        told = own.replace(parameters=[*own.parameters.values()][1:])
        vars(whole)["__signature__"] = told  # as `reading` asks for what models take
        model(kind)(whole)
        return expansion(kind, rank)(function)

    return added
