"""The errors of mindspore.mindrecord, under MindSpore's names."""

from __future__ import annotations

from ...errors import MsconvertError


class MindRecordException(MsconvertError):
    """MS304: what all errors of MindRecord are."""

    def __init__(
        self, where: str, problem: str, *, got: str = "", expected: str = "", advice: str = ""
    ) -> None:
        super().__init__("MS304", where, problem, got=got, expected=expected, advice=advice)


class ParamValueError(MindRecordException):
    """An argument has a value that cannot be."""


class ParamTypeError(MindRecordException):
    """An argument is of a wrong type."""


class MRMOpenError(MindRecordException, RuntimeError):
    """A file cannot be opened: for some of the reasons MindSpore raises a RuntimeError."""


class MRMInvalidSchemaError(MindRecordException):
    """A schema describes no fields."""


class MRMAddSchemaError(MindRecordException):
    """There is a schema already."""


class MRMGetMetaError(MindRecordException):
    """There is no schema yet."""


class MRMDefineIndexError(MindRecordException, RuntimeError):
    """A field cannot be searched for, for which MindSpore raises a RuntimeError."""


class MRMDefineCategoryError(MindRecordException):
    """A field has no categories."""
