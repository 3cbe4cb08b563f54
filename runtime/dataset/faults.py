"""What goes wrong while data are read, in msconvert's shape and MindSpore's classes."""

from __future__ import annotations

import traceback
from types import TracebackType
from typing import Any, Literal

from ...errors import MsconvertError
from ..engine.failure import MissingNameError, RefusedError


class DataError(MsconvertError, RuntimeError):
    """MS314: data that cannot be read, or a function of a pipeline that fails."""

    def __init__(
        self, where: str, problem: str, *, got: str = "", expected: str = "", advice: str = ""
    ) -> None:
        super().__init__("MS314", where, problem, got=got, expected=expected, advice=advice)


def refuse_given(where: str, **given: Any) -> None:
    """Raises: MS301 for an argument that the runtime can do nothing with, if it is given."""
    for name, value in given.items():
        if value is not None:
            problem = f"the runtime has nothing for {name}"
            advice = f"leave {name} out: it would be without effect"
            raise MissingNameError(f"mindspore.dataset.{where}", problem, advice=advice)


class Told:
    """Inside, any error of a user's code becomes a DataError that says where it was raised; an
    operation's own refusal stays what it is, and says of which row."""

    def __init__(self, where: str, problem: str, is_row: bool = False) -> None:
        self.where, self.problem, self.is_row = where, problem, is_row

    def __enter__(self) -> Told:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> Literal[False]:
        if isinstance(error, Exception) and not isinstance(error, MsconvertError):
            last = traceback.extract_tb(trace)[-1]
            got = f"{type(error).__name__}: {error} ({last.filename}:{last.lineno}: {last.line})"
            raise DataError(self.where, self.problem, got=got) from error
        if isinstance(error, RefusedError) and self.is_row:
            error.where = f"{self.where}: {error.where}"
        return False
