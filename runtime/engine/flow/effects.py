"""What compiled code does beside computing: it prints, and it checks what is asserted.

The graph gives the values, and whether the way was taken on which they stand; what is to be done
with them is done after each run, in the order of the source.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..failure import LoopError
from ..tensor import Tensor
from ..trace import active
from .branches import EndedError, is_unknown, truth
from .number import Number

Act = Callable[[list[Any]], None]


@dataclass(frozen=True, eq=False)
class Effect:
    """`act` of the values, after each run in which `guard` is true (None: in each)."""

    guard: Tensor | None
    values: tuple[Any, ...]
    act: Act


class Text:
    """An f-string with values that are known only when the graph runs."""

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts

    @property
    def unknown(self) -> list[Any]:
        return [part[0] for part in self.parts if not isinstance(part, str)]

    def filled(self, values: list[Any]) -> str:
        """The text with the values of `unknown`."""
        rest = iter(values)
        return "".join(
            part if isinstance(part, str) else shown(next(rest), *part[1:]) for part in self.parts
        )

    def __str__(self) -> str:
        return self.filled([str(value) for value in self.unknown])


def shown(value: Any, conversion: int = -1, style: str = "") -> str:
    """A value as an f-string shows it."""
    converters: dict[int, Callable[[Any], str]] = {115: str, 114: repr, 97: ascii}
    convert = converters.get(conversion)
    return format(convert(value) if convert else value, style)


def text(*parts: Any) -> Any:
    """An f-string: its literal parts, and (value, conversion, style) of the others."""
    known = [
        part if isinstance(part, str) or is_unknown(part[0]) else shown(*part) for part in parts
    ]
    if all(isinstance(part, str) for part in known):
        return "".join(known)
    return Text(tuple(known))


def record(values: list[Any], act: Act, guard: Tensor | None = None) -> None:
    """Has `act` done after each run. Raises: LoopError in a Loop, which gives no values out."""
    trace = active()
    assert trace is not None
    if trace.inner is not None and trace.inner.repeated:
        raise LoopError("print or assert", "it stands in a loop that is one node")
    trace.effects.append(Effect(guard, tuple(values), act))


def printed(*args: Any, **options: Any) -> None:
    """`print`, at each run."""
    if active() is None or options.keys() - {"sep", "end", "flush"}:
        print(*args, **options)  # noqa: T201 - it is what the source says
        return
    parts = [parts_of(arg) for arg in args]
    values = [value for _, unknown in parts for value in unknown]

    def act(given: list[Any]) -> None:
        rest = iter(given)
        print(*[show([next(rest) for _ in unknown]) for show, unknown in parts], **options)  # noqa: T201

    record(values, act)


def parts_of(arg: Any) -> tuple[Callable[[list[Any]], str], list[Any]]:
    """How an argument of `print` is shown, and the values that are needed for that."""
    if isinstance(arg, Text):
        return arg.filled, arg.unknown
    if isinstance(arg, (Tensor, Number)) and is_unknown(arg):
        return lambda values: str(values[0]), [arg]
    if isinstance(arg, (list, tuple, dict)):
        return of_nested(arg)
    text_now = str(arg)
    return lambda values: text_now, []


def of_nested(arg: Any) -> tuple[Callable[[list[Any]], str], list[Any]]:
    """A list, tuple or dictionary, whose values are shown as `repr` shows them."""
    from ..compiler import flatten, rebuild

    leaves: list[Tensor] = []
    layout = flatten(arg, leaves)
    return lambda values: str(rebuild(layout, values)), [*leaves]


def asserted(test: Any, message: Callable[[], Any]) -> None:
    """`assert test, message()`."""
    if not is_unknown(test):
        if not test:
            found = message()
            raise AssertionError(*([] if found is None else [found]))
        return
    if Trying.depth:
        raise LoopError("assert", "its error may be caught by a try around it")
    said = message()
    show, values = parts_of(said) if said is not None else (None, [])

    def act(given: list[Any]) -> None:
        if not given[0]:
            raise AssertionError(*([] if show is None else [show(given[1:])]))

    record([truth(test), *values], act)


def raised(make: Callable[[], BaseException]) -> None:
    """Before `raise make()`: on one side of a branch it is raised after the run that takes it.

    Raises: EndedError there: the side has no end.
    """
    trace = active()
    if trace is None or trace.inner is None or trace.inner.repeated:
        return
    if Trying.depth:
        raise LoopError("raise", "it may be caught by a try around it")
    error = make()
    kind: Any = error if isinstance(error, type) else type(error)
    parts = [] if isinstance(error, type) else [parts_of(arg) for arg in error.args]

    def act(given: list[Any]) -> None:
        rest = iter(given)
        raise kind(*[show([next(rest) for _ in unknown]) for show, unknown in parts])

    record([value for _, unknown in parts for value in unknown], act)
    raise EndedError


class Trying:
    """How many `try` of rewritten source are around."""

    depth = 0

    def __enter__(self) -> None:
        Trying.depth += 1

    def __exit__(self, *error: object) -> None:
        Trying.depth -= 1
