"""Loops as primitive classes, and what orders or binds calls."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from ..engine.argument import check_type
from ..engine.flow import looping
from ..engine.tensor import Tensor
from .operation import operation

WRONG = (TypeError, ValueError, AttributeError, IndexError, KeyError)
"""What a function of the user's may raise; MindSpore's loops make ValueErrors of it."""


def looped(loop: Callable[..., Any], *args: Any) -> Any:
    """loop(*args). Raises: ValueError for what is wrong in the user's functions."""
    try:
        return loop(*args)
    except WRONG as error:
        raise ValueError(
            f"Invalid loop_func, please check input arguments and return value, error info: {error}"
        ) from error


def check_functions(where: str, **functions: Any) -> None:
    for name, function in functions.items():
        check_type(where, name, function, FunctionType, MethodType)


@operation("WhileLoop")
def while_loop(cond_func: Any, loop_func: Any, init_val: Any) -> Any:
    check_functions("WhileLoop", cond_func=cond_func, loop_func=loop_func)
    return looped(looping.while_loop, cond_func, loop_func, init_val)


@operation("ForiLoop")
def fori_loop(lower: Any, upper: Any, loop_func: Any, init_val: Any, unroll: bool = True) -> Any:
    check_type("ForiLoop", "lower", lower, int, Tensor)
    check_type("ForiLoop", "upper", upper, int, Tensor)
    check_functions("ForiLoop", loop_func=loop_func)
    return looped(looping.fori_loop, lower, upper, loop_func, init_val, unroll)


@operation("Scan")
def scan(loop_func: Any, init: Any, xs: Any, length: Any = None, unroll: bool = True) -> Any:
    check_functions("Scan", loop_func=loop_func)
    if xs is None:
        check_type("Scan", "length", length, int)
    else:
        check_type("Scan", "xs", xs, list, tuple)
    return looped(looping.scan, loop_func, init, xs, length, unroll)


@operation("Partial")
def partial(func: Any, *args: Any) -> Any:
    return functools.partial(func, *args)


@operation("Depend")
def depend(value: Any, expr: Any) -> Any:
    return value
