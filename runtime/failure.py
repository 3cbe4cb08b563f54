"""The runtime's errors: msconvert's shape, and of the class that MindSpore raises there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from ..errors import MsconvertError


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


class TracedValueError(MsconvertError, RuntimeError):
    """MS306: Python asked for the value of a tensor while a graph was being traced."""

    def __init__(self, where: str) -> None:
        super().__init__(
            "MS306",
            where,
            "the value of a tensor is not known while a graph is traced",
            expected="only shapes, element types and Python values decide what is computed",
            advice="write ops.select or ops.where instead of if, or use PYNATIVE_MODE",
        )


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
