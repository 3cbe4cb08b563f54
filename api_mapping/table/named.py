"""The API that an expression names."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple


class Named(NamedTuple):
    """The API that an expression names, and the receiver if it is a method or property."""

    api: str
    receiver: ast.expr | None = None


Resolve = Callable[[ast.expr], Named | None]
"""Names the API that an expression is."""
