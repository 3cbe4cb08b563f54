"""What Python's operators and functions of numbers are on values that only the graph knows."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any

from .. import dtype as dtypes
from ..failure import LoopError, TracedValueError
from ..primitive import REGISTRY, convert
from ..tensor import Tensor
from .branches import NO_NAMES, choice, is_unknown, truth
from .number import Number, kind_of, number_of
from .state import Names

Ask = Callable[[], Any]
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt, "GtE": operator.ge,
    "Eq": operator.eq, "NotEq": operator.ne, "Is": operator.is_, "IsNot": operator.is_not,
    "In": lambda x, there: contained(x, there),
    "NotIn": lambda x, there: opposite(contained(x, there)),
}  # fmt: skip


def both(names: Names, first: Any, *rest: Ask) -> Any:
    """`first and second and ...`; the rest are asked only if they must be."""
    if not rest:
        return first

    def further() -> Any:
        return both(names, rest[0](), *rest[1:])

    if is_unknown(first):
        return choice(names, truth(first), further, lambda: first)
    return further() if first else first


def either(names: Names, first: Any, *rest: Ask) -> Any:
    """`first or second or ...`."""
    if not rest:
        return first

    def further() -> Any:
        return either(names, rest[0](), *rest[1:])

    if is_unknown(first):
        return choice(names, truth(first), lambda: first, further)
    return first if first else further()


def both_true(names: Names, first: Any, *rest: Ask) -> Any:
    """The truth of `both`."""
    return both(names, truth_of(first), *[known_truth(one) for one in rest])


def either_true(names: Names, first: Any, *rest: Ask) -> Any:
    """The truth of `either`."""
    return either(names, truth_of(first), *[known_truth(one) for one in rest])


def known_truth(ask: Ask) -> Ask:
    return lambda: truth_of(ask())


def truth_of(x: Any) -> Any:
    """`bool(x)`."""
    return number_of(truth(x), bool) if is_unknown(x) else builtins.bool(x)


def given(x: Any) -> Ask:
    return lambda: x


def opposite(x: Any) -> Any:
    """`not x`."""
    return number_of(REGISTRY["Not"](truth(x)), bool) if is_unknown(x) else not x


def compared(names: Names, kinds: tuple[str, ...], left: Any, first: Any, *rest: Ask) -> Any:
    """A chain of comparisons; each operand is computed once."""
    found = COMPARISONS[kinds[0]](left, first)
    if not rest:
        return found
    return both(names, found, lambda: compared(names, kinds[1:], first, rest[0](), *rest[1:]))


def contained(x: Any, there: Any) -> Any:
    """`x in there`."""
    if isinstance(there, (tuple, list)):
        found: Any = False
        for one in there:
            same = one is x or x == one
            found = either_true(NO_NAMES, found, given(same))
        return found
    if isinstance(there, Tensor) and (is_unknown(x) or is_unknown(there)):
        return truth_of((there == x).any())
    if is_unknown(x):
        raise TracedValueError("a key")
    return x in there


def integer(*args: Any) -> Any:
    """`int(x)`: fractions are cut off."""
    if len(args) != 1 or not is_unknown(args[0]):
        return int(*args)
    return number_of(convert(single(args[0]), dtypes.int64), int)


def floating(*args: Any) -> Any:
    if len(args) != 1 or not is_unknown(args[0]):
        return float(*args)
    return number_of(convert(single(args[0]), dtypes.float64), float)


def boolean(*args: Any) -> Any:
    if len(args) != 1 or not is_unknown(args[0]):
        return bool(*args)
    return number_of(truth(args[0]), bool)


def single(x: Any) -> Tensor:
    """`x` without axes. Raises: LoopError if it has more elements than one."""
    if isinstance(x, Number):
        return x.tensor
    if x.size != 1:
        raise LoopError("a conversion", "only one element is a number", got=f"shape {x.shape}")
    single_one: Tensor = x.reshape(()) if x.shape else x
    return single_one


def item(x: Tensor) -> Any:
    """`x.item()`."""
    kinds = {"b": bool, "i": int, "u": int, "f": float}
    if x.content.dtype.kind not in kinds:
        raise TracedValueError("item")
    kind = kinds[x.content.dtype.kind]
    return number_of(convert(single(x), {bool: dtypes.bool_, int: dtypes.int64,
                                         float: dtypes.float64}[kind]), kind)  # fmt: skip


def largest(*args: Any, **options: Any) -> Any:
    return extreme(builtins.max, operator.gt, args, options)


def smallest(*args: Any, **options: Any) -> Any:
    return extreme(builtins.min, operator.lt, args, options)


def extreme(function: Any, better: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The first of the best, as Python's `max` and `min` find it."""
    every = [*args[0]] if len(args) == 1 and not isinstance(args[0], str) else [*args]
    if options or not any(is_unknown(x) for x in every):
        return function(*args, **options)
    found = every[0]
    for x in every[1:]:
        found = choice(NO_NAMES, better(x, found), given(x), given(found))
    return found


def all_of(items: Any) -> Any:
    found: Any = True
    for x in items:
        found = both(NO_NAMES, found, given(truth_of(x)))
    return found


def any_of(items: Any) -> Any:
    found: Any = False
    for x in items:
        found = either(NO_NAMES, found, given(truth_of(x)))
    return found


def is_instance(x: Any, kinds: Any) -> bool:
    """As `isinstance`, with Numbers as what they stand for."""
    if isinstance(x, Number):
        return any(issubclass(kind_of(x), kind) for kind in flat(kinds))
    return isinstance(x, kinds)


def flat(kinds: Any) -> list[type]:
    if isinstance(kinds, tuple):
        return [kind for part in kinds for kind in flat(part)]
    return [kinds]


def place(index: Any) -> Any:
    """An index, with Tensors for its Numbers."""
    if isinstance(index, Number):
        return index.tensor
    if type(index) is tuple:
        return tuple([place(part) for part in index])
    if isinstance(index, slice):
        for part in (index.start, index.stop, index.step):
            if is_unknown(part):
                raise TracedValueError("a bound of a slice")
    return index
