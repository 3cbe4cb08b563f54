"""MindPage: the rows of MindRecord files by the values of a field, page after page."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from ...formats.records.mindrecord import rows_of
from .exceptions import MRMDefineCategoryError, ParamTypeError, ParamValueError
from .reader import checked_files


class MindPage:
    """Shows the rows that have one value in a field."""

    def __init__(self, file_name: Any, num_consumer: int = 4) -> None:
        self.files = checked_files("MindPage", file_name, num_consumer)
        entries = self.files[0].header.get("index_fields", [])
        self.fields = [str(entry["index_field"]) for entry in entries]
        self.chosen: str | None = None

    @property
    def candidate_fields(self) -> list[str]:
        """The fields whose values can be asked for."""
        return list(self.fields)

    @property
    def category_field(self) -> str | None:
        return self.chosen

    @category_field.setter
    def category_field(self, category_field: str) -> None:
        if not category_field or not isinstance(category_field, str):
            got = repr(category_field)
            raise ParamTypeError("MindPage", "category_field is no text", got=got)
        if category_field not in self.fields:
            raise MRMDefineCategoryError(
                "MindPage",
                "it is no field of the index",
                got=category_field,
                expected=", ".join(self.fields),
            )
        self.chosen = category_field

    def categories(self) -> list[tuple[str, int]]:
        """The values of the field in the order of their texts, and how many rows have each."""
        name = self.chosen or self.fields[0]
        return sorted(Counter(str(row[name]) for row in rows_of(self.files, [name])).items())

    def read_category_info(self) -> str:
        """The values as JSON: each with its number and how many rows have it."""
        found = [
            {"count": count, "id": number, "name": name}
            for number, (name, count) in enumerate(self.categories())
        ]
        key = f"{self.chosen or self.fields[0]}_0"
        return json.dumps({"categories": found, "key": key}, separators=(",", ":"))

    def read_at_page_by_id(self, category_id: int, page: int, num_row: int) -> list[dict[str, Any]]:
        """Some of the rows that have the value of this number."""
        check_whole("category_id", category_id, 0)
        names = [name for name, _ in self.categories()]
        if category_id >= len(names):
            got, expected = str(category_id), f"0..{len(names) - 1}"
            raise ParamValueError(
                "MindPage", "there is no such category", got=got, expected=expected
            )
        return self.read_at_page_by_name(names[category_id], page, num_row)

    def read_at_page_by_name(
        self, category_name: str, page: int, num_row: int
    ) -> list[dict[str, Any]]:
        """Some of the rows that have this value."""
        if not isinstance(category_name, str):
            got = repr(category_name)
            raise ParamValueError("MindPage", "category_name is no text", got=got)
        check_whole("page", page, 0)
        check_whole("num_row", num_row, 1)
        name = self.chosen or self.fields[0]
        found: list[dict[str, Any]] = []
        passed = 0
        for row in rows_of(self.files, None):
            if str(row[name]) != category_name:
                continue
            if page * num_row <= passed < (page + 1) * num_row:
                found.append(row)
            passed += 1
        return found


def check_whole(name: str, value: Any, low: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < low:
        got, expected = repr(value), f"a number of {low} or more"
        raise ParamValueError("MindPage", f"{name} is out of range", got=got, expected=expected)
