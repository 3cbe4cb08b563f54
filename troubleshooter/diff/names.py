"""Names by names, as somebody has written them down."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...formats.names.naming import LEFT_OUT
from ...formats.names.weight_map import ClassMap, NameMap, damaged, json_in, read_weight_map

if TYPE_CHECKING:
    from ...formats.storage.atomic import Path


def naming_in(path: Path) -> ClassMap | NameMap | Mapping[str, str]:
    """A weight map, or a JSON object with a name of b (or null: it has none) for names of a.

    What the former migration tool has written is a list of two objects, of which the first has
    names; the changes of shape in the other are known by the shapes.
    Raises: MS310 for anything else
    """
    where = os.fspath(path)
    content = json_in(path)
    if isinstance(content, list) and len(content) == 2 and not any(map(is_weight, content)):
        content = content[0]
    if not isinstance(content, dict) or "kind" in content:
        return read_weight_map(path)
    if not all(isinstance(name, str | None) for name in content.values()):
        raise damaged(where, "a name is expected for each name, or null")
    return {old: LEFT_OUT if new is None else new for old, new in content.items()}


def is_weight(entry: object) -> bool:
    """Whether it is an entry of a conversion's weight map, and not names by names."""
    return not isinstance(entry, dict) or "converted_weight" in entry
