"""The runtime's errors: msconvert's shape, and of the class that MindSpore raises there."""

from __future__ import annotations

import difflib
import linecache
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import Any

from ...errors import MsconvertError

INSIDE = __name__.rpartition(".")[0]
"""The package of the engine."""
RUNTIME = INSIDE.rpartition(".")[0]
"""The package whose frames are not the user's."""


class ElementTypeError(MsconvertError, TypeError):
    """MS304: element types that do not go together, or that nothing computes."""

    def __init__(
        self, where: str, problem: str, *, got: str = "", expected: str = "", advice: str = ""
    ) -> None:
        super().__init__("MS304", where, problem, got=got, expected=expected, advice=advice)


class ShapeError(MsconvertError, ValueError):
    """MS304: shapes, or values of arguments, that do not go together."""

    def __init__(
        self, where: str, problem: str, *, got: str = "", expected: str = "", advice: str = ""
    ) -> None:
        super().__init__("MS304", where, problem, got=got, expected=expected, advice=advice)


class RefusedError(MsconvertError, RuntimeError):
    """MS304: as ShapeError, where MindSpore raises a RuntimeError."""

    def __init__(
        self, where: str, problem: str, *, got: str = "", expected: str = "", advice: str = ""
    ) -> None:
        super().__init__("MS304", where, problem, got=got, expected=expected, advice=advice)


class SettingError(MsconvertError, ValueError):
    """MS301: a setting, or a value of one, that MindSpore does not have."""

    def __init__(self, where: str, problem: str, *, expected: str = "", advice: str = "") -> None:
        super().__init__("MS301", where, problem, expected=expected, advice=advice)


class TracedValueError(MsconvertError, RuntimeError):
    """MS306: Python asked for the value of a tensor while a graph was being traced.

    `name` is that of the value in the graph; `place` which argument it is, if it is one.
    """

    place: int | None = None

    def __init__(self, where: str, name: str = "") -> None:
        self.name = name
        place, line = line_of_user()
        super().__init__(
            "MS306",
            f"{place}{where}",
            "the value of a tensor is not known while a graph is traced",
            got=line,
            expected="only shapes, element types and Python values decide what is computed",
            advice=rewriting(line),
        )


def line_of_user() -> tuple[str, str]:
    """Where the code is that called the runtime ("file:line: "), and its text."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(RUNTIME):
        frame = frame.f_back
    if frame is None:
        return "", ""
    file, number = frame.f_code.co_filename, frame.f_lineno
    return f"{Path(file).name}:{number}: ", linecache.getline(file, number).strip()


def is_asked_by_user() -> bool:
    """Whether what calls this was called by code outside of the runtime."""
    return not sys._getframe(2).f_globals.get("__name__", "").startswith(RUNTIME)


def rewriting(line: str) -> str:
    """What to write instead of a line that needs a traced value."""
    first = line.split(" ")[0].rstrip(":")
    if first == "while":
        return "write ops.while_loop(condition, body, value) instead of while, or use PYNATIVE_MODE"
    if first == "for":
        return "write ops.fori_loop(lower, upper, body, value) instead of for, or use PYNATIVE_MODE"
    return (
        "write ops.cond(condition, true_fn, false_fn), ops.select or ops.where instead of if, "
        "or use PYNATIVE_MODE"
    )


class LoopError(MsconvertError, ValueError):
    """MS306: a loop or a branch on a traced value cannot be one node of a graph."""

    def __init__(self, where: str, problem: str, *, got: str = "", expected: str = "") -> None:
        advice = "use PYNATIVE_MODE, or a Python loop whose number of turns is known"
        super().__init__("MS306", where, problem, got=got, expected=expected, advice=advice)


class NoGradientError(MsconvertError, RuntimeError):
    """MS307: a gradient was asked for through an operator that has none here."""

    def __init__(self, where: str, problem: str = "the runtime knows no gradient of it") -> None:
        advice = "use ops.stop_gradient where none is needed, or give the Cell a bprop"
        super().__init__("MS307", where, problem, advice=advice)


class MissingNameError(MsconvertError, AttributeError):
    """MS301: a name of MindSpore's that the runtime lacks, or an argument it cannot take."""

    def __init__(self, where: str, problem: str, *, advice: str = "") -> None:
        super().__init__("MS301", where, problem, advice=advice)

    @classmethod
    def of(cls, module: str, name: str, known: Iterable[str]) -> MissingNameError:
        """The error for `module.name`; it tells the nearest of the `known` names."""
        near = difflib.get_close_matches(name, known, 1)
        advice = f"the nearest name is {module}.{near[0]}" if near else ""
        return cls(f"{module}.{name}", "the runtime has no such name", advice=advice)


def missing_names(module: str, known: Iterable[str]) -> Callable[[str], Any]:
    """A module's `__getattr__`. Raises: MS301 with the nearest of the `known` names.

    Python's own names, which it asks every module for, get a plain AttributeError.
    """

    def refuse(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise MissingNameError.of(module, name, known)

    return refuse
