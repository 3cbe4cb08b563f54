"""Schemas: which columns a data set has, with their element types and shapes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ....formats.storage.opening import json_of
from ...engine.argument import check_type
from ...engine.failure import RefusedError
from ..transforms.arrays import numpy_type


@dataclass(frozen=True)
class Column:
    """A column's name, element type and shape, None if it may differ."""

    name: str
    kind: np.dtype[Any]
    shape: tuple[int, ...] | None = None


class Schema:
    """The columns of a data set, written down in a file or added one by one."""

    def __init__(self, schema_file: str | None = None) -> None:
        self.columns: list[Column] = []
        self.num_rows: int | None = None
        self.dataset_type = ""
        if schema_file is not None:
            check_type("Schema", "schema_file", schema_file, str)
            self.from_json(read_json(schema_file))

    @classmethod
    def of(cls, given: Any) -> Schema:
        """A schema, or that in a file."""
        return given if isinstance(given, Schema) else cls(given)

    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def add_column(self, name: str, de_type: Any, shape: Sequence[int] | None = None) -> None:
        """Adds a column."""
        check_type("Schema", "name", name, str)
        wanted = None if shape is None else tuple(int(n) for n in shape)
        self.columns.append(Column(name, kind_of(de_type), wanted))

    def parse_columns(self, columns: Any) -> None:
        """Adds the columns of a list of dictionaries, or of a dictionary by their names."""
        check_type("Schema", "columns", columns, dict, list)
        entries = (
            columns
            if isinstance(columns, list)
            else [{"name": name, **entry} for name, entry in columns.items()]
        )
        for entry in entries:
            if not isinstance(entry, dict) or "name" not in entry or "type" not in entry:
                expected = "a name and a type"
                raise RefusedError(
                    "Schema", "a column is not described", got=repr(entry), expected=expected
                )
            self.add_column(entry["name"], entry["type"], entry.get("shape"))

    def from_json(self, json_obj: dict[str, Any]) -> None:
        """Adds what the content of a schema file says."""
        check_type("Schema", "json_obj", json_obj, dict)
        self.dataset_type = json_obj.get("datasetType", "")
        self.num_rows = json_obj.get("numRows")
        if not isinstance(json_obj.get("columns"), dict | list):
            raise RefusedError("Schema", "there are no columns in it", got=repr(json_obj)[:80])
        self.parse_columns(json_obj["columns"])

    def __str__(self) -> str:
        return self.to_json()

    def to_json(self) -> str:
        """The schema as the text of a schema file."""
        columns = [
            {
                "name": c.name,
                "type": "string" if c.kind.kind in "US" else c.kind.name,
                "rank": 1 if c.shape is None else len(c.shape),
                **({} if c.shape is None else {"shape": list(c.shape)}),
            }
            for c in self.columns
        ]
        found: dict[str, Any] = {"columns": columns or None}
        if self.dataset_type:
            found["datasetType"] = self.dataset_type
        if self.num_rows is not None:
            found["numRows"] = self.num_rows
        return json.dumps(found, indent=2, sort_keys=True)


def kind_of(given: Any) -> np.dtype[Any]:
    """An element type by its name, MindSpore's or NumPy's. Raises: TypeError (MS304)"""
    if given == "string" or str(given).lower() == "string":
        return np.dtype("U")
    return numpy_type("Schema", given)


def read_json(path: str, most: int = 1 << 30) -> Any:
    """The content of a file of JSON. Raises: RuntimeError (MS304)"""
    try:
        return json_of(Path(path), most)
    except (OSError, ValueError) as error:
        problem = "it cannot be read"
        raise RefusedError("a JSON file", problem, got=f"{path}: {error}") from error
