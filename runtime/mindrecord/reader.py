"""FileReader: the rows of MindRecord files, one after another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...errors import MsconvertError
from ...formats.records.mindrecord import MindRecord, opened, rows_of
from .exceptions import MRMOpenError, ParamTypeError, ParamValueError
from .writer import checked_name


def checked_files(where: str, file_name: Any, num_consumer: Any) -> list[MindRecord]:
    """The files. Raises: ParamValueError, or MRMOpenError if they cannot be read"""
    names = file_name if isinstance(file_name, list) else [file_name]
    for name in names:
        checked_name(where, name)
    if not isinstance(num_consumer, int) or not 1 <= num_consumer <= 256:
        raise ParamValueError(where, "num_consumer is out of range", got=repr(num_consumer))
    try:
        files = opened(file_name)
    except MsconvertError as error:
        problem = f"{error.where}: {error.problem}"
        raise MRMOpenError(where, problem, got=error.got, expected=error.expected) from error
    first = files[0]
    for file in files[1:]:
        if file.fields != first.fields:
            raise MRMOpenError(where, "the files have other fields", got=file.path)
    return files


class FileReader:
    """Reads the rows of a file and those that belong to it, or of a list of files."""

    def __init__(
        self,
        file_name: Any,
        num_consumer: int = 4,
        columns: Any = None,
        operator: Any = None,
    ) -> None:
        if columns is not None and not isinstance(columns, list):
            raise ParamTypeError("FileReader", "columns are no list", got=repr(columns))
        self.files = checked_files("FileReader", file_name, num_consumer)
        known = [field.name for field in self.files[0].fields]
        for name in columns or ():
            if name not in known:
                expected = ", ".join(known)
                raise ParamValueError(
                    "FileReader", "there is no such field", got=repr(name), expected=expected
                )
        self.columns = columns or None

    def get_next(self) -> Iterator[dict[str, Any]]:
        """The rows as dictionaries."""
        return rows_of(self.files, self.columns)

    def schema(self) -> dict[str, Any]:
        """The fields with their types and shapes."""
        return {field.name: field.described() for field in self.files[0].fields}

    def len(self) -> int:
        """The number of rows."""
        return sum(len(file) for file in self.files)

    def close(self) -> None:
        for file in self.files:
            file.close()
