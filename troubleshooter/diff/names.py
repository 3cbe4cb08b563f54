"""Names by names, as somebody has written them down."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...formats.naming import LEFT_OUT
from ...formats.weight_map import MAX_BYTES, ClassMap, NameMap, damaged, read_weight_map

if TYPE_CHECKING:
    from ...formats.atomic import Path


def naming_in(path: Path) -> ClassMap | NameMap | Mapping[str, str]:
    """A weight map, or a JSON object with a name of b (or null: it has none) for names of a.

    Raises: MS310 for anything else
    """
    where = os.fspath(path)
    try:
        if os.path.getsize(path) > MAX_BYTES:
            raise damaged(where, "too large for a weight map")
        with open(path, encoding="utf-8") as stream:
            content = json.load(stream)
    except OSError as error:
        raise damaged(where, f"cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise damaged(where, "not valid JSON", str(error)) from error
    if not isinstance(content, dict) or "kind" in content:
        return read_weight_map(path)
    if not all(isinstance(name, str | None) for name in content.values()):
        raise damaged(where, "a name is expected for each name, or null")
    return {old: LEFT_OUT if new is None else new for old, new in content.items()}
