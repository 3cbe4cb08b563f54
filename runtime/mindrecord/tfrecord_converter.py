"""TFRecord files as MindRecord files, without TensorFlow: what it decodes is read here."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import MsconvertError
from ...formats.records.tfrecord import Values, example, records
from ..dataset.faults import DataError
from ..engine.argument import check_type
from ..engine.failure import ShapeError
from .converters import Converter

WHERE = "TFRecordToMR"
WIDTHS = {"int8": "int32", "int16": "int32", "float16": "float32"}
"""What MindRecord has no type for, and what it becomes."""
WRITTEN = frozenset(("string", "bytes", "int32", "int64", "float32", "float64"))


@dataclass(frozen=True)
class Feature:
    """A list of an Example, and the field that it becomes; `length`: None for a single value."""

    key: str
    kind: str
    length: int | None
    default: Any

    @property
    def name(self) -> str:
        """Other signs than letters, digits and _ are none in MindRecord."""
        return re.sub(r"[^0-9a-zA-Z_]", "_", self.key)

    def value(self, values: Values | None) -> Any:
        """The field's value. Raises: RuntimeError (MS314) for a list of another length or type."""
        if values is None or len(values) == 0:
            if self.default is None:
                raise DataError(WHERE, "a record lacks a feature", got=self.key)
            values = self.default if isinstance(self.default, list | np.ndarray) else [self.default]
        if len(values) != (self.length or 1):
            got, expected = f"{self.key}: {len(values)} values", str(self.length or 1)
            raise DataError(WHERE, "a list is of another length", got=got, expected=expected)
        is_text = isinstance(values[0], bytes | str)
        if is_text != (self.kind in ("string", "bytes")):
            got, expected = f"{self.key}: {type(values[0]).__name__}", self.kind
            raise DataError(WHERE, "a list is of another type", got=got, expected=expected)
        if is_text:
            return self.text(values[0])
        array = np.asarray(values, self.kind)
        return array if self.length is not None else array[0].item()

    def text(self, value: bytes | str) -> bytes | str:
        data = value.encode() if isinstance(value, str) else bytes(value)
        if self.kind == "bytes":
            return data
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            advice = f"bytes_fields=[{self.key!r}]"
            raise DataError(WHERE, "a text is not UTF-8", got=self.key, advice=advice) from error


def feature(key: str, given: Any, as_bytes: bool) -> Feature:
    """A feature of what `tf.io.FixedLenFeature` says. Raises: ValueError (MS304)"""
    kind = getattr(given, "dtype", None)
    kind = WIDTHS.get(str(getattr(kind, "name", kind)), str(getattr(kind, "name", kind)))
    shape = list(getattr(given, "shape", ("none",)))
    is_list = len(shape) == 1 and isinstance(shape[0], int) and shape[0] > 0
    if kind not in WRITTEN or (shape and (not is_list or kind == "string")):
        got, expected = f"{key}: {given!r}"[:120], "tf.io.FixedLenFeature([] or [n], type)"
        raise ShapeError(WHERE, "a feature cannot be a field", got=got, expected=expected)
    if as_bytes and kind != "string":
        raise ShapeError(WHERE, "a field of bytes is no tf.string", got=f"{key}: {kind}")
    default = getattr(given, "default_value", None)
    length = math.prod(shape) if shape else None
    return Feature(key, "bytes" if as_bytes else kind, length, default)


class TFRecordToMR(Converter):
    """A TFRecord file: each feature is a field."""

    def __init__(
        self,
        source: str,
        destination: str,
        feature_dict: dict[str, Any],
        bytes_fields: list[str] | None = None,
    ) -> None:
        check_type(WHERE, "source", source, str)
        check_type(WHERE, "destination", destination, str)
        check_type(WHERE, "feature_dict", feature_dict, dict)
        check_type(WHERE, "bytes_fields", bytes_fields or [], list)
        for name in bytes_fields or ():
            if name not in feature_dict:
                raise ShapeError(WHERE, "a field of bytes is in no feature", got=repr(name))
        self.source, self.destination = source, destination
        chosen = bytes_fields or []
        self.features = [feature(k, given, k in chosen) for k, given in feature_dict.items()]

    def schema(self) -> dict[str, dict[str, Any]]:
        return {
            one.name: {"type": one.kind} | ({} if one.length is None else {"shape": [one.length]})
            for one in self.features
        }

    def transform(self) -> None:
        self.write(self.destination, 1, self.rows())

    def rows(self) -> Iterator[dict[str, Any]]:
        try:
            for record in records(self.source):
                found = example(self.source, record)
                yield {one.name: one.value(found.get(one.key)) for one in self.features}
        except MsconvertError as error:
            if isinstance(error, DataError):
                raise
            got = f"{self.source}: {error.problem} {error.got}"
            raise DataError(WHERE, "the file cannot be read", got=got) from error
